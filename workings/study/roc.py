"""The area under the ROC curve with its error, and the difference of two on the same pairs.

DeLong, DeLong and Clarke-Pearson (1988): the area is a mean over the positives, of the share of
negatives below each, and one over the negatives; the variances of both add. Of few of a class these
variances are uncertain, which Student's t with Satterthwaite's degrees of freedom allows for. Of an
area near 1 they are made of a few examples and mostly too small: there Newcombe's score interval is
the wider one.
"""

# P positives, Q negatives

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special

from workings.study.statistics import ROUNDING, Comparison, Interval, Z

FEWEST = 20  # of either class: fewer cannot stand for the others of their kind


def placements(score_N: np.ndarray, label_N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each positive the share of negatives below it, of each negative that of positives above.

    A tie counts half. The mean of either is the area.
    """
    positive_P, negative_Q = score_N[label_N == 1], score_N[label_N == 0]
    rank_N = _ranks(np.concatenate([positive_P, negative_Q]))
    P, Q = len(positive_P), len(negative_Q)
    below_P = (rank_N[:P] - _ranks(positive_P)) / Q
    above_Q = 1 - (rank_N[P:] - _ranks(negative_Q)) / P
    return below_P, above_Q


def _ranks(values_N: np.ndarray) -> np.ndarray:
    """From 1; equal values share the mean of their ranks."""
    _, group_N, count = np.unique(values_N, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[group_N]


def interval(below_P: np.ndarray, above_Q: np.ndarray) -> Interval | None:
    """The 95% interval of an area: from the lower to the higher end of two.

    One is DeLong's on the logit's scale, the other Newcombe's. None where the area is 0 or 1, and
    where a class has fewer than FEWEST examples.
    """
    area = float(below_P.mean())
    error = _error(below_P, above_Q)
    if not 0 < area < 1 or not error or min(len(below_P), len(above_Q)) < FEWEST:
        return None
    middle, reach = float(special.logit(area)), error.reach / (area * (1 - area))
    low, high = newcombe(area, len(below_P), len(above_Q))
    return min(low, float(special.expit(middle - reach))), max(
        high, float(special.expit(middle + reach))
    )


def newcombe(area: float, P: int, Q: int) -> Interval:
    """The areas A at which the measured one is Z errors off (Newcombe, 2006, method 5).

    The error is that at A, of exponential scores (Hanley and McNeil, 1982):
    s² = A(1 - A) (1 + (m - 1)((1 - A)/(2 - A) + A/(1 + A))) / (P Q), with m = (P + Q)/2.
    """

    def apart(A: float) -> float:
        alike = (1 - A) / (2 - A) + A / (1 + A)
        return (A - area) ** 2 - Z**2 * A * (1 - A) * (1 + ((P + Q) / 2 - 1) * alike) / (P * Q)

    return float(optimize.brentq(apart, 0.0, area)), float(optimize.brentq(apart, area, 1.0))


def delong(
    row: tuple[np.ndarray, np.ndarray],
    best: tuple[np.ndarray, np.ndarray],
    seeds: int = 1,
    unit: str = "pair",
) -> Comparison:
    """DeLong's test of two areas, from the placements of the same examples."""
    below_P, above_Q = row[0] - best[0], row[1] - best[1]
    difference, error = float(below_P.mean()), _error(below_P, above_Q)
    count = len(below_P) + len(above_Q)
    about = Comparison("DeLong's test", "examples", count, unit, seeds)
    if min(len(below_P), len(above_Q)) < FEWEST:
        return replace(about, why_not=f"it takes {FEWEST} {unit}s of either class")
    if error is None:
        return replace(about, why_not=f"both rank the {unit}s alike")
    interval = difference - error.reach, difference + error.reach
    p_value = 2 * float(special.stdtr(error.freedom, -abs(difference) / error.size))
    return replace(about, difference=difference, interval=interval, p_value=p_value)


@dataclass(frozen=True)
class _Error:
    """The standard error of an area or of a difference, and its degrees of freedom."""

    size: float
    freedom: float

    @property
    def reach(self) -> float:
        """How far it reaches at 95%."""
        return float(special.stdtrit(self.freedom, 0.975)) * self.size


def _error(below_P: np.ndarray, above_Q: np.ndarray) -> _Error | None:
    """None where there are too few to tell, or all are alike."""
    P, Q = len(below_P), len(above_Q)
    if min(P, Q) < 2:
        return None
    u, v = float(below_P.var(ddof=1)) / P, float(above_Q.var(ddof=1)) / Q
    if u + v <= ROUNDING**2:
        return None
    return _Error(math.sqrt(u + v), (u + v) ** 2 / (u * u / (P - 1) + v * v / (Q - 1)))
