"""Dropout, with a fresh mask everywhere or one mask for the whole window."""

# T time, B batch, D width

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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
            return F.dropout(x_TBD, self.p)
        keep_1BD = torch.empty_like(x_TBD[:1]).bernoulli_(1 - self.p).div_(1 - self.p)
        return x_TBD * keep_1BD

    def extra_repr(self) -> str:
        return f"p={self.p}, locked={self.locked}"
