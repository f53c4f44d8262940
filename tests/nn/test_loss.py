"""The chunked cross-entropy of a linear layer against torch's own; the sampled softmax: exact when
it samples all types, without bias in its normaliser otherwise."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn import loss
from workings.nn.loss import linear_cross_entropy, sampled_cross_entropy

D, V = 5, 11
ROWS, TYPES = 12, 40  # of the sampled softmax
CHUNK, BLOCK = 8, 3  # rows, of which a few are enough here
SIZES = [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "CHUNK", CHUNK * V)
    monkeypatch.setattr(loss, "BLOCK", BLOCK * V)


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
    monkeypatch.setattr(loss, "CHUNK", 3 * V)
    leaves, y_N = inputs(7)
    assert torch.autograd.gradcheck(lambda h, w, b: linear_cross_entropy(h, w, b, y_N), leaves)


def test_the_chunk_changes_the_memory_not_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves, y_N = inputs(10)
    whole = linear_cross_entropy(*leaves, y_N)
    monkeypatch.setattr(loss, "CHUNK", 4 * V)
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


@pytest.fixture
def sampled_inputs() -> tuple[torch.Tensor, ...]:
    draw = torch.Generator().manual_seed(3)
    h, w, b = (
        torch.randn(*s, generator=draw, dtype=torch.double)
        for s in ((ROWS, D), (TYPES, D), (TYPES,))
    )
    y = torch.randint(0, TYPES, (ROWS,), generator=draw)
    return h.requires_grad_(), w.requires_grad_(), b.requires_grad_(), y


@pytest.mark.parametrize(("kept", "sampled"), [(0, TYPES), (10, TYPES), (TYPES, 1), (TYPES + 5, 3)])
def test_with_every_type_it_is_the_full_softmax(
    kept: int, sampled: int, sampled_inputs: tuple[torch.Tensor, ...]
) -> None:
    h, w, b, y = sampled_inputs
    expected = torch.autograd.grad(F.cross_entropy(h @ w.t() + b, y), (h, w, b))
    loss = sampled_cross_entropy(h, w, b, y, kept, sampled)
    torch.testing.assert_close(loss, F.cross_entropy(h @ w.t() + b, y))
    for ours, theirs in zip(torch.autograd.grad(loss, (h, w, b)), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_the_normaliser_has_no_bias(sampled_inputs: tuple[torch.Tensor, ...]) -> None:
    """For one row, Z = exp(loss + z_y): its mean over many draws is the full sum."""
    h, w, b, y = (
        tensor.detach()[:1] if i in (0, 3) else tensor.detach()
        for i, tensor in enumerate(sampled_inputs)
    )
    torch.manual_seed(0)
    logits = (h @ w.t() + b)[0]
    draws = [
        math.exp(sampled_cross_entropy(h, w, b, y, 4, 9).item() + logits[y[0]].item())
        for _ in range(4000)
    ]
    estimate = torch.tensor(draws)
    error = estimate.std().item() / math.sqrt(len(draws))
    assert abs(estimate.mean().item() - logits.exp().sum().item()) < 4 * error
    assert estimate.std().item() > 0


def test_types_that_were_not_drawn_get_no_gradient(
    sampled_inputs: tuple[torch.Tensor, ...],
) -> None:
    h, w, b, y = sampled_inputs
    torch.manual_seed(0)
    sampled_cross_entropy(h, w, b, y, 3, 2).backward()
    assert w.grad is not None
    touched = w.grad.abs().sum(1) > 0
    assert touched[:3].all()
    assert touched[y].all()
    rest = set(range(TYPES)) - {0, 1, 2} - set(y.tolist())
    assert sum(touched[i].item() for i in rest) == 2
