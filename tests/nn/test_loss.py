"""The chunked cross-entropy of a linear layer against torch's own."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn import loss
from workings.nn.loss import CHUNK, linear_cross_entropy

D, V = 5, 11
SIZES = [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1]


def inputs(n: int, dtype: torch.dtype = torch.double) -> tuple[list[Tensor], Tensor]:
    """h, W and b that want a gradient, and the targets."""
    torch.manual_seed(n)
    leaves = [
        torch.randn(*shape, dtype=torch.double).to(dtype).requires_grad_()
        for shape in ((n, D), (V, D), (V,))
    ]
    return leaves, torch.randint(V, (n,))


def reference(leaves: list[Tensor], y_N: Tensor) -> Tensor:
    return F.cross_entropy(F.linear(*leaves), y_N)


@pytest.mark.parametrize("n", SIZES)
def test_value_and_gradients_are_those_of_torch(n: int) -> None:
    leaves, y_N = inputs(n)
    found, expected = linear_cross_entropy(*leaves, y_N), reference(leaves, y_N)
    torch.testing.assert_close(found, expected)
    gradients = torch.autograd.grad(found, leaves)
    for one, other in zip(gradients, torch.autograd.grad(expected, leaves), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("n", SIZES)
def test_without_a_gradient_the_value_is_the_same(n: int) -> None:
    leaves, y_N = inputs(n)
    with torch.no_grad():
        found = linear_cross_entropy(*leaves, y_N)
    torch.testing.assert_close(found, reference(leaves, y_N))
    assert not found.requires_grad


def test_the_backward_is_the_finite_difference_of_the_forward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loss, "CHUNK", 3)
    leaves, y_N = inputs(7)
    assert torch.autograd.gradcheck(lambda h, w, b: linear_cross_entropy(h, w, b, y_N), leaves)


def test_the_chunk_changes_the_memory_not_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves, y_N = inputs(10)
    whole = linear_cross_entropy(*leaves, y_N)
    monkeypatch.setattr(loss, "CHUNK", 4)
    torch.testing.assert_close(linear_cross_entropy(*leaves, y_N), whole)


def test_a_scaled_loss_has_a_scaled_gradient() -> None:
    leaves, y_N = inputs(9)
    (3 * linear_cross_entropy(*leaves, y_N)).backward()
    expected = torch.autograd.grad(3 * reference(leaves, y_N), leaves)
    for leaf, gradient in zip(leaves, expected, strict=True):
        torch.testing.assert_close(leaf.grad, gradient)


@pytest.mark.parametrize("wanted", [[0], [1], [2], [0, 2], [1, 2]])
def test_only_the_gradients_asked_for_are_needed(wanted: list[int]) -> None:
    leaves, y_N = inputs(9)
    leaves = [leaf.detach().requires_grad_(i in wanted) for i, leaf in enumerate(leaves)]
    asked = [leaves[i] for i in wanted]
    found = torch.autograd.grad(linear_cross_entropy(*leaves, y_N), asked)
    expected = torch.autograd.grad(reference(leaves, y_N), asked)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_huge_logits_stay_finite_and_right(size: float) -> None:
    h_ND = torch.full((4, 1), size, requires_grad=True)
    w_VD = torch.tensor([[1.0], [0.0], [-1.0]], requires_grad=True)
    b_V = torch.zeros(3, requires_grad=True)
    y_N = torch.tensor([0, 1, 2, 0])
    found = linear_cross_entropy(h_ND, w_VD, b_V, y_N)
    torch.testing.assert_close(found, reference([h_ND, w_VD, b_V], y_N))
    for gradient in torch.autograd.grad(found, [h_ND, w_VD, b_V]):
        assert gradient.isfinite().all()


def test_single_precision_is_near_double() -> None:
    leaves, y_N = inputs(2 * CHUNK + 7, torch.float)
    found = linear_cross_entropy(*leaves, y_N)
    double = [leaf.detach().double().requires_grad_() for leaf in leaves]
    expected = linear_cross_entropy(*double, y_N)
    assert abs(found.item() - expected.item()) < 1e-5 * expected.item()
    gradients = torch.autograd.grad(found, leaves)
    for one, other in zip(gradients, torch.autograd.grad(expected, double), strict=True):
        assert (one - other).norm() < 1e-5 * other.norm()
