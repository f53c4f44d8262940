"""The simple recurrent layer against torch.nn.RNN, a plain loop, and finite differences."""

import math

import pytest
import torch
from torch import Tensor, nn

from workings.nn.recurrent import RNN, RecurrentLanguageModel
from workings.nn.recurrent.rnn import Activation, _Recurrence

ACTIVATIONS: list[Activation] = ["sigmoid", "tanh", "relu"]
T, B, d, D = 6, 3, 4, 5


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def layer_of(activation: Activation) -> RNN:
    """With a bias that is not zero, so that it counts."""
    layer = RNN(d, D, activation).double()
    nn.init.normal_(layer.b)
    return layer


def theirs_of(layer: RNN) -> nn.RNN:
    """torch.nn.RNN with the same weights: columns there, rows here; two biases there, one here."""
    theirs = nn.RNN(d, D, nonlinearity=layer.activation).double()
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(layer.I.t())
        theirs.weight_hh_l0.copy_(layer.H.t())
        theirs.bias_ih_l0.copy_(layer.b)
        theirs.bias_hh_l0.zero_()
    return theirs


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    """x, h before the window, and a weight for every output so that no two gradients are alike."""
    x_TBd = torch.randn(T, B, d, dtype=torch.double, requires_grad=True)
    h_BD = torch.rand(B, D, dtype=torch.double, requires_grad=True)
    return x_TBd, h_BD, torch.randn(T, B, D, dtype=torch.double)


def plain(layer: RNN, x_TBd: Tensor, h_BD: Tensor) -> Tensor:
    f = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "relu": torch.relu}[layer.activation]
    states = []
    for x_Bd in x_TBd:
        h_BD = f(h_BD @ layer.H + x_Bd @ layer.I + layer.b)
        states.append(h_BD)
    return torch.stack(states)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_values_and_gradients_are_those_of_torch(activation: Activation) -> None:
    ours = layer_of(activation)
    theirs = theirs_of(ours)
    x_TBd, h_BD, weight_TBD = inputs()
    found_TBD, last_BD = ours(x_TBd, h_BD)
    expected_TBD, expected_1BD = theirs(x_TBd, h_BD[None])
    torch.testing.assert_close(found_TBD, expected_TBD)
    torch.testing.assert_close(last_BD, expected_1BD[0])

    mine = [x_TBd, h_BD, ours.b, ours.I, ours.H]
    torchs = [x_TBd, h_BD, theirs.bias_ih_l0, theirs.weight_ih_l0, theirs.weight_hh_l0]
    found = torch.autograd.grad((found_TBD * weight_TBD).sum(), mine)
    dx, dh, db, dI, dH = torch.autograd.grad((expected_TBD * weight_TBD).sum(), torchs)
    torch.testing.assert_close(found, (dx, dh, db, dI.t(), dH.t()))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_values_and_gradients_are_those_of_a_plain_loop(activation: Activation) -> None:
    layer = layer_of(activation)
    x_TBd, h_BD, weight_TBD = inputs()
    found_TBD, _ = layer(x_TBd, h_BD)
    expected_TBD = plain(layer, x_TBd, h_BD)
    torch.testing.assert_close(found_TBD, expected_TBD)
    leaves = [x_TBd, h_BD, *layer.parameters()]
    found = torch.autograd.grad((found_TBD * weight_TBD).sum(), leaves)
    expected = torch.autograd.grad((expected_TBD * weight_TBD).sum(), leaves)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("steps", [1, 2, 4])
def test_the_backward_is_the_finite_difference_of_the_forward(
    activation: Activation, steps: int
) -> None:
    z_TBD = torch.randn(steps, 2, 3, dtype=torch.double, requires_grad=True)
    h_BD = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
    H = torch.randn(3, 3, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda z, h, w: _Recurrence.apply(z, h, w, activation, w.dtype), (z_TBD, h_BD, H)
    )


def test_the_last_state_alone_has_a_gradient() -> None:
    layer = layer_of("sigmoid")
    x_TBd, h_BD, _ = inputs()
    (found,) = torch.autograd.grad(layer(x_TBd, h_BD)[1].sum(), x_TBd)
    (expected,) = torch.autograd.grad(plain(layer, x_TBd, h_BD)[-1].sum(), x_TBd)
    torch.testing.assert_close(found, expected)


def test_without_a_state_the_window_starts_from_zeros() -> None:
    layer = layer_of("sigmoid")
    x_TBd, _, _ = inputs()
    zeros = torch.zeros(B, D, dtype=torch.double)
    torch.testing.assert_close(layer(x_TBd)[0], layer(x_TBd, zeros)[0], rtol=0, atol=0)


def test_the_model_has_the_parameters_of_the_equations() -> None:
    V, embed, hidden = 11, 3, 7
    model = RecurrentLanguageModel(V, embed, hidden, cell=RNN)
    expected = V * embed + hidden * hidden + embed * hidden + hidden + hidden * V + V
    assert sum(p.numel() for p in model.parameters()) == expected


def test_weights_start_glorot_uniform_and_biases_zero() -> None:
    V, embed, hidden = 90, 40, 60
    model = RecurrentLanguageModel(V, embed, hidden, cell=RNN)
    (layer,) = model.layers
    for weight in (model.embedding.weight, layer.H, layer.I, model.output.weight):
        bound = math.sqrt(6 / sum(weight.shape))
        assert 0.97 * bound < weight.abs().max() <= bound
        assert weight.mean().abs() < 0.05 * bound
    assert not layer.b.any()
    assert not model.output.bias.any()
