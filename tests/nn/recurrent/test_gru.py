"""The GRU layer against its equations."""

import pytest
import torch
from torch import Tensor, nn

from workings.nn.recurrent.gru import GRU

T, B, d, D = 5, 3, 4, 6


@pytest.fixture
def x_TBd() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(T, B, d, dtype=torch.double)


@pytest.fixture
def layer() -> nn.Module:
    torch.manual_seed(2)
    return GRU(d, D).double()


def by_hand(layer: nn.Module, x_TBd: Tensor, h: Tensor) -> Tensor:
    """r, z = σ(·), n = tanh(W x + r ⊙ (U h)), h_t = (1-z) ⊙ n + z ⊙ h_{t-1}."""
    W, U = layer.weight_ih_l0.split(D), layer.weight_hh_l0.split(D)
    b, c = layer.bias_ih_l0.split(D), layer.bias_hh_l0.split(D)
    states = []
    for x in x_TBd:
        from_x = [x @ W[k].t() + b[k] for k in range(3)]
        from_h = [h @ U[k].t() + c[k] for k in range(3)]
        r, z = ((from_x[k] + from_h[k]).sigmoid() for k in range(2))
        n = (from_x[2] + r * from_h[2]).tanh()
        h = (1 - z) * n + z * h
        states.append(h)
    return torch.stack(states)


def test_the_layer_is_its_equations(layer: nn.Module, x_TBd: Tensor) -> None:
    h_BD = torch.randn(B, D, dtype=torch.double)
    found_TBD, last_1BD = layer(x_TBd, h_BD[None])
    expected_TBD = by_hand(layer, x_TBd, h_BD)
    torch.testing.assert_close(found_TBD, expected_TBD)
    torch.testing.assert_close(last_1BD[0], expected_TBD[-1])
