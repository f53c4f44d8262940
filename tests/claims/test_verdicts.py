"""Statements that must not hold, and statements that must: none of them may change its verdict."""

import pytest

import workings
from workings.claims.verdict import Verdict

SEEDS = (1, 2, 3)
NUMBERS = {"x": "scalar", "c": "scalar"}
VECTORS = {"x": "n x 1", "y": "n x 1", "A": "n x n", "b": "n x 1", "u": "n x 1"}
HINGE = {"w": "n x 1", "x": "n x 1", "y": "scalar"}
LAYER = {"x": "n x 1", "A": "m x n", "y": "m x 1"}

WRONG = [
    (NUMBERS, [], "|x| = x"),
    (NUMBERS, [], r"\sqrt{x^2} = x"),
    (NUMBERS, [], r"\mathrm{relu}(c x) = c\,\mathrm{relu}(x)"),
    (HINGE, [r"E = \max(0, 1 - y w^T x)"], r"\frac{\partial E}{\partial w} = -y x"),
    (HINGE, [r"E = \mathrm{relu}(1 - y w^T x)"], r"\frac{\partial E}{\partial w} = -y x"),
    (VECTORS, [], r"\nabla_x x^T A x = A x"),
    ({"p": "stochastic n x 1"}, [], r"\sum p = n"),
    ({"p": "stochastic 1 x n"}, [], r"\sum p = n"),
    ({"p": "stochastic 1 x n"}, [], r"p = \frac{1}{n} \mathbf{1}_{1 \times n}"),
    ({"D": "diagonal n x n"}, [], r"\mathrm{relu}(D) = D"),
    ({"Q": "orthogonal n x n"}, [], r"\det(Q) = 1"),
    (VECTORS, [], r"\det(-A) = -\det(A)"),
    (VECTORS, [], "(-1)^n = -1"),
    (VECTORS, [], r"\|x\|_1 \le 3\|x\|_2"),
    (VECTORS, [], r"\|x\|_\infty < \|x\|_2"),
    (VECTORS, [], r"\|A\|_2 = \|A\|_F"),
    ({r"\gamma": "scalar", "a": "T x 1"}, [], r"\gamma^T = \gamma"),
    (NUMBERS, [], "x' = x"),
    (VECTORS, [], r"10^{10} x_1 + x_2 = 10^{10} x_1"),
    (VECTORS, [], r"x^T y = \|x\| \|y\|"),
    ({"A": "definite n x n"}, [], r"A = \mathrm{diag}(A)"),
    (VECTORS, [], r"\mathrm{relu}(x) = x"),
    (NUMBERS, [], r"\max(x, c) = x"),
]

RIGHT = [
    (VECTORS, [], r"\nabla_x x^T A x = (A + A^T)x"),
    (VECTORS, [], r"\nabla_x b^T x = b"),
    ({"X": "N x d", "w": "d x 1", "y": "N x 1"}, [],
     r"\nabla_w \frac{1}{N}\|Xw - y\|^2 = \frac{2}{N} X^T(Xw - y)"),
    ({"w": "d x 1", r"\lambda": "scalar"}, [], r"\nabla_w\frac{\lambda}{2}\|w\|^2 = \lambda w"),
    (VECTORS, [], r"\sum_{j'} \exp(u_{j'}) = \sum_j \exp(u_j)"),
    (VECTORS, [], r"\langle x, y\rangle = x^T y"),
    (VECTORS, [], r"|A| = \det A"),
    (VECTORS, [], r"|x| = \|x\|"),
    ({"r": "scalar"}, [], r"(1 - r) \sum_{k=0}^{5} r^k = 1 - r^6"),
    (VECTORS, [], r"\mathrm{tr}(A A^T) - \|A\|_F^2 = 0"),
    (VECTORS, [], r"(A^{-1})^{-1} = A"),
    (VECTORS, [], r"\det(e^A) = e^{\mathrm{tr}A}"),
    (NUMBERS, [], r"\tanh(x) < 1"),
    (NUMBERS, [], r"e^x > 0"),
    (VECTORS, [], r"\|x\|_\infty \le \|x\|_2"),
    (VECTORS, [], r"x^T y \le \|x\| \|y\|"),
    ({"x": "n x 1", "z": "scalar"}, ["E = x^T x"], r"\frac{\partial E}{\partial z} = 0"),
    ({"z": "1 x n"}, [r"h = \tanh(z)", r"L = \sum h"], r"\frac{\partial L}{\partial z} = 1 - h^2"),
    ({"z": "n x n"}, [r"h = \tanh(z)", r"L = \sum h"], r"\frac{\partial L}{\partial z} = 1 - h^2"),
    ({"z": "scalar", "e": "n x 1"}, [], r"\sigma(z) = \frac{1}{1 + \exp(-z)}"),
    (HINGE, [r"E = \mathrm{relu}(1 - y w^T x)"],
     r"\frac{\partial E}{\partial w} = -y\,\mathrm{relu}'(1 - y w^T x) x"),
    (LAYER, ["z = A x", r"E = \frac{1}{2}(z - y)^T (z - y)"],
     r"\frac{\partial E}{\partial x} = A^T \frac{\partial E}{\partial z}"),
    (LAYER, ["z = A x", r"E = \frac{1}{2}(z - y)^T (z - y)"],
     r"\frac{\partial E}{\partial x} = \left(\frac{\partial z}{\partial x}\right)^T \frac{\partial E}{\partial z}"),  # noqa: E501
    (LAYER, ["z = A x", r"E = \frac{1}{2}(z - y)^T (z - y)"],
     r"\frac{\partial E}{\partial x} = \frac{\partial z}{\partial x} \frac{\partial E}{\partial z}"),  # noqa: E501
    (LAYER, ["z = A x", r"E = \frac{1}{2}(z - y)^T (z - y)"],
     r"\frac{\partial E}{\partial x} = \frac{\partial E}{\partial z} \frac{\partial z}{\partial x}"),  # noqa: E501
    (LAYER, ["z = A x", r"E = \frac{1}{2}(z - y)^T (z - y)"],
     r"\frac{\partial E}{\partial A} = \frac{\partial E}{\partial z} x^T"),
]  # fmt: skip


@pytest.mark.parametrize(("symbols", "equations", "claim"), WRONG, ids=[each[2] for each in WRONG])
def test_what_is_wrong_does_not_hold(symbols: object, equations: object, claim: str) -> None:
    for seed in SEEDS:
        (result,) = workings.check(symbols=symbols, equations=equations, claims=[claim], seed=seed)
        assert not result.holds, result.why
        assert result.verdict is not Verdict.TRIVIAL


@pytest.mark.parametrize(("symbols", "equations", "claim"), RIGHT, ids=[each[2] for each in RIGHT])
def test_what_is_right_holds(symbols: object, equations: object, claim: str) -> None:
    for seed in SEEDS:
        (result,) = workings.check(symbols=symbols, equations=equations, claims=[claim], seed=seed)
        assert result.verdict is Verdict.HOLDS, result.why
