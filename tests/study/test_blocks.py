"""Figures of examples that follow each other: against scipy and by simulation."""

import numpy as np
import pytest
from scipy import stats

from workings.study import blocks, bootstrap

LEAST, MOST = stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 400, 0.05) / 400


def test_blocks_of_equal_size_give_students_t_test_of_their_means() -> None:
    x_N = np.random.default_rng(3).normal(0.1, 1, 700)
    (ratio,) = blocks.ratios(x_N[None], np.full(700, 3.0))
    oracle = stats.ttest_1samp(x_N.reshape(7, 100).mean(1) / 3, 0)
    low, high = oracle.confidence_interval()
    assert ratio.value == pytest.approx(x_N.mean() / 3)
    assert ratio.p_value == pytest.approx(oracle.pvalue)
    assert ratio.reach == pytest.approx((high - low) / 2)


@pytest.mark.parametrize("lines", [400, 1200])
def test_lines_of_articles_that_differ_in_level(lines: int) -> None:
    """Line by line, too many of the true nulls would be rejected."""
    draw, by_line, in_blocks = np.random.default_rng(9), 0, 0
    for trial in range(400):
        article_N = np.cumsum(draw.random(lines) < 1 / 15)
        level_N = draw.normal(0, 0.25, article_N[-1] + 1)[article_N]
        t_N = draw.integers(3, 45, lines)
        x_N = t_N * level_N + 2.5 * np.sqrt(t_N) * draw.normal(size=lines)
        if trial < 40:
            by_line += (bootstrap.ratios(x_N[None], t_N)[0].p_value or 1) < 0.05
        in_blocks += (blocks.ratios(x_N[None], t_N)[0].p_value or 1) < 0.05
    assert by_line / 40 > 0.2
    assert in_blocks / 400 <= MOST


def test_few_lines_make_no_blocks() -> None:
    x_N = np.random.default_rng(4).normal(size=399)
    assert [blocks.count(n) for n in (0, 399, 400, 599, 999, 1000, 9000)] == [0, 0, 4, 5, 9, 10, 10]
    (ratio,) = blocks.ratios(x_N[None], np.ones(399))
    assert ratio.value == pytest.approx(x_N.mean())
    assert (ratio.reach, ratio.p_value) == (None, None)


def test_a_block_that_outweighs_the_others_stands_for_itself_alone() -> None:
    x_N, t_N = np.random.default_rng(5).normal(size=500), np.ones(500)
    t_N[77] = 5_000
    assert blocks.ratios(x_N[None], t_N)[0].p_value is None


def test_equal_blocks_give_nothing() -> None:
    for x_N in (np.zeros(500), np.full(500, 0.1)):
        assert blocks.ratios(x_N[None], np.ones(500))[0].reach is None
