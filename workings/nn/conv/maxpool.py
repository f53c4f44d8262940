"""Max pooling by 2, from whole slices: no loop over windows, no branch on their content."""

# B batch, C channels, H height, W width; h, w half of them

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

SMALL = 1 << 16  # entries below which one slow operation is quicker than several fast ones


def max_pool(x_BCHW: Tensor) -> Tensor:
    """The largest of every 2×2 window, as F.max_pool2d(x, 2) gives it; an odd last row is left out.

    For large batches on a CPU a few times as fast. The gradient goes to one largest entry of each
    window; where several are the largest, it may be another of them than in PyTorch.
    """
    if x_BCHW.device.type != "cpu" or x_BCHW.numel() < SMALL:
        return F.max_pool2d(x_BCHW, 2)
    if torch.is_grad_enabled() and x_BCHW.requires_grad:
        return _MaxPool.apply(x_BCHW)
    upper, lower = _rows(x_BCHW)
    return torch.maximum(*_columns(torch.maximum(upper, lower)))


class _MaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x_BCHW: Tensor) -> Tensor:
        y_BChw, is_lower, is_right = pool_with_masks(x_BCHW)
        ctx.save_for_backward(is_lower, is_right)
        ctx.shape = x_BCHW.shape
        return y_BChw

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> Tensor:
        is_lower, is_right = ctx.saved_tensors
        return through_masks(grad[0], is_lower, is_right, ctx.shape)


def pool_with_masks(x_BCHW: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """First the larger of two rows, then of two columns; the masks of 0 and 1 say which it was."""
    upper, lower = _rows(x_BCHW)
    left, right = _columns(torch.maximum(upper, lower))
    return torch.maximum(left, right), _greater(lower, upper), _greater(right, left)


def through_masks(g_BChw: Tensor, is_lower: Tensor, is_right: Tensor, shape: Any) -> Tensor:
    """∂E/∂(right column) = g ⊙ mask, ∂E/∂(left column) = g - that; then rows alike."""
    g_BChW = torch.empty_like(is_lower)
    left, right = _columns(g_BChW)
    torch.mul(g_BChw, is_right, out=right)
    torch.sub(g_BChw, right, out=left)
    odd = shape[2] % 2 or shape[3] % 2
    dx_BCHW = (torch.zeros if odd else torch.empty)(shape, dtype=g_BChW.dtype)
    upper, lower = _rows(dx_BCHW)
    torch.mul(g_BChW, is_lower, out=lower)
    torch.sub(g_BChW, lower, out=upper)
    return dx_BCHW


def _rows(x_BCHW: Tensor) -> tuple[Tensor, Tensor]:
    """Every window's upper and lower row."""
    h, w = x_BCHW.shape[2] // 2, x_BCHW.shape[3] // 2
    return x_BCHW[:, :, : 2 * h : 2, : 2 * w], x_BCHW[:, :, 1 : 2 * h : 2, : 2 * w]


def _columns(x_BChW: Tensor) -> tuple[Tensor, Tensor]:
    return x_BChW[..., ::2], x_BChW[..., 1::2]


def _greater(one: Tensor, other: Tensor) -> Tensor:
    """1 where one > other, else 0, as numbers: a product with bools would be slow."""
    return torch.gt(one, other, out=torch.empty(one.shape, dtype=one.dtype))
