"""P-values of differences, and verdicts on published figures."""

import math
import random
import statistics

import pytest

from workings.study.statistics import mean_deviation, paired, student, verdict


@pytest.mark.parametrize(
    ("t", "freedom", "p"),
    [  # a printed table of Student's t, two-sided
        (12.706, 1, 0.05),
        (4.303, 2, 0.05),
        (3.182, 3, 0.05),
        (2.776, 4, 0.05),
        (4.604, 4, 0.01),
        (2.228, 10, 0.05),
        (3.850, 19, 0.001079),
        (0.0, 5, 1.0),
    ],
)
def test_students_distribution(t: float, freedom: int, p: float) -> None:
    assert student(t, freedom) == pytest.approx(p, abs=6e-5)
    assert student(-t, freedom) == student(t, freedom)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 8])
def test_the_series_is_the_integral_of_the_density(freedom: int) -> None:
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    n, t = 20_000, 1.7
    points = ((k + 0.5) * t / n for k in range(n))
    inside = 2 * sum(scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2) for x in points) * t / n
    assert student(t, freedom) == pytest.approx(1 - inside, abs=1e-7)


def test_pairs() -> None:
    # d = (1, 2, 3): t = 2 / (1/√3) with two degrees of freedom
    test = paired([2, 4, 6], [1, 2, 3])
    assert test.p_value == pytest.approx(student(2 * math.sqrt(3), 2))
    assert (test.seeds, test.why_not) == (3, "")
    with pytest.raises(ValueError, match="shorter"):
        paired([1, 2], [1])


@pytest.mark.parametrize("seeds", [0, 1, 2])
def test_fewer_than_three_seeds_give_no_p_value(seeds: int) -> None:
    test = paired([5.0, 9.0][:seeds], [1.0, 2.0][:seeds])
    assert (test.p_value, test.seeds, test.why_not) == (None, seeds, "it takes 3 seeds")


@pytest.mark.parametrize("difference", [0.0, 1.0, 0.1])  # 0.1: equal up to rounding
def test_equal_differences_give_no_p_value(difference: float) -> None:
    test = paired([value + difference for value in (7.3, 8.9, 123.4)], [7.3, 8.9, 123.4])
    assert test.p_value is None
    assert test.why_not == "the difference is the same with every seed"


def test_equal_rows_differ_at_the_level_as_often_as_it_says() -> None:
    draw = random.Random(5)
    rows = [
        ([draw.gauss(0, 1) for _ in range(4)], [draw.gauss(0, 1) for _ in range(4)])
        for _ in range(4000)
    ]
    p_values = [paired(a, b).p_value for a, b in rows]
    below = statistics.fmean(p is not None and p < 0.05 for p in p_values)
    assert 0.04 < below < 0.06


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
    ],
)
def test_verdicts(measured: float, lower: bool, word: str) -> None:
    assert verdict(measured, 100, lower, 0.02) == word
