"""Checking a document: every claim in its place, with what stands before it."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from workings.claims.check import check_set
from workings.claims.declare import Reader
from workings.claims.documents.closure import Closure, Definitions
from workings.claims.documents.document import Document
from workings.claims.documents.infer import Inference, symbols_in, use_of
from workings.claims.documents.outline import Outline, Role, Statement, outline
from workings.claims.documents.sources import Position
from workings.claims.equality_claims import DRAWS
from workings.claims.evidence import Evidence
from workings.claims.judge import judge
from workings.claims.live import LiveClaim
from workings.claims.result import Result
from workings.claims.sets import ClaimSet, from_values
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.latex import latex, plain_latex
from workings.formula.sizes import parse_sizes

MOST_READINGS = 24  # ways to read what was not declared that are compared
_UNFIT = re.compile(r"the [\w ]+ of .*\d×\d")  # shapes that do not fit, which is wrong
_FIRST = r"\^\(0\)$|_0$"  # the value before the first step
Shapes = dict[str, tuple[str, ...]]
Known = dict[str, Result]
"""results of sets that were checked before, by their text"""


@dataclass(frozen=True)
class Finding:
    """A statement of a document, where it stands, and the verdict if it is a claim."""

    document: Document = field(repr=False)
    statement: Statement = field(repr=False)
    result: Result | None = None
    offset: int = 0
    """the first character of what is wrong, or not read"""
    shapes: dict[str, str] = field(default_factory=dict)
    """how symbols that were not declared were read"""

    @property
    def position(self) -> Position:
        return self.document.position(self.offset)

    @property
    def verdict(self) -> Verdict | None:
        return self.result.verdict if self.result else None

    @property
    def wrong(self) -> bool:
        """Whether the claim is not right as it is written."""
        right = (None, Verdict.NOT_READ, Verdict.TRIVIAL, Verdict.UNDECIDED)
        return self.verdict not in right and not (self.result and self.result.holds)

    @property
    def not_read(self) -> bool:
        return self.verdict in (Verdict.NOT_READ, Verdict.UNDECIDED)


@dataclass
class Checked:
    """A document's findings, and what its author should know besides."""

    document: Document
    findings: list[Finding]
    notes: list[tuple[Position, str]]

    @property
    def wrong(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.wrong]

    @property
    def not_read(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.not_read]

    @property
    def claims(self) -> list[Finding]:
        """All that got a verdict."""
        return [finding for finding in self.findings if finding.result is not None]


def check_document(
    document: Document,
    known: Known | None = None,
    each: Callable[[Finding, int], None] | None = None,
) -> Checked:
    """Check every claim of a document; `each` is told of a finding, and of how many there will be.

    `known` keeps results for the next time: what has not changed is not checked again.
    """
    check = DocumentCheck(outline(document), known)
    findings = []
    for finding in check.findings():
        findings.append(finding)
        if each is not None:
            each(finding, len(check.outline.statements))
    return Checked(document, findings, check.notes)


