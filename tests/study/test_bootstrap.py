"""The bootstrap of a ratio: against closed forms, under the null, and its coverage."""

import numpy as np
import pytest
from scipy import stats

from workings.study import bootstrap
from workings.study.bootstrap import ratios


def test_a_mean_of_normal_examples_has_students_interval_and_p_value() -> None:
    x = np.random.default_rng(3).normal(0.15, 1, 300)
    (ratio,) = ratios(x[None], np.ones(300))
    oracle = stats.ttest_1samp(x, 0)
    low, high = oracle.confidence_interval()
    assert ratio.value == pytest.approx(x.mean())
    assert ratio.reach == pytest.approx((high - low) / 2, rel=0.06)
    assert ratio.p_value == pytest.approx(oracle.pvalue, abs=0.015)


def test_the_same_examples_give_the_same_figures_alone_or_with_others() -> None:
    draw = np.random.default_rng(4)
    x, t = draw.gamma(2, 3, (3, 100)), draw.integers(1, 30, 100)
    together, alone = ratios(x, t), ratios(x[1:2], t)[0]
    assert together == ratios(x, t)
    assert alone.value == pytest.approx(x[1].sum() / t.sum(), rel=1e-12)
    assert alone.reach == pytest.approx(together[1].reach, rel=1e-9)
    assert alone.p_value == together[1].p_value


def test_the_interval_leaves_zero_out_just_where_the_p_value_is_below_5_percent() -> None:
    draw = np.random.default_rng(5)
    x = draw.normal(0.2, 1, (200, 60))
    for ratio in ratios(x, np.ones(60)):
        assert ratio.reach is not None
        assert ratio.p_value is not None
        if abs(ratio.p_value - 0.05) > 0.002:
            assert (abs(ratio.value) > ratio.reach) == (ratio.p_value < 0.05)


def test_too_few_examples_and_no_differences_give_nothing() -> None:
    assert ratios(np.ones((1, 19)), np.ones(19))[0].p_value is None
    same = ratios(np.zeros((1, 50)), np.ones(50))[0]
    assert (same.value, same.reach, same.p_value) == (0.0, None, None)
    constant = ratios(np.ones((1, 50)), np.full(50, 3.0))[0]
    assert (constant.reach, constant.p_value) == (None, None)
    one_differs = np.zeros((1, 50))
    one_differs[0, 7] = 1.0
    assert ratios(one_differs, np.ones(50))[0].p_value is None  # a third of resamples lack it


def test_equal_models_and_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of skewed length and loss, two equal models; then one that is worse by 0.1 a token."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 999)
    draw, tries = np.random.default_rng(8), 400
    least, most = stats.binom.ppf([0.5e-4, 1 - 0.5e-4], tries, 0.05) / tries
    below = missed = 0
    for _ in range(tries):
        t = draw.integers(3, 40, 80)
        apart = draw.gamma(2.0, 1.0, (2, 80)) * t  # of each line, by each model
        null, worse = ratios(np.array([apart[0] - apart[1], apart[0] - apart[1] + 0.1 * t]), t)
        assert null.p_value is not None
        assert worse.reach is not None
        below += null.p_value < 0.05
        missed += abs(worse.value - 0.1) > worse.reach
    assert least <= below / tries <= most
    assert least <= missed / tries <= most
