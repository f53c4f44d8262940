"""How the time of an attention layer grows with the length of its text."""

import math
import statistics
import time
from typing import TypedDict

import torch
from torch import nn

from workings.errors import WorkingsError
from workings.nn.attention.softmax import Attention
from workings.nn.attention.taylor.layer import TaylorAttention


class Settings(TypedDict):
    """Which attention is timed, and at which lengths."""

    kind: str
    order: int
    width: int
    heads: int
    shortest: int
    longest: int
    repeats: int


SETTINGS: Settings = {
    "kind": "softmax",
    "order": 2,
    "width": 64,
    "heads": 4,
    "shortest": 256,
    "longest": 4096,
    "repeats": 5,
}


def layer(settings: Settings) -> nn.Module:
    """Build the attention layer that the settings ask for."""
    width, heads = settings["width"], settings["heads"]
    if settings["kind"] == "softmax":
        return Attention(width, heads, causal=True)
    if settings["kind"] == "taylor":
        return TaylorAttention(width, heads, causal=True, order=settings["order"])
    raise WorkingsError(f"set: kind: no attention {settings['kind']!r}; softmax or taylor")


def lengths(settings: Settings) -> list[int]:
    """Return the lengths, doubling from the shortest to the longest."""
    shortest, longest = settings["shortest"], settings["longest"]
    if not 1 <= shortest <= longest:
        raise WorkingsError(f"set: shortest: must be from 1 to longest (got {shortest}, {longest})")
    return [shortest << n for n in range(int(math.log2(longest / shortest)) + 1)]


def seconds(settings: Settings) -> tuple[list[tuple[int, float]], int]:
    """Time a forward and backward pass by length, the median of the repeats; count parameters."""
    module = layer(settings)
    by_length = []
    for length in lengths(settings):
        x = torch.randn(1, length, settings["width"], requires_grad=True)
        times = []
        for _ in range(1 + settings["repeats"]):
            began = time.perf_counter()
            module(x).sum().backward()
            times.append(time.perf_counter() - began)
        by_length.append((length, statistics.median(times[1:])))
    return by_length, sum(p.numel() for p in module.parameters())


def exponent(by_length: list[tuple[int, float]]) -> float:
    """Fit the slope of log time by log length over the upper half of the lengths."""
    upper = by_length[len(by_length) // 2 :] if len(by_length) > 2 else by_length
    if len(upper) < 2:
        return math.nan
    x = [math.log(length) for length, _ in upper]
    y = [math.log(time_) for _, time_ in upper]
    return statistics.linear_regression(x, y).slope
