"""Checking a document: every claim in its place, with what stands before it."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from workings.claims.check import Checker, new_seed
from workings.claims.conventions import Conventions
from workings.claims.declare import Reader
from workings.claims.documents.closure import Definitions
from workings.claims.documents.document import Document
from workings.claims.documents.doubts import (
    ask,
    doubt_before,
    doubt_of_reading,
    doubt_of_wrong,
    has_derivative,
    may_be_set,
)
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.generic import with_any_functions
from workings.claims.documents.notation import with_names
from workings.claims.documents.outline import Outline, Role, Statement, outline
from workings.claims.documents.readings import Readings, Shapes, square
from workings.claims.documents.sources import Position
from workings.claims.evidence import Evidence
from workings.claims.formula_claims import check_formula
from workings.claims.gradient import Layout
from workings.claims.number_claims import Models
from workings.claims.result import Result
from workings.claims.sets import ClaimSet
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.latex import latex, plain_latex

ZERO = re.compile(r"0|\\(?:mathbf|vec|boldsymbol|bm)\s*\{?\s*0\s*\}?")
BOUND = re.compile(r"[<>≤≥]=?|\\(?:le|ge)(?:q|qslant)?|\\[lg]t")
NUMBER = re.compile(r"-?[0-9.]+")
MOST_READINGS = 24  # ways to read what was not declared that are compared
Known = dict[str, tuple[Result, frozenset[Layout]]]
"""results of sets that were checked before, by their text and the layouts they were judged in"""


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
    return Checked(document, findings, check.notes, check.outline.in_sentences)


class DocumentCheck:
    """Goes through the statements of a document, one by one."""

    def __init__(self, found: Outline, known: Known | None = None) -> None:
        self.outline = found
        self.known = {} if known is None else known
        self.document = found.document
        self.definitions = Definitions(found)
        self.layouts: dict[int, frozenset[Layout]] = {}
        """by which layouts of derivatives claims hold, where others would have said otherwise"""
        self._usual: frozenset[Layout] | None = None

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
        if statement.role is Role.DEFINITION and statement.name:
            try:
                self.definitions.body(statement)
            except WorkingsError as error:
                return self._not_read(statement, _line(error), _index(error), side=1)
        if statement.role is not Role.CLAIM:
            return Finding(self.document, statement, offset=statement.row.text.offset)
        found = self._claim(number, statement)
        if (found.wrong or found.not_read) and self._shadows(number, statement):
            if len(statement.row.sides) == 2:
                return self._define_again(number, statement)
            if found.wrong:
                return self._not_read(statement, f"{statement.name} was defined in another section")
        if found.not_read or found.wrong:
            return self._as_condition(number, statement) or found
        return found

    def _as_condition(self, number: int, statement: Statement) -> Finding | None:
        """What is set to zero may be an equation to solve, what is bounded a constraint."""
        sides = statement.row.sides
        if ZERO.fullmatch(sides[-1].text.text.strip()) and sides[-1].relation == "=":
            if len(sides) == 2:
                return self._condition(statement)
            shorter = replace(statement, row=statement.row.without_last_side())
            return self._claim(number, shorter)
        numbers = any(NUMBER.fullmatch(side.text.text.strip()) for side in sides)
        bounded = numbers and BOUND.fullmatch(sides[1].relation)
        return self._condition(statement) if bounded else None

    def _condition(self, statement: Statement) -> Finding:
        statement.role = Role.CONDITION
        statement.why = "it may be set, or to be solved, and not claimed"
        return Finding(self.document, statement, offset=statement.row.text.offset)

    def _shadows(self, number: int, statement: Statement) -> bool:
        """A name that another section defined may get a new meaning."""
        before = self.definitions.in_force(statement.name, number) if statement.name else None
        return (
            before is not None
            and before.section != statement.section
            and statement.row.mode != "claim"
            and not statement.continued
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
        closure = with_any_functions(closure, sides, self.outline)
        claim = Readings(self.outline, statement, " ".join(text.text.split()), sides, closure)
        if doubt := doubt_before(claim):
            return self._not_read(statement, doubt)
        return self._decide(number, claim)

    def _decide(self, number: int, claim: Readings) -> Finding:
        """The verdict in the likeliest reading, if no other reading gives another."""
        statement = claim.statement
        readings = list(itertools.islice(claim.shapes(), MOST_READINGS))
        if not readings:
            if asked := claim.unknown([*claim.bodies, *claim.sides]):
                return self._not_read(statement, ask(asked[0]))
            readings = [claim.declared_shapes()]
        shapes = readings[0]
        guessed = [name for name in shapes if name not in self.outline.declared]
        result, layouts = self._judged(claim, shapes)
        if result.holds and result.evidence.convention:
            self.layouts[number] = layouts
        result = self._in_the_usual_layout(claim, shapes, result)
        targets = {*claim.targets} & {name for name, sizes in shapes.items() if sizes}
        if _is_wrong(result) and targets:
            again = self._result(claim, shapes, with_targets=True)
            result = again if again.holds else result
        if _is_wrong(result):
            if may_be_set(claim):
                return self._condition(statement)
            if doubt := doubt_of_wrong(claim, result, shapes, bool(self._usual)):
                return self._not_read(statement, doubt)
            if guessed and (asked_for := self._other(claim, result, readings, guessed)):
                return self._not_read(statement, ask(asked_for))
            if guessed and result.verdict is Verdict.UNDEFINED:
                same_sizes = self._result(claim, square(shapes))
                if _is_wrong(same_sizes) and same_sizes.verdict is not Verdict.UNDEFINED:
                    result = same_sizes  # it says more: which value is wrong, and a repair
            sure = len(readings) == 1
            if not guessed and len(readings) < MOST_READINGS:
                if any(holds(claim.claim_set(other)) for other in readings[1:]):
                    return self._not_read(statement, "rows and columns are not told apart")
                sure = True
            doubt = doubt_of_reading(claim, result, sure)
            if doubt and not self._shadows(number, statement):
                return self._not_read(statement, doubt)
        if result.verdict is Verdict.NOT_READ:
            return self._not_read(statement, result.why)
        shown = {name: "×".join(shapes[name]) or "a number" for name in guessed}
        if result.holds and targets:
            shown |= dict.fromkeys(targets, "adds up to 1")
        result = _in_names(result, claim)
        return Finding(self.document, statement, result, self._offset(statement, result), shown)

    def _other(
        self, claim: Readings, result: Result, readings: list[Shapes], guessed: list[str]
    ) -> str:
        """A symbol whose shape decides: in another reading the claim holds, or may do so."""
        if result.verdict is Verdict.UNDEFINED and holds(claim.claim_set(square(readings[0]))):
            return guessed[0]
        for other in readings[1:]:
            if holds(claim.claim_set(other)):
                return next(name for name in other if other[name] != readings[0].get(name))
        return guessed[0] if len(readings) == MOST_READINGS else ""

    def _result(self, claim: Readings, shapes: Shapes, with_targets: bool = False) -> Result:
        return self._judged(claim, shapes, with_targets)[0]

    def _judged(
        self,
        claim: Readings,
        shapes: Shapes,
        with_targets: bool = False,
        layouts: frozenset[Layout] = frozenset(Layout),
    ) -> tuple[Result, frozenset[Layout]]:
        """The verdict in one reading, by one of the layouts; and by which of them it holds."""
        try:
            claim_set = claim.claim_set(shapes, with_targets)
            key = claim_set.model_dump_json() + ",".join(sorted(each.name for each in layouts))
            if key not in self.known:
                conventions = Conventions(possible=layouts)
                checker = Checker(claim_set, Models(False), new_seed(), conventions)
                result = checker.check(claim_set.claims[0])
                self.known[key] = result, conventions.possible
            return self.known[key]
        except WorkingsError as error:
            result = Result(Verdict.NOT_READ, Evidence(why=_line(error)), formula=claim.text)
            return result, layouts

    def _in_the_usual_layout(self, claim: Readings, shapes: Shapes, result: Result) -> Result:
        """Where shapes of derivatives decide: the verdict by the layout the document uses."""
        if result.verdict is not Verdict.UNDEFINED or not has_derivative(claim.sides[1:]):
            return result
        usual = self._usual_layouts()
        return self._judged(claim, shapes, layouts=usual)[0] if usual else result

    def _usual_layouts(self) -> frozenset[Layout]:
        """The layouts of derivatives by which most claims of the document hold; none if none."""
        if self._usual is None:
            self._usual = frozenset()  # while it is looked for
            self.layouts.clear()
            for number, statement in enumerate(self.outline.statements):
                if statement.role is Role.CLAIM and number not in self.layouts:
                    self._claim(number, replace(statement))
            counts = Counter(layout for each in self.layouts.values() for layout in each)
            most = max(counts.values(), default=0)
            alone = most == len(self.layouts)  # no claim needs another one
            self._usual = frozenset(each for each in counts if counts[each] == most and alone)
        return self._usual

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
        return check_formula(reader, reader.system(), claim_set.claims[0], repair=False).holds
    except WorkingsError:
        return False


def _in_names(result: Result, claim: Readings) -> Result:
    """The result with its repair in the author's names of derivatives."""
    if result.repair is None:
        return result
    names = {
        latex(each.body): plain_latex(each.name)
        for each in claim.closure.equations
        if isinstance(each.body, f.Derivative) and not each.entries
    }
    formula = with_names(result.repair.formula, names, claim.text)
    left, _, right = formula.partition(" = ")
    if left == right:
        return result
    return replace(result, repair=replace(result.repair, formula=formula))


def _is_wrong(result: Result) -> bool:
    return not result.holds and result.verdict not in (Verdict.NOT_READ, Verdict.TRIVIAL)


def _line(error: WorkingsError) -> str:
    return str(error).partition("\n")[0]


def _index(error: WorkingsError) -> int:
    return error.position if isinstance(error, FormulaError) else 0
