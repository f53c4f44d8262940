"""Areas under the ROC curve: DeLong's variances against the definition, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from workings.study.roc import delong, interval, newcombe, placements


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
    """Twenty copies of six pairs; Welch's test of placements has the same degrees of freedom."""
    label = np.tile([1, 1, 1, 0, 0, 0], 20)
    one = placements(np.tile([3, 2, 1, 0, 1.5, -1], 20), label)
    other = placements(np.tile([1, 3, 2, 0, -1, 2.5], 20), label)
    # Below each positive: 1, 1, 2/3 and 2/3, 1, 2/3; above each negative: 1, 2/3, 1 and 1, 1, 1/3.
    d_P, d_Q = np.tile([1 / 3, 0, 0], 20), np.tile([0, -1 / 3, 2 / 3], 20)
    test = delong(one, other, unit="image")
    assert test.difference == pytest.approx(1 / 9)
    # Its error is that of mean(d_P) - mean(1/9 - d_Q), and these two means differ by 1/9.
    oracle = stats.ttest_ind(d_P, -d_Q + 1 / 9, equal_var=False)
    assert test.p_value == pytest.approx(oracle.pvalue)
    assert test.interval == pytest.approx(tuple(oracle.confidence_interval()))
    assert (test.count, test.unit) == (120, "image")
    assert delong(one, one).why_not == "both rank the pairs alike"


def test_too_few_of_a_class_say_nothing() -> None:
    """Of five positives and a hundred others the plain interval would miss every tenth time."""
    label, draw = np.repeat([1, 0], [19, 100]), np.random.default_rng(1)
    one, other = (placements(draw.normal(size=119) + label, label) for _ in range(2))
    assert interval(*one) is None
    assert delong(one, other).why_not == "it takes 20 pairs of either class"
    perfect = np.repeat([1, 0], [50, 50])
    assert interval(*placements(perfect, perfect)) is None


@pytest.mark.parametrize("classes", [(100, 100), (20, 100)])
def test_equal_models_and_coverage(classes: tuple[int, int]) -> None:
    draw, tries = np.random.default_rng(2), 1000
    least, most = stats.binom.ppf([0.5e-4, 1 - 0.5e-4], tries, 0.05) / tries
    label, true = np.repeat([1, 0], classes), stats.norm.cdf(1 / 2**0.5)
    below = missed = 0
    for _ in range(tries):
        shared = draw.normal(size=len(label)) + label
        scores = 0.8 * shared + 0.6 * (
            draw.normal(size=(2, len(label))) + label / 3
        )  # both: N(1, 1) : N
        one, other = (placements(score, label) for score in scores)
        p_value, span = delong(one, other).p_value, interval(*one)
        assert p_value is not None
        assert span
        below += p_value < 0.05
        missed += not span[0] <= true <= span[1]
    assert least <= below / tries <= most
    assert least / 2 <= missed / tries <= most


def test_newcombes_interval_solves_its_equation() -> None:
    area, P, Q = 0.93, 25, 140
    for end in newcombe(area, P, Q):
        q1, q2, n = end / (2 - end), 2 * end**2 / (1 + end), (P + Q) / 2
        variance = (end * (1 - end) + (n - 1) * (q1 + q2 - 2 * end**2)) / (P * Q)
        assert abs(end - area) == pytest.approx(stats.norm.ppf(0.975) * variance**0.5)


def test_an_area_near_1_is_covered_though_it_rests_on_a_few_positives() -> None:
    """One of twenty positives looks like the negatives: DeLong's interval misses a third."""
    draw, missed = np.random.default_rng(3), []
    label, true = np.repeat([1, 0], [20, 500]), 0.05 * 0.5 + 0.95 * stats.norm.cdf(4 / 2**0.5)
    for _ in range(300):
        shift = np.where(draw.random(520) < 0.05, 0, 4) * label
        if span := interval(*placements(draw.normal(size=520) + shift, label)):
            missed.append(not span[0] <= true <= span[1])
    assert len(missed) > 250
    assert np.mean(missed) <= stats.binom.ppf(1 - 0.5e-4, 300, 0.05) / 300
