"""Chance and verdicts."""

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
    assert paired([2, 4, 6], [1, 2, 3]) == pytest.approx(student(2 * math.sqrt(3), 2))
    assert paired([1.0], [2.0]) is None
    assert paired([], []) is None
    assert paired([1, 2], [1, 2]) == 1.0
    assert paired([2, 3], [1, 2]) == 0.0
    with pytest.raises(ValueError, match="shorter"):
        paired([1, 2], [1])


def test_chance_is_called_as_often_as_it_should_be() -> None:
    draw = random.Random(5)
    rows = [
        ([draw.gauss(0, 1) for _ in range(4)], [draw.gauss(0, 1) for _ in range(4)])
        for _ in range(4000)
    ]
    below = statistics.fmean((paired(a, b) or 0.0) < 0.05 for a, b in rows)
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