class DocumentCheck:
    """Goes through the statements of a document, one by one."""

    def __init__(self, found: Outline, known: Known | None = None) -> None:
        self.outline = found
        self.known = {} if known is None else known
        self.bounds: set[str] = set()
        self.free: set[str] = set()
        self.document = found.document
        self.definitions = Definitions(found)
        self.sizes = {
            name
            for declared in found.declared.values()
            for side in declared.sides
            for name in parse_sizes(side).names
        } | set(found.sizes)

    @property
    def notes(self) -> list[tuple[Position, str]]:
        return [(self.document.position(offset), text) for offset, text in self.outline.notes]

    def findings(self) -> Iterator[Finding]:
        """One for each statement, in the order of the document."""
        for number in range(len(self.outline.statements)):
            yield self.finding(number)

    def finding(self, number: int) -> Finding:
        """What is found about one statement."""
        statement = self.outline.statements[number]
        if statement.role is Role.NOT_READ:
            return self._not_read(statement, statement.why)
        if statement.role is Role.DEFINITION:
            try:
                self.definitions.body(statement)
            except WorkingsError as error:
                return self._not_read(statement, _line(error), _index(error), side=1)
        if statement.role is not Role.CLAIM:
            return Finding(self.document, statement, offset=statement.row.text.offset)
        found = self._claim(number, statement)
        if found.wrong and self._shadows(number, statement):
            return self._define_again(number, statement)
        return found

    def _shadows(self, number: int, statement: Statement) -> bool:
        """A name that another section defined may get a new meaning."""
        before = self.definitions.in_force(statement.name, number) if statement.name else None
        return (
            before is not None
            and before.section != statement.section
            and statement.row.mode != "claim"
            and len(statement.row.sides) == 2
        )

    def _define_again(self, number: int, statement: Statement) -> Finding:
        before = self.definitions.in_force(statement.name, number)
        assert before is not None
        statement.role = Role.DEFINITION
        self.definitions.add(number, statement)
        line = self.document.position(before.row.text.offset).line
        self.outline.notes.append(
            (
                statement.row.text.offset,
                f"{plain_latex(statement.name)} is defined anew here; in line {line} it was "
                "something else (% workings: claim makes it a claim)",
            )
        )
        return Finding(self.document, statement, offset=statement.row.text.offset)

    def _claim(self, number: int, statement: Statement) -> Finding:
        if statement.row.condition:
            return self._not_read(
                statement, f"it is said under a condition ({statement.row.condition})"
            )
        text = self.definitions.plain(statement.row.text)
        try:
            written = self.definitions.parsed(statement)
            sides = [self.definitions.named(side) for side in written.sides]
            if unclear := set(written.relations) - {"=", "<", ">", "≤", "≥", "∈"}:
                return self._not_read(statement, f"{unclear.pop()} claims nothing exact")
            closure = self.definitions.closure(sides, number, frozenset())
        except FormulaError as error:
            return self._not_read(statement, _line(error), _index(error))
        except WorkingsError as error:
            return self._not_read(statement, _line(error))
        return self._decide(statement, " ".join(text.text.split()), sides, closure)

    def _decide(
        self, statement: Statement, text: str, sides: list[f.Node], closure: Closure
    ) -> Finding:
        """The verdict in the likeliest reading, if no other reading gives another."""
        inference = self._inference(sides, closure)
        if unsaid := self._independent(sides, closure):
            return self._not_read(statement, unsaid)
        if unsaid := self._only_right(sides, closure):
            return self._not_read(
                statement,
                f"{plain_latex(unsaid)} is not declared, and nothing else says what it is",
            )
        if alone := self._alone(sides, inference):
            return self._not_read(
                statement,
                f"the index {alone} stands on one side only, so it is not said what it is",
            )
        readings = list(itertools.islice(_distinct(inference), MOST_READINGS))
        guessed = [name for name in (readings or [{}])[0] if name not in self.outline.declared]
        if not readings:
            asked = self._unknown([*(each.body for each in closure.equations), *sides], closure)
            if asked:
                return self._not_read(statement, _ask(asked[0]))
            readings = [self._declared_shapes(sides, closure)]
        result = self._result(text, closure, readings[0], inference)
        if result.verdict is Verdict.UNDEFINED and _has_derivative(sides[1:]):
            return self._not_read(statement, f"{result.why}; the convention is not said")
        if result.verdict is Verdict.UNDEFINED and not _UNFIT.match(result.why):
            return self._not_read(statement, result.why)
        if result.verdict is Verdict.UNDEFINED and guessed:
            square = self._result(text, closure, _square(readings[0]), inference)
            if square.holds:
                return self._not_read(statement, f"{result.why}; {_ask(guessed[0])}")
            if self._is_wrong(square) and square.verdict is not Verdict.UNDEFINED:
                result = square  # wrong for square matrices too, so wrong whatever their shapes
        if self._is_wrong(result) and self._recurrent(sides, closure, readings[0]):
            return self._not_read(
                statement,
                "whether earlier steps count is not said; put |_{(t)} behind the derivative, or "
                "write `% workings: steps 3`",
            )
        if self._is_wrong(result) and (why := self._not_claimed(statement, sides, closure)):
            return self._not_read(statement, why)
        if result.verdict is Verdict.WRONG_SHAPE and _by_matrix(sides[0], readings[0], result):
            return self._not_read(
                statement,
                "the derivative of a vector by a matrix has three indices; how they are left out "
                "is not said",
            )
        if self._is_wrong(result) and guessed:
            for other in readings[1:]:
                if holds(self._claim_set(text, closure, other, inference)):
                    name = next(name for name in other if other[name] != readings[0].get(name))
                    return self._not_read(statement, _ask(name))
            if len(readings) == MOST_READINGS:
                return self._not_read(statement, _ask(guessed[0]))
        shown = {name: "×".join(readings[0][name]) or "a number" for name in guessed}
        if result.verdict is Verdict.NOT_READ:
            return self._not_read(statement, result.why)
        return Finding(self.document, statement, result, self._offset(statement, result), shown)

    def _is_wrong(self, result: Result) -> bool:
        return not result.holds and result.verdict not in (Verdict.NOT_READ, Verdict.TRIVIAL)

    def _inference(self, sides: list[f.Node], closure: Closure) -> Inference:
        bodies = [each.body for each in closure.equations]
        bodies += [body for _, body in closure.functions.values()]
        known = {**self.outline.declared, **dict.fromkeys(each.name for each in closure.equations)}
        free = {
            letter
            for side in sides
            for symbol, bound in symbols_in(side)
            for letter in use_of(symbol, known, bound).indices
        }
        bounds = {
            symbol.name
            for body in [*bodies, *sides]
            for node in body.walk()
            if isinstance(node, f.Range | f.Ones | f.Identity)
            for part in node.children()
            for symbol in part.walk()
            if isinstance(symbol, f.Symbol) and symbol.name not in known
        }
        running = {
            node.variable
            for body in [*bodies, *sides]
            for node in body.walk()
            if isinstance(node, f.Range)
        }
        steps = {"t", "T"} if self.outline.steps else set()
        self.bounds, self.free = bounds - self.sizes - free - running - steps, free | steps
        declared = self.outline.declared
        if self.outline.steps:  # what has a value before the first step has its shape at each
            before = {name: each for name, each in declared.items() if re.search(_FIRST, name)}
            now = {re.sub(_FIRST, _step, name): each for name, each in before.items()}
            declared = {**now, **declared}
        return Inference(
            declared, closure.equations, sides, closure.functions,
            frozenset(self.sizes | bounds), frozenset(free - set(known)),
        )  # fmt: skip

    def _not_claimed(self, statement: Statement, sides: list[f.Node], closure: Closure) -> str:
        """Why what is not true may not be meant as a claim: an equation to solve, a value given."""
        if closure.free:
            name = plain_latex(min(closure.free))
            return f"{name} is free in one definition and defined by another"
        right = list(symbols_in(sides[-1]))
        if isinstance(sides[-1], f.Number) and sides[-1].value == 0:
            return "it is set to zero, which may be an equation to solve"
        if statement.name and not right:
            return f"{plain_latex(statement.name)} is given a value, and was defined before"
        indices = sorted(self.free - {"t", "T"})
        if len(indices) > 1 and isinstance(sides[0], f.Derivative):
            return f"whether {' and '.join(indices)} may be equal is not said"
        for node in (part for side in sides for part in side.walk()):
            if isinstance(node, f.Call) and node.function.lower() == "softmax":
                only = node.arguments[0]
                if isinstance(only, f.Symbol) and self.free & set(only.sub):
                    return f"the softmax of the single entry {latex(only)}"
        left = {symbol.base for symbol, _ in symbols_in(sides[0])}
        other = [symbol for symbol, bound in right if symbol.base not in left | bound]
        known = [symbol for symbol in other if symbol.name in self.outline.declared]
        if known and not closure.equations and not _has_derivative(sides):
            return f"{plain_latex(known[0].name)} stands on one side only; it may be to be solved"
        return ""

    def _alone(self, sides: list[f.Node], inference: Inference) -> str:
        """An index that only the right side leaves open: which value it has is not said."""
        found: list[set[str]] = []
        for side in sides:
            uses = [
                (use_of(each, inference.known, bound), bound) for each, bound in symbols_in(side)
            ]
            letters = {each for use, bound in uses for each in use.indices if each not in bound}
            names = {use.name for use, bound in uses if use.name not in bound}
            found.append({each for each in letters if each.isalpha()} | (names & inference.free))
        return min(set().union(*found[1:]) - found[0], default="")

    def _independent(self, sides: list[f.Node], closure: Closure) -> str:
        """Why a derivative is by something that what is differentiated does not depend on here."""
        bodies = {each.name: each.body for each in closure.equations}
        bodies |= {name: body for name, (_, body) in closure.functions.items()}
        known = {**bodies, **self.outline.declared}
        for side in sides:
            for node in side.walk():
                if not isinstance(node, f.Derivative):
                    continue
                of = _reached_from(node.of, bodies, known)
                if not of & _reached_from(node.wrt, {}, known):
                    shown = latex(node.of), latex(node.wrt)
                    return f"how {shown[0]} depends on {shown[1]} is not said"
        return ""

    def _only_right(self, sides: list[f.Node], closure: Closure) -> str:
        """A name that only the right side has: no claim about it can be decided."""
        bodies = [each.body for each in closure.equations]
        said = set(self._unknown([*bodies, sides[0]], closure)) | self.definitions.functions
        right = self._unknown(sides[1:], closure)
        return next((name for name in right if name not in said), "")

    def _unknown(self, nodes: list[f.Node], closure: Closure) -> list[str]:
        """The symbols of formulas that were neither declared nor defined."""
        known = {**self.outline.declared, **dict.fromkeys(each.name for each in closure.equations)}
        found: dict[str, None] = {}
        for body in nodes:
            for symbol, bound in symbols_in(body):
                name = use_of(symbol, known, bound).name
                if name not in {*known, *bound, *self.sizes, *self.bounds, *self.free}:
                    found[name] = None
        return list(found)

    def _declared_shapes(self, sides: list[f.Node], closure: Closure) -> Shapes:
        found: Shapes = {}
        for body in [*(each.body for each in closure.equations), *sides]:
            for symbol, bound in symbols_in(body):
                use = use_of(symbol, self.outline.declared, bound)
                if declared := self.outline.declared.get(use.name):
                    sizes = declared.sides
                    found[use.name] = (sizes[0], "1") if len(sizes) == 1 else sizes
        return found

    def _result(self, text: str, closure: Closure, shapes: Shapes, inference: Inference) -> Result:
        try:
            claim_set = self._claim_set(text, closure, shapes, inference)
            key = claim_set.model_dump_json()
            if key not in self.known:
                (self.known[key],) = check_set(claim_set)
            return self.known[key]
        except WorkingsError as error:
            return Result(Verdict.NOT_READ, Evidence(why=_line(error)), formula=text)

    def _claim_set(
        self, text: str, closure: Closure, shapes: Shapes, inference: Inference
    ) -> ClaimSet:
        taken = {*shapes, *(each.name for each in closure.equations)}
        rename = {name: f"{name}0" for name in self.sizes if name in taken}
        symbols: dict[str, str] = {}
        for name, sizes in shapes.items():
            declared = self.outline.declared.get(name)
            sides = [_renamed(size, rename) for size in sizes]
            kinds = " ".join(declared.kinds) if declared else ""
            if not sides and name in inference.signs.numbers and not declared:
                kinds = "positive"
            latex = declared.latex if declared else plain_latex(name)
            symbols[latex] = f"{kinds} {' x '.join(sides) or 'scalar'}".strip()
        for name, declared in self.outline.declared.items():
            if self.outline.steps and re.search(_FIRST, name):
                symbols[declared.latex] = declared.text(*declared.sides)
        for name in sorted(self.bounds):
            symbols[rf"\mathrm{{length}}_{{{name}}}"] = f"{name} x 1"
        values = {
            "symbols": symbols,
            "sizes": {rename.get(name, name): value for name, value in self.outline.sizes.items()},
            "equations": closure.texts,
            "steps": self.outline.steps,
            "claims": [{"claim": text}],
        }
        return from_values(values, "document")

    def _recurrent(self, sides: list[f.Node], closure: Closure, shapes: Shapes) -> bool:
        """Whether a derivative by a weight may or may not go through earlier steps."""
        left = sides[0]
        if self.outline.steps or not isinstance(left, f.Derivative) or left.only:
            return False
        wrt = left.wrt.name if isinstance(left.wrt, f.Symbol) else ""
        if re.search(r"\(t\b|_t\b", wrt):
            return False
        bodies = {each.name: each.body for each in closure.equations}
        for name in shapes:
            now = re.sub(r"\(t\s*-\s*1\)", "(t)", re.sub(r"_t-1\b", "_t", name))
            if now != name and now in bodies and wrt in _reached(now, bodies):
                return True
        return False

    def _offset(self, statement: Statement, result: Result) -> int:
        sides = statement.row.sides
        if result.holds:
            return statement.row.text.offset
        step = result.evidence.departs_at_step or 1
        return sides[min(step, len(sides) - 1)].text.offset

    def _not_read(self, statement: Statement, why: str, index: int = 0, side: int = 0) -> Finding:
        text = statement.row.sides[side].text if side else statement.row.text
        result = Result(
            Verdict.NOT_READ,
            Evidence(why=why),
            name=statement.text,
            statement=statement.text,
            formula=statement.text,
        )
        return Finding(self.document, statement, result, text.offset_of(min(index, len(text) - 1)))


