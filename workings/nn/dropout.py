"""Dropout: the layer, the mask it is made of, and dropout together with the ReLU before it.

On a CPU the random numbers are most of what dropout costs. torch draws 64 bits a unit. Measured:
masks from 32 bits a unit are 3 to 4 times as fast as torch's dropout, from 16 or 8 bits 4 to 6
times. The layer takes 32; the graph networks, whose steps are mostly dropout, take as few as serve
their probability. The attention decoder and the readout of graphs keep torch's layer, whose random
numbers their measured figures rest on.
"""

# T time, B batch, D width, N rows, C classes

import math
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.function_context import FunctionContext
from workings.nn.threads import each_part

INTEGERS = {8: torch.int8, 16: torch.int16, 32: torch.int32}
PART = 1 << 18  # units that are worked on at a time, so that they stay in the cache


def few_bits(p: float) -> int:
    """Random bits a unit: 8 where p is a multiple of 1/256, else 16, to which it is rounded."""
    return 8 if (p * 256).is_integer() else 16


def draw(count: int, p: float, bits: int) -> tuple[Tensor, int]:
    """Random integers of so many bits, and the smallest one for which a unit is kept.

    A unit is dropped, its integer being smaller, with probability p rounded to a multiple of
    2^-bits. The integers are drawn 64 bits at a time.
    """
    drawn = torch.empty(-(-count * bits // 64), dtype=torch.int64).random_(-(2**63), None)
    return drawn.view(INTEGERS[bits])[:count], round(p * 2**bits) - 2 ** (bits - 1)


def dropout_mask(shape: tuple[int, ...], p: float, like: Tensor, bits: int = 32) -> Tensor:
    """A mask of 0 with probability p and 1/(1-p) otherwise."""
    if like.device.type != "cpu":
        return F.dropout(like.new_ones(shape), p)
    drawn, smallest_kept = draw(math.prod(shape), p, bits)
    return (drawn >= smallest_kept).to(like.dtype).div_(1 - p).view(shape)


class Dropout(nn.Module):
    """Zero each unit with probability p and scale the rest by 1/(1-p), in training only.

    locked: one mask of shape 1×B×D serves every step of the window (Gal and Ghahramani, 2016).

    Shapes: x_TBD, or any other if it is not locked; returns the same.
    """

    def __init__(self, p: float, locked: bool = False) -> None:
        super().__init__()
        self.p, self.locked = p, locked

    def forward(self, x_TBD: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x_TBD
        return x_TBD * dropout_mask((x_TBD[:1] if self.locked else x_TBD).shape, self.p, x_TBD)

    def extra_repr(self) -> str:
        return f"p={self.p}, locked={self.locked}"


def dropped(x: Tensor, p: float) -> Tensor:
    """Each unit zero with probability p, the others times 1/(1-p), from few random bits."""
    return x if p == 0 else x * dropout_mask(x.shape, p, x, few_bits(p))


def relu_dropped(x: Tensor, p: float) -> Tensor:
    """dropped(relu(x), p), in place: x must be needed by nobody else."""
    return _ReluDropped.apply(x, p)


def relu_dropped_product(x_ND: Tensor, w_DC: Tensor, p: float) -> Tensor:
    """relu_dropped(x, p) @ w, in place in x; the gradient in between is never kept whole."""
    return _ReluDroppedProduct.apply(x_ND, w_DC, p)


def _relu_drop_(x: Tensor, p: float) -> None:
    """x ← dropped(relu(x), p), a part at a time."""
    flat = x.view(-1)
    drawn, smallest_kept = draw(len(flat), p, few_bits(p)) if p else (flat, 0)

    def work(part: slice) -> None:
        units = flat[part].relu_()
        if p:
            units.mul_((drawn[part] >= smallest_kept).to(x.device)).mul_(1 / (1 - p))

    each_part(work, len(flat), PART)


class _DropContext(FunctionContext, Protocol):
    p: float


class _ReluDropped(torch.autograd.Function):
    """y = m ⊙ max(x, 0)/(1-p), m the mask. Backward: ∂E/∂x = [y > 0] ⊙ ∂E/∂y/(1-p).

    y > 0 exactly where x > 0 and the unit is kept: so y, which the next product keeps anyway, is
    all that has to be remembered.
    """

    @staticmethod
    def forward(ctx: _DropContext, x: Tensor, p: float) -> Tensor:
        ctx.mark_dirty(x)
        _relu_drop_(x, p)
        ctx.save_for_backward(x)
        ctx.p = p
        return x

    @staticmethod
    def backward(ctx: _DropContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        (y,) = ctx.saved_tensors
        through = torch.ops.aten.threshold_backward(grad[0], y, 0)
        return through.mul_(1 / (1 - ctx.p)) if ctx.p else through, None


class _ReluDroppedProduct(torch.autograd.Function):
    """z = y w with y = m ⊙ max(x, 0)/(1-p). Backward, with g = ∂E/∂z: ∂E/∂w = yᵀ g, and
    ∂E/∂x = [y > 0] ⊙ (g wᵀ)/(1-p), some rows at a time: ∂E/∂y is never there as a whole.
    """

    @staticmethod
    def forward(ctx: _DropContext, x_ND: Tensor, w_DC: Tensor, p: float) -> Tensor:
        _relu_drop_(x_ND, p)
        ctx.save_for_backward(x_ND, w_DC)
        ctx.p = p
        return x_ND @ w_DC

    @staticmethod
    def backward(ctx: _DropContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        y_ND, w_DC = ctx.saved_tensors
        w_CD = w_DC.t() / (1 - ctx.p)
        dx_ND = torch.empty_like(y_ND)

        def work(part: slice) -> None:
            dx, y = dx_ND[part], y_ND[part]
            torch.mm(grad[0][part], w_CD, out=dx)
            torch.ops.aten.threshold_backward.grad_input(dx, y, 0, grad_input=dx)

        each_part(work, len(y_ND), max(1, PART // y_ND.shape[1]))
        return dx_ND, y_ND.t() @ grad[0], None
