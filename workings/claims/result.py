"""A claim with its verdict, why, and how it would be right."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import overload

from workings.claims.evidence import Evidence
from workings.claims.verdict import Verdict


@dataclass(frozen=True)
class Repair:
    """How a wrong claim would be right."""

    formula: str
    """the whole claim, as it would be written"""
    changes: str
    """what was changed, in words"""
    candidates: int = 0
    """how many formulas were tried"""
    verified_draws: int = 0
    """at how many draws, which the search had not seen, it was found right; 0 for exact counts"""

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        row: dict[str, object] = {"formula": self.formula, "changes": self.changes}
        if self.candidates:
            row["candidates"] = self.candidates
        if self.verified_draws:
            row["verified_at_fresh_draws"] = self.verified_draws
        return row


@dataclass(frozen=True)
class Step:
    """One step of a chain a = b = c, and the verdict on it."""

    formula: str
    verdict: Verdict

    def to_dict(self) -> dict[str, str]:
        """As JSON has it."""
        return {"step": self.formula, "verdict": str(self.verdict)}


@dataclass(frozen=True)
class Outcome:
    """What checking a claim gave, before it is put beside the claim's words."""

    verdict: Verdict
    evidence: Evidence = field(default_factory=Evidence)
    repair: Repair | None = None
    steps: tuple[Step, ...] = ()
    find_repair: Callable[[], Repair | None] | None = field(default=None, repr=False, compare=False)
    """looks for a repair, once no other reading of the formula is right"""


@dataclass(frozen=True)
class Result(Outcome):
    """A claim, its verdict, and why."""

    name: str = ""
    source: str = ""
    statement: str = ""
    """in words, or the formula"""
    formula: str = ""
    """as it was written"""
    ours: bool = False
    """a reading of ours, which is not held against the source"""
    reading: tuple[str, ...] = ()
    """how the formula was understood: the formula as read, then what was decided about it"""
    location: str = ""
    """file:line:column of what was not read, where it comes from a file"""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """As JSON has it; without the time, so that two runs give the same."""
        row: dict[str, object] = {
            "name": self.name,
            "source": self.source,
            "ours": self.ours,
            "statement": self.statement,
            "verdict": str(self.verdict),
            "evidence": self.evidence.to_dict(),
            "repair": self.repair and self.repair.to_dict(),
            "formula": self.formula,
        }
        if self.location:
            row["location"] = self.location
        if self.reading:
            row["reading"] = list(self.reading)
        if self.steps:
            row["steps"] = [step.to_dict() for step in self.steps]
        return row

    @property
    def holds(self) -> bool:
        """Whether the claim is right as it is written."""
        return self.verdict.holds

    @property
    def why(self) -> str:
        """The evidence in a line."""
        return self.evidence.explain(self.verdict)

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {self.name}", *([f"  {self.why}"] if self.why else [])]
        if self.repair:
            lines.append(f"  repaired: {self.repair.formula}")
            lines.append(f"  changed: {self.repair.changes}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Report(Sequence[Result]):
    """The verdicts on a set of claims, in their order."""

    results: list[Result]
    seed: int = 0
    """of the random draws: with it, the same draws come again"""

    @overload
    def __getitem__(self, at: int) -> Result: ...

    @overload
    def __getitem__(self, at: slice) -> list[Result]: ...

    def __getitem__(self, at: int | slice) -> Result | list[Result]:
        return self.results[at]

    def __len__(self) -> int:
        return len(self.results)

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(result.holds for result in self.results)

    def __str__(self) -> str:
        return "\n".join(map(str, self.results))

    def _repr_html_(self) -> str:
        def cell(text: str) -> str:
            return f"<td style='text-align:left'>{html.escape(text)}</td>"

        rows = "".join(
            "<tr>"
            + cell(each.name)
            + cell(each.verdict)
            + cell(each.why)
            + cell(each.repair.formula if each.repair else "")
            + "</tr>"
            for each in self.results
        )
        head = "".join(f"<th>{name}</th>" for name in ("claim", "verdict", "evidence", "repair"))
        return f"<table><tr>{head}</tr>{rows}</table>"
