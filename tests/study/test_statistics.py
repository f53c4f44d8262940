"""Tests, intervals and corrections, beside scipy's own and by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from workings.study.statistics import (
    clopper_pearson,
    holm,
    mcnemar,
    mean_deviation,
    paired_t,
    t_interval,
    verdict,
)

# Counts of 1,000 draws at 5% that a right test gives in all but one of 10,000 tries.
LEAST, MOST = stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 1000, 0.05) / 1000


def test_the_paired_t_test_and_its_interval_are_scipys() -> None:
    a, b = [2.0, 4.0, 6.5, 3.0], [1.0, 2.0, 3.0, 4.0]
    test, oracle = paired_t(a, b), stats.ttest_rel(a, b)
    assert test.p_value == pytest.approx(oracle.pvalue, rel=1e-12)
    assert test.interval == pytest.approx(tuple(oracle.confidence_interval()), rel=1e-12)
    assert (test.difference, test.over, test.count) == (1.375, "seeds", 4)
    with pytest.raises(ValueError, match="shorter"):
        paired_t([1, 2], [1])


@pytest.mark.parametrize("seeds", [0, 1, 2])
def test_fewer_than_three_seeds_give_no_p_value(seeds: int) -> None:
    test = paired_t([5.0, 9.0][:seeds], [1.0, 2.0][:seeds])
    assert (test.p_value, test.interval, test.count) == (None, None, seeds)
    assert test.why_not == "it takes 3 seeds"


@pytest.mark.parametrize("difference", [0.0, 1.0, 0.1])  # 0.1: equal up to rounding
def test_equal_differences_give_no_p_value(difference: float) -> None:
    test = paired_t([value + difference for value in (7.3, 8.9, 123.4)], [7.3, 8.9, 123.4])
    assert test.p_value is None
    assert test.why_not == "the difference is the same with every seed"


def test_the_interval_over_seeds() -> None:
    values = [0.81, 0.83, 0.86, 0.80]
    oracle = stats.ttest_1samp(values, 0).confidence_interval()
    assert t_interval(values) == pytest.approx(tuple(oracle), rel=1e-12)
    assert t_interval(values[:2]) is None
    assert t_interval([0.5, 0.5, 0.5]) is None


@pytest.mark.parametrize(("b", "c"), [(3, 1), (0, 6), (10, 10), (40, 12), (1, 0)])
def test_mcnemars_p_value_is_the_exact_binomial(b: int, c: int) -> None:
    hit_a = np.array([1] * b + [0] * c + [1] * 20 + [0] * 5)
    hit_b = np.array([0] * b + [1] * c + [1] * 20 + [0] * 5)
    test = mcnemar(hit_a, hit_b, "image")
    assert test.p_value == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-12)
    assert test.difference == pytest.approx(hit_a.mean() - hit_b.mean(), abs=1e-15)
    assert test.interval
    assert test.interval[0] < test.difference < test.interval[1]
    assert (test.over, test.count, test.unit) == ("examples", 25 + b + c, "image")


def test_mcnemar_says_nothing_of_models_that_are_right_alike() -> None:
    test = mcnemar(np.array([1, 0, 1]), np.array([1, 0, 1]), "image")
    assert (test.p_value, test.why_not) == (None, "both are right on the same images")


def test_equally_good_models_differ_at_most_as_often_as_the_level_says() -> None:
    draw = np.random.default_rng(5)
    easy = draw.random((1000, 1, 200)) < 0.7  # examples that both are right on
    hits = (easy | (draw.random((1000, 2, 200)) < 0.5)).astype(int)
    tests = [mcnemar(a, b, "image") for a, b in hits]
    assert np.mean([test.p_value is not None and test.p_value < 0.05 for test in tests]) <= MOST
    covered = [t.interval is None or t.interval[0] <= 0 <= t.interval[1] for t in tests]
    assert LEAST / 2 <= 1 - np.mean(covered) <= MOST
    rows = draw.normal(size=(1000, 2, 4))
    assert LEAST <= np.mean([paired_t(*row).p_value < 0.05 for row in rows.tolist()]) <= MOST


def test_the_interval_of_a_difference_covers_it() -> None:
    """Also where the one is nearly always right when the other is not."""
    draw, missed = np.random.default_rng(6), 0
    for _ in range(1000):
        worse = draw.random(150) < 0.6
        better = worse | (draw.random(150) < 0.25)  # 0.1 more, in the mean
        interval = mcnemar(better.astype(int), worse.astype(int), "image").interval
        assert interval
        missed += not interval[0] <= 0.1 <= interval[1]
    assert LEAST / 2 <= missed / 1000 <= MOST


@pytest.mark.parametrize(("hits", "count"), [(0, 10), (37, 50), (50, 50), (863, 1000)])
def test_the_interval_of_a_share_is_scipys_exact_one(hits: int, count: int) -> None:
    oracle = stats.binomtest(hits, count).proportion_ci(method="exact")
    assert clopper_pearson(hits, count) == pytest.approx(tuple(oracle), abs=1e-12)


def test_holm_by_hand() -> None:
    # Of three: 3 · 0.01, then max(0.03, 2 · 0.02), then max(0.04, 1 · 0.03).
    assert holm([0.02, None, 0.01, 0.03]) == [0.04, None, 0.03, 0.04]
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([None]) == [None]
    assert holm([0.01, 0.02], tests=6) == [0.06, 0.1]  # 6 · 0.01, 5 · 0.02


def test_holm_keeps_the_level_over_all_rows_together() -> None:
    draw = np.random.default_rng(7).random((1000, 8))
    below = [min(p for p in holm(row) if p is not None) < 0.05 for row in draw.tolist()]
    assert np.mean(below) <= MOST


def test_the_row_that_the_tested_trainings_chose_takes_all_pairs_of_rows() -> None:
    """Eight equal rows, five seeds; a training that validation likes is good on test as well."""
    draw = np.random.default_rng(8)
    chosen = draw.normal(size=(600, 8, 5))
    tested = 0.95 * chosen + math.sqrt(1 - 0.95**2) * draw.normal(size=chosen.shape)
    errors = {7: 0, 28: 0}
    for valid, test in zip(chosen, tested, strict=True):
        best = int(valid.mean(1).argmax())
        p_values = [paired_t(row, test[best]).p_value for i, row in enumerate(test) if i != best]
        for tests in errors:
            errors[tests] += min(p for p in holm(p_values, tests) if p is not None) < 0.05
    assert errors[7] / 600 > MOST  # the seven that are shown alone
    assert errors[28] / 600 <= MOST


def test_splits_that_share_examples_widen_the_interval_over_seeds() -> None:
    """Ten random splits of 60 examples, a third of them to test on: of models that are equal."""
    draw, below = np.random.default_rng(9), {0.0: 0, 0.5: 0}
    for _ in range(400):
        apart_N = draw.normal(size=60)  # what the one is better by, of each example
        folds = [apart_N[draw.permutation(60)[:20]].mean() for _ in range(10)]
        for share in below:
            p_value = paired_t(folds, [0.0] * 10, share).p_value
            assert p_value is not None
            below[share] += p_value < 0.05
    assert below[0.0] / 400 > 0.2
    assert below[0.5] / 400 <= MOST
    low, high = t_interval([1.0, 2.0, 3.0], 0.5) or (0, 0)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 2) * math.sqrt(1 / 3 + 1 / 2))


def test_mean_and_deviation() -> None:
    assert mean_deviation([3.0]) == (3.0, None)
    assert mean_deviation([1.0, 3.0]) == (2.0, math.sqrt(2))


@pytest.mark.parametrize(
    ("measured", "lower", "word"),
    [
        (101, True, "agrees"),
        (98, False, "agrees"),
        (97, True, "better"),
        (97, False, "worse"),
        (103, True, "worse"),
        (103, False, "better"),
        (math.nan, True, "worse"),
        (97, None, "differs"),
        (99, None, "agrees"),
    ],
)
def test_verdicts(measured: float, lower: bool | None, word: str) -> None:
    assert verdict(measured, 100, lower, 0.02) == word
