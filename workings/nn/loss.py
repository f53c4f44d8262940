"""Cross-entropy of a linear output layer, without ever keeping the logits of a whole window."""

# N rows (batch × time), D hidden, V vocabulary

import math
from typing import Any

import torch
from torch import Tensor

# Rows of logits made at a time: large enough for the matrix product, small enough for the cache.
CHUNK = 320


def _chunk(rows: int) -> int:
    """Rows a chunk, near CHUNK, so that all chunks are about alike: a short one is slow."""
    return math.ceil(rows / max(1, round(rows / CHUNK)))


def linear_cross_entropy(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """The mean of CE(y, softmax(h Wᵀ + b)) over the rows, as F.cross_entropy gives it.

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
