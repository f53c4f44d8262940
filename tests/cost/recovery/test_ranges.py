"""Formulas that change at a size: the one below, the one from there on, and sizes that move it."""

import random

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from workings.cost.cost import cost


class Pads(nn.Module):
    """A linear layer on rows that are padded to a multiple of 64."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, 3, bias=False)

    def forward(self, x_ND: Tensor) -> Tensor:
        return self.linear(pad(x_ND, (0, 0, 0, -len(x_ND) % 64)))


def test_padding_that_small_sizes_do_not_show_is_found_from_where_they_depart() -> None:
    found = cost(Pads, inputs=lambda n, d: torch.empty(n, d))
    assert str(found["forward"]) == "192·d·⌈n/64⌉"
    for n in (3, 64, 65, 1000):
        assert found["forward"]({"n": n, "d": 5}) == 3 * 5 * (n + -n % 64)
    assert str(found.order("forward")) == "d·n"


class Cuts(nn.Module):
    """A linear layer on at most 100 rows."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, 3, bias=False)

    def forward(self, x_ND: Tensor) -> Tensor:
        return self.linear(x_ND[:100])


def test_a_formula_for_larger_sizes_stands_beside_that_for_smaller_ones() -> None:
    found = cost(Cuts, inputs=lambda n, d: torch.empty(n, d))
    assert found["forward"].lines() == ["300·d for n ≥ 100", "3·d·n for n < 100"]
    for n in (2, 99, 100, 101, 4000):
        assert found["forward"]({"n": n, "d": 7}) == 3 * 7 * min(n, 100)
    assert found.claim("O(d)").verdict == "holds and tight"
    assert found.claim("O(1)").verdict == "too small"


class Associates(nn.Module):
    """(q kᵀ) v for few rows, q (kᵀ v) for more than 20 times the width."""

    def forward(self, q_ND: Tensor, k_ND: Tensor, v_ND: Tensor) -> Tensor:
        if len(q_ND) <= 20 * q_ND.shape[1]:
            return (q_ND @ k_ND.T) @ v_ND
        return q_ND @ (k_ND.T @ v_ND)


def test_a_limit_that_another_size_moves_is_the_smallest_of_them() -> None:
    found = cost(Associates, inputs=lambda n, d: (torch.empty(n, d),) * 3)
    forward = found["forward"]
    assert forward.departures == ["n = 21, d = 1"]
    assert forward({"n": 20, "d": 1}) == 2 * 20 * 20
    assert forward({"n": 41, "d": 2}) is None
    assert found.at(n=41, d=2)["forward"] == 2 * 41 * 2 * 2


class Reads(nn.Module):
    """Scores of at most 100 keys more than there are queries."""

    def forward(self, q_ND: Tensor, k_MD: Tensor) -> Tensor:
        return q_ND @ k_MD[: len(q_ND) + 100].T


def test_a_limit_is_looked_for_below_the_first_that_is_found() -> None:
    found = cost(Reads, inputs=lambda n, m: (torch.empty(n, 3), torch.empty(m, 3)))
    assert found["forward"].departures == ["m = 102, n = 1"]
    for n, m in ((1, 101), (1, 102), (2, 103), (5, 106)):
        assert found["forward"]({"n": n, "m": m}) in (None, 3 * n * min(n + 100, m))


class Drops(nn.Module):
    """A layer that is left out of some passes."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d, d, bias=False)

    def forward(self, x_ND: Tensor) -> Tensor:
        return self.linear(x_ND) if random.random() < 0.5 else x_ND * 2


def test_a_count_that_differs_from_pass_to_pass_is_not_given() -> None:
    found = cost(Drops, inputs=lambda n, d: torch.empty(n, d))
    assert str(found["params"]) == "d²"
    assert "forward" not in found.total
    assert found.uncounted["forward"] == "it differs from pass to pass at the same sizes"
    assert "forward" not in found.at(n=5, d=4)
