"""Modules that take only some sizes: odd ones, those from 400 on, squares."""

import pytest
import torch
from torch import Tensor, nn

from workings.cost.cost import cost
from workings.errors import WorkingsError


class Rows(nn.Module):
    """x xᵀ of some numbers of rows."""

    def __init__(self, unit: int, residue: int) -> None:
        super().__init__()
        self.unit, self.residue = unit, residue

    def forward(self, x_ND: Tensor) -> Tensor:
        if len(x_ND) % self.unit != self.residue:
            raise ValueError("a wrong number of rows")
        return x_ND @ x_ND.T


@pytest.mark.parametrize(
    ("unit", "residue", "said"),
    [(2, 1, "n odd"), (32, 1, "n 1 more than a multiple of 32"), (9, 0, "n a multiple of 9")],
)
def test_sizes_of_one_residue_are_enough_for_a_formula(unit: int, residue: int, said: str) -> None:
    found = cost(lambda: Rows(unit, residue), inputs=lambda n, d: torch.empty(n, d))
    assert str(found["forward"]) == "d·n²" if found.symbols[0] == "d" else "n²·d"
    assert said in str(found)
    n = 5 * unit + residue
    assert found.at(n=n, d=4)["forward"] == n * n * 4
    with pytest.raises(WorkingsError, match=rf"n must be .* \(got {n + 1}\)"):
        found.at(n=n + 1, d=4)


def test_a_module_that_needs_large_sizes_is_counted_from_there() -> None:
    found = cost(lambda: nn.Conv1d(1, 2, 400, stride=160), inputs=lambda n: torch.empty(1, 1, n))
    assert str(found["forward"]) == "800·⌊(n+80)/160⌋ - 1,600"
    for n in (400, 559, 560, 16_000):
        assert found["forward"]({"n": n}) == 800 * ((n - 400) // 160 + 1)


class Square(nn.Module):
    """A square number of rows, as a square."""

    def forward(self, x_N: Tensor) -> Tensor:
        side = int(len(x_N) ** 0.5)
        if side * side != len(x_N):
            raise ValueError("n must be a square")
        return x_N.view(side, side) @ x_N.view(side, side)


def test_too_few_sizes_for_a_formula_are_counted_where_asked() -> None:
    found = cost(Square, {"n": 400}, inputs=lambda n: torch.empty(n))
    assert found["forward"].kind == "numeric"
    assert "n must be a square" in found["forward"].reason
    assert found.at(n=400)["forward"] == 20**3
    assert found.to_dict()["at"][0]["counts"]["forward"] == 20**3


def test_a_module_that_takes_no_size_is_refused_in_its_words() -> None:
    with pytest.raises(WorkingsError, match="a wrong number of rows"):
        cost(lambda: Rows(2, 3), inputs=lambda n: torch.empty(n, 4))
