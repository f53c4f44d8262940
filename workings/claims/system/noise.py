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


class Rounding:
    """How far rounding may have moved each entry of a value, by computing it again with noise.

    What one try shows may be enough; each further one can only show that it moves farther.

    noisy: computes the value again with this noise on the way; tries: how often at the most.
    """

    def __init__(self, value: Tensor, noisy: Callable[[Noise], Tensor], tries: int) -> None:
        self.value, self.noisy, self.tries = value, noisy, tries
        self.tried = 0
        self.seen = False
        self.farthest = LEVEL * value.abs()

    def moved(self, thoroughly: bool = True) -> Tensor:
        """How far, after one try or after all of them; inf where rounding decides the value."""
        while self.tried < (self.tries if thoroughly else 1):
            self._try()
        if not self.seen:
            return TOLERANCE * self.value.abs().max().expand_as(self.value)
        return self.farthest * ROUNDING

    def _try(self) -> None:
        self.tried += 1
        try:
            other = self.noisy(Noise(torch.Generator().manual_seed(self.tried - 1)))
        except Undefined:
            return  # the noise has taken away what it needs: a whole number, a sign
        if other.shape != self.value.shape:
            return
        self.seen = True
        if torch.isfinite(other).all():
            self.farthest = torch.maximum(self.farthest, (other - self.value).abs())
        else:  # log(1 - p), where p is 1 but for rounding
            self.farthest = torch.full_like(self.value, math.inf)
            self.tried = self.tries


def _is_factorised(node: f.Node) -> bool:
    """Whether it may be computed by a factorisation of a matrix: an inverse, a root, e^A."""
    if isinstance(node, f.Power):
        return not (isinstance(node.exponent, f.Number) and node.exponent.value > 0)
    called = node.function if isinstance(node, f.Call) else ""
    return called in BY_FACTORISATION or called.startswith("matrix ")