def holds(claim_set: ClaimSet) -> bool:
    """Whether a claim holds; no repair is looked for."""
    try:
        reader = Reader(claim_set)
        live = LiveClaim(reader, reader.system(), claim_set.claims[0])
        if set(live.written.relations) != {"="}:
            return all(result.holds for result in check_set(claim_set))
        drawn = live.points(1, DRAWS)
        return all(judge(live, side, drawn)[0].holds for side in live.sides[1:])
    except WorkingsError:
        return False


def _by_matrix(left: f.Node, shapes: Shapes, result: Result) -> bool:
    """Whether the left side is the derivative of a vector or matrix by a matrix."""
    if not isinstance(left, f.Derivative) or not isinstance(left.wrt, f.Symbol):
        return False
    sizes = shapes.get(left.wrt.name, ())
    return "Jacobian" in result.why and len(sizes) == 2 and "1" not in sizes


def _has_derivative(nodes: list[f.Node]) -> bool:
    return any(isinstance(part, f.Derivative) for node in nodes for part in node.walk())


def _step(match: "re.Match[str]") -> str:
    """(t) in place of (0)."""
    return match[0].replace("0", "t")


def _reached_from(
    node: f.Node, bodies: Mapping[str, f.Node], known: Mapping[str, object]
) -> set[str]:
    """The names that a formula uses, and that their definitions use."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        top = waiting.pop()
        names = [use_of(symbol, known, bound).name for symbol, bound in symbols_in(top)]
        names += [part.function for part in top.walk() if isinstance(part, f.Call)]
        for name in names:
            if name not in found:
                found.add(name)
                waiting += [bodies[name]] if name in bodies else []
    return found


def _reached(name: str, bodies: dict[str, f.Node]) -> set[str]:
    """All names that a definition uses, and that theirs use."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        body = bodies.get(waiting.pop())
        for symbol, _ in symbols_in(body) if body is not None else ():
            if symbol.name not in found:
                found.add(symbol.name)
                waiting.append(symbol.name)
    return found


