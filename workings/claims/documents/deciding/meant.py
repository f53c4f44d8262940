r"""What is wrong as it is read and right as it is meant: another base of \log, a quotation."""

from abc import abstractmethod
from contextlib import suppress
from dataclasses import replace

from workings.claims.documents.deciding.no_claims import NoClaims
from workings.claims.documents.finding import Finding
from workings.claims.documents.outline.conditions_in_words import condition_in_words, kind_in_words
from workings.claims.documents.outline.disowned import WHY, is_disowned
from workings.claims.documents.outline.log_bases import (
    OTHER_BASES,
    has_plain_log,
    is_said,
    is_stated,
)
from workings.claims.documents.outline.open_slash import BELOW, has_open_slash
from workings.claims.documents.outline.sigma_in_words import calls_sigma
from workings.claims.documents.outline.signs_in_words import multiplies_shapes
from workings.claims.system.conventions import layouts_said
from workings.claims.system.gradient import Layout
from workings.claims.verdict import Verdict
from workings.formula.evaluation.budget import OutOfTime

OTHER_SIGMAS = (
    "\\tanh",
    "\\mathrm{softplus}",
    "\\mathrm{relu}",
)  # without what the logistic one has besides


class Meant(NoClaims):
    """Looks at a verdict once more, with what the text around the claim says."""

    layouts: dict[int, frozenset[Layout]]
    """by which layouts of derivatives claims hold, where others would have said otherwise"""
    agreed: frozenset[Layout] | None = None
    """the layouts by which all claims so far hold, once one was asked for"""

    @abstractmethod
    def _with(self, base: str = "", sigma: str = "", below: bool = False) -> "Meant":
        """The check of the document with another base of logarithms, another σ, longer quotients.

        below: a/bc is a/(bc).
        """

    @abstractmethod
    def finding(self, number: int) -> Finding:
        """What is found about one statement."""

    def _meant(self, finding: Finding) -> Finding:
        """The finding, or what takes its place where the claim is not wrong as it is meant."""
        statement = finding.statement
        if self.outline.own.any_sigma and finding.result and not self._for_any_sigma(finding):
            return self._not_read(statement, "which function \\sigma is, is not said")
        if self.outline.own.other_sigma and finding.result and calls_sigma(statement.text):
            return self._not_read(statement, "the text gives \\sigma another meaning")
        if finding.verdict is Verdict.HOLDS:
            if doubt := self._by_another_layout(finding):
                return self._not_read(statement, doubt)
            if base := self._other_base(finding):
                return self._not_read(statement, rf"the text says that \log is to base {base}")
            words = kind_in_words(self.document, self.outline, statement)
            return self._not_read(statement, f"the text says: {words}") if words else finding
        if not finding.wrong:
            return finding
        if multiplies_shapes(statement.text):
            return self._condition(statement, "it multiplies shapes")
        asked = statement.row.mode == "claim" and not statement.in_sentence  # by a comment
        if not asked and is_disowned(self.document, statement):
            return self._condition(statement, WHY)
        for base in OTHER_BASES if has_plain_log(self.document.formulas) else ():
            with suppress(OutOfTime):
                held = self._with(base=base).finding(finding.number)
                if not held.wrong and not held.not_read:
                    return self._in_base(base, finding, held)
                if held.wrong and is_stated(base, self._texts()):
                    finding = replace(held, document=self.document, statement=statement)
        if any(map(has_open_slash, self.document.formulas)):
            with suppress(OutOfTime):
                if not self._with(below=True).finding(finding.number).wrong:
                    return self._not_read(statement, BELOW)
        words = "" if asked else condition_in_words(self.document, self.outline, statement)
        if words:
            return self._not_read(statement, f"it may rest on what the text says: {words}")
        return finding

    def _by_another_layout(self, finding: Finding) -> str:
        """Why it does not count that a claim holds: by a layout which the document does not use."""
        layouts = self.layouts.get(finding.number)
        if not layouts:
            return ""
        if self.agreed is None:
            self.agreed = layouts_said(self._texts())
        if not self.agreed & layouts:
            shown = min(each.value for each in self.agreed)
            return f"right by another layout of derivatives than the document has: {shown}"
        self.agreed &= layouts
        return ""

    def _for_any_sigma(self, finding: Finding) -> bool:
        """Whether a verdict is the same for other functions σ than the logistic one."""
        with suppress(OutOfTime):
            return all(
                other.wrong == finding.wrong and other.not_read == finding.not_read
                for sigma in OTHER_SIGMAS
                if (other := self._with(sigma=sigma).finding(finding.number))
            )
        return False

    def _texts(self) -> list[str]:
        return [each.text for each in self.document.sources.files]

    def _other_base(self, finding: Finding) -> str:
        r"""The base that the document gives \log, if by it a claim that holds would not."""
        for base in OTHER_BASES if has_plain_log(self.document.formulas) else ():
            if is_stated(base, self._texts()):
                with suppress(OutOfTime):
                    held = self._with(base=base).finding(finding.number)
                    return "" if held.verdict is Verdict.HOLDS else base
                return base
        return ""

    def _in_base(self, base: str, finding: Finding, held: Finding) -> Finding:
        """That a claim holds in a base that the document speaks of; else it is not read."""
        statement = finding.statement
        said = is_said(base, self._texts())
        if said and not held.result:  # rounded
            return self._condition(statement, held.statement.why)
        if held.result and said:
            evidence = replace(held.result.evidence, why=rf"with \log to base {base}")
            result = replace(held.result, evidence=evidence, name=statement.text)
            return replace(held, document=self.document, statement=statement, result=result)
        why = rf"right if \log is to base {base}; if it is, write \log_{{{base}}}"
        return self._not_read(statement, why)
