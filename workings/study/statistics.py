"""McNemar's test, the paired t-test, Holm's correction, intervals: over examples and over seeds.

A p-value answers one of two questions, and says which. Over **examples**: would these trained
models differ so much on other examples of the kind, were they equally good? Over **seeds**: would
trainings with other seeds differ so much on these examples? Neither stands in for the other.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

FEWEST_SEEDS = 3  # below it a standard deviation over seeds means next to nothing
ROUNDING = 1e-12  # of the largest figure: differences of differences below it are rounding errors
LEVEL = 0.05  # a p-value below it, after Holm's correction, counts as more than chance

Z = float(special.ndtri(0.975))
Interval = tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """A difference (one minus the other), its 95% interval and p-value, or why they are missing."""

    test: str  # by name
    over: Literal["examples", "seeds"]
    count: int  # so many of them it rests on
    unit: str  # what one of them is: seed, image, line …
    seeds: int = 1  # over examples: so many trained models of each row, their mean is compared
    difference: float | None = None
    interval: Interval | None = None
    p_value: float | None = None  # two-sided, of this comparison alone
    corrected: float | None = None  # by Holm, for all that stand in the same column of a table
    relative: bool = False  # the difference is a share of the other figure
    why_not: str = ""


def mean_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and the standard deviation over the seeds (n - 1), None of a single one."""
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


def t_interval(values: Sequence[float], test_share: float = 0.0) -> Interval | None:
    """The 95% interval of a mean over seeds by Student's t; test_share as in `paired_t`.

    None below FEWEST_SEEDS, and where all are equal: that says nothing about how far they scatter.
    """
    if len(values) < FEWEST_SEEDS:
        return None
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    if deviation <= ROUNDING * max(map(abs, values)):
        return None
    error = deviation * math.sqrt(1 / len(values) + test_share)
    reach = float(special.stdtrit(len(values) - 1, 0.975)) * error
    return mean - reach, mean + reach


def paired_t(a: Sequence[float], b: Sequence[float], test_share: float = 0.0) -> Comparison:
    """Student's paired t-test of mean(a) - mean(b), a[i] and b[i] being of the same seed.

    t = mean(d) / (s(d) √(1/n + q)) with d = a - b and n - 1 degrees of freedom. Nothing is given
    for fewer than FEWEST_SEEDS pairs, nor where all differences are equal (up to rounding): the
    test estimates how far seeds scatter, and there they say nothing about it.

    test_share: where each seed has a split of its own, q = test examples / training examples. Such
    splits share examples, so that seeds are not independent (Nadeau and Bengio, 2003); else 0.
    """
    differences = [x - y for x, y in zip(a, b, strict=True)]
    seeds = len(differences)
    name = "the corrected resampled t-test" if test_share else "Student's paired t-test"
    about = Comparison(name, "seeds", seeds, "seed", seeds)
    if seeds < FEWEST_SEEDS:
        return replace(about, why_not=f"it takes {FEWEST_SEEDS} seeds")
    mean, deviation = statistics.fmean(differences), statistics.stdev(differences)
    if deviation <= ROUNDING * max(map(abs, (*a, *b))):
        return replace(about, why_not="the difference is the same with every seed")
    t = mean / (deviation * math.sqrt(1 / seeds + test_share))
    p_value = 2 * float(special.stdtr(seeds - 1, -abs(t)))
    interval = t_interval(differences, test_share)
    return replace(about, difference=mean, interval=interval, p_value=p_value)


def mcnemar(hit_a: np.ndarray, hit_b: np.ndarray, unit: str) -> Comparison:
    """McNemar's exact test of two classifiers on the same examples, and Agresti and Min's interval.

    Of the n = b + c examples on which just one is right, b by the first: under equal accuracy b is
    Binomial(n, ½); p = 2 P(≤ min(b, c)), at most 1. The interval is Wald's for the difference of
    paired proportions with ½ added to each of the four cells (Agresti and Min, 2005).
    """
    about = Comparison("McNemar's exact test", "examples", len(hit_a), unit)
    b = int(((hit_a == 1) & (hit_b == 0)).sum())
    c = int(((hit_a == 0) & (hit_b == 1)).sum())
    if b + c == 0:
        return replace(about, why_not=f"both are right on the same {unit}s")
    p_value = min(1.0, 2 * float(special.bdtr(min(b, c), b + c, 0.5)))
    n = len(hit_a) + 2
    middle = (b - c) / n
    reach = Z * math.sqrt((b + c + 1) / n - middle**2) / math.sqrt(n)
    interval = max(-1.0, middle - reach), min(1.0, middle + reach)
    difference = (b - c) / len(hit_a)
    return replace(about, difference=difference, interval=interval, p_value=p_value)


def clopper_pearson(hits: int, count: int) -> Interval:
    """The 95% interval of a share that covers it at least so often (Clopper and Pearson, 1934)."""
    low = float(special.betaincinv(hits, count - hits + 1, 0.025)) if hits else 0.0
    high = float(special.betaincinv(hits + 1, count - hits, 0.975)) if hits < count else 1.0
    return low, high


def holm(p_values: Sequence[float | None], tests: int = 0) -> list[float | None]:
    """Holm's step-down correction: p₍ᵢ₎ (m - i), i from 0, never falling, at most 1.

    m: how many p-values are given, or `tests` where these were picked out of more. Whichever of
    the m nulls are true, the chance that any of them falls below 5% is at most 5%.
    """
    given = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    tests = max(tests, len(given))
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p_value, at) in enumerate(given):
        largest = max(largest, min(1.0, p_value * (tests - rank)))
        corrected[at] = largest
    return corrected


def verdict(
    measured: float,
    published: float,
    lower_is_better: bool | None,
    tolerance: float,
    interval: Interval | None = None,
) -> str:
    """Say `agrees` within the tolerance (a share of the published figure), `better` or `worse`.

    Where it is not known which is better, `differs`. An interval of the measured figure that
    covers the published one leaves all three `undecided`.
    """
    if not math.isfinite(measured):
        return "worse"
    if abs(measured - published) <= tolerance * abs(published) + ROUNDING * abs(published):
        return "agrees"
    if interval is not None and interval[0] <= published <= interval[1]:
        return "undecided"
    if lower_is_better is None:
        return "differs"
    return "better" if (measured < published) == lower_is_better else "worse"
