"""The product of three tensors that a bilinear layer is: one slice of it, and how many there are.

PyTorch takes such a product slice by slice along one dimension, the layer's outputs, and all slices
do the same work.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from workings.cost.counts.products import Arguments


def result(args: Arguments) -> Tensor:
    """What the product gives on the meta device."""
    lengths, summed = _lengths(args), args[6]
    shape = [length for d, length in enumerate(lengths) if d not in _positive(summed, len(lengths))]
    return torch.empty(shape, dtype=args[0].dtype, device="meta")


def one_slice(args: Arguments) -> tuple[Arguments, int]:
    """The arguments of the first slice, and the number of slices."""
    lengths = _lengths(args)
    along = args[7] % len(lengths) if len(args) > 7 else 1
    factors = []
    for factor, lacking in zip(args[:3], args[3:6], strict=True):
        lacks = _positive(lacking, len(lengths))
        if along not in lacks and lengths[along]:
            place = along - sum(d < along for d in lacks)
            factor = factor.narrow(place, 0, 1)
        factors.append(factor)
    return (*factors, *args[3:]), lengths[along]


def _lengths(args: Arguments) -> list[int]:
    """Of all dimensions; each factor comes with those that it lacks, and is repeated in them."""
    factors, lacking = args[:3], args[3:6]
    rank = args[0].dim() + len(args[3])
    lengths = [1] * rank
    for factor, lacks in zip(factors, lacking, strict=True):
        has = (d for d in range(rank) if d not in _positive(lacks, rank))
        for dimension, length in zip(has, factor.shape, strict=True):
            lengths[dimension] = length
    return lengths


def _positive(dimensions: Sequence[int], rank: int) -> list[int]:
    return [d % rank for d in dimensions]
