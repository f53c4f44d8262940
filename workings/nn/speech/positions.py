"""Sinusoidal positions (Vaswani et al., 2017)."""

# T positions, D width

import functools
import math

import torch
from torch import Tensor


def sinusoids(start: int, length: int, width: int, like: Tensor) -> Tensor:
    """sin(t ω_i) in the first half of the width and cos(t ω_i) in the second, ω_i = 10000^{-2i/D}.

    For t = start … start + length - 1, of the type and on the device of `like`.

    Shapes: returns T×D.
    """
    size = 1 << (start + length - 1).bit_length()  # of the request alone: always the same numbers
    return _table(size, width, like.dtype, like.device)[start : start + length]


@functools.lru_cache(32)
def _table(length: int, width: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """The first positions, kept: a text is written token by token."""
    half = torch.arange(width // 2, dtype=torch.float64)
    frequencies = torch.exp(half * (-2 * math.log(10_000) / width))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], 1).to(device, dtype)
