"""Convolution, pooling and ReLU in one: a single matrix product over the patches of an image."""

# B batch, C channels in, M channels out, H height, W width; h, w those after the layer
# k side of the kernel, p side of a patch, K = C·p·p its pixels, N = B·h·w patches

import functools
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

Gradients = tuple[Tensor | None, Tensor, Tensor]  # by input, weight and bias


def conv_pool_relu(
    x_BCHW: Tensor, w_MCkk: Tensor, b_M: Tensor, stride: int, padding: int, pooled: bool
) -> tuple[Tensor, Callable[[Tensor, bool], Gradients]]:
    """relu(conv2d(x, w, b, stride, padding)), then max_pool2d(…, 2) if pooled; and its backward.

    A patch is all that one pixel of the result depends on. With pooling (which goes with a stride
    of 1), that is four convolutions: four rows of one matrix W' for every channel, the kernel at
    another place in each (p = k + 1). z = W' x; m = the largest of the four z; y = relu(m + b). For
    few channels a general convolution is slow, and so is a general pooling.

    Backward: ∂E/∂m = ∂E/∂y ⊙ [y > 0]; ∂E/∂z is that for the largest z and 0 for the others (where
    several are the largest, as in even areas, each gets its share); ∂E/∂W' = ∂E/∂z xᵀ, added up
    over the places; ∂E/∂x = W'ᵀ ∂E/∂z, added up where patches overlap, if it is wanted.

    Shapes: x B×C×H×W, w M×C×k×k, b M; gives B×M×h×w, the channels outermost in memory.
    """
    C, k, M = x_BCHW.shape[1], w_MCkk.shape[2], len(w_MCkk)
    p, step = (k + 1, 2) if pooled else (k, stride)
    wide = F.pad(x_BCHW, (padding,) * 4) if padding else x_BCHW
    B, _, H, W = wide.shape
    h, w = (H - p) // step + 1, (W - p) // step + 1
    along_B, along_C, along_H, along_W = wide.stride()
    patches = wide.as_strided(
        (C, p, p, B, h, w), (along_C, along_H, along_W, along_B, step * along_H, step * along_W)
    )
    x_KN = patches.reshape(C * p * p, B * h * w)
    kernel = _spread(w_MCkk) if pooled else w_MCkk.reshape(M, -1)
    z = kernel @ x_KN
    z_M4N = z.view(M, 4, -1) if pooled else z
    m_MN = z_M4N.amax(1) if pooled else z
    y_MN = torch.add(m_MN, b_M[:, None]).clamp_min_(0)

    def backward(g_BMhw: Tensor, by_x: bool) -> Gradients:
        g_MN = g_BMhw.transpose(0, 1).reshape(M, -1)
        dz = g_MN = torch.ops.aten.threshold_backward(g_MN, y_MN, 0)
        if pooled:
            # As numbers: a product with bools would be slow.
            largest_M4N = torch.eq(z_M4N, m_MN[:, None], out=torch.empty_like(z_M4N))
            dz = largest_M4N.mul_((g_MN / largest_M4N.sum(1))[:, None]).view(4 * M, -1)
        dw = dz @ x_KN.t()
        dw_MCkk = _gather(dw, M, C, k) if pooled else dw.view(w_MCkk.shape)
        dx_BCHW = None
        if by_x:
            wide = _fold((kernel.t() @ dz).view(C, p * p, B, h * w), h, w, p, step)
            # Cut the padding off, and put on the rows and columns that no patch has reached.
            missing = H - wide.shape[2] - padding, W - wide.shape[3] - padding
            dx_BCHW = F.pad(wide, (-padding, missing[1], -padding, missing[0])).transpose(0, 1)
        return dx_BCHW, dw_MCkk, g_MN.sum(1)

    return y_MN.view(M, B, h, w).transpose(0, 1), backward


def _fold(dx_CKBN: Tensor, h: int, w: int, p: int, step: int) -> Tensor:
    """The sum of overlapping patches, C×B×H×W."""
    C, _, B, _ = dx_CKBN.shape
    patches = dx_CKBN.transpose(1, 2).reshape(C, B * p * p, h * w)
    return F.fold(patches, ((h - 1) * step + p, (w - 1) * step + p), p, stride=step)


@functools.cache
def _places(k: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """What puts a kernel's k² weights at the four places in a patch, (k·k)×(4·p·p) of 0 and 1."""
    places = torch.zeros(k, k, 2, 2, k + 1, k + 1, dtype=dtype, device=device)
    for i in range(2):
        for j in range(2):
            for row in range(k):
                for column in range(k):
                    places[row, column, i, j, i + row, j + column] = 1
    return places.view(k * k, -1)


def _spread(w_MCkk: Tensor) -> Tensor:
    """The kernel at each of the four places within a patch, (M·4)×K."""
    M, C, k, _ = w_MCkk.shape
    spread = w_MCkk.reshape(M * C, k * k) @ _places(k, w_MCkk.dtype, w_MCkk.device)
    return spread.view(M, C, 4, -1).transpose(1, 2).reshape(4 * M, -1)


def _gather(spread: Tensor, M: int, C: int, k: int) -> Tensor:
    """The sum over the four places, back as a kernel M×C×k×k."""
    at_places = spread.view(M, 4, C, -1).transpose(1, 2).reshape(M * C, -1)
    return (at_places @ _places(k, spread.dtype, spread.device).t()).view(M, C, k, k)
