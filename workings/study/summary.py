"""What a study has found so far, read from its folder: the one source of tables and reports."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workings.study.file import StudyFile


@dataclass(frozen=True)
class RunSummary:
    """One run (or measurement) of a row."""

    folder: Path
    seed: int
    state: str  # finished, failed, stopped, waiting
    error: str = ""
    config: dict[str, Any] = field(default_factory=dict)  # `section.key`: value
    result: Mapping[str, Any] | None = None
    lines: list[dict[str, Any]] = field(default_factory=list)  # of metrics.jsonl

    def value(self, metric: str) -> float | None:
        """A figure of the finished run: `test.perplexity`, `parameters`, `seconds`."""
        if self.result is None:
            return None
        found = self.result.get(metric, self.result.get("metrics", {}).get(metric))
        return float(found) if isinstance(found, (int, float)) and math.isfinite(found) else None


@dataclass(frozen=True)
class RowSummary:
    """One variant, over its seeds."""

    name: str
    settings: dict[str, Any]
    published: dict[str, float]
    source: str
    runs: list[RunSummary]

    def values(self, metric: str) -> dict[int, float]:
        """The figure by seed, of the finished runs that have it."""
        found = {run.seed: run.value(metric) for run in self.runs}
        return {seed: value for seed, value in found.items() if value is not None}


@dataclass(frozen=True)
class StudySummary:
    """A study, its rows, and the studies that it is made of."""

    name: str
    file: StudyFile
    rows: list[RowSummary]
    lower_is_better: bool
    x: str = "epoch"  # what the curves go over: the field of a run's lines
    narrowed: list[str] = field(default_factory=list)
    command: str = ""  # how to repeat it
    parts: list["StudySummary"] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)  # verdicts of the book

    @property
    def finished(self) -> bool:
        return all(run.state == "finished" for row in self.rows for run in row.runs) and all(
            part.finished for part in self.parts
        )
