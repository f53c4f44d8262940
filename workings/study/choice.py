"""Which rows of a study are the best: validation chooses; the best on the test split is marked too.

Only rows that can be compared are ranked (see `comparable`), and a tie is shared.
"""

import itertools
import math
import statistics
from dataclasses import dataclass

from workings.study.comparable import groups
from workings.study.metric_names import parts
from workings.study.statistics import ROUNDING
from workings.study.summary import RowSummary, StudySummary


@dataclass(frozen=True)
class Ranking:
    """Rows that can be ranked together, and the best of them."""

    rows: list[RowSummary]
    metric: str  # the one that chooses
    chosen: list[RowSummary]  # several in a tie; none where there is nothing to choose from
    best_on_test: list[RowSummary]  # the same by the figure that is reported; chooses nothing
    by_validation: bool = False
    """whether the validation split chose, and another one decides; else one figure does both"""

    def badges(self, row: RowSummary) -> list[str]:
        """What the tables mark this row with."""
        if row in self.chosen and not self.by_validation:
            return ["best"]
        made = ["best by validation"] if row in self.chosen else []
        return made + (["best on test"] if row in self.best_on_test else [])


def choosing_metric(study: StudySummary) -> str:
    """Name the metric that may choose: that of the validation split in place of the test split.

    A measurement has no splits of data, so that its own figure chooses.
    """
    split, name, _ = parts(study.file.metric)
    return f"valid.{name}" if split == "test" and not study.file.measure else study.file.metric


def rankings(study: StudySummary) -> list[Ranking]:
    """One for each group of rows that can be ranked together."""
    return [_ranking(study, group) for group in groups(study)]


def _ranking(study: StudySummary, rows: list[RowSummary]) -> Ranking:
    """The rows with the best mean over the seeds.

    None of them where a row lacks the metric that may choose: its test figure does not stand in.
    """
    metric, lower = choosing_metric(study), study.lower_is_better
    chosen = _leaders(rows, metric, lower) if all(row.values(metric) for row in rows) else []
    differs = metric != study.file.metric
    on_test = _leaders(rows, study.file.metric, lower) if differs else []
    return Ranking(rows, metric, chosen, on_test, by_validation=differs)


def _leaders(rows: list[RowSummary], metric: str, lower: bool) -> list[RowSummary]:
    """Those with the best mean, of the rows with a figure of each of their seeds.

    A row is not better for the seeds with which it failed, nor is one row the best of one.
    """
    rows = [row for row in rows if len(row.values(metric)) == len(row.runs)]
    if len(rows) < 2:
        return []
    means = [statistics.fmean(row.values(metric).values()) for row in rows]
    best = (min if lower else max)(means)
    ties = (math.isclose(mean, best, rel_tol=ROUNDING) for mean in means)  # means are rounded
    return list(itertools.compress(rows, ties))
