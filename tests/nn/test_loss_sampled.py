"""The sampled softmax: exact when it samples all, unbiased in Z otherwise."""

import math

import pytest
import torch
from torch.nn import functional as F

from workings.nn.loss import sampled_cross_entropy

N, D, V = 12, 5, 40


@pytest.fixture
def inputs() -> tuple[torch.Tensor, ...]:
    draw = torch.Generator().manual_seed(3)
    h, w, b = (torch.randn(*s, generator=draw, dtype=torch.double) for s in ((N, D), (V, D), (V,)))
    y = torch.randint(0, V, (N,), generator=draw)
    return h.requires_grad_(), w.requires_grad_(), b.requires_grad_(), y


@pytest.mark.parametrize(("kept", "sampled"), [(0, V), (10, V), (V, 1), (V + 5, 3)])
def test_with_every_type_it_is_the_full_softmax(
    kept: int, sampled: int, inputs: tuple[torch.Tensor, ...]
) -> None:
    h, w, b, y = inputs
    expected = torch.autograd.grad(F.cross_entropy(h @ w.t() + b, y), (h, w, b))
    loss = sampled_cross_entropy(h, w, b, y, kept, sampled)
    torch.testing.assert_close(loss, F.cross_entropy(h @ w.t() + b, y))
    for ours, theirs in zip(torch.autograd.grad(loss, (h, w, b)), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_the_normaliser_has_no_bias(inputs: tuple[torch.Tensor, ...]) -> None:
    """For one row, Z = exp(loss + z_y): its mean over many draws is the full sum."""
    h, w, b, y = (
        tensor.detach()[:1] if i in (0, 3) else tensor.detach() for i, tensor in enumerate(inputs)
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


def test_types_that_were_not_drawn_get_no_gradient(inputs: tuple[torch.Tensor, ...]) -> None:
    h, w, b, y = inputs
    torch.manual_seed(0)
    sampled_cross_entropy(h, w, b, y, 3, 2).backward()
    assert w.grad is not None
    touched = w.grad.abs().sum(1) > 0
    assert touched[:3].all()
    assert touched[y].all()
    rest = set(range(V)) - {0, 1, 2} - set(y.tolist())
    assert sum(touched[i].item() for i in rest) == 2
