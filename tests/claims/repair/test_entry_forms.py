"""Matrix formulas entry by entry, as they are printed and as repairs."""

import pytest

import workings

SYMBOLS = {"A": "n x n", "B": "n x n", "x": "n x 1", "c": "scalar"}


@pytest.mark.parametrize(
    ("claim", "repair"),
    [
        (r"[A B^T]_{ij} = A_{ij} B_{ji}", r"\sum_l A_{il} B_{jl}"),
        (r"[A + B B]_{ij} = A_{ij} + B_{ij}", r"A_{ij} + \sum_l B_{il} B_{lj}"),
        (r"[c A B x]_i = c \sum_l A_{il} x_l", r"c \sum_r A_{ir} \sum_s B_{rs} x_s"),
    ],
)
def test_a_dropped_sum_comes_back(claim: str, repair: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, claims=[claim], seed=3)
    assert result.verdict == "wrong value"
    assert result.repair is not None
    assert result.repair.formula.endswith(f"= {repair}")
    assert workings.check(symbols=SYMBOLS, claims=[result.repair.formula], seed=4)[0].holds
