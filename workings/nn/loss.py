"""Cross-entropy of a linear output layer, without ever keeping the logits of a whole window.

Exact, or with a softmax over a sample of the vocabulary.
"""

# N rows (batch × time), D hidden, V vocabulary, C candidates of a sampled softmax

import math

import torch
from torch import Tensor

from workings.nn.function_context import FunctionContext
from workings.nn.precision import product_type, without_autocast

# Logits made at a time, large enough for the matrix product; of those, so many are made
# probabilities at a time: few enough for the cache, and enough that threads seldom wait for each
# other (2**18 is as fast on one thread, and 1.12 times slower on two).
CHUNK, BLOCK = 2**24, 2**20


def _rows(logits: int, rows: int, types: int) -> int:
    """The rows of so many logits, or a little more, so that all parts are about alike."""
    parts = max(1, round(rows * types / logits))
    return math.ceil(rows / parts)


def cross_entropy_reference(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """The mean of CE(y, softmax(h Wᵀ + b)) over the rows, as it is written: all logits at once."""
    return torch.nn.functional.cross_entropy(h_ND @ w_VD.t() + b_V, y_N)


def linear_cross_entropy(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """`cross_entropy_reference`, a chunk of rows at a time.

    When a gradient is wanted it is made in the forward pass, chunk by chunk, while the
    probabilities are at hand: ∂E/∂α = (ŷ - y)/N, ∂E/∂h = ∂E/∂α W, ∂E/∂W = ∂E/∂αᵀ h.

    Under `torch.autocast` the three products are made in its type; all else is in that of W.
    """
    dtype, h_ND = product_type(w_VD), h_ND.to(w_VD.dtype)
    if torch.is_grad_enabled() and any(x.requires_grad for x in (h_ND, w_VD, b_V)):
        return _LinearCrossEntropy.apply(h_ND, w_VD, b_V, y_N, dtype)
    return linear_losses(h_ND, w_VD, b_V, y_N).mean()


def linear_losses(h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor) -> Tensor:
    """CE(y, softmax(h Wᵀ + b)) of every row, a chunk of rows at a time; without a gradient."""
    dtype = product_type(w_VD)
    w_DV, losses = w_VD.to(dtype).t(), []
    for chunk in _chunks(len(y_N), len(w_VD)):
        h = h_ND[chunk].to(dtype)
        same = dtype == b_V.dtype
        logits_NV = torch.addmm(b_V, h, w_DV) if same else (h @ w_DV).to(b_V.dtype).add_(b_V)
        step = _rows(BLOCK, *logits_NV.shape)
        for logits, y in zip(logits_NV.split(step), y_N[chunk].split(step), strict=True):
            losses.append(torch.nn.functional.cross_entropy(logits, y, reduction="none"))
    return torch.cat(losses)


def _chunks(rows: int, types: int) -> list[slice]:
    step = _rows(CHUNK, rows, types)
    return [slice(start, start + step) for start in range(0, rows, step)]


def _errors_(logits_NV: Tensor, b_V: Tensor, y_N1: Tensor) -> Tensor:
    """Put ŷ - y = softmax(logits + b) - y in place of the logits; gives the sum of -log ŷ_y.

    Computed in the type of b, whatever that of the logits is.
    """
    total, step = b_V.new_zeros(()), _rows(BLOCK, *logits_NV.shape)
    for logits, y in zip(logits_NV.split(step), y_N1.split(step), strict=True):
        p = logits.add_(b_V) if logits.dtype == b_V.dtype else logits + b_V
        top, target = p.amax(1, keepdim=True), p.gather(1, y)
        torch.softmax(p, 1, out=p)
        total += (top - target - p.amax(1, keepdim=True).log()).sum()  # max ŷ = exp(top - top)/Z
        p.scatter_add_(1, y, p.new_full(y.shape, -1.0))
        if p is not logits:
            logits.copy_(p)
    return total


class _LinearCrossEntropy(torch.autograd.Function):
    """The loss, with its gradients made in the forward pass and only handed on in the backward."""

    @staticmethod
    @without_autocast
    def forward(
        ctx: FunctionContext,
        h_ND: Tensor,
        w_VD: Tensor,
        b_V: Tensor,
        y_N: Tensor,
        dtype: torch.dtype,
    ) -> Tensor:
        scale = 1 / len(y_N)
        h, scaled_h, w = h_ND.to(dtype), (h_ND * scale).to(dtype), w_VD.to(dtype)
        total, dh_ND = h_ND.new_zeros(()), torch.empty_like(h_ND)
        dw_VD, db_V = torch.zeros_like(w_VD), torch.zeros_like(b_V)
        chunks = _chunks(len(y_N), len(w_VD))
        buffer = w.new_empty(chunks[0].stop, len(w))
        for chunk in chunks:
            e = torch.mm(h[chunk], w.t(), out=buffer[: len(h[chunk])])  # logits, then ŷ - y
            total += _errors_(e, b_V, y_N[chunk, None])
            dh_ND[chunk] = e @ w
            dw_VD += e.t() @ scaled_h[chunk]
            db_V += (e.new_ones(1, len(e)) @ e)[0]  # a product is faster than a sum over rows
        ctx.save_for_backward(dh_ND.mul_(scale), dw_VD, db_V.mul_(scale))
        return total * scale

    @staticmethod
    def backward(ctx: FunctionContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        dh_ND, dw_VD, db_V = ctx.saved_tensors
        if grad[0].device.type == "cpu" and grad[0] == 1:
            return dh_ND, dw_VD, db_V, None, None  # as in `loss.backward()`: nothing to scale
        return dh_ND * grad[0], dw_VD * grad[0], db_V * grad[0], None, None


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
