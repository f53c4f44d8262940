"""Areas under the ROC curve: DeLong's variances against the definition, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from workings.study.roc import delong, interval, placements


def test_placements_are_shares_of_pairs() -> None:
    draw = np.random.default_rng(1)
    score, label = draw.integers(0, 6, 40), draw.integers(0, 2, 40)
    positive, negative = score[label == 1], score[label == 0]
    above = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    below_P, above_Q = placements(score, label)
    assert below_P == pytest.approx(above.mean(1))
    assert above_Q == pytest.approx(above.mean(0))
    u = stats.mannwhitneyu(positive, negative).statistic
    assert below_P.mean() == pytest.approx(u / (len(positive) * len(negative)))


def test_two_areas_by_hand() -> None:
    label = np.array([1, 1, 1, 0, 0, 0])
    one = placements(np.array([3, 2, 1, 0, 1.5, -1]), label)
    other = placements(np.array([1, 3, 2, 0, -1, 2.5]), label)
    # Below each positive: 1, 1, 2/3 and 2/3, 1, 2/3; above each negative: 1, 2/3, 1 and 1, 1, 1/3.
    d_P, d_Q = np.array([1 / 3, 0, 0]), np.array([0, -1 / 3, 2 / 3])
    error = (d_P.var(ddof=1) / 3 + d_Q.var(ddof=1) / 3) ** 0.5
    test = delong(one, other, 1)
    assert test.difference == pytest.approx(1 / 9)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(1 / 9 / error))
    assert test.interval == pytest.approx((1 / 9 - 1.959964 * error, 1 / 9 + 1.959964 * error))
    assert delong(one, one, 1).why_not == "both rank the pairs alike"
    assert interval(*placements(np.array([2, 3, 1, 0]), np.array([1, 1, 0, 0]))) is None


def test_equal_models_and_coverage() -> None:
    draw, tries = np.random.default_rng(2), 1000
    least, most = stats.binom.ppf([0.5e-4, 1 - 0.5e-4], tries, 0.05) / tries
    label, true = np.repeat([1, 0], 100), stats.norm.cdf(1 / 2**0.5)
    below = missed = 0
    for _ in range(tries):
        shared = draw.normal(size=200) + label
        scores = 0.8 * shared + 0.6 * (draw.normal(size=(2, 200)) + label / 3)  # both: N(1, 1) : N
        one, other = (placements(score, label) for score in scores)
        p_value, span = delong(one, other, 1).p_value, interval(*one)
        assert p_value is not None
        assert span
        below += p_value < 0.05
        missed += not span[0] <= true <= span[1]
    assert least <= below / tries <= most
    assert least / 2 <= missed / tries <= most