def _distinct(inference: Inference) -> Iterator[Shapes]:
    """The readings that differ in more than the names of their sizes."""
    seen: set[tuple[tuple[str, tuple[bool, ...]], ...]] = set()
    for shapes in inference.solutions():
        key = tuple((name, tuple(size == "1" for size in sizes)) for name, sizes in shapes.items())
        if key not in seen:
            seen.add(key)
            yield shapes


def _square(shapes: Shapes) -> Shapes:
    """The same with all sizes that were not said equal."""
    return {
        name: tuple("n1" if re.fullmatch(r"n\d+", size) else size for size in sizes)
        for name, sizes in shapes.items()
    }


def _ask(name: str) -> str:
    shown = plain_latex(name)
    example = "n x 1" if shown.lstrip("\\")[:1].islower() else "n x m"
    return f"the shape of {shown} is not known; write `workings: {shown} {example}` in a comment"


def _renamed(size: str, rename: dict[str, str]) -> str:
    if not rename:
        return size
    return re.sub(r"[A-Za-z]\w*", lambda match: rename.get(match[0], match[0]), size)


def _line(error: WorkingsError) -> str:
    return str(error).partition("\n")[0]


def _index(error: WorkingsError) -> int:
    return error.position if isinstance(error, FormulaError) else 0
