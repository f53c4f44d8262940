"""The GRU layer against its equations."""

import pytest
import torch
from torch import Tensor, nn

from workings.nn.recurrent.gru import GRUConfig

T, B, d, D = 5, 3, 4, 6


@pytest.fixture
def x_TBd() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(T, B, d, dtype=torch.double)


@pytest.fixture
def layer() -> nn.Module:
    torch.manual_seed(2)
    return GRUConfig().layer(d, D).double()


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


def test_two_half_windows_are_one(layer: nn.Module, x_TBd: Tensor) -> None:
    first, state = layer(x_TBd[:2])
    second, last = layer(x_TBd[2:], state)
    whole, whole_last = layer(x_TBd)
    torch.testing.assert_close(torch.cat([first, second]), whole)
    torch.testing.assert_close(last, whole_last)


def test_the_config_builds_layers_of_its_sizes() -> None:
    model = GRUConfig(embed=d, hidden=D, layers=2).build(7)
    assert [(one.input_size, one.hidden_size) for one in model.layers] == [(d, D), (D, D)]


def test_projecting_and_stepping_is_the_layer(layer: nn.Module, x_TBd: Tensor) -> None:
    expected_TBD, _ = layer(x_TBd)
    state = None
    for x_Bd, expected_BD in zip(x_TBd, expected_TBD, strict=True):
        h_BD, state = layer.step(layer.project(x_Bd), state)
        torch.testing.assert_close(h_BD, expected_BD)
    torch.testing.assert_close(state, expected_TBD[-1])
