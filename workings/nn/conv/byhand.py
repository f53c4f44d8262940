"""Loss and gradients of a convolutional network in one go, each backward beside its forward.

A step of a small network on a small batch is mostly the overhead of its many operations. These
are as few as there can be, with none of autograd's bookkeeping, and equal autograd's to the last
bits of rounding.
"""

# B batch, C channels, H height, W width, D width of a dense layer, K classes

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from workings.nn.conv.maxpool import SMALL, pool_with_masks, through_masks
from workings.nn.conv.patches import Gradients, conv_pool_relu
from workings.nn.dropout import keep

aten = torch.ops.aten
FEW, MANY = 1 << 15, 1 << 18  # entries of an input that patches are quicker for: pooled, or not
UNITS = 1 << 14  # from so many on, `keep` is the quicker way to drop some of them
Backward = Callable[[Tensor], Tensor]  # ∂E/∂(its input) from ∂E/∂(its output)


class Conv(NamedTuple):
    """conv · ReLU · max pool of 2 or none."""

    weight: Tensor
    bias: Tensor
    stride: int
    padding: int
    pooled: bool


class Dense(NamedTuple):
    """W h + b, W as in nn.Linear."""

    weight: Tensor
    bias: Tensor


def loss_and_gradients(
    x_BCHW: Tensor,
    y_B: Tensor,
    convs: list[Conv],
    denses: list[Dense],
    dropout: float = 0.0,
    smoothing: float = 0.0,
) -> tuple[Tensor, list[Tensor]]:
    """The mean cross-entropy of the last dense layer's softmax, and its gradients.

    ReLU follows every layer but the last; dropout the first dense one, or goes before the only
    one. The gradients are by weight and bias of every layer, the first one first.
    """
    gradients: list[tuple[Tensor, Tensor]] = []
    backwards: list[Backward] = []
    h = x_BCHW
    for number, conv in enumerate(convs):
        h, backward = _conv(h, conv, number > 0, gradients)
        backwards.append(backward)
    shape = h.shape
    h = h.flatten(1)
    backwards.append(lambda g: g.view(shape))
    last = len(denses) - 1
    for number, dense in enumerate(denses):
        if dropout and number == min(1, last):
            h, backward = _dropout(h, dropout)
            backwards.append(backward)
        h, backward = _dense(h, dense, number < last, gradients)
        backwards.append(backward)
    loss, g = _cross_entropy(h, y_B, smoothing)
    for backward in reversed(backwards):
        g = backward(g)
    return loss, [tensor for pair in reversed(gradients) for tensor in pair]


def _conv(
    x_BCHW: Tensor, conv: Conv, by_x: bool, gradients: list[tuple[Tensor, Tensor]]
) -> tuple[Tensor, Backward]:
    """y = relu(pool(w * x + b)): the largest of the ReLUs is the ReLU of the largest."""
    if not by_x or x_BCHW.numel() < (FEW if conv.pooled else MANY):
        y, back = conv_pool_relu(x_BCHW, *conv)
    else:
        y, back = _general(x_BCHW.contiguous(), *conv)

    def backward(g: Tensor) -> Tensor:
        dx, dw, db = back(g, by_x)
        gradients.append((dw, db))
        return g if dx is None else dx

    return y, backward


def _general(
    x_BCHW: Tensor, weight: Tensor, bias: Tensor, stride: int, padding: int, pooled: bool
) -> tuple[Tensor, Callable[[Tensor, bool], Gradients]]:
    """As `conv_pool_relu`, by PyTorch's own convolution: for many channels or a large batch."""
    z_BCHW = torch.conv2d(x_BCHW, weight, bias, stride, padding)
    y, unpool = _pool(z_BCHW) if pooled else (z_BCHW, lambda g: g)
    y.clamp_min_(0)

    def backward(g: Tensor, by_x: bool) -> Gradients:
        g = unpool(aten.threshold_backward(g, y, 0))
        sizes = [len(bias)], [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], 1
        return aten.convolution_backward(g, x_BCHW, weight, *sizes, [by_x, True, True])

    return y, backward


def _pool(z_BCHW: Tensor) -> tuple[Tensor, Backward]:
    if z_BCHW.numel() >= SMALL:
        y, is_lower, is_right = pool_with_masks(z_BCHW)
        return y, lambda g: through_masks(g, is_lower, is_right, z_BCHW.shape)
    y, where = aten.max_pool2d_with_indices(z_BCHW, [2, 2])
    backward = aten.max_pool2d_with_indices_backward
    sizes = [2, 2], [2, 2], [0, 0], [1, 1], False
    return y, lambda g: backward(g, z_BCHW, *sizes, where)


def _dense(
    h_BD: Tensor, dense: Dense, relu: bool, gradients: list[tuple[Tensor, Tensor]]
) -> tuple[Tensor, Backward]:
    """y = W h + b, or its ReLU: ∂E/∂W = gᵀ h, ∂E/∂b = Σ g, ∂E/∂h = g W."""
    weight, bias = dense
    y = torch.addmm(bias, h_BD, weight.t())
    if relu:
        y.clamp_min_(0)

    def backward(g: Tensor) -> Tensor:
        if relu:
            g = aten.threshold_backward(g, y, 0)
        gradients.append((g.t() @ h_BD, g.sum(0)))
        return g @ weight

    return y, backward


def _dropout(h_BD: Tensor, p: float) -> tuple[Tensor, Backward]:
    """Each unit times 0, with probability p, or 1/(1-p)."""
    many = h_BD.numel() >= UNITS
    mask = keep(h_BD, p) if many else torch.rand_like(h_BD).ge_(p).mul_(1 / (1 - p))
    return h_BD * mask, lambda g: g * mask


def _cross_entropy(logits_BK: Tensor, y_B: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """The mean of -Σ y' log ŷ, y' = (1-ε) y + ε/K, and its gradient (ŷ - y')/B by the logits."""
    B, K = logits_BK.shape
    log_p_BK = torch.log_softmax(logits_BK, 1)
    g_BK = log_p_BK.exp()
    loss = torch.nn.functional.nll_loss(log_p_BK, y_B)
    if smoothing:
        loss = (1 - smoothing) * loss - smoothing / K * log_p_BK.sum() / B
        g_BK -= smoothing / K
    g_BK.scatter_add_(1, y_B[:, None], g_BK.new_full((B, 1), smoothing - 1)).div_(B)
    return loss, g_BK


class ByHand(torch.autograd.Function):
    """A loss whose gradients are made together with it, as autograd wants it."""

    @staticmethod
    def forward(ctx: Any, run: Any, *weights: Tensor) -> Tensor:
        loss, ctx.gradients = run()
        return loss

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[Tensor | None, ...]:
        # Handed over, not saved: what only autograd holds becomes a weight's .grad uncopied.
        gradients, ctx.gradients = ctx.gradients, None
        if gradients is None:
            raise RuntimeError("this loss can go backward once only")
        if grad[0].device.type != "cpu" or grad[0] != 1:  # else, as in `loss.backward()`, it is 1
            gradients = [tensor * grad[0] for tensor in gradients]
        return None, *gradients
