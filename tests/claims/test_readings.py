"""Formulas that can be read in two ways hold where one of them makes them right, and only there."""

import pytest

import workings
from tests.claims.sets import check
from workings.claims.verdict import Verdict

SYMBOLS = {
    "A": "n x n", "B": "n x n", "C": "n x n", "X": "n x n", "M": "m x n", "P": "definite n x n",
    "S": "symmetric n x n", "x": "n x 1", "y": "n x 1", "w": "n x 1", "z": "scalar",
    "b": "scalar", r"\delta": "scalar",
}  # fmt: skip
HINGE = r"\frac{\partial}{\partial w} \max(0, 1 - b w^T x) = "

RIGHT = [
    r"\ln\det(P) = \mathrm{tr}(\ln P)",
    r"\log(P^{-1}) = -\log(P)",
    r"\log(e^S) = S",
    r"\frac{\partial}{\partial X} \mathrm{Tr}(\sin(X)) = \cos(X)^T",
    "[A, B] = AB - BA",
    "[A,[B,C]] + [B,[C,A]] + [C,[A,B]] = 0",
    "[A, BC] = [A,B]C + B[A,C]",
    r"\mathrm{diag}(AB^T) = (A \odot B)\mathbf{1}",
    r"\mathrm{diag}(A)^T \mathbf{1} = \mathrm{tr}(A)",
    r"\langle A, B \rangle_F = \mathrm{tr}(A^T B)",
    "|AB| = |A||B|",
    r"\begin{bmatrix} A & 0 \\ 0 & B \end{bmatrix}^{-1}"
    r" = \begin{bmatrix} A^{-1} & 0 \\ 0 & B^{-1} \end{bmatrix}",
    r"\begin{bmatrix} I & M^T \\ 0 & I \end{bmatrix}\begin{bmatrix} I & -M^T \\ 0 & I \end{bmatrix}"
    " = I",
    r"\frac{\partial}{\partial z} \sinh(z) \times \cosh(z) = \cosh^2(z) + \sinh^2(z)",
    r"\frac{\partial}{\partial z} \sinh(z) \times \cosh(z) = \cosh(z) \times \cosh(z)",
    r"\cos 2 z = 1 - 2 \sin^2 z",
    r"x \odot y x^T = \mathrm{diag}(x) y x^T",
    r"\frac{\partial}{\partial A} \sum \tanh(A x) = (1 - \tanh(A x)^2) \odot \mathbf{1}_n x^T",
    r"\sum_i x_i + y_i = \mathbf{1}^T (x + y)",
    r"\sum_i x_i + \sum_i y_i = \mathbf{1}^T (x + y)",
    r"\frac{\partial x_i}{\partial x_j} = \delta_{ij}",
    HINGE + r"\begin{cases} -b x & b w^T x < 1 \\ 0 & \text{otherwise} \end{cases}",
]
WRONG = [
    r"\ln\det(P) = \mathrm{tr}(P)",
    r"\log(P^{-1}) = \log(P)",
    r"\frac{\partial}{\partial X} \mathrm{Tr}(\sin(X)) = \cos(X)",
    "[A, B] = BA - AB",
    "[A, BC] = [A,B]C + C[A,B]",
    r"\mathrm{diag}(AB) = (A \odot B)\mathbf{1}",
    r"\langle A, B \rangle_F = \mathrm{tr}(A B)",
    "|AB| = |A||A|",
    r"\det \begin{pmatrix} A & B \\ C & 0 \end{pmatrix} = \det(B)\det(C)",
    r"\begin{bmatrix} I & A \\ 0 & I \end{bmatrix}^{-1}"
    r" = \begin{bmatrix} I & A \\ 0 & I \end{bmatrix}",
    r"\frac{\partial}{\partial z} \sinh(z) \times \cosh(z) = \sinh(z) \times \cosh(z)",
    r"\cos 2 z = 2 \sin^2 z - 1",
    r"x \odot y x^T = \mathrm{diag}(y) x y^T",
    r"\mathrm{diag}(x) y x^T = x \odot (y x^T)",  # brackets leave no second reading
    r"\sum_i x_i - y_i = \mathbf{1}^T (x + y)",
    r"\frac{\partial x_i}{\partial x_j} = \delta_{ii}",
    HINGE + r"\begin{cases} -b x & b w^T x > 1 \\ 0 & \text{otherwise} \end{cases}",
]


@pytest.mark.parametrize("claim", RIGHT)
def test_a_right_formula_holds_in_the_reading_that_was_meant(claim: str) -> None:
    assert check(SYMBOLS, [], claim).verdict is Verdict.HOLDS


@pytest.mark.parametrize("claim", WRONG)
def test_a_wrong_formula_is_wrong_in_every_reading(claim: str) -> None:
    assert check(SYMBOLS, [], claim).verdict.is_wrong


def test_the_reading_is_said() -> None:
    assert "commutator" in check(SYMBOLS, [], "[A, B] = AB - BA").evidence.why
    assert "first factor" in check(SYMBOLS, [], RIGHT[14]).evidence.why


def test_the_reading_that_is_shown_is_the_one_in_which_it_holds() -> None:
    shown = check(SYMBOLS, [], "[A, B] = AB - BA").reading
    assert any("commutator" in line for line in shown)


@pytest.mark.parametrize(
    "claim", [r"\sqrt{A}\sqrt{A} = A", r"A = \sqrt{A}\sqrt{A}", r"\log(A)A = A\log(A)"]
)
def test_what_one_reading_cannot_compute_is_not_wrong_by_the_other(claim: str) -> None:
    (result,) = workings.check(symbols={"A": "positive n x n"}, claims=[claim], seed=3)
    assert result.verdict == "undecided"
    assert "not computed" in result.evidence.why


@pytest.mark.parametrize("wrong", [r"\sqrt{S}\sqrt{S} = 2S", r"\log(S)S = -S\log(S)"])
def test_what_both_readings_compute_is_wrong_in_both(wrong: str) -> None:
    (result,) = workings.check(symbols={"S": "definite n x n"}, claims=[wrong], seed=3)
    assert result.verdict.is_wrong
