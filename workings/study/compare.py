"""Each row of a study against the best one: over the test examples, and over the seeds.

The two answer different questions (see `statistics`), stand in columns of their own, and are
corrected by Holm each by itself: for the rows that are compared, where the best one was chosen by
examples that are not tested; else for all pairs of rows, of which choosing the best picks the most
different ones. Trainings that are tested over seeds are the ones that were chosen by.
"""

# N examples

import functools
import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workings.study import blocks, bootstrap, roc
from workings.study.choice import Ranking, rankings
from workings.study.comparable import test_share
from workings.study.metric_names import difference_within, parts, within
from workings.study.row_examples import (
    CONSECUTIVE,
    NOT_FINITE,
    Placements,
    RowExamples,
    figure_of,
    row_examples,
)
from workings.study.statistics import (
    FEWEST_SEEDS,
    Comparison,
    Interval,
    clopper_pearson,
    holm,
    mcnemar,
    paired_t,
    t_interval,
)
from workings.study.summary import RowSummary, StudySummary

OTHER_SPLITS = (
    "each seed has a split of its own, and on how many examples these runs of an older version "
    "trained was not kept"
)


@dataclass(frozen=True)
class Compared:
    """What is known of a row besides its figures."""

    group: int  # which of the groups that can be ranked together; from 0
    badges: list[str]  # best by validation, best on test
    interval: Interval | None = None  # of its figure, 95%
    over: Literal["examples", "seeds", ""] = ""  # what that interval is over
    rests_on: str = ""  # how many of them: `3 seeds`, `221 lines`
    examples: Comparison | None = None  # against the best row of its group
    seeds: Comparison | None = None


@functools.lru_cache(maxsize=32)
def compare(study: StudySummary) -> dict[str, Compared]:
    """By row, of the rows that are measured."""
    metric = study.file.metric
    ranked = rankings(study)
    over_seeds = _enough_seeds(ranked, metric)
    by_row: dict[str, Compared] = {}
    for number, ranking in enumerate(ranked):
        best = ranking.chosen[0] if ranking.chosen else None
        paired = Paired(ranking, metric)
        for row in ranking.rows:
            compared = Compared(number, ranking.badges(row))
            if over_seeds and (interval := _interval(row, metric, metric)):
                told = f"{len(row.values(metric))} seeds"
                compared = replace(compared, interval=interval, over="seeds", rests_on=told)
            elif not over_seeds and (interval := paired.intervals.get(row.name)):
                told = paired.rests_on(row)
                compared = replace(compared, interval=interval, over="examples", rests_on=told)
            if best is not None and row is not best:
                compared = replace(
                    compared, examples=paired.test(row, best), seeds=_seeds(row, best, metric)
                )
            by_row[row.name] = compared
    return _corrected(by_row, ranked)


@functools.lru_cache(maxsize=128)
def intervals(study: StudySummary, metric: str) -> dict[str, Interval]:
    """The 95% interval of another metric by row, over the same as that of the deciding metric."""
    by_row: dict[str, Interval | None] = {}
    ranked = rankings(study)
    for ranking in ranked:
        if _enough_seeds(ranked, study.file.metric):
            by_row |= {row.name: _interval(row, metric, study.file.metric) for row in ranking.rows}
        else:
            alone = Ranking(ranking.rows, metric, [], [])
            by_row |= Paired(alone, metric).intervals
    return {row: interval for row, interval in by_row.items() if interval is not None}


def _enough_seeds(ranked: list[Ranking], metric: str) -> bool:
    """Whether every row has seeds enough for an interval over them."""
    rows = [row for ranking in ranked for row in ranking.rows]
    return bool(rows) and all(len(row.values(metric)) >= FEWEST_SEEDS for row in rows)


def _interval(row: RowSummary, metric: str, deciding: str) -> Interval | None:
    """Over the seeds; None too where it is not known how far their splits are the same."""
    share = test_share(row, deciding)
    if share is None or row.without(metric):
        return None
    interval = t_interval(list(row.values(metric).values()), share)
    return within(interval, metric) if interval else None


def _seeds(row: RowSummary, best: RowSummary, metric: str) -> Comparison:
    a, b = row.values(metric), best.values(metric)
    both = sorted(a.keys() & b.keys())
    share = test_share(row, metric)
    test = paired_t([a[seed] for seed in both], [b[seed] for seed in both], share or 0.0)
    why_not = NOT_FINITE if row.without(metric) else OTHER_SPLITS if share is None else ""
    if why_not and not test.why_not:
        return replace(test, difference=None, interval=None, p_value=None, why_not=why_not)
    interval = difference_within(test.interval, metric) if test.interval else None
    return replace(test, interval=interval)


def _corrected(by_row: dict[str, Compared], ranked: list[Ranking]) -> dict[str, Compared]:
    """With Holm's correction, of each column by itself."""
    pairs = sum(math.comb(len(each.rows), 2) for each in ranked if each.chosen)
    alone = 0 if all(ranking.by_validation for ranking in ranked) else pairs
    by_examples = holm([c.examples.p_value if c.examples else None for c in by_row.values()], alone)
    by_seeds = holm([c.seeds.p_value if c.seeds else None for c in by_row.values()], pairs)
    made = {}
    for (name, each), p_examples, p_seeds in zip(
        by_row.items(), by_examples, by_seeds, strict=True
    ):
        if each.examples and each.seeds:
            each = replace(
                each,
                examples=replace(each.examples, corrected=p_examples),
                seeds=replace(each.seeds, corrected=p_seeds),
            )
        made[name] = each
    return made


