"""Sinusoidal positions (Vaswani et al., 2017)."""

# T positions, D width

import math

import torch
from torch import Tensor


def sinusoids(start: int, length: int, width: int, like: Tensor) -> Tensor:
    """sin(t ω_i) in the first half of the width and cos(t ω_i) in the second, ω_i = 10000^{-2i/D}.

    For t = start … start + length - 1, of the type and on the device of `like`.

    Shapes: returns T×D.
    """
    half = torch.arange(width // 2, dtype=torch.float64)
    frequencies = torch.exp(half * (-2 * math.log(10_000) / width))
    angles = torch.arange(start, start + length, dtype=torch.float64)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], 1).to(like)
