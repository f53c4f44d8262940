"""The p-value of a difference between two rows, and how a figure compares with a published one."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_SEEDS = 3  # below it a standard deviation over seeds means next to nothing
ROUNDING = 1e-12  # of the largest figure: differences of differences below it are rounding errors


def mean_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and the standard deviation over the seeds (n - 1), None of a single one."""
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


@dataclass(frozen=True)
class PairedTest:
    """Student's paired t-test of two rows: its p-value, or why none is given."""

    seeds: int  # the seeds that both rows have: the pairs that the test rests on
    p_value: float | None = None  # two-sided
    why_not: str = ""


def paired(a: Sequence[float], b: Sequence[float]) -> PairedTest:
    """Test whether the mean of a differs from that of b, a[i] and b[i] being of the same seed.

    t = mean(d) / (s(d)/√n) with d = a - b and n - 1 degrees of freedom. No p-value is given for
    fewer than FEWEST_SEEDS pairs, nor where all differences are equal (up to rounding): the test
    estimates how far seeds scatter, and there they say nothing about it.
    """
    differences = [x - y for x, y in zip(a, b, strict=True)]
    seeds = len(differences)
    if seeds < FEWEST_SEEDS:
        return PairedTest(seeds, why_not=f"it takes {FEWEST_SEEDS} seeds")
    mean, deviation = statistics.fmean(differences), statistics.stdev(differences)
    if deviation <= ROUNDING * max(map(abs, (*a, *b))):
        return PairedTest(seeds, why_not="the difference is the same with every seed")
    return PairedTest(seeds, student(mean / (deviation / math.sqrt(seeds)), seeds - 1))


def student(t: float, freedom: int) -> float:
    """Return P(|T| ≥ |t|) of Student's distribution for whole degrees of freedom, a finite series.

    With θ = atan(|t|/√ν): P(|T| < |t|) = sin θ (1 + ½ cos²θ + (1·3)/(2·4) cos⁴θ + …) for even ν,
    and (2/π)(θ + sin θ (cos θ + ⅔ cos³θ + …)) for odd ν, up to cos^{ν-2} θ.
    """
    theta = math.atan(abs(t) / math.sqrt(freedom))
    sine, cosine = math.sin(theta), math.cos(theta)
    even = freedom % 2 == 0
    term, total = (1.0, 0.0) if even else (cosine, 0.0)
    for power in range(0 if even else 1, freedom - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    inside = sine * total if even else 2 / math.pi * (theta + sine * total)
    return max(0.0, 1 - inside)


def verdict(measured: float, published: float, lower_is_better: bool, tolerance: float) -> str:
    """Say `agrees` within the tolerance (a share of the published figure), `better` or `worse`."""
    if not math.isfinite(measured):
        return "worse"
    if abs(measured - published) <= tolerance * abs(published):
        return "agrees"
    return "better" if (measured < published) == lower_is_better else "worse"
