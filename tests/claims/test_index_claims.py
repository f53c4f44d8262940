"""Claims by entries: small letters for the entries of a matrix."""

import pytest

from tests.claims.sets import check

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
