from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import workings


def inputs():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(3, 4, generator=generator), torch.randn(4, 5, generator=generator)


def test_a_right_backward_passes():
    workings.assert_gradient(
        lambda x, w: torch.tanh(x @ w),
        lambda g, x, w: (
            (g * (1 - torch.tanh(x @ w) ** 2)) @ w.T,
            x.T @ (g * (1 - torch.tanh(x @ w) ** 2)),
        ),
        *inputs(),
    )


@pytest.mark.parametrize(
    ("backward", "message"),
    [
        (lambda g, x, w: (g @ w.T, x.T @ g * 2), "w: holds up to a constant factor"),
        (lambda g, x, w: (-g @ w.T, x.T @ g), "x: holds with the sign flipped"),
        (lambda g, x, w: (g @ w.T, g.T @ x), "w: holds transposed"),
        (lambda g, x, w: (g @ w.T, x), r"w: wrong shape; given \(3, 4\), right \(4, 5\)"),
        (lambda g, x, w: (g @ w.T, None), "w: no gradient is given"),
        (lambda g, x, w: g @ w.T, "gives 1 gradients for 2 inputs"),
        (lambda g, x, w: (g @ w.T + 1, x.T @ g), "x: wrong value; .*largest relative error"),
    ],
)
def test_a_wrong_one_says_how(backward, message):
    with pytest.raises(AssertionError, match=message):
        workings.assert_gradient(lambda x, w: x @ w, backward, *inputs(), names=("x", "w"))


def test_a_function_that_hides_its_graph_is_checked_by_differences():
    def square(x):
        return torch.from_numpy(x.detach().numpy() ** 2)

    (x, _) = inputs()
    workings.assert_gradient(square, lambda g, x: 2 * x * g, x)
    with pytest.raises(AssertionError):
        workings.assert_gradient(square, lambda g, x: x * g, x)


def test_a_large_layer_is_compared_along_directions() -> None:
    x, w, calls = torch.randn(4, 300), torch.randn(300, 300), []

    def product(x: Tensor, w: Tensor) -> Tensor:
        calls.append(1)
        return x @ w

    workings.assert_gradient(product, lambda g, x, w: (g @ w.T, x.T @ g), x, w)
    with pytest.raises(AssertionError, match=r"input 1: wrong value.*at \(7, 9\)"):
        workings.assert_gradient(product, lambda g, x, w: (g @ w.T, spoilt(x.T @ g)), x, w)
    assert len(calls) < 1000  # each of the 90,000 entries apart takes two


def spoilt(gradient: torch.Tensor) -> torch.Tensor:
    gradient[7, 9] *= -3
    return gradient


def test_a_large_function_that_autograd_does_not_know() -> None:
    def squares(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.square(x.detach().numpy()))

    x = torch.randn(60, 60)
    workings.assert_gradient(squares, lambda g, x: 2 * g * x, x)
    with pytest.raises(AssertionError, match="wrong value; along a random direction"):
        workings.assert_gradient(squares, lambda g, x: 3 * g * x, x)
    with pytest.raises(AssertionError, match="wrong shape"):
        workings.assert_gradient(squares, lambda g, x: (2 * g * x)[:1], x)


def test_integers_and_numpy() -> None:
    table, ids = torch.randn(5, 3), torch.tensor([4, 0, 4])

    def backward(g: torch.Tensor, table: torch.Tensor, ids: torch.Tensor) -> tuple[object, None]:
        gradient = np.zeros(table.shape)
        np.add.at(gradient, ids.numpy(), g.numpy())
        return gradient, None

    workings.assert_gradient(lambda table, ids: table[ids], backward, table, ids)
    with pytest.raises(AssertionError, match="input 1: are integers"):
        workings.assert_gradient(
            lambda table, ids: table[ids], lambda g, t, i: (backward(g, t, i)[0], i), table, ids
        )


@pytest.mark.parametrize("at_zero", [0.0, 0.5, 1.0])
def test_at_a_kink_whatever_lies_between_its_sides_is_right(at_zero: float) -> None:
    x = torch.tensor([0.0, 1.0, -1.0])
    slopes = torch.tensor([at_zero, 1.0, 0.0])
    workings.assert_gradient(torch.relu, lambda g, x: g * slopes, x)
    with pytest.raises(AssertionError, match=r"wrong value.*at \(0,\)"):
        workings.assert_gradient(torch.relu, lambda g, x: g * (slopes - 2 * (x == 0)), x)


def test_kinks_of_a_large_input() -> None:
    x = torch.randn(40, 40).relu()  # half of it on the kink
    workings.assert_gradient(torch.relu, lambda g, x: g * (x > 0), x)


def test_one_wrong_entry_is_seen_among_many_and_beside_large_ones() -> None:
    def sines(x: Tensor) -> Tensor:
        return torch.from_numpy(np.sin(x.detach().numpy()))

    def slip(g: Tensor, x: Tensor) -> Tensor:
        gradient = g * x.cos()
        gradient[17] *= 1.01
        return gradient

    x = torch.linspace(1, 2, 5000)
    workings.assert_gradient(sines, lambda g, x: g * x.cos(), x)
    with pytest.raises(AssertionError, match="wrong value; along a random direction"):
        workings.assert_gradient(sines, slip, x)
    with pytest.raises(AssertionError, match=r"at \(1,\): given"):
        workings.assert_gradient(
            lambda x: x * x * x.new_tensor([1e9, 1.0]),
            lambda g, x: g * x * x.new_tensor([2e9, 3.0]),
            torch.tensor([1.5, 2.5]),
        )


def test_arrays_and_numbers_go_in_and_come_out() -> None:
    x, w = (each.numpy() for each in inputs())
    workings.assert_gradient(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x.T @ g), x, w)
    workings.assert_gradient(lambda x: float((x**2).sum()), lambda g, x: 2 * g * x, x)
    workings.assert_gradient(lambda x: x**2, lambda g, x: 2 * g * x, 3.0)
    workings.assert_gradient(lambda x: 2 * x, lambda g, x: 2 * g, torch.zeros(0, 3))
    with pytest.raises(AssertionError, match="holds up to a constant factor"):
        workings.assert_gradient(lambda x: np.tanh(np.asarray(x)) ** 0 * x, lambda g, x: 2 * g, x)


@pytest.mark.parametrize(
    ("fn", "x", "message"),
    [
        (lambda x: (x, x), torch.zeros(2), "gives a tuple, where one tensor"),
        (lambda x: x * torch.rand(()), torch.ones(2), "another value each time"),
        (lambda x: x.real, torch.zeros(2, dtype=torch.cfloat), "input 0: is complex"),
    ],
)
def test_what_cannot_be_compared_is_refused(fn: Any, x: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        workings.assert_gradient(fn, lambda g, x: g, x)
