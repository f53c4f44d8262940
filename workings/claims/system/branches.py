"""Kinks (relu, |x|, max, hinge): which of their sides a draw takes, alone and with others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from torch import Tensor

from workings.formula import nodes as f
from workings.formula.evaluation.activations import KINKS
from workings.formula.evaluation.entries import under, values
from workings.formula.evaluation.evaluate import Scope
from workings.formula.printing.latex import latex

CHOICES = frozenset({"max", "min"})
BOUNDED = frozenset({"clip", "clamp"})
LARGEST = 1e60  # whose products with itself are still finite
MOST_KINKS = 12  # that are looked at in pairs

Sides = Mapping[str, Tensor]
"""by the name of a side: where it was taken, as truth values"""


@dataclass
class Branches:
    """Which sides of the kinks were taken: at one draw, or at all that were joined to it.

    Two kinks are looked at together, too: `|relu(z) - y|` may have both signs inside its bars and
    `z` as well, and yet never a negative inside where `z` is positive.
    """

    not_taken: dict[str, set[str]] = field(default_factory=dict)
    """every kink that was met, as it is written, and its sides that were not taken, in words"""
    not_together: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=dict)
    """every pair of kinks, and the pairs of their sides that no entry has taken"""
    is_extreme: bool = False
    """whether a function or power was so large that autograd may overflow on its way back"""
    latest: dict[str, Sides] = field(default_factory=dict)
    """where the sides of each kink were taken when it was last computed, at this draw"""

    def __call__(self, node: f.Node, value: Tensor, scope: Scope) -> Tensor:
        """Note the branch of a kinked function; the value stays as it is."""
        if isinstance(node, f.Call | f.Power) and bool((value.detach().abs() > LARGEST).any()):
            self.is_extreme = True
        if isinstance(node, f.Condition):
            held, shown = value.detach(), latex(node)
            sides = {f"{shown} with true": held > 0, f"{shown} with false": held == 0}
            self._note(shown, sides)
        elif isinstance(node, f.Extreme) and not node.function.startswith("arg"):
            self._first_or_another(node, value, scope)
        elif isinstance(node, f.Call):
            name = node.function.lower().lstrip("\\")
            if name in KINKS:
                self._at_kinks(node, KINKS[name], scope)
            elif name in BOUNDED and len(node.arguments) == 3:
                self._between(node, scope)
            elif name in CHOICES and not node.primes:
                self._choice(node, value, scope)
        return value

    def _at_kinks(self, node: f.Call, kinks: Sequence[float], scope: Scope) -> None:
        x, shown = scope.value(node.arguments[0]).detach(), latex(node.arguments[0])
        for kink in kinks:
            sides = {f"{shown} above {kink:g}": x > kink, f"{shown} below {kink:g}": x < kink}
            self._note(shown if not kink else f"{shown} at {kink:g}", sides)

    def _between(self, node: f.Call, scope: Scope) -> None:
        x, low, high = (scope.value(argument).detach() for argument in node.arguments)
        shown, least, most = map(latex, node.arguments)
        if _fit(x, low) and _fit(x, high):
            below = {f"{shown} > {least}": x > low, f"{shown} < {least}": x < low}
            above = {f"{shown} < {most}": x < high, f"{shown} > {most}": x > high}
            self._note(f"{latex(node)} below", below)
            self._note(f"{latex(node)} above", above)

    def _first_or_another(self, node: f.Extreme, value: Tensor, scope: Scope) -> None:
        bound = node.ranges[0]
        indices = values(bound, node.body, scope)
        if len(node.ranges) > 1 or len(indices) < 2:
            return
        first = under(scope, bound.variable, indices[0], node.body).detach()
        self._note_first(node, (first == value.detach()).all())

    def _choice(self, node: f.Call, value: Tensor, scope: Scope) -> None:
        arguments = [scope.value(argument).detach() for argument in node.arguments]
        if len(arguments) == 1:
            self._note_first(node, arguments[0].reshape(-1)[0] == value.detach())
        elif len(arguments) == 2 and _fit(*arguments):
            (first, second), (a, b) = arguments, map(latex, node.arguments)
            shown = latex(node)
            sides = {f"{a} > {b}": first > second, f"{a} < {b}": first < second}
            self._note(shown, {f"{shown} with {name}": side for name, side in sides.items()})

    def _note_first(self, node: f.Node, is_first: Tensor) -> None:
        shown = latex(node)
        chosen = {"the first chosen": is_first, "another chosen": ~is_first}
        self._note(shown, {f"{shown} with {name}": side for name, side in chosen.items()})

    def _note(self, kink: str, sides: Sides) -> None:
        missing = self.not_taken.setdefault(kink, set(sides))
        missing.difference_update(name for name, taken in sides.items() if bool(taken.any()))
        self.latest[kink] = sides
        if len(self.latest) > MOST_KINKS:
            return
        for other, others in self.latest.items():
            if other != kink and _fit(*next(zip(sides.values(), others.values(), strict=True))):
                self._note_pair(*sorted([(kink, sides), (other, others)], key=lambda each: each[0]))

    def _note_pair(self, first: tuple[str, Sides], second: tuple[str, Sides]) -> None:
        pairs = set(product(first[1], second[1]))
        missing = self.not_together.setdefault((first[0], second[0]), pairs)
        missing.difference_update(
            (a, b) for a, b in list(missing) if bool((first[1][a] & second[1][b]).any())
        )

    def join(self, other: "Branches") -> None:
        """Count the sides that were taken at another draw, once a verdict rests on it."""
        for kink, missing in other.not_taken.items():
            self.not_taken.setdefault(kink, set(missing)).intersection_update(missing)
        for pair, lacking in other.not_together.items():
            self.not_together.setdefault(pair, set(lacking)).intersection_update(lacking)

    def lacks(self, other: "Branches") -> bool:
        """Whether another draw takes a side, or two together, that none here has taken."""
        alone = (
            missing - other.not_taken[kink]
            for kink, missing in self.not_taken.items()
            if kink in other.not_taken
        )
        together = (
            missing - other.not_together[pair]
            for pair, missing in self.not_together.items()
            if pair in other.not_together
        )
        return any(map(bool, alone)) or any(map(bool, together))

    @property
    def never(self) -> tuple[str, ...]:
        """The sides that no draw has taken, in words. (Two may exclude each other: not told.)"""
        return tuple(side for missing in self.not_taken.values() for side in sorted(missing))

    @property
    def missing(self) -> int:
        """How many sides, and pairs of sides, no draw has taken yet."""
        return sum(map(len, self.not_taken.values())) + sum(map(len, self.not_together.values()))


def _fit(a: Tensor, b: Tensor) -> bool:
    """Whether their entries belong together."""
    return a.shape == b.shape or 1 in (a.numel(), b.numel())
