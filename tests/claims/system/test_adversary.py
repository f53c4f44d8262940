"""Inequalities that hold at most random draws, and have their counterexamples elsewhere."""

import pytest

import workings

SYMBOLS = {
    "A": "n x n", "P": "definite n x n", "R": "definite n x n", "G": "definite n x n",
    "x": "n x 1", "y": "n x 1",
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\|A\|_2 \le \|A\|_1", "wrong value"),
        (r"x^T (P R + R P) x \ge 0", "wrong value"),
        (r"\mathrm{tr}(P R G) \ge 0", "wrong value"),
        (r"\|A x\| \le \|A\|_\infty \|x\|", "wrong value"),
        (r"\|A\|_2^2 \le \|A\|_1 \|A\|_\infty", "holds"),
        (r"\mathrm{tr}(P R) \ge 0", "holds"),
        (r"(x^T y)^2 \le (x^T P x)(y^T P^{-1} y)", "holds"),
    ],
)
def test_a_counterexample_is_looked_for_step_by_step(claim: str, verdict: str, seed: int) -> None:
    (result,) = workings.check(symbols=SYMBOLS, claims=[claim], seed=seed)
    assert result.verdict == verdict
    assert result.repair is None
