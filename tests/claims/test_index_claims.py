"""Claims by entries: small letters for those of a matrix, repeated indices, other readings."""

import pytest

from tests.claims.sets import check, reader_of
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.sets import Claim
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


ONE_AXIS = {"x": "n+2 x 1", "w": "3 x 1", "g": "n x 1"}
FILTER = [r"y_i = \sum_{j=1}^{3} w_j x_{i+j-1}", r"L = \sum_{i=1}^n g_i y_i"]
TWO_AXES = {"X": "n+1 x m+1", "K": "2 x 2", "G": "n x m"}
IMAGES = [
    r"Y_{ij} = \sum_{a=1}^2\sum_{b=1}^2 K_{ab} X_{i+a-1,j+b-1}",
    r"L = \sum_{i,j} G_{ij} Y_{ij}",
]


@pytest.mark.parametrize(
    ("symbols", "equations", "right", "wrong"),
    [
        (ONE_AXIS, FILTER, r"\frac{\partial L}{\partial w_j} = \sum_{i=1}^n g_i x_{i+j-1}",
         r"\frac{\partial L}{\partial w_j} = \sum_{i=1}^n g_i x_i"),
        (ONE_AXIS, FILTER, r"\frac{\partial L}{\partial x_2} = g_1 w_2 + g_2 w_1",
         r"\frac{\partial L}{\partial x_2} = g_1 w_1 + g_2 w_2"),
        (ONE_AXIS, FILTER, r"\frac{\partial L}{\partial x_{n+2}} = g_n w_3",
         r"\frac{\partial L}{\partial x_{n+2}} = g_n w_1"),
        (ONE_AXIS, FILTER, r"\frac{\partial y_i}{\partial w_j} = x_{i+j-1}",
         r"\frac{\partial y_i}{\partial w_j} = x_i"),
        (TWO_AXES, IMAGES,
         r"\frac{\partial L}{\partial K_{ab}} = \sum_{i,j} G_{ij} X_{i+a-1,j+b-1}",
         r"\frac{\partial L}{\partial K_{ab}} = \sum_{i,j} G_{ij} X_{i+b-1,j+a-1}"),
        ({"x": "n x 1"}, ["d_i = x_{i+1} - x_i"], r"\sum_i d_i = x_n - x_1", r"\sum_i d_i = x_n"),
    ],
)  # fmt: skip
def test_a_vector_by_shifted_entries_is_as_long_as_they_have_values(
    symbols: dict[str, str], equations: list[str], right: str, wrong: str
) -> None:
    sizes = {"n": 2, "m": 3} if "m" in symbols.get("G", "") else {}
    reader, system = reader_of(symbols, equations, sizes=sizes)
    held, refuted = (
        check_formula(reader, system, Claim(claim=claim), repair=False) for claim in (right, wrong)
    )
    assert held.verdict == "holds"
    assert refuted.verdict.is_wrong


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (r"(AB)_{ik} = \sum_j A_{ij}B_{jk}", True),
        (r"(AB)_{ik} = 2\sum_j A_{ij}B_{jk}", False),
        (r"(C^T)_{ki} = C_{ik}", True),
        (r"(C^T)_{ki} = -C_{ik}", False),
        (r"C_{ik} = \sum_{j=1}^k C_{ij} - \sum_{j=1}^{k-1} C_{ij}", True),
        (r"C_{ik} = \sum_{j=1}^k C_{ij}", False),
    ],
)
def test_a_size_beside_an_index_is_one_too_unless_it_also_stands_alone(
    claim: str, holds: bool
) -> None:
    result = check({"A": "n x m", "B": "m x k", "C": "n x k"}, [], claim)
    assert result.verdict.is_given
    assert result.holds is holds
