"""Which row of a study is the best: the validation split chooses it, not the test split."""

import statistics
from dataclasses import dataclass

from workings.study.summary import RowSummary, StudySummary


@dataclass(frozen=True)
class Choice:
    """The best row, and the metric that chose it."""

    row: RowSummary
    metric: str

    @property
    def by_validation(self) -> bool:
        return self.metric.startswith("valid.")

    @property
    def words(self) -> str:
        """What the tables call this row."""
        return "best by validation" if self.by_validation else "best"


def choosing_metric(study: StudySummary) -> str:
    """Name the metric that may choose: that of the validation split in place of the test split.

    A measurement has no splits of data, so that its own figure chooses.
    """
    split, _, name = study.file.metric.partition(".")
    return f"valid.{name}" if split == "test" and not study.file.measure else study.file.metric


def leaders(study: StudySummary) -> list[RowSummary]:
    """Return the rows with the best mean over the seeds: one of them, or several in a tie.

    None of them where there is nothing to choose from, or where a measured row lacks the metric
    that may choose: its test figure does not stand in for it.
    """
    metric = choosing_metric(study)
    measured = [row for row in study.rows if row.values(study.file.metric)]
    if len(measured) < 2 or not all(row.values(metric) for row in measured):
        return []
    means = [statistics.fmean(row.values(metric).values()) for row in measured]
    best = (min if study.lower_is_better else max)(means)
    return [row for row, mean in zip(measured, means, strict=True) if mean == best]


def choose(study: StudySummary) -> Choice | None:
    """Return the one leader; a tie has no best row."""
    first = leaders(study)
    return Choice(first[0], choosing_metric(study)) if len(first) == 1 else None
