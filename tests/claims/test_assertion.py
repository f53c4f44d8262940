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
