"""Claims taken piece by piece: under a condition, in one case of several, a chain step by step."""

import itertools
from abc import ABC, abstractmethod
from dataclasses import replace

from workings.claims.documents.deciding.conditions import Indices, read_condition, under
from workings.claims.documents.deciding.decide import Judge
from workings.claims.documents.files.document import Document
from workings.claims.documents.files.sources import join
from workings.claims.documents.finding import Finding
from workings.claims.documents.inference.uses import INDICES, letters_of, symbols_in
from workings.claims.documents.outline.sides import relation_of
from workings.claims.documents.outline.statements import Role, Statement
from workings.claims.evidence import Evidence
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.formula import nodes as f


class Piecewise(ABC):
    """Finds a verdict on parts of a statement, where there is none on the whole."""

    document: Document
    judge: Judge

    @abstractmethod
    def _claim(self, number: int, statement: Statement) -> Finding:
        """The verdict on a claim, as it is written."""

    @abstractmethod
    def _unspecified(self, number: int, finding: Finding) -> Finding | None:
        """What is not read since it is about something that the document writes out nowhere."""

    def _steps(self, number: int, finding: Finding) -> list[Finding]:
        """The steps of a chain that is not decided as a whole, if one of them holds by itself."""
        statement = finding.statement
        sides = statement.row.sides
        if not finding.not_read or len(sides) < 3 or statement.row.condition:
            return []
        steps = []
        for before, side in itertools.pairwise(sides):
            text = join([before.text, relation_of(side), side.text], " ")
            row = replace(statement.row, text=text, mode="claim")
            if self.judge.is_late():
                steps.append(self._not_read(replace(statement, row=row), "it takes too long"))
                continue
            step = self._claim(number, replace(statement, row=row, continued=True, name=""))
            if not (step.result and step.result.holds) or step.statement.role is not Role.CLAIM:
                why = finding.result.why if finding.result else ""
                why = step.result.why if step.not_read and step.result else why
                step = self._not_read(replace(statement, row=row), why)
                step = self._unspecified(number, step) or step
            steps.append(step)
        return steps if any(not step.not_read for step in steps) else []

    def _in_a_case(self, number: int, statement: Statement, sides: list[f.Node]) -> Finding | None:
        """That it holds for different indices, or for equal ones, where it is not said which."""
        left = sides[0]
        if not isinstance(left, f.Derivative) or statement.row.mode == "claim":
            return None
        of, wrt = (
            {letter for symbol, _ in symbols_in(part) for letter in letters_of(symbol.sub)}
            for part in (left.of, left.wrt)
        )
        if len(of) != 1 or len(wrt) != 1 or of == wrt or not (of | wrt) <= INDICES:
            return None
        right = {
            letter for side in sides[1:] for each, _ in symbols_in(side) for letter in each.sub
        }
        tells_apart = of | wrt <= right  # W_{ji} for W_{ij} would be right for i = j
        for equal in (False,) if tells_apart else (False, True):
            case = Indices(min(wrt), min(of), equal)
            row = replace(statement.row, condition=case.words)
            finding = self._under_condition(number, replace(statement, row=row))
            if finding.result and finding.result.holds:
                return finding
        return None

    def _under_condition(self, number: int, statement: Statement) -> Finding:
        """What holds in any case holds under a condition; of indices it may be written out."""
        words = statement.row.condition
        indices = read_condition(words)
        row = under(statement.row, indices) if indices else None
        for each in (row, replace(statement.row, condition="", mode="claim")):
            if each is None:
                continue
            inner = self._claim(number, replace(statement, row=each))
            result = inner.result
            if result and (result.holds or (inner.wrong and each is row)):
                said = indices.words if indices and each is row else f"under its condition: {words}"
                evidence = replace(result.evidence, restricted=said)
                result = replace(result, statement=statement.text, repair=None, evidence=evidence)
                return Finding(self.document, statement, result, inner.offset, inner.shapes)
        return self._not_read(statement, f"it is said under a condition ({words})")

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
