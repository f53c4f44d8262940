"""What a study has measured so far, read from its folder: the source of all tables and reports."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.run.config import Values
from workings.run.folder import examples_file, step_log
from workings.run.folder.records import MetricsLine, Result
from workings.study.file import StudyFile
from workings.study.metric_names import parts
from workings.tasks.examples import Examples


@dataclass(frozen=True)
class RunSummary:
    """One run (or measurement) of a row."""

    folder: Path
    seed: int
    state: str  # finished, failed, stopped, waiting
    error: str = ""
    config: Values = field(default_factory=dict)  # `section.key`: value
    result: Result | None = None
    lines: list[MetricsLine] = field(default_factory=list)  # of metrics.jsonl

    def value(self, metric: str) -> float | None:
        """A figure of the finished run: `test.perplexity`, `parameters`, `train.loss@lowest`."""
        if self.result is None:
            return None
        if "@" in metric:
            return self._over_epochs(metric)
        value = self.result.get(metric, self.result.get("metrics", {}).get(metric))
        return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None

    def _over_epochs(self, metric: str) -> float | None:
        """A variant of a metric that is taken over the epochs; None of any other variant."""
        split, name, variant = parts(metric)
        figures = [line.get(name) for line in self.lines if line.get("split") == split]
        values = [value for value in figures if isinstance(value, (int, float))]
        values = values[-1:] if variant == "last" else [v for v in values if not math.isnan(v)]
        if not values or variant not in ("lowest", "highest", "last"):
            return None
        value = max(values) if variant == "highest" else min(values)
        return float(value) if math.isfinite(value) else None

    def steps(self) -> list[MetricsLine]:
        """The training loss by step; of an older run, or a measurement, none."""
        try:
            return step_log.read(self.folder)
        except WorkingsError:
            return []

    def examples(self, split: str) -> Examples | None:
        """What the run made of each example of a split; None where that was not kept."""
        if self.state != "finished":
            return None
        try:
            return examples_file.read(self.folder).get(split)
        except WorkingsError:
            return None  # damaged: as good as missing, and `workings eval` says what is wrong


@dataclass(frozen=True)
class RowSummary:
    """One variant, over its seeds."""

    name: str
    settings: Values
    published: dict[str, float]
    source: str
    runs: list[RunSummary]

    def values(self, metric: str) -> dict[int, float]:
        """The figure by seed, of the finished runs that have it."""
        figures = {run.seed: run.value(metric) for run in self.runs}
        return {seed: value for seed, value in figures.items() if value is not None}

    def without(self, metric: str) -> list[int]:
        """The seeds of the finished runs without a finite figure: the others alone are no mean."""
        finished = [run for run in self.runs if run.result is not None]
        return [run.seed for run in finished if run.value(metric) is None]


@dataclass(frozen=True)
class ClaimSummary:
    """A claim of the book that the study had checked."""

    name: str
    source: str
    statement: str
    verdict: Verdict
    repair: str  # the repaired formula; empty where there is none
    changes: str  # what the repair changed
    record: dict[str, object]  # all of it, as JSON keeps it

    @classmethod
    def read(cls, record: dict[str, object]) -> "ClaimSummary":
        """Read what was kept of a claim; ValueError where its verdict is not a known one."""
        repair = record.get("repair")
        repair = repair if isinstance(repair, dict) else {}
        return cls(
            name=str(record.get("name", "")),
            source=str(record.get("source", "")),
            statement=str(record.get("statement") or record.get("formula") or ""),
            verdict=Verdict(str(record.get("verdict"))),
            repair=str(repair.get("formula", "")),
            changes=str(repair.get("changes", "")),
            record=record,
        )


@dataclass(frozen=True, eq=False)  # one is equal to itself only: what is computed of it is kept
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
    claims: list[ClaimSummary] = field(default_factory=list)  # of the book

    @property
    def finished(self) -> bool:
        """Whether every run of it and of its parts is finished."""
        return all(run.state == "finished" for row in self.rows for run in row.runs) and all(
            part.finished for part in self.parts
        )
