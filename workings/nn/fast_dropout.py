"""Dropout that draws few random bits, alone or together with the ReLU before it.

On a CPU the random numbers are most of what dropout costs. torch draws 64 bits a unit; here it is 8
where the probability is a multiple of 1/256, else 16, to which it is rounded.
"""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.threads import each_part

PART = 1 << 18  # units that are worked on at a time, so that they stay in the cache


def draw(count: int, p: float) -> tuple[Tensor, int]:
    """Random whole numbers, and the least one of a unit that is kept: below it with chance p."""
    bits = 8 if (p * 256).is_integer() else 16
    kind = torch.int8 if bits == 8 else torch.int16
    drawn = torch.empty(-(-count * bits // 64), dtype=torch.int64).random_(-(2**63), None)
    return drawn.view(kind)[:count], round(p * 2**bits) - 2 ** (bits - 1)


def mask(shape: tuple[int, ...], p: float, like: Tensor) -> Tensor:
    """0 with probability p, else 1/(1-p)."""
    if like.device.type != "cpu":
        return F.dropout(like.new_ones(shape), p)
    drawn, least = draw(math.prod(shape), p)
    return (drawn >= least).to(like.dtype).div_(1 - p).view(shape)


def dropped(x: Tensor, p: float) -> Tensor:
    """Each unit zero with probability p, the others times 1/(1-p)."""
    return x if p == 0 else x * mask(tuple(x.shape), p, x)


def relu_dropped(x: Tensor, p: float) -> Tensor:
    """dropped(relu(x), p), in place: x must be needed by nobody else."""
    return _ReluDropped.apply(x, p)


def relu_dropped_product(x_ND: Tensor, w_DC: Tensor, p: float) -> Tensor:
    """relu_dropped(x, p) @ w, in place in x, whose gradient is made without one of dropped(x)."""
    return _ReluDroppedProduct.apply(x_ND, w_DC, p)


def _relu_drop_(x: Tensor, p: float) -> None:
    flat = x.view(-1)
    drawn, least = draw(len(flat), p) if p else (flat, 0)

    def work(part: slice) -> None:
        piece = flat[part].relu_()
        if p:
            piece.mul_((drawn[part] >= least).to(x.device)).mul_(1 / (1 - p))

    each_part(work, len(flat), PART)


class _ReluDropped(torch.autograd.Function):
    """y = m ⊙ max(x, 0)/(1-p), m the mask. Backward: ∂E/∂x = [y > 0] ⊙ ∂E/∂y/(1-p).

    y > 0 just where x > 0 and the unit is kept: so y, which the next product keeps anyway, is all
    that has to be remembered.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, p: float) -> Tensor:
        ctx.mark_dirty(x)
        _relu_drop_(x, p)
        ctx.save_for_backward(x)
        ctx.p = p
        return x

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor | None, ...]:
        (y,) = ctx.saved_tensors
        through = torch.ops.aten.threshold_backward(grad[0], y, 0)
        return through.mul_(1 / (1 - ctx.p)) if ctx.p else through, None


class _ReluDroppedProduct(torch.autograd.Function):
    """z = y w with y = m ⊙ max(x, 0)/(1-p). Backward, with g = ∂E/∂z: ∂E/∂w = yᵀ g, and
    ∂E/∂x = [y > 0] ⊙ (g wᵀ)/(1-p), a few rows at a time: ∂E/∂y is never there as a whole.
    """

    @staticmethod
    def forward(ctx: Any, x_ND: Tensor, w_DC: Tensor, p: float) -> Tensor:
        _relu_drop_(x_ND, p)
        ctx.save_for_backward(x_ND, w_DC)
        ctx.p = p
        return x_ND @ w_DC

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor | None, ...]:
        y_ND, w_DC = ctx.saved_tensors
        w_CD = w_DC.t() / (1 - ctx.p)
        dx_ND = torch.empty_like(y_ND)

        def work(part: slice) -> None:
            dx, y = dx_ND[part], y_ND[part]
            torch.mm(grad[0][part], w_CD, out=dx)
            torch.ops.aten.threshold_backward.grad_input(dx, y, 0, grad_input=dx)

        each_part(work, len(y_ND), max(1, PART // y_ND.shape[1]))
        return dx_ND, y_ND.t() @ grad[0], None
