"""Repairs of functions: the square of a norm, a root, the other end of a spectrum."""

import pytest

import workings

SYMBOLS = {
    "a": "n x 1", "M": "n x m", "P": "definite n x n", "K": "n x d", "Q": "n x d", "r": "1 x d",
    "x": "scalar", "y": "scalar", "A": "n x n", "B": "n x n",
}  # fmt: skip
EQUATIONS = [r"S = \frac{QK^T}{\sqrt{d}}", r"L = \sum S \odot S", r"f(x, y) = x^2 y + \sin y",
             r"h = \tanh(r)", r"E = \sum h"]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (r"a^T a = \|a\|", r"a^\top a = (\|a\|)^2"),
        (r"\|M\|_F = \mathrm{tr}(M M^T)", r"\|M\|_F = \sqrt{\mathrm{tr}(M M^\top)}"),
        (r"\lambda_{\max}(P^{-1}) = 1/\lambda_{\max}(P)",
         r"\lambda_{\max}(P^{-1}) = \frac{1}{\lambda_{\min}(P)}"),
        (r"\|M\|_* = \sum_i \sigma_i(M)^2", r"\|M\|_* = \sum_i \sigma_i(M)"),
        (r"\frac{\partial L}{\partial Q} = \frac{1}{d}\frac{\partial L}{\partial S}K",
         r"\frac{\partial L}{\partial Q} = \frac{1}{\sqrt{d}} \frac{\partial L}{\partial S} K"),
        (r"\nabla f = [2xy, x^2 - \cos y]",
         r"\nabla f = \begin{bmatrix} 2 x y & x^2 + \cos(y) \end{bmatrix}"),
        (r"\frac{\partial E}{\partial r} = 1 + h^2", r"\frac{\partial E}{\partial r} = 1 - h^2"),
        (r"\max(x, y) - \min(x, y) = x - y", r"\max(x,y) - \min(x,y) = \mathrm{abs}(x - y)"),
        (r"\frac{\partial |x - y|}{\partial y} = -1",
         r"\frac{\partial \mathrm{abs}(x - y)}{\partial y} = -\mathrm{sign}(x - y)"),
    ],
)  # fmt: skip
def test_the_plainest_repair_is_shown(wrong: str, right: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=[wrong], seed=3)
    assert result.repair is not None
    assert result.repair.formula == right


@pytest.mark.parametrize(
    "wrong", [r"\frac{d}{dx}\mathrm{relu}(x) = x", r"\|A \odot B\|_2 \le \|A B\|_2"]
)
def test_that_a_thing_is_itself_is_no_repair(wrong: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, claims=[wrong], seed=3)
    assert result.verdict.is_wrong
    if result.repair:
        left, _, right = result.repair.formula.replace(r"\le", "=").partition("=")
        assert left.strip() != right.strip()
        assert "relu'" not in right
