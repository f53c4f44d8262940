"""What is no claim though it is an equation: it is set, bounded, solved, or about nothing said."""

import re
from dataclasses import replace

from workings.claims.documents.deciding.by_definitions import ByDefinitions
from workings.claims.documents.deciding.nowhere import unspecified
from workings.claims.documents.deciding.solved import solution
from workings.claims.documents.finding import Finding
from workings.claims.documents.outline.statements import Role, Statement
from workings.errors import WorkingsError

ZERO = re.compile(r"0|\\(?:mathbf|vec|boldsymbol|bm)\s*\{?\s*0\s*\}?")
_DERIVATIVE = re.compile(r"\\(?:partial|nabla)(?![A-Za-z])|\\frac\s*\{\s*d(?![A-Za-z])")
BOUND = re.compile(r"[<>≤≥]=?|\\(?:le|ge)(?:q|qslant)?|\\[lg]t")
_LETTER = re.compile(r"(?<![\\A-Za-z{])[A-Za-z](?![A-Za-z])|\\(?!begin|end|frac)[a-zA-Z]{3,}")
NUMBER = re.compile(r"-?[0-9.]+")


class NoClaims(ByDefinitions):
    """Tells statements that claim nothing from claims, where no verdict was found."""

    def _solved(self, number: int, statement: Statement) -> Finding | None:
        """That it solves the equation from which it is said to follow."""
        decision = (
            solution(self.definitions, statement, number) if statement.row.condition else None
        )
        if decision is None:
            return None
        text = statement.text
        result = replace(decision.result, name=text, statement=text, formula=text, repair=None)
        statement.role = Role.CLAIM
        offset = statement.row.text.offset
        return Finding(self.document, statement, result, offset, decision.shapes)

    def _unspecified(self, number: int, finding: Finding) -> Finding | None:
        """What is not read since it is about something that the document writes out nowhere."""
        if not finding.not_read or finding.statement.row.condition:
            return None
        try:
            parsed = self.definitions.parsed(finding.statement)
        except WorkingsError:
            return None
        sides = [self.definitions.named(side) for side in parsed.sides]
        equal = {*parsed.relations} == {"="}
        why = unspecified(self.definitions, sides, number) if equal else ""
        return self._condition(finding.statement, why) if why else None

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
        if ZERO.fullmatch(sides[0].text.text.strip()) and sides[1].relation == "=":
            if len(sides) == 2:
                return self._condition(statement)
            return self._claim(number, replace(statement, row=statement.row.without_first_side()))
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
