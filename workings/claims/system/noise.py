"""How far rounding may move what a formula is worth, by noise on every value on the way."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from workings.claims.compare import EPSILON, SAFETY, TOLERANCE
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope

EXACT = (f.Number, f.Size, f.Variable, f.Ones, f.Identity, f.Transpose, f.Negative, f.Index)
"""what is computed without rounding"""
LEVEL = 1e-10
"""the relative size of the noise, far above rounding and far below what a mistake makes"""
ROUNDING = EPSILON / LEVEL * SAFETY
"""what a move by the noise is multiplied by, to be one that rounding may make"""
BY_FACTORISATION = frozenset({"pinv", "adj", "expm", "eig", "singular"})
"""functions whose rounding is relative to the largest entry: zeros of an inverse are not exact"""


@dataclass
class Noise:
    """Every intermediate value off by a little: how far the result moves says how far rounding may.

    Whole numbers are left alone, so that indices, bounds and exponents stay what they are.
    """

    generator: torch.Generator

    def __call__(self, node: f.Node, value: Tensor, scope: Scope) -> Tensor:
        """The value, each entry off by up to LEVEL of itself."""
        if isinstance(node, EXACT) or (value.numel() == 1 and float(value.detach()).is_integer()):
            return value
        off = torch.rand(value.shape, generator=self.generator, dtype=torch.float64) + 0.5
        sign = torch.randint(0, 2, value.shape, generator=self.generator) * 2 - 1
        if _is_factorised(node) and value.ndim == 2 and 1 < len(value) == value.shape[1]:
            noisy = value + LEVEL * off * sign * value.detach().abs().max()
        else:
            noisy = value * (1 + LEVEL * off * sign)
        if noisy.requires_grad:  # of its own, as what autograd multiplies by is rounded too
            back = torch.rand(value.shape, generator=self.generator, dtype=torch.float64) * 2 - 1
            noisy = _multiplied_on_the_way_back(noisy, 1 + LEVEL * back)
        return noisy


def _multiplied_on_the_way_back(value: Tensor, factors: Tensor) -> Tensor:
    """The same value, whose gradient is multiplied by these factors."""
    return value * factors + (value * (1 - factors)).detach()


def moved_by_rounding(value: Tensor, noisy: Callable[[Noise], Tensor], tries: int) -> Tensor:
    """How far rounding may have moved each entry of a value; inf where it decides the value.

    noisy: computes the value again with this noise on the way.
    """
    moved = LEVEL * value.abs()
    seen = False
    for number in range(tries):
        try:
            other = noisy(Noise(torch.Generator().manual_seed(number)))
        except Undefined:
            continue  # the noise has taken away what it needs: a whole number, a sign
        if other.shape != value.shape:
            continue
        if not torch.isfinite(other).all():  # log(1 - p), where p is 1 but for rounding
            return torch.full_like(value, math.inf)
        moved = torch.maximum(moved, (other - value).abs())
        seen = True
    return moved * ROUNDING if seen else TOLERANCE * value.abs().max().expand_as(value)


def _is_factorised(node: f.Node) -> bool:
    """Whether it may be computed by a factorisation of a matrix: an inverse, a root, e^A."""
    if isinstance(node, f.Power):
        return not (isinstance(node.exponent, f.Number) and node.exponent.value > 0)
    called = node.function if isinstance(node, f.Call) else ""
    return called in BY_FACTORISATION or called.startswith("matrix ")
