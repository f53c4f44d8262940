"""The area under the ROC curve with its error, and the difference of two on the same pairs.

DeLong, DeLong and Clarke-Pearson (1988): the area is a mean over the positives, of the share of
negatives below each, and one over the negatives; the variances of both add.
"""

# P positives, Q negatives

import math
from dataclasses import replace

import numpy as np
from scipy import special

from workings.study.statistics import Comparison, Interval, Z


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
    """The 95% interval of an area, on the logit's scale; None where it is 0 or 1."""
    area = float(below_P.mean())
    error = _error(below_P, above_Q)
    if not 0 < area < 1 or not error:
        return None
    middle, reach = float(special.logit(area)), Z * error / (area * (1 - area))
    return float(special.expit(middle - reach)), float(special.expit(middle + reach))


def delong(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], seeds: int
) -> Comparison:
    """DeLong's test of two areas, from the placements of the same pairs."""
    below_P, above_Q = one[0] - other[0], one[1] - other[1]
    difference, error = float(below_P.mean()), _error(below_P, above_Q)
    count = len(below_P) + len(above_Q)
    about = Comparison("DeLong's test", "examples", count, "pair", seeds)
    if not error:
        return replace(about, why_not="both rank the pairs alike")
    interval = difference - Z * error, difference + Z * error
    p_value = 2 * float(special.ndtr(-abs(difference) / error))
    return replace(about, difference=difference, interval=interval, p_value=p_value)


def _error(below_P: np.ndarray, above_Q: np.ndarray) -> float:
    """0 where there are too few to tell, or all are alike."""
    P, Q = len(below_P), len(above_Q)
    if min(P, Q) < 2:
        return 0.0
    return math.sqrt(float(below_P.var(ddof=1)) / P + float(above_Q.var(ddof=1)) / Q)
