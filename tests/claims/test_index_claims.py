"""Claims by entries: small letters for those of a matrix, repeated indices, other readings."""

import pytest

from tests.claims.sets import check
from workings.errors import WorkingsError

MATRICES = {"U": "n x k", "V": "k x m", "A": "n x n", "B": "n x n", "a": "n x 1", "b": "n x 1"}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\sum_k u_{ik}v_{kb} = [\mathbf{U}\mathbf{V}]_{ib}", "holds"),
        (r"\sum_k u_{ik}v_{kb} = 2 [\mathbf{U}\mathbf{V}]_{ib}", "holds up to a constant factor"),
        (r"\sum_{ij} a_{ij}b_{ij} = \mathrm{tr}(A^T B)", "holds"),
        (r"\sum_{ij} a_{ij}b_{ji} = \mathrm{tr}(A^T B)", "wrong value"),
    ],
)
def test_entries_by_the_small_letter_of_a_matrix(claim: str, verdict: str) -> None:
    assert check(MATRICES, [], claim).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"x^T A x = x_i a_{ij} x_j", "holds"),
        (r"A_{ij} x_j = [Ax]_i", "holds"),
        (r"A_{ij} x_j = 2[Ax]_i", "holds up to a constant factor"),
        (r"A_{ij} x_j = [A^T x]_i", "wrong value"),
        (r"\mathrm{tr}(A) = A_{ii}", "holds"),
        (r"(AB)_{ij} = A_{ik}B_{kj}", "holds"),
        (r"(AB)_{ij} = A_{ki}B_{kj}", "wrong value"),
        (r"\frac{d}{dx_k} x_i a_{ij} x_j = [(A + A^T) x]_k", "holds"),
        (r"\exp(x_i y_i) + 1 = \exp(x^T y) + 1", "holds"),
        (r"(x_i y_i + 1) x_j = (x^T y + 1) x_j", "holds"),
        (r"x_i x_i = x_i^2", "holds"),
        (r"\frac{\partial \|x\|^2}{\partial x_i} = 2 x_i", "holds"),
    ],
)
def test_an_index_that_stands_twice_and_on_one_side_only_is_summed(
    claim: str, verdict: str
) -> None:
    symbols = {"x": "n x 1", "y": "n x 1", "A": "n x n", "B": "n x n"}
    assert check(symbols, [], claim).verdict == verdict


@pytest.mark.parametrize("claim", [r"x_i x_i x_i = \sum_j x_j^3", r"x_i x_i^{-1} = 1"])
def test_an_index_that_may_be_a_sum_or_not_is_not_read(claim: str) -> None:
    with pytest.raises(WorkingsError, match="the index i stands on one side only"):
        check({"x": "n x 1"}, [], claim)


def test_a_norm_that_may_be_frobenius_is_the_one_in_which_the_claim_holds() -> None:
    symbols = {"X": "n x m", "U": "n x k", "V": "k x m"}
    result = check(symbols, [], r"\frac{d}{dV} \|X - UV\|_2^2 = -2U^T(X - UV)")
    assert result.verdict == "holds"
    assert result.evidence.why == "‖X - U V‖_2 as Frobenius's norm"
    assert check(symbols, [], r"\|X\|_2 = \|X\|_F").verdict == "wrong value"
    wrong = check(symbols, [], r"\frac{d}{dV} \|X - UV\|_2^2 = -U^T(X - UV)")
    assert not wrong.verdict.holds


def test_zero_is_of_any_shape() -> None:
    symbols = {"A": "n x n", "U": "n x d"}
    claim = r"\frac{\partial \mathrm{tr}(A A^T)}{\partial %s} = 0"
    assert check(symbols, [], claim % "U").verdict == "holds"
    assert check(symbols, [], claim % "A").verdict == "wrong value"
