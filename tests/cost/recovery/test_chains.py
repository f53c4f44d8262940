"""Grouped-query attention: the heads divide the width, and the groups the heads."""

import pytest
import torch
from torch import Tensor, nn

import workings
from workings.errors import WorkingsError


class Grouped(nn.Module):
    """Attention of h heads, of which h/g share their keys and values."""

    def __init__(self, d: int, h: int, g: int) -> None:
        super().__init__()
        if d % h or h % g:
            raise ValueError("the heads divide the width, and the groups the heads")
        self.h, self.g = h, g
        self.query = nn.Linear(d, d, bias=False)
        self.key_value = nn.Linear(d, 2 * d // h * g, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q = self.query(x).view(len(x), self.g, self.h // self.g, -1)
        k, v = self.key_value(x).view(len(x), 2, self.g, -1).unbind(1)
        weights = torch.einsum("ngre,mge->grnm", q, k).softmax(-1)
        return torch.einsum("grnm,mge->ngre", weights, v).flatten(1)


def test_sizes_that_divide_each_other() -> None:
    cost = workings.cost(Grouped, inputs=lambda n, d: torch.empty(n, d))
    assert str(cost["params"]) == "d² + 2·d²·g/h"
    assert str(cost["forward"]) == "d²·n + 2·d²·g·n/h + 2·d·n²"
    assert "d a multiple of h; h a multiple of g" in str(cost)
    assert cost.at(n=10, d=32, h=8, g=2)["forward"] == 10 * 32**2 * 3 // 2 + 2 * 100 * 32
    assert str(cost.claim("O(n^2 d + n d^2)")).startswith("O(n^2 d + n d^2): holds and tight")
    assert str(cost.claim("O(n d^2)")).startswith("O(n d^2): too small")
    with pytest.raises(WorkingsError, match="h must be a multiple of g"):
        cost.at(n=10, d=32, h=8, g=3)
