"""Dropout, with a fresh mask everywhere or one mask for the whole window."""

# T time, B batch, D width

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def keep(like: Tensor, p: float) -> Tensor:
    """A mask of 0 with probability p (rounded to 2⁻³²) and 1/(1-p) otherwise.

    Two units are decided by one 64-bit random number: on a CPU about twice as fast as torch's
    bernoulli, which draws one number for each.
    """
    n = like.numel()
    drawn = torch.empty((n + 1) // 2, dtype=torch.int64, device=like.device).random_(-(2**63), None)
    mask = drawn.view(torch.int32)[:n] >= round(p * 2**32) - 2**31
    return mask.to(like.dtype).div_(1 - p).view(like.shape)


class Dropout(nn.Module):
    """Zero each unit with probability p and scale the rest by 1/(1-p), in training only.

    Locked: one mask of shape 1×B×D serves every step of the window (Gal and Ghahramani, 2016).

    Shapes: x_TBD, returns T×B×D.
    """

    def __init__(self, p: float, locked: bool = False) -> None:
        super().__init__()
        self.p, self.locked = p, locked

    def forward(self, x_TBD: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x_TBD
        if not self.locked:
            return F.dropout(x_TBD, self.p) if x_TBD.is_cuda else x_TBD * keep(x_TBD, self.p)
        return x_TBD * keep(x_TBD[:1], self.p)

    def extra_repr(self) -> str:
        return f"p={self.p}, locked={self.locked}"
