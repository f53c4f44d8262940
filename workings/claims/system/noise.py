"""How far rounding may move what a formula is worth, by noise on every value on the way."""

from dataclasses import dataclass

import torch
from torch import Tensor

from workings.formula import nodes as f
from workings.formula.evaluation.evaluate import Scope

EXACT = (f.Number, f.Size, f.Variable, f.Ones, f.Identity, f.Transpose, f.Negative, f.Index)
"""what is computed without rounding"""
LEVEL = 1e-10
"""the relative size of the noise, far above rounding and far below what a mistake makes"""
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
            return value + LEVEL * off * sign * value.detach().abs().max()
        return value * (1 + LEVEL * off * sign)


def _is_factorised(node: f.Node) -> bool:
    """Whether it may be computed by a factorisation of a matrix: an inverse, a root, e^A."""
    if isinstance(node, f.Power):
        return not (isinstance(node.exponent, f.Number) and node.exponent.value > 0)
    called = node.function if isinstance(node, f.Call) else ""
    return called in BY_FACTORISATION or called.startswith("matrix ")
