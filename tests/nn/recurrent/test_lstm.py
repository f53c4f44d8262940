"""The LSTM layer against its equations."""

import pytest
import torch
from torch import Tensor, nn

from workings.nn.dropout import dropout_mask
from workings.nn.recurrent.lstm import LSTM

T, B, d, D = 5, 3, 4, 6


@pytest.fixture
def x_TBd() -> Tensor:
    torch.manual_seed(1)
    return torch.randn(T, B, d, dtype=torch.double)


def by_hand(layer: nn.LSTM, x_TBd: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """i, f, o = σ(·), g = tanh(·), c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t)."""
    W, U = layer.weight_ih_l0.split(D), layer.weight_hh_l0.split(D)
    b = (layer.bias_ih_l0 + layer.bias_hh_l0).split(D)
    states = []
    for x in x_TBd:
        i, f, g, o = (x @ W[k].t() + h @ U[k].t() + b[k] for k in range(4))
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return torch.stack(states), c


def test_the_layer_is_its_equations(x_TBd: Tensor) -> None:
    layer = LSTM(d, D, 1.0).double()
    h_BD, c_BD = torch.randn(2, B, D, dtype=torch.double)
    found_TBD, (last_h, last_c) = layer(x_TBd, (h_BD[None], c_BD[None]))
    expected_TBD, expected_c = by_hand(layer, x_TBd, h_BD, c_BD)
    torch.testing.assert_close(found_TBD, expected_TBD)
    torch.testing.assert_close(last_h[0], expected_TBD[-1])
    torch.testing.assert_close(last_c[0], expected_c)


@pytest.mark.parametrize("forget_bias", [0.0, 1.0, 2.5])
def test_the_forget_gate_has_its_bias_and_the_other_gates_none(forget_bias: float) -> None:
    layer = LSTM(d, D, forget_bias)
    i, f, g, o = (layer.bias_ih_l0 + layer.bias_hh_l0).split(D)
    assert f.tolist() == [forget_bias] * D
    assert not torch.cat([i, g, o]).any()


def test_the_forget_bias_keeps_the_memory(x_TBd: Tensor) -> None:
    layer = LSTM(d, D, 100.0).double()
    with torch.no_grad():
        layer.bias_ih_l0[:D] = -100.0  # the input gate shut: nothing new comes in
    c_1BD = torch.randn(1, B, D, dtype=torch.double)
    _, (_, after) = layer(x_TBd, (torch.zeros_like(c_1BD), c_1BD))
    torch.testing.assert_close(after, c_1BD)


def test_dropped_recurrent_weights_serve_a_whole_window(x_TBd: Tensor) -> None:
    layer = LSTM(d, D, dropout_recurrent=0.4).double()
    torch.manual_seed(2)
    found_TBD, _ = layer(x_TBd)
    torch.manual_seed(2)
    mask = dropout_mask(layer.weight_hh_l0.shape, 0.4, layer.weight_hh_l0)
    assert 0.2 < (mask == 0).double().mean() < 0.6
    with torch.no_grad():
        layer.weight_hh_l0 *= mask
    torch.testing.assert_close(found_TBD, by_hand(layer, x_TBd, *torch.zeros(2, B, D).double())[0])


def test_recurrent_weights_are_dropped_in_training_alone(x_TBd: Tensor) -> None:
    layer = LSTM(d, D, dropout_recurrent=0.4).double().eval()
    expected_TBD, _ = by_hand(layer, x_TBd, *torch.zeros(2, B, D).double())
    torch.testing.assert_close(layer(x_TBd)[0], expected_TBD)


def test_the_gradient_goes_through_the_weights_that_are_kept(x_TBd: Tensor) -> None:
    layer = LSTM(d, D, dropout_recurrent=0.4).double()
    torch.manual_seed(3)
    layer(x_TBd)[0].square().sum().backward()
    torch.manual_seed(3)
    mask = dropout_mask(layer.weight_hh_l0.shape, 0.4, layer.weight_hh_l0)
    gradient = layer.weight_hh_l0.grad
    assert gradient is not None
    assert torch.equal(gradient == 0, mask == 0)
