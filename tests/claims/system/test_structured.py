"""Derivatives by a structured matrix hold in each convention in use, and in no other way."""

import pytest
import torch

from tests.claims.sets import check
from workings.claims.system.structured import ByStructure
from workings.claims.verdict import Verdict

SYMBOLS = {
    "S": "symmetric n x n", "A": "n x n", "a": "n x 1", "P": "definite n x n",
    "D": "diagonal n x n", "L": "lower triangular n x n",
}  # fmt: skip
BY_D = r"\frac{\partial \mathrm{tr}(AD)}{\partial D} = "
BY_L = r"\frac{\partial \log|\det L|}{\partial L} = "
BY_S = r"\frac{\partial \mathrm{tr}(AS)}{\partial S} = "
BY_P = r"\frac{\partial \ln\det P}{\partial P} = "


def test_in_pairs_is_what_moving_both_entries_gives() -> None:
    a = torch.randn(3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    paired = torch.zeros_like(a)
    for i in range(3):
        for j in range(3):
            moved = torch.zeros_like(a)
            moved[i, j] = moved[j, i] = 1.0
            paired[i, j] = torch.trace(a @ moved)  # tr(AS) is linear in S
    assert torch.allclose(ByStructure.IN_PAIRS.applied(a.t()), paired)


@pytest.mark.parametrize(
    ("claim", "convention"),
    [
        (BY_S + "A^T", ""),
        (BY_S + r"A + A^T - \mathrm{diag}(A)", ByStructure.IN_PAIRS.value),
        (BY_S + r"A + A^T - A \circ I", ByStructure.IN_PAIRS.value),
        (BY_S + r"\frac12 (A + A^T)", ByStructure.PROJECTED.value),
        (BY_P + "P^{-1}", ""),
        (BY_D + "A^T", ""),
        (BY_D + r"A \odot I", ByStructure.ON_THE_DIAGONAL.value),
        (BY_L + r"L^{-1} \odot I", ByStructure.BELOW_THE_DIAGONAL.value),
        (BY_P + r"2 P^{-1} - (P^{-1} \circ I)", ByStructure.IN_PAIRS.value),
    ],
)
def test_a_right_one_says_its_convention(claim: str, convention: str) -> None:
    result = check(SYMBOLS, [], claim)
    assert (result.verdict, result.evidence.why) == (Verdict.HOLDS, convention)


@pytest.mark.parametrize(
    "claim",
    [
        BY_S + "A + A^T",
        BY_S + r"A + A^T + \mathrm{diag}(A)",
        BY_P + "2 P^{-1}",
        BY_D + "A",
        BY_D + r"A \odot I + A",
        r"\frac{\partial \mathrm{tr}(SA)}{\partial A} = S + S^T - \mathrm{diag}(S)",
    ],
)
def test_a_wrong_one_is_wrong_in_all(claim: str) -> None:
    assert check(SYMBOLS, [], claim).verdict.is_wrong