class Paired:
    """The rows of one group on their shared examples, given the models that were trained.

    Of several seeds the mean over them is compared, of each example.
    """

    def __init__(self, ranking: Ranking, metric: str) -> None:
        self.metric, self.name = metric, parts(metric).name
        self.rows = {row.name: row_examples(row, metric) for row in ranking.rows}
        self.best = ranking.chosen[0].name if ranking.chosen else ""
        self.intervals: dict[str, Interval | None] = {}  # of a row's figure, 95%
        self.tests: dict[str, Comparison] = {}  # against the best row
        usable = {name: examples for name, examples in self.rows.items() if examples.by_seed}
        if usable:
            (self._areas if self.name == "roc_auc" else self._ratios)(usable)

    def rests_on(self, row: RowSummary) -> str:
        """How many examples the interval of a row's figure is over."""
        examples = self.rows[row.name].any
        drawn = f" in {blocks.count(len(examples))} blocks" if examples.unit in CONSECUTIVE else ""
        return f"{len(examples):,} {examples.unit}{'' if len(examples) == 1 else 's'}{drawn}"

    def test(self, row: RowSummary, best: RowSummary) -> Comparison:
        """A row against the best one, or why there is no test."""
        if row.name in self.tests:
            return self.tests[row.name]
        why_not = self.rows[row.name].why_not or self.rows[best.name].why_not
        why_not = why_not or "the rows share no seed"
        return Comparison("no test", "examples", 0, "example", why_not=why_not)

    def _shared(self, row: str) -> list[int]:
        """The seeds that a row shares with the best one."""
        if not self.best or row == self.best:
            return []
        return sorted(self.rows[row].by_seed.keys() & self.rows[self.best].by_seed.keys())

    def _areas(self, usable: dict[str, RowExamples]) -> None:
        for row, examples in usable.items():
            placed = [examples.placements(seed) for seed in examples.by_seed]
            self.intervals[row] = roc.interval(*_mean(placed))
            if shared := self._shared(row):
                mine = _mean([examples.placements(seed) for seed in shared])
                best = _mean([self.rows[self.best].placements(seed) for seed in shared])
                self.tests[row] = roc.delong(mine, best, len(shared), examples.any.unit)

    def _ratios(self, usable: dict[str, RowExamples]) -> None:
        """All figures and differences from the same resamples; one seed's hits exactly."""
        own = [np.mean([e.top(seed) for seed in e.by_seed], 0) for e in usable.values()]
        compared = [row for row in usable if self._shared(row)]
        apart = [self._difference(row) for row in compared]
        some = next(iter(usable.values()))
        bottom_N, consecutive = some.bottom(), some.any.unit in CONSECUTIVE
        exact = self.name == "accuracy" and not consecutive  # of independent hits
        made = (blocks if consecutive else bootstrap).ratios(np.array(own + apart), bottom_N)
        for (row, examples), top_N, ratio in zip(usable.items(), own, made, strict=False):
            if exact and len(examples.by_seed) == 1:
                self.intervals[row] = clopper_pearson(int(top_N.sum()), len(top_N))
            elif ratio.reach is not None:
                low = figure_of(ratio.value - ratio.reach, self.name)
                high = figure_of(ratio.value + ratio.reach, self.name)
                self.intervals[row] = within((low, high), self.metric)
        for row, ratio in zip(compared, made[len(own) :], strict=True):
            shared, unit = self._shared(row), usable[row].any.unit
            if exact and len(shared) == 1:
                mine, best = (self.rows[name].top(shared[0]) for name in (row, self.best))
                self.tests[row] = mcnemar(mine, best, unit)
            else:
                name = "Student's t-test over blocks" if consecutive else "the paired bootstrap"
                about = Comparison(name, "examples", len(bottom_N), unit, len(shared))
                fewest = blocks.FEWEST_EXAMPLES if consecutive else bootstrap.FEWEST
                self.tests[row] = _tested(about, ratio, self.name, fewest)

    def _difference(self, row: str) -> np.ndarray:
        """Of each example, the row's sum less that of the best row, the mean over the seeds."""
        mine, best = self.rows[row], self.rows[self.best]
        return np.mean([mine.top(seed) - best.top(seed) for seed in self._shared(row)], 0)


def _tested(about: Comparison, ratio: bootstrap.Ratio, name: str, fewest: int) -> Comparison:
    if ratio.reach is None or ratio.p_value is None:
        few = f"it takes {fewest} {about.unit}s"
        alike = f"the rows differ on too few {about.unit}s"
        return replace(about, why_not=few if about.count < fewest else alike)
    ends = ratio.value - ratio.reach, ratio.value, ratio.value + ratio.reach
    relative = name == "perplexity"  # a difference of losses is a ratio of perplexities
    low, middle, high = (math.expm1(end) if relative else figure_of(end, name) for end in ends)
    return replace(
        about, difference=middle, interval=(low, high), p_value=ratio.p_value, relative=relative
    )


def _mean(placed: list[Placements]) -> Placements:
    below_SP, above_SQ = zip(*placed, strict=True)
    return np.mean(below_SP, 0), np.mean(above_SQ, 0)
