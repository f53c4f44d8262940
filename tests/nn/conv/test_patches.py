"""Convolution over patches against PyTorch's own convolution, pooling and ReLU."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.conv.patches import conv_pool_relu

# inputs, outputs, height, width, kernel, stride, padding, pooled
CASES = [
    (1, 4, 10, 10, 3, 1, 1, True),
    (2, 3, 9, 8, 3, 1, 0, True),
    (3, 2, 11, 12, 5, 1, 2, True),
    (1, 4, 10, 11, 3, 2, 1, False),
    (2, 4, 10, 11, 3, 2, 0, False),
    (2, 3, 7, 6, 2, 1, 1, False),
    (2, 3, 5, 5, 1, 1, 0, True),
]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def inputs(case: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    c, m, h, w, k = case[:5]
    sizes = ((3, c, h, w), (m, c, k, k), (m,))
    x, weight, bias = (torch.randn(*s, dtype=torch.double, requires_grad=True) for s in sizes)
    return x, weight, bias


def theirs(x: Tensor, w: Tensor, b: Tensor, stride: int, padding: int, pooled: bool) -> Tensor:
    y = F.conv2d(x, w, b, stride, padding).relu()
    return F.max_pool2d(y, 2) if pooled else y


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_torch(case: tuple[int, ...]) -> None:
    x, w, b = inputs(case)
    with torch.no_grad():
        found, backward = conv_pool_relu(x, w, b, *case[5:])
    expected = theirs(x, w, b, *case[5:])
    torch.testing.assert_close(found, expected.detach())
    g = torch.randn_like(expected)
    gradients = backward(g, True)
    for mine, other in zip(gradients, torch.autograd.grad(expected, (x, w, b), g), strict=True):
        torch.testing.assert_close(mine, other)


def test_any_layout_in_memory_is_read() -> None:
    case = CASES[1]
    x, w, b = inputs(case)
    turned = x.detach().transpose(0, 1).contiguous().transpose(0, 1)
    assert not turned.is_contiguous()
    with torch.no_grad():
        found, _ = conv_pool_relu(turned, w, b, *case[5:])
        torch.testing.assert_close(found, conv_pool_relu(x, w, b, *case[5:])[0], rtol=0, atol=0)


def test_the_gradient_by_the_image_is_made_only_if_wanted() -> None:
    x, w, b = inputs(CASES[0])
    with torch.no_grad():
        y, backward = conv_pool_relu(x, w, b, *CASES[0][5:])
    by_x, by_w, by_b = backward(torch.ones_like(y), False)
    assert by_x is None
    assert by_w.shape == w.shape
    assert by_b.shape == b.shape


def test_an_even_area_gives_the_kernel_the_gradient_of_torch() -> None:
    # All four places of a window are alike there: PyTorch takes one, we take a share of each.
    x = torch.full((2, 1, 8, 8), 0.5, dtype=torch.double)
    _, w, b = inputs(CASES[0])
    b = b.detach().abs().requires_grad_()
    w = w.detach().abs().requires_grad_()
    with torch.no_grad():
        _, backward = conv_pool_relu(x, w, b, 1, 0, True)
    expected = theirs(x, w, b, 1, 0, True)
    g = torch.randn_like(expected)
    _, by_w, by_b = backward(g, False)
    for mine, other in zip((by_w, by_b), torch.autograd.grad(expected, (w, b), g), strict=True):
        torch.testing.assert_close(mine, other)
