"""Whether two rows differ by more than chance, and how a figure stands to a published one."""

import math
import statistics
from collections.abc import Sequence


def mean_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean, and standard deviation over the seeds (n - 1); None with a single one."""
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


def paired(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The two-sided p-value of Student's paired t-test, a[i] and b[i] being of the same seed.

    t = mean(d) / (s(d)/√n) with d = a - b. None where it says nothing: fewer than two pairs.
    Equal differences that are not zero give 0, pairs that are all equal give 1.
    """
    differences = [x - y for x, y in zip(a, b, strict=True)]
    if len(differences) < 2:
        return None
    mean, deviation = statistics.fmean(differences), statistics.stdev(differences)
    if deviation == 0:
        return 0.0 if mean else 1.0
    return student(mean / (deviation / math.sqrt(len(differences))), len(differences) - 1)


def student(t: float, freedom: int) -> float:
    """P(|T| ≥ |t|) of Student's distribution, by the finite series for whole degrees of freedom.

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
    """`agrees` within the tolerance (a share of the published figure), else `better`, `worse`."""
    if not math.isfinite(measured):
        return "worse"
    if abs(measured - published) <= tolerance * abs(published):
        return "agrees"
    return "better" if (measured < published) == lower_is_better else "worse"
