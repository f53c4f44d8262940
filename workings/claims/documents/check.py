"""Checking a document: every claim in its place, with what stands before it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from workings.claims.check import new_seed
from workings.claims.documents.calculus.decide import Calculus
from workings.claims.documents.deciding.decide import Judge, Known, Undecided
from workings.claims.documents.deciding.dependence import (
    mixes_derivatives,
)
from workings.claims.documents.deciding.doubts import VANISHES, NotClaimed
from workings.claims.documents.deciding.meant import Meant
from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.deciding.settings import has_derivative
from workings.claims.documents.distributions.decide import held
from workings.claims.documents.files.document import Document
from workings.claims.documents.files.sources import Position
from workings.claims.documents.finding import Checked, Finding
from workings.claims.documents.outline.blocks import Block
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.left_names import call_of
from workings.claims.documents.outline.listed import has_dots
from workings.claims.documents.outline.outline import outline
from workings.claims.documents.outline.sections import Sections
from workings.claims.documents.outline.statements import Outline, Role, Statement
from workings.claims.result import Result
from workings.claims.system.gradient import Layout
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError, first_line
from workings.formula.errors import FormulaError
from workings.formula.evaluation.budget import OutOfTime, now, within
from workings.formula.printing.latex import plain_latex

LONGEST_SECONDS = 9.0  # for one statement: what is not decided by then is not read
MOST_ALONE = 40.0  # seconds for the claims of one document that are read in their section alone
SECONDS = 6.0  # for one statement, of this thread's time, before no further reading is tried


def check_document(
    document: Document,
    known: Known | None = None,
    each: Callable[[Finding, int], None] | None = None,
    seed: int | None = None,
) -> Checked:
    """Check every claim of a document; `each` is told of a finding, and of how many there will be.

    `known` keeps results for the next time: what has not changed is not checked again.
    seed: of the random draws, another one each time if not given.
    """
    seed = new_seed() if seed is None else seed
    check = DocumentCheck(outline(document), seed, known)
    findings = []
    for finding in check.findings():
        findings.append(finding)
        if each is not None:
            each(finding, len(check.outline.statements))
    return Checked(document, findings, check.notes, seed, check.outline.in_sentences)


class DocumentCheck(Meant):
    """Goes through the statements of a document, one by one."""

    def __init__(self, outline: Outline, seed: int, known: Known | None = None) -> None:
        self.outline = outline
        self.judge = Judge(
            {} if known is None else known,
            self._usual_layouts,
            lambda: bool(self._usual),
            seed,
        )
        self.document = outline.document
        self.definitions = Definitions(outline)
        self.calculus = Calculus(outline)
        self.layouts = {}
        self._usual: frozenset[Layout] | None = None
        self.sections = Sections(outline.document)
        self._checks: dict[Block, DocumentCheck] = {}
        """of sections alone, each once a claim of it was not read"""
        self._alone_for = 0.0
        self._others: dict[tuple[str, str, bool], DocumentCheck] = {}
        """of the document as it is read otherwise, once that is needed"""

    @property
    def notes(self) -> list[tuple[Position, str]]:
        """What the author should know besides, each where it stands."""
        return [(self.document.position(offset), text) for offset, text in self.outline.notes]

    def findings(self) -> Iterator[Finding]:
        """One for each statement, in the order of the document."""
        for number in range(len(self.outline.statements)):
            with within(LONGEST_SECONDS):
                finding = self._meant(self.finding(number))
            with within(SECONDS):
                start = now()
                with suppress(OutOfTime):
                    finding = self._alone(finding)
                self._alone_for += now() - start
                found = self._steps(number, finding) or [finding]
            yield from (replace(each, number=number) for each in found)

    def _with(self, base: str = "", sigma: str = "", below: bool = False) -> "DocumentCheck":
        key = base, sigma, below
        if key not in self._others:
            other = outline(self.document, *key)
            check = DocumentCheck(other, self.judge.seed, self.judge.known)
            self._others[key] = check
        return self._others[key]

    def _alone(self, finding: Finding) -> Finding:
        """That a claim holds in its section alone, where with all others it was not read."""
        if not finding.not_read or finding.statement.role is not Role.CLAIM:
            return finding
        if self._alone_for > MOST_ALONE:
            return finding
        offset = finding.statement.row.text.offset
        for block, alone in self.sections.around(offset):
            if block not in self._checks:
                check = DocumentCheck(outline(alone), self.judge.seed, self.judge.known)
                self._checks[block] = check
            check = self._checks[block]
            for number, statement in enumerate(check.outline.statements):
                if statement.row.text.offset == offset and statement.role is Role.CLAIM:
                    other = check.finding(number)
                    if other.verdict is Verdict.HOLDS:
                        return replace(other, document=self.document, number=finding.number)
        return finding

    def finding(self, number: int) -> Finding:
        """What is found about one statement."""
        try:
            finding = self._finding(number)
        except OutOfTime as late:
            finding = self._not_read(self.outline.statements[number], str(late))
        return replace(finding, number=number)

    def _finding(self, number: int) -> Finding:
        self.judge.until = now() + SECONDS
        statement = self.outline.statements[number]
        if statement.role is Role.NOT_READ:
            return self._solved(number, statement) or self._not_read(statement, statement.why)
        if (ordinary := self.calculus.finding(statement)) is not None:
            return ordinary
        if statement.role is Role.CLAIM and self._writes_anew(number, statement):
            return self._define_again(number, statement)
        if statement.role is Role.DEFINITION and statement.name:
            try:
                self.definitions.body(statement)
            except WorkingsError as error:
                statement.why = f"its right side is not read ({first_line(error)})"
        if statement.role is not Role.CLAIM:
            return Finding(self.document, statement, offset=statement.row.text.offset)
        finding = self._claim(number, statement)
        if finding.wrong or finding.not_read:
            defined = {*self.definitions.by_name, *self.definitions.mentions}
            finding = self.calculus.identity(statement, defined) or finding
        if finding.wrong and (name := self.calculus.given_anew(statement)):
            why = f"{plain_latex(name)} has several meanings in the document"
            finding = self._not_read(statement, why)
        if (finding.wrong or finding.not_read) and self._shadows(number, statement):
            if len(statement.row.sides) == 2:
                return self._define_again(number, statement)
            if finding.wrong:
                return self._not_read(statement, f"{statement.name} was defined in another section")
        if finding.not_read and statement.row.condition and statement.name:
            finding = self._solved(number, statement) or finding
        if finding.not_read or finding.wrong:
            condition = self._as_condition(number, statement)
            return condition or self._unspecified(number, finding) or finding
        return finding

    def _shadows(self, number: int, statement: Statement) -> bool:
        """A name that another section defined may get a new meaning."""
        before = self.definitions.in_force(statement.name, number) if statement.name else None
        return (
            before is not None
            and before.section != statement.section
            and statement.row.mode != "claim"
            and not statement.continued
        )

    def _writes_anew(self, number: int, statement: Statement) -> bool:
        """A function that is written out again, as f(x, y) is in the next example."""
        before = self.definitions.in_force(statement.name, number) if statement.name else None
        anew = before is not None and statement.row.mode != "claim"
        return anew and self.calculus.defines(statement)

    def _define_again(self, number: int, statement: Statement) -> Finding:
        before = self.definitions.in_force(statement.name, number)
        assert before is not None
        statement.role = Role.DEFINITION
        called = call_of(statement.row.sides[0].text.text) if before.parameters else None
        statement.parameters = tuple(map(str.strip, called[1].split(","))) if called else ()
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
        finding = self._by_formulas(number, statement)
        if not finding.not_read or statement.row.condition:
            return finding
        named = {**self.definitions.mentions, **self.definitions.by_name}
        before = {name: self.definitions.in_force(name, number) for name in named}
        defined = {name: each.row.sides[1].text.text for name, each in before.items() if each}
        result = held(statement.row.sides, defined, self.outline.running)
        if result is None:
            return finding
        text = statement.text
        result = replace(result, name=text, statement=text, formula=text)
        return Finding(self.document, statement, result, statement.row.text.offset)

    def _by_formulas(self, number: int, statement: Statement) -> Finding:
        if statement.row.condition:
            return self._under_condition(number, statement)
        text = self.definitions.plain(statement.row.text)
        try:
            written = self.definitions.parsed(statement)
            sides = [self.definitions.named(side) for side in written.sides]
            if unclear := set(written.relations) - {"=", "<", ">", "≤", "≥", "∈"}:
                return self._not_read(statement, f"{unclear.pop()} claims nothing exact")
        except FormulaError as error:
            return self._not_read(statement, first_line(error), _index(error))
        except WorkingsError as error:
            return self._not_read(statement, first_line(error))
        if has_derivative(sides) and any(has_dots(side) for side in sides):
            return self._condition(statement, "it shows how derivatives are laid out")
        formula = " ".join(text.text.split())
        if mixes_derivatives(formula):
            return self._all_partial(number, statement, written.relations, sides)
        finding = self._with_all_definitions(number, statement, formula, sides)
        if finding.result and finding.result.why == VANISHES:
            return self._as_data(number, statement, formula, sides) or finding
        if finding.wrong:  # A of another section: what holds of every A is no mistake
            weaker = self._with_fewer_definitions(number, statement, formula, sides)
            return weaker or finding
        if finding.not_read:
            weaker = self._with_fewer_definitions(number, statement, formula, sides)
            weaker = weaker or self._in_a_case(number, statement, sides)
            return weaker or self._on_its_own(number, statement, formula, sides) or finding
        return finding

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
                    with within(LONGEST_SECONDS):
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


def _index(error: WorkingsError) -> int:
    return error.position if isinstance(error, FormulaError) else 0
