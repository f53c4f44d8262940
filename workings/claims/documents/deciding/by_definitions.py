"""Claims with the definitions that they rest on: with all of them, or with fewer."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from workings.claims.documents.deciding.dependence import reached_from, ways_not_said
from workings.claims.documents.deciding.doubts import doubt_before
from workings.claims.documents.deciding.freed import weaker_closures
from workings.claims.documents.deciding.generic import (
    STAND_INS,
    with_any_functions,
    without_arguments,
)
from workings.claims.documents.deciding.piecewise import Piecewise
from workings.claims.documents.deciding.readings import Readings
from workings.claims.documents.deciding.rests import rested_on
from workings.claims.documents.finding import Finding
from workings.claims.documents.inference.uses import signs_of
from workings.claims.documents.outline.definitions import Definitions
from workings.claims.documents.outline.statements import Outline, Statement
from workings.claims.repair.search import CHAIN_RULE
from workings.errors import WorkingsError, first_line
from workings.formula import nodes as f
from workings.formula.printing.latex import latex


class ByDefinitions(Piecewise):
    """Puts a claim together with what is defined before it, and has it decided."""

    outline: Outline
    definitions: Definitions

    @abstractmethod
    def _decide(self, number: int, claim: Readings) -> Finding:
        """The verdict on a claim with the definitions that it rests on."""

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
            closure = rested_on(self.definitions, sides, number)
        except WorkingsError as error:
            return self._not_read(statement, first_line(error))
        closure = with_any_functions(closure, sides, self.outline)
        claim = Readings(self.outline, statement, text, sides, closure)
        if instead := self._restated(claim, number):
            closure = rested_on(self.definitions, sides, number, instead=instead)
            closure = with_any_functions(closure, sides, self.outline)
            claim = Readings(self.outline, statement, text, sides, closure)
        if doubt := doubt_before(claim):
            return self._not_read(statement, doubt)
        return _without_stand_ins(self._decide(number, claim), claim)

    def _on_its_own(
        self, number: int, statement: Statement, text: str, sides: list[f.Node]
    ) -> Finding | None:
        """That it holds with what its own section says of its names, whatever others say."""
        outline, section = self.outline, statement.section
        if not {*outline.declared} - {*outline.in_sections.get(section, {}), *outline.by_comments}:
            return None
        try:
            closure = rested_on(self.definitions, sides, number)
        except WorkingsError:
            return None
        own = outline.on_its_own(section)
        closure = with_any_functions(closure, sides, own)
        claim = Readings(own, statement, text, sides, closure)
        finding = None if doubt_before(claim) else self._decide(number, claim)
        return finding if finding and finding.result and finding.result.holds else None

    def _restated(self, claim: Readings, number: int) -> dict[str, Statement]:
        """Other statements of what is differentiated, which lead to what it is taken by."""
        instead: dict[str, Statement] = {}
        for of, by in ways_not_said(claim):
            for name in reached_from(of, claim):
                statement = self.definitions.restated(name, by, number)
                instead |= {name: statement} if statement else {}
        return instead

    def _as_data(
        self, number: int, statement: Statement, text: str, sides: list[f.Node]
    ) -> Finding | None:
        """That it holds where t_n is data, though t = w x says what the model makes of x."""
        closure = rested_on(self.definitions, sides, number)
        bodies = [each.body for each in closure.equations]
        entries = signs_of([*bodies, *sides], self.definitions.known).entries
        data = frozenset(each.name for each in closure.equations if each.name in entries)
        closure = rested_on(self.definitions, sides, number, data)
        closure = with_any_functions(closure, sides, self.outline)
        claim = Readings(self.outline, statement, text, sides, closure)
        decision = None if doubt_before(claim) else self.judge.holds_in_general(claim)
        if decision is None:
            return None
        offset = statement.row.text.offset
        return Finding(self.document, statement, decision.result, offset, decision.shapes)

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


def _without_stand_ins(finding: Finding, claim: Readings) -> Finding:
    """A repair is none where it has the functions in it that stood for those of the document."""
    result = finding.result
    if result is None or result.repair is None or not claim.closure.any_functions:
        return finding
    worked_out = result.repair.changes == CHAIN_RULE
    if not any(
        sign in result.repair.formula and (worked_out or sign not in claim.text)
        for sign in STAND_INS
    ):
        return finding
    return replace(finding, result=replace(result, repair=None))


def chain_latex(sides: Sequence[f.Node], relations: Sequence[str]) -> str:
    """A chain of sides as LaTeX."""
    parts = [latex(sides[0])]
    for relation, side in zip(relations, sides[1:], strict=True):
        parts += [relation, latex(side)]
    return " ".join(parts)
