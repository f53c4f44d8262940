"""The convolutional network: its sizes, its loss against PyTorch's functions."""

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.nn.conv.convnets import example, plain
from workings.errors import WorkingsError
from workings.nn.conv import CNN, Pool


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("pool", ["max", "stride"])
def test_both_published_variants_have_as_many_parameters(pool: Pool) -> None:
    assert count(CNN(1, 28, 28, 4, pool=(pool, pool))) == 224_892


def test_the_default_is_the_published_network() -> None:
    model = CNN(1, 28, 28, 4).eval()
    conv1, conv2 = (layer.conv for layer in model.convolutions)
    fc1, fc2 = model.dense
    published = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(576, 320), nn.ReLU(), nn.Dropout(0.7)),
        *(nn.Linear(320, 120), nn.ReLU(), nn.Linear(120, 4), nn.LogSoftmax(1)),
    ).eval()
    mine = [conv1, conv2, fc1, fc2, model.output]
    theirs = [layer for layer in published if hasattr(layer, "weight")]
    for one, other in zip(theirs, mine, strict=True):
        one.load_state_dict(other.state_dict())
    x = torch.rand(5, 1, 28, 28)
    torch.testing.assert_close(model(x), published(x))
    assert model.dropout.p == 0.7


@pytest.mark.parametrize("pool", ["max", "average", "stride", "none"])
@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize("dense", [(20, 7), (9,), ()])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_are_those_of_autograd(
    pool: Pool, batch_norm: bool, dense: tuple[int, ...], smoothing: float
) -> None:
    model, x, y = example(pool=(pool, pool), batch_norm=batch_norm, dense=dense)
    loss = model.loss(x, y, smoothing)
    expected = F.cross_entropy(plain(model, x), y, label_smoothing=smoothing)
    torch.testing.assert_close(loss, expected)
    weights = list(model.parameters())
    gradients = torch.autograd.grad(loss, weights)
    for mine, other in zip(gradients, torch.autograd.grad(expected, weights), strict=True):
        torch.testing.assert_close(mine, other)


def test_dropout_is_of_training_only_and_acts() -> None:
    model, x, y = example(dropout=0.5)
    first, second = model.loss(x, y).item(), model.loss(x, y).item()
    assert first != second
    model.eval()
    expected = F.cross_entropy(plain(model, x), y).item()
    assert model.loss(x, y).item() == pytest.approx(expected)


def test_without_dense_layers_dropout_is_before_the_output() -> None:
    model, x, y = example(dropout=0.5, dense=())
    assert model.loss(x, y).item() != model.loss(x, y).item()
    assert model(x).ne(model(x)).any()


def test_the_output_is_log_probabilities_and_its_nll_the_loss() -> None:
    model, x, y = example()
    log_p = model(x)
    torch.testing.assert_close(log_p.exp().sum(1), torch.ones(6, dtype=torch.double))
    torch.testing.assert_close(F.nll_loss(log_p, y), model.loss(x, y))


def test_an_untrained_network_guesses_about_evenly() -> None:
    model = CNN(1, 28, 28, 10)
    loss = model.loss(torch.rand(64, 1, 28, 28), torch.randint(0, 10, (64,)))
    assert loss.item() == pytest.approx(math.log(10), abs=0.1)


def test_an_input_that_needs_a_gradient_gets_it() -> None:
    model, x, y = example()
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(model.loss(x, y), x)
    (expected,) = torch.autograd.grad(F.cross_entropy(plain(model, x), y), x)
    torch.testing.assert_close(gradient, expected)


def test_one_image_of_a_batch_is_that_image_alone() -> None:
    model, x, _ = example()
    model.eval()
    torch.testing.assert_close(model(x)[2:3], model(x[2:3]))


@pytest.mark.parametrize(
    ("changed", "shapes"),
    [
        ({"channels": (5,), "padding": (1,), "pool": ("max",)}, [(5, 2, 3, 3)]),
        (
            {"channels": (2, 2, 2), "padding": (1, 1, 1), "pool": ("max", "max", "none")},
            [(2, 2, 3, 3)] * 3,
        ),
        ({"kernel": 5, "padding": (2, 2)}, [(3, 2, 5, 5), (4, 3, 5, 5)]),
    ],
)
def test_the_stack_is_as_said(changed: dict[str, Any], shapes: list[tuple[int, ...]]) -> None:
    model, x, _ = example(**changed)
    assert [tuple(layer.conv.weight.shape) for layer in model.convolutions] == shapes
    assert model(x).shape == (6, 5)


def test_pool_and_padding_are_those_of_each_layer() -> None:
    model, _, _ = example(pool=("none", "max"), padding=(2, 1))
    assert [layer.pool for layer in model.convolutions] == ["none", "max"]
    assert [layer.padding for layer in model.convolutions] == [2, 1]


def test_batch_norm_has_its_running_means_in_the_weights() -> None:
    model, x, y = example(batch_norm=True)
    before = model.state_dict()["convolutions.0.norm.running_mean"].clone()
    model.loss(x, y)
    assert model.state_dict()["convolutions.0.norm.running_mean"].ne(before).all()


@pytest.mark.parametrize(
    ("side", "layers", "padding", "small"), [(2, 1, 0, 1), (6, 3, 1, 3), (4, 4, 1, 3)]
)
def test_an_image_too_small_names_the_layer(
    side: int, layers: int, padding: int, small: int
) -> None:
    with pytest.raises(WorkingsError, match=f"convolution {small} of {layers} gets"):
        CNN(
            *(1, side, side, 3),
            channels=(8,) * layers,
            padding=(padding,) * layers,
            pool=("max",) * layers,
        )


def test_a_last_pixel_is_enough() -> None:
    model = CNN(1, 4, 4, 3, channels=(4, 4), padding=(1, 1))
    assert model(torch.rand(2, 1, 4, 4)).shape == (2, 3)
