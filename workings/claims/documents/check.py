"""Checking a document: every claim in its place, with what stands before it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from workings.claims.documents.deciding.closure import closure_of
from workings.claims.documents.deciding.decide import Judge, Known, Undecided
from workings.claims.documents.deciding.dependence import mixes_derivatives, unrelated
from workings.claims.documents.deciding.doubts import NotClaimed, doubt_before, has_derivative
from workings.claims.documents.deciding.freed import weaker_closures
from workings.claims.documents.deciding.generic import with_any_functions, without_arguments
from workings.claims.documents.deciding.named_parts import with_named_parts
from workings.claims.documents.deciding.piecewise import Piecewise
from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.files.document import Document
from workings.claims.documents.files.sources import Position
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.inference.uses import use_of
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.listed import has_dots
from workings.claims.documents.outline.outline import outline
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.claims.result import Result
from workings.claims.system.gradient import Layout
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.evaluation.budget import now
from workings.formula.printing.latex import latex, plain_latex

SECONDS = 6.0  # for one statement, of this thread's time, before no further reading is tried
ZERO = re.compile(r"0|\\(?:mathbf|vec|boldsymbol|bm)\s*\{?\s*0\s*\}?")
_DERIVATIVE = re.compile(r"\\(?:partial|nabla)(?![A-Za-z])|\\frac\s*\{\s*d(?![A-Za-z])")
BOUND = re.compile(r"[<>≤≥]=?|\\(?:le|ge)(?:q|qslant)?|\\[lg]t")
_LETTER = re.compile(r"(?<![\\A-Za-z{])[A-Za-z](?![A-Za-z])|\\(?!begin|end|frac)[a-zA-Z]{3,}")
NUMBER = re.compile(r"-?[0-9.]+")


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


class DocumentCheck(Piecewise):
    """Goes through the statements of a document, one by one."""

    def __init__(self, outline: Outline, known: Known | None = None) -> None:
        self.outline = outline
        self.judge = Judge(
            {} if known is None else known, self._usual_layouts, lambda: bool(self._usual)
        )
        self.document = outline.document
        self.definitions = Definitions(outline)
        self.layouts: dict[int, frozenset[Layout]] = {}
        """by which layouts of derivatives claims hold, where others would have said otherwise"""
        self._usual: frozenset[Layout] | None = None

    @property
    def notes(self) -> list[tuple[Position, str]]:
        """What the author should know besides, each where it stands."""
        return [(self.document.position(offset), text) for offset, text in self.outline.notes]

    def findings(self) -> Iterator[Finding]:
        """One for each statement, in the order of the document."""
        for number in range(len(self.outline.statements)):
            finding = self.finding(number)
            for each in self._steps(number, finding) or [finding]:
                yield replace(each, number=number)

    def finding(self, number: int) -> Finding:
        """What is found about one statement."""
        return replace(self._finding(number), number=number)

    def _finding(self, number: int) -> Finding:
        self.judge.until = now() + SECONDS
        statement = self.outline.statements[number]
        if statement.role is Role.NOT_READ:
            return self._not_read(statement, statement.why)
        if statement.role is Role.DEFINITION and statement.name:
            try:
                self.definitions.body(statement)
            except WorkingsError as error:
                statement.why = f"its right side is not read ({_line(error)})"
        if statement.role is not Role.CLAIM:
            return Finding(self.document, statement, offset=statement.row.text.offset)
        finding = self._claim(number, statement)
        if (finding.wrong or finding.not_read) and self._shadows(number, statement):
            if len(statement.row.sides) == 2:
                return self._define_again(number, statement)
            if finding.wrong:
                return self._not_read(statement, f"{statement.name} was defined in another section")
        if finding.not_read or finding.wrong:
            return self._as_condition(number, statement) or finding
        return finding

    def _as_condition(self, number: int, statement: Statement) -> Finding | None:
        """What is set to zero may be an equation to solve, what is bounded a constraint."""
        sides = statement.row.sides
        if len(sides) == 2 and statement.name and not _LETTER.search(sides[1].text.text):
            return self._condition(statement)
        if sides[-1].relation in (r"\in", "∈"):
            return self._condition(statement, "it says where something lies")
        if ZERO.fullmatch(sides[-1].text.text.strip()) and sides[-1].relation == "=":
            if len(sides) == 2:
                return self._condition(statement)
            shorter = replace(statement, row=statement.row.without_last_side())
            return self._claim(number, shorter)
        if len(sides) == 2 and not statement.name and self._is_being_solved(number):
            return self._condition(statement)
        numbers = any(NUMBER.fullmatch(side.text.text.strip()) for side in sides)
        bounded = numbers and BOUND.fullmatch(sides[1].relation)
        return self._condition(statement) if bounded else None

    def _is_being_solved(self, number: int) -> bool:
        """Whether the display before was set to zero, so that this one only says it anew."""
        before = reversed(self.outline.statements[:number])
        shown = next((each for each in before if each.role is not Role.MENTION), None)
        here = self.outline.statements[number]
        if shown is None or shown.role is not Role.CONDITION or shown.section != here.section:
            return False
        is_zero = ZERO.fullmatch(shown.row.sides[-1].text.text.strip())
        return is_zero is not None and not _DERIVATIVE.search(here.text)

    def _condition(
        self, statement: Statement, why: str = "it may be set, or to be solved, and not claimed"
    ) -> Finding:
        statement.role = Role.CONDITION
        statement.why = why
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
                f"{plain_latex(statement.name)} is defined again here; in line {line} it was "
                "something else (% workings: claim makes it a claim)",
            )
        )
        return Finding(self.document, statement, offset=statement.row.text.offset)

    def _claim(self, number: int, statement: Statement) -> Finding:
        if statement.row.condition:
            return self._under_condition(number, statement)
        text = self.definitions.plain(statement.row.text)
        try:
            written = self.definitions.parsed(statement)
            sides = [self.definitions.named(side) for side in written.sides]
            if unclear := set(written.relations) - {"=", "<", ">", "≤", "≥", "∈"}:
                return self._not_read(statement, f"{unclear.pop()} claims nothing exact")
        except FormulaError as error:
            return self._not_read(statement, _line(error), _index(error))
        except WorkingsError as error:
            return self._not_read(statement, _line(error))
        if has_derivative(sides) and any(has_dots(side) for side in sides):
            return self._condition(statement, "it shows how derivatives are laid out")
        formula = " ".join(text.text.split())
        if mixes_derivatives(formula):
            return self._all_partial(number, statement, written.relations, sides)
        finding = self._with_all_definitions(number, statement, formula, sides)
        if finding.not_read:
            weaker = self._with_fewer_definitions(number, statement, formula, sides)
            return weaker or self._in_a_case(number, statement, sides) or finding
        return finding

    def _all_partial(
        self, number: int, statement: Statement, relations: Sequence[str], sides: list[f.Node]
    ) -> Finding:
        """df/dt beside ∂f/∂x: that it holds where each is of another pair, with ∂ for all."""
        text = chain_latex(sides, relations)
        finding = self._with_all_definitions(number, statement, text, sides)
        if finding.result and finding.result.holds:
            return finding
        return self._not_read(
            statement, "d and ∂ in one formula: what is held constant is not said"
        )

    def _with_all_definitions(
        self, number: int, statement: Statement, text: str, sides: list[f.Node]
    ) -> Finding:
        try:
            closure = closure_of(self.definitions, sides, number)
        except WorkingsError as error:
            return self._not_read(statement, _line(error))
        closure = with_any_functions(with_named_parts(closure, sides), sides, self.outline)
        claim = Readings(self.outline, statement, text, sides, closure)
        if instead := self._restated(claim, number):
            closure = closure_of(self.definitions, sides, number, instead=instead)
            closure = with_any_functions(closure, sides, self.outline)
            claim = Readings(self.outline, statement, text, sides, closure)
        if doubt := doubt_before(claim):
            return self._not_read(statement, doubt)
        return self._decide(number, claim)

    def _restated(self, claim: Readings, number: int) -> dict[str, Statement]:
        """Other statements of what is differentiated, which lead to what it is taken by."""
        instead: dict[str, Statement] = {}
        for of, wrt in unrelated(claim):
            if isinstance(of, f.Symbol) and isinstance(wrt, f.Symbol):
                name, by = (use_of(each, claim.known, frozenset()).name for each in (of, wrt))
                statement = self.definitions.restated(name, by, number)
                instead |= {name: statement} if statement else {}
        return instead

    def _with_fewer_definitions(
        self, number: int, statement: Statement, text: str, sides: list[f.Node]
    ) -> Finding | None:
        """That it holds, where it does so whatever names are that were not understood."""
        for closure in weaker_closures(self.definitions, sides, number, statement.section):
            if self.judge.is_late():
                break
            plain, closure = without_arguments(sides, closure)
            if plain is not sides:
                sides, text = (
                    plain,
                    chain_latex(plain, self.definitions.parsed(statement).relations),
                )
            closure = with_any_functions(closure, sides, self.outline)
            claim = Readings(self.outline, statement, text, sides, closure)
            decision = None if doubt_before(claim) else self.judge.holds_in_general(claim)
            if decision:
                offset = statement.row.text.offset
                return Finding(self.document, statement, decision.result, offset, decision.shapes)
        return None

    def _decide(self, number: int, claim: Readings) -> Finding:
        statement = claim.statement
        try:
            decision = self.judge.decide(claim, self._shadows(number, statement))
        except NotClaimed:
            return self._condition(statement)
        except Undecided as doubt:
            return self._not_read(statement, str(doubt))
        if decision.layouts:
            self.layouts[number] = decision.layouts
        offset = self._offset(statement, decision.result)
        return Finding(self.document, statement, decision.result, offset, decision.shapes)

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


def chain_latex(sides: Sequence[f.Node], relations: Sequence[str]) -> str:
    """A chain of sides as LaTeX."""
    parts = [latex(sides[0])]
    for relation, side in zip(relations, sides[1:], strict=True):
        parts += [relation, latex(side)]
    return " ".join(parts)


def _line(error: WorkingsError) -> str:
    return str(error).partition("\n")[0]


def _index(error: WorkingsError) -> int:
    return error.position if isinstance(error, FormulaError) else 0
