import pytest
import torch

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
