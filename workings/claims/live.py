"""A formula claim of a set, and what its sides are worth at random draws."""

import math
import time
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from workings.claims.declare import Reader, free_indices
from workings.claims.equations import System
from workings.claims.gradient import Point
from workings.claims.sets import Claim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.einstein import with_repeated_summed
from workings.formula.errors import Undefined
from workings.formula.evaluate import Budget, length_of

MOST_TRIES = 20  # draws that are looked at for some at which the left side has a value
MOST_ENTRIES = 20_000  # of a claim with free indices
LONGEST_SECONDS = 10.0  # for one claim

Drawn = tuple[Point, Tensor]
"""A draw, and what the left side is worth there."""


@dataclass
class LiveClaim:
    """One formula claim: its sides with every name looked up, and their values at draws."""

    reader: Reader
    system: System
    claim: Claim

    def __post_init__(self) -> None:
        self.written = self.reader.statement(self.claim.claim)
        names = self.system.names
        free = free_indices(self.written, names)
        self.written = with_repeated_summed(self.written, free, self.claim.claim)
        self.free = free_indices(self.written, names)
        self.names = replace(names, indices=self.free)
        self.until = time.monotonic() + LONGEST_SECONDS
        if isinstance(self.written.sides[0], f.Unsaid):
            raise WorkingsError(f"{self.title}: a formula was expected on the left side")
        self.sides = [self._resolved(side) for side in self.written.sides]
        self.system = self.system.for_formulas(self.sides)

    def _resolved(self, side: f.Node) -> f.Node:
        return side if isinstance(side, f.Unsaid) else self.names.resolve(side, self.claim.claim)

    @property
    def title(self) -> str:
        """What the claim is called in messages."""
        return self.claim.name or self.claim.claim

    def point(self, seed: int, more_steps: int = 0) -> Point:
        """The system at a random draw."""
        system = replace(self.system, steps=self.system.steps + more_steps)
        return Point(
            system,
            system.draw(seed),
            immediate=self.claim.partials == "immediate",
            only=self.claim.at == "step t only",
            denominator=self.claim.layout == "denominator",
            indices={self.names.time: system.steps} if self.names.time else {},
            until=self.until,
        )

    def points(self, first_seed: int, count: int, more_steps: int = 0) -> list[Drawn]:
        """Draws at which the left side has a finite value."""
        drawn: list[Drawn] = []
        why = ""
        for seed in range(first_seed, first_seed + MOST_TRIES):
            try:
                point = self.point(seed, more_steps)
                right = self.right(point)
            except Undefined as error:
                why = str(error)
                continue
            if torch.isfinite(right).all():
                drawn.append((point, right))
            if len(drawn) == count:
                return drawn
        reason = why or "it is not finite at random values"
        raise WorkingsError(f"{self.title}: the left side has no value: {reason}")

    def right(self, point: Point) -> Tensor:
        """What the left side really is."""
        return self.at_each(point, self.sides[0], checked=True)

    def at_each(self, point: Point, node: f.Node, checked: bool = False) -> Tensor:
        """The value; with free indices, one at each of their values, as a row or a matrix."""
        return self._over(point, node, list(self.free), checked)

    def _over(self, point: Point, node: f.Node, free: list[str], checked: bool) -> Tensor:
        if not free:
            if checked and isinstance(node, f.Derivative):
                gradient = point.checked(node)
                denominator = self.claim.layout == "denominator" and self.is_jacobian(point)
                return gradient.t() if denominator else gradient
            return point.value(node)
        name, *rest = free
        lengths = [length_of(each, self.sides, point.scope) for each in free]
        if math.prod(lengths) > MOST_ENTRIES:
            raise WorkingsError(
                f"{self.title}: {math.prod(lengths):,} entries to compare one by one; give smaller "
                "[sizes]"
            )
        columns = []
        for value in range(1, lengths[0] + 1):
            Budget(until=self.until).check()
            point.scope.indices[name] = value
            columns.append(self._over(point, node, rest, checked).reshape(-1))
        del point.scope.indices[name]
        return torch.stack(columns, 1)

    def is_jacobian(self, point: Point) -> bool:
        """Whether the left side is the derivative of something with several entries."""
        left = self.sides[0]
        return isinstance(left, f.Derivative) and point.value(left.of).numel() > 1
