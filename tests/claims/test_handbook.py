"""Identities as a matrix handbook has them, each beside a wrong twin."""

import pytest

from tests.claims.sets import check
from workings.claims.verdict import Verdict

SYMBOLS = {
    "A": "n x n", "B": "m x m", "D": "diagonal n x n", "E": "m x m", "F": "m x n", "G": "m x n",
    "L": "lower triangular n x n", "P": "definite n x n", "S": "symmetric n x n", "Q": "n x m",
    "X": "n x n", "x": "n x 1", "w": "k x 1", "c": "scalar", "p": "probability",
    "q": "probability n x 1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # what a function of a matrix means is open where its argument is a product
        (r"e^{A \otimes I_m} = e^A \otimes I_m", r"e^{A \otimes I_m} = I_m \otimes e^A"),
        (
            r"e^A \otimes e^B = e^{A \otimes I_m + I_n \otimes B}",
            r"e^A \otimes e^B = e^{A \otimes I_m - I_n \otimes B}",
        ),
        (
            r"(F \odot G) x = \mathrm{diag}(F \mathrm{diag}(x) G^T)",
            r"(F \odot G) x = \mathrm{diag}(G^T \mathrm{diag}(F x) G)",
        ),
        # by a structured matrix
        (
            r"\frac{\partial \mathrm{tr}(AD)}{\partial D} = A \odot I",
            r"\frac{\partial \mathrm{tr}(AD)}{\partial D} = A + A^T - A \odot I",
        ),
        (
            r"\frac{\partial}{\partial S} \sum_i \lambda_i(S) = I",
            r"\frac{\partial}{\partial S} \sum_i \lambda_i(S)^2 = S",
        ),
        # an inverse that exists at some sizes only, among four
        (
            r"\frac{\partial}{\partial Q} \mathrm{tr}((Q^T P Q)^{-1} E) = "
            r"-P Q (Q^T P Q)^{-1} (E + E^T) (Q^T P Q)^{-1} + 0 w^T w Q",
            r"\frac{\partial}{\partial Q} \mathrm{tr}((Q^T P Q)^{-1} E) = "
            r"-2 P Q (Q^T P Q)^{-1} E (Q^T P Q)^{-1} + 0 w^T w Q",
        ),
        # an index of what it is taken by that is bound inside
        (
            r"\frac{\partial^2 \ln(\sum_i e^{x_i})}{\partial x_i \partial x_j} = "
            r"\frac{\delta_{ij} e^{x_i}}{\sum_l e^{x_l}}"
            r" - \frac{e^{x_i} e^{x_j}}{(\sum_l e^{x_l})^2}",
            r"\frac{\partial^2 \ln(\sum_i e^{x_i})}{\partial x_i \partial x_j} = "
            r"\frac{e^{x_i}}{\sum_l e^{x_l}} - \frac{e^{x_i} e^{x_j}}{(\sum_l e^{x_l})^2}",
        ),
        (
            r"\frac{\partial}{\partial x_i} \sum_i x_i^2 = 2 x_i",
            r"\frac{\partial}{\partial x_i} \sum_i x_i^2 = x_i",
        ),
        (
            r"\frac{\partial X_{mn}}{\partial X_{ij}} = \delta_{im} \delta_{jn}",
            r"\frac{\partial X_{mn}}{\partial X_{ij}} = \delta_{in} \delta_{jm}",
        ),
        # a chain that says its left side twice
        (
            r"\nabla_x (x^T A x) = \frac{\partial x^T A x}{\partial x} = (A + A^T) x",
            r"\nabla_x (x^T A x) = \frac{\partial x^T A x}{\partial x} = 2 A x",
        ),
        # in a bound the norm of a matrix may be the spectral one; \|A\|_2 always is
        (r"\|A\|^2 \le \|A\|_1 \|A\|_\infty", r"\|A\|^2 \le \|A\|_1"),
        (r"\|A\|_F^2 = \mathrm{tr}(A^T A)", r"\|A\|_2^2 = \mathrm{tr}(A^T A)"),
        (
            r"\frac{\partial \|F\|_2^2}{\partial F} = 2 F",
            r"\frac{\partial \|F\|_2^2}{\partial F} = F",
        ),
        # shares near 0 and near 1
        (r"p \ge 0", r"p \ge 0.001"),
        (r"q_i \le 1", r"\|q\|_2 \le 0.99"),
    ],
)  # fmt: skip
def test_the_right_one_holds_and_its_twin_does_not(right: str, wrong: str) -> None:
    assert check(SYMBOLS, [], right).verdict is Verdict.HOLDS
    assert check(SYMBOLS, [], wrong).verdict.is_wrong


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        (r"\frac{\partial^2 x^T A x}{\partial x \partial x^T} = 2 A", r"A + A^\top"),
        (r"(A \otimes B)^{-1} = B^{-1} \otimes A^{-1}", r"A^{-1} \otimes B^{-1}"),
        (r"\det(A + x x^T) = \det(A) (1 + x^T A x)", r"A^{-1}"),
    ],
)
def test_repairs_of_identities(wrong: str, part: str) -> None:
    repair = check(SYMBOLS, [], wrong).repair
    assert repair
    assert part in repair.formula


RECURRENT = {
    "x^{(t)}": "1 x d", "h^{(0)}": "1 x D", "y^{(t)}": "1 x D", "W": "d x D", "U": "D x D",
}  # fmt: skip
STEPS = [
    r"h^{(t)} = \tanh(x^{(t)} W + h^{(t-1)} U)",
    r"L^{(t)} = \frac12 \|h^{(t)} - y^{(t)}\|^2",
    r"L = \sum_t L^{(t)}",
]
AT_H = r"\frac{\partial L}{\partial h^{(t)}} = h^{(t)} - y^{(t)}"


def test_what_is_right_at_the_last_step_only_does_not_hold() -> None:
    later = r" + (\frac{\partial L}{\partial h^{(t+1)}} \odot (1 - h^{(t+1)} \odot h^{(t+1)})) U^T"
    assert check(RECURRENT, STEPS, AT_H + later, steps=3).verdict is Verdict.HOLDS
    short = check(RECURRENT, STEPS, AT_H, steps=3)
    assert short.verdict is Verdict.UNDECIDED
    assert "last step" in short.evidence.why
    of_one_step = AT_H.replace("L}", "L^{(t)}}", 1)
    assert check(RECURRENT, STEPS, of_one_step, steps=3).verdict is Verdict.HOLDS
