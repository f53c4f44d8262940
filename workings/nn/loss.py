"""Cross-entropy of a linear output layer, without ever keeping the logits of a whole window.

Exact, or with a softmax over a sample of the vocabulary.
"""

# N rows (batch × time), D hidden, V vocabulary, C candidates of a sampled softmax

import math
from typing import Any

import torch
from torch import Tensor

# Rows of logits made at a time: large enough for the matrix product, small enough for the cache.
CHUNK = 320


def _chunk(rows: int) -> int:
    """The rows of a chunk, near CHUNK, so that all chunks are about alike: a short one is slow."""
    return math.ceil(rows / max(1, round(rows / CHUNK)))


def cross_entropy_reference(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """The mean of CE(y, softmax(h Wᵀ + b)) over the rows, as it is written: all logits at once."""
    return torch.nn.functional.cross_entropy(h_ND @ w_VD.t() + b_V, y_N)


def linear_cross_entropy(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """`cross_entropy_reference`, a chunk of rows at a time.

    When a gradient is wanted it is made in the forward pass, chunk by chunk, while the
    probabilities are at hand: ∂E/∂α = (ŷ - y)/N, ∂E/∂h = ∂E/∂α W, ∂E/∂W = ∂E/∂αᵀ h.
    """
    if torch.is_grad_enabled() and (h_ND.requires_grad or w_VD.requires_grad):
        return _LinearCrossEntropy.apply(h_ND, w_VD, b_V, y_N)
    total, size = h_ND.new_zeros(()), _chunk(len(y_N))
    for h, y in zip(h_ND.split(size), y_N.split(size), strict=True):
        logits = torch.addmm(b_V, h, w_VD.t())
        total += torch.nn.functional.cross_entropy(logits, y, reduction="sum")
    return total / len(y_N)


class _LinearCrossEntropy(torch.autograd.Function):
    """The loss, with its gradients made in the forward pass and only handed on in the backward."""

    @staticmethod
    def forward(ctx: Any, h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
        n = len(y_N)
        scale = 1.0 / n
        total = h_ND.new_zeros(())
        dh_ND = torch.empty_like(h_ND)
        dw_VD = torch.zeros_like(w_VD)
        db_V = torch.zeros_like(b_V)
        size = _chunk(n)
        buffer = h_ND.new_empty(size, len(w_VD))
        for h, y, dh in zip(
            h_ND.split(size), y_N[:, None].split(size), dh_ND.split(size), strict=True
        ):
            p = torch.addmm(b_V, h, w_VD.t(), out=buffer[: len(h)])  # logits, then ŷ, in place
            top = p.amax(1, keepdim=True)
            target = p.gather(1, y)
            p.sub_(top).exp_()
            norm = p.sum(1, keepdim=True)
            total += (norm.log() + (top - target)).sum()
            p.mul_(scale / norm)
            p.scatter_add_(1, y, p.new_full(y.shape, -scale))  # (ŷ - y)/N
            torch.mm(p, w_VD, out=dh)
            dw_VD.addmm_(p.t(), h)
            db_V += p.sum(0)
        ctx.save_for_backward(dh_ND, dw_VD, db_V)
        return total * scale

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor | None, ...]:
        dh_ND, dw_VD, db_V = ctx.saved_tensors
        if grad[0].device.type == "cpu" and grad[0] == 1:
            return dh_ND, dw_VD, db_V, None  # as in `loss.backward()`: nothing to scale
        return dh_ND * grad[0], dw_VD * grad[0], db_V * grad[0], None


def sampled_cross_entropy(
    h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor, kept: int, sampled: int
) -> Tensor:
    """Cross-entropy whose normaliser Z = Σ_v exp(z_v) is estimated from some of its terms.

    For training only. The exact terms are those of the `kept` first types (ids are ordered by
    frequency) and of every target of the batch. Of the R types that are left, `sampled` are drawn
    uniformly and weigh R / sampled, so that the estimate of Z has no bias. With sampled ≥ R this
    is the full softmax.
    """
    V = len(w_VD)
    candidates = torch.zeros(V, dtype=torch.bool, device=y_N.device)
    candidates[:kept] = True
    candidates[y_N] = True
    exact = candidates.nonzero()[:, 0]
    rest = (~candidates).nonzero()[:, 0]
    drawn = rest[torch.randperm(len(rest), device=y_N.device)[:sampled]]
    c_C = torch.cat([exact, drawn])
    offset_C = b_V.new_zeros(len(c_C))
    if len(drawn):
        offset_C[len(exact) :] = math.log(len(rest) / len(drawn))
    position_V = torch.empty(V, dtype=torch.long, device=y_N.device)
    position_V[c_C] = torch.arange(len(c_C), device=y_N.device)
    return linear_cross_entropy(h_ND, w_VD[c_C], b_V[c_C] + offset_C, position_V[y_N])
