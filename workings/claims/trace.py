"""Watching formulas while they are computed: which side of a kink is taken, how rounding grows."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from workings.formula import nodes as f
from workings.formula.entries import under, values
from workings.formula.evaluate import Scope
from workings.formula.latex import latex

AT_ZERO = frozenset({"relu", "leakyrelu", "abs", "sign", "hinge", "step"})
"""functions of one number that have a kink or a jump at 0, in lower case"""
CHOICES = frozenset({"max", "min"})
EXACT = (f.Number, f.Size, f.Variable, f.Ones, f.Identity, f.Transpose, f.Negative, f.Index)
"""what is computed without rounding"""


@dataclass
class Branches:
    """Which sides of the kinks were taken: at one draw, or at all that were joined to it."""

    not_taken: dict[int, tuple[f.Node, set[str]]] = field(default_factory=dict)
    """every kinked function that was met, by its id, and its sides that were not"""

    def __call__(self, node: f.Node, value: Tensor, scope: Scope) -> Tensor:
        """Note the branch of a kinked function; the value stays as it is."""
        if isinstance(node, f.Condition):
            held = value.detach()
            self._note(node, {"true": (held > 0).any(), "false": (held == 0).any()})
        elif isinstance(node, f.Extreme) and not node.function.startswith("arg"):
            self._first_or_another(node, value, scope)
        if isinstance(node, f.Call) and not node.primes:
            name = node.function.lower().lstrip("\\")
            if name in AT_ZERO and len(node.arguments) == 1:
                x = scope.value(node.arguments[0]).detach()
                self._note(node, {"above 0": (x > 0).any(), "below 0": (x < 0).any()})
            elif name in CHOICES and len(node.arguments) == 1:
                x = scope.value(node.arguments[0]).detach().reshape(-1)
                is_first = x[0] == value.detach()
                self._note(node, {"the first chosen": is_first, "another chosen": ~is_first})
            elif name in CHOICES:
                self._choice(node, scope)
        return value

    def _first_or_another(self, node: f.Extreme, value: Tensor, scope: Scope) -> None:
        bound = node.ranges[0]
        indices = values(bound, node.body, scope)
        if len(node.ranges) > 1 or len(indices) < 2:
            return
        first = under(scope, bound.variable, indices[0], node.body).detach()
        is_first = (first == value.detach()).all()
        self._note(node, {"the first chosen": is_first, "another chosen": ~is_first})

    def _choice(self, node: f.Call, scope: Scope) -> None:
        values = [scope.value(argument).detach() for argument in node.arguments]
        if len(values) == 2 and (values[0].shape == values[1].shape or 1 in map(_count, values)):
            first, second = values
            first_is_larger, second_is_larger = (first > second).any(), (first < second).any()
            named = [latex(argument) for argument in node.arguments]
            self._note(
                node,
                {
                    f"{named[0]} > {named[1]}": first_is_larger,
                    f"{named[0]} < {named[1]}": second_is_larger,
                },
            )

    def _note(self, node: f.Node, branches: dict[str, Tensor]) -> None:
        _, missing = self.not_taken.setdefault(id(node), (node, set(branches)))
        missing.difference_update(name for name, is_taken in branches.items() if bool(is_taken))

    def join(self, other: "Branches") -> None:
        """Count the sides that were taken at another draw, once a verdict rests on it."""
        for key, (node, missing) in other.not_taken.items():
            _, known = self.not_taken.setdefault(key, (node, set(missing)))
            known.intersection_update(missing)

    def lacks(self, other: "Branches") -> bool:
        """Whether another draw takes a side that none here has taken."""
        return any(
            missing - other.not_taken[key][1]
            for key, (_, missing) in self.not_taken.items()
            if key in other.not_taken
        )

    @property
    def never(self) -> tuple[str, ...]:
        """The branches that no draw has taken, in words."""
        return tuple(
            f"{latex(_argument(node))} {name}" if name in ("above 0", "below 0") else
            f"{latex(node)} with {name}"
            for node, missing in self.not_taken.values()
            for name in sorted(missing)
        )  # fmt: skip

    @property
    def missing(self) -> int:
        """How many branches no draw has taken yet."""
        return sum(len(missing) for _, missing in self.not_taken.values())


def _argument(node: f.Node) -> f.Node:
    return node.arguments[0] if isinstance(node, f.Call) else node


def _count(x: Tensor) -> int:
    return x.numel()


LEVEL = 1e-10
"""the relative size of the noise, far above rounding and far below what a mistake makes"""


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
        return value * (1 + LEVEL * off * sign)
