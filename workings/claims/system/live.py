"""A formula claim of a set, and what its sides are worth at random draws."""

import copy
import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor

from workings.claims.sets import Claim
from workings.claims.system.branches import Branches
from workings.claims.system.claim_trees import index_depth, may_invert, steps_ahead, whole_of
from workings.claims.system.declare import Reader
from workings.claims.system.draws import PLAIN, SMALL, Drawn, Plan
from workings.claims.system.equations import Style, System
from workings.claims.system.gradient import Layout, Point, is_matrix
from workings.claims.system.left_sides import free_indices
from workings.claims.system.noise import Noise, Rounding
from workings.claims.system.single_sizes import reads_otherwise
from workings.claims.system.structured import ByStructure
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import NotRead, Singular, Uncomputed, Undefined
from workings.formula.evaluation.budget import Budget, at_most, now
from workings.formula.evaluation.entries import length_of
from workings.formula.resolution.einstein import with_repeated_summed
from workings.formula.resolution.readings import read

MOST_TRIES = 20  # draws that are looked at for some at which the left side has a value
ANOTHER = 100_003  # between the seeds of these: prime, so that their sizes differ too
MOST_ENTRIES = 20_000  # of a claim with free indices
LONGEST_SECONDS = 14.0  # of this thread's work, for one claim
HURRY_SECONDS = 1.0  # of this thread's work, after which it takes fewer draws
SECONDS_FOR_A_REPAIR = 6.0
FEWEST_DRAWS = 3
MOST_INDICES = 4  # inside each other at sizes of the usual length
NOISY = 3  # evaluations with noise, to see how far rounding may go
SEED = 1

_TOTAL = re.compile(
    r"\\d?t?frac\s*\{\s*(?:d|\\mathrm\s*\{?\s*d\s*\}?)\s*[a-zA-Z\\]*\s*\}\s*\{\s*(?:d|\\mathrm)"
)
"""of a total derivative, dz/dx"""


@dataclass
class LiveClaim:
    """One formula claim: its sides with every name looked up, and their values at draws."""

    reader: Reader
    system: System
    claim: Claim
    seed: int = SEED
    layout: Layout = Layout.ROWS
    branches: Branches = field(default_factory=Branches)
    """the sides of kinks at the draws that the verdict rests on, where something is not 0"""
    all_branches: Branches = field(default_factory=Branches)
    """the same where all may be 0: by a side that is flat, or because all else vanishes there"""
    is_restricted: bool = False
    """whether draws were left out at which an inverse does not exist"""
    is_uncomputed: bool = False
    """whether the left side has a value at some draw that is not computed here"""
    by_structure: ByStructure = ByStructure.FREELY
    """what a derivative by a symmetric or diagonal matrix on the left is"""
    watches: bool = True
    """whether the sides of kinks are noted"""

    def __post_init__(self) -> None:
        self.written = self.reader.statement(self.claim.claim)
        if r"\partial" in self.claim.claim and _TOTAL.search(self.claim.claim):
            message = "d and ∂ in one formula: what is held constant is not clear"
            raise NotRead(self.claim.claim, 0, message, "write only one of them")
        names = self.system.names
        free = free_indices(self.written, names)
        self.written = with_repeated_summed(self.written, free, self.claim.claim)
        self.free = free_indices(self.written, names)
        self.names = replace(names, indices=self.free)
        self.until = at_most(now() + LONGEST_SECONDS)
        self.hurries_from = now() + HURRY_SECONDS
        if isinstance(self.written.sides[0], f.Unsaid):
            raise WorkingsError(f"{self.title}: a formula was expected on the left side")
        likeliest, _ = read(self.written, self.claim.claim, self.names)
        self.notes = likeliest.notes
        self.sides = [self._prepared(side) for side in likeliest.statement.sides]
        self.whole_system = self.system
        self.system = self.system.for_formulas(self.sides)
        self.ahead = max(
            (steps_ahead(part) for side in self.sides for part in side.walk()), default=0
        )
        if self.ahead:  # ∂L/∂h_t by ∂L/∂h_{t+1}: t is a step before the last
            self.system = replace(self.system, last=frozenset())
        for equation in self.system.equations:
            if equation.not_read:
                raise NotRead(
                    equation.text,
                    0,
                    f"its equation was not read: {equation.not_read.splitlines()[0]}",
                )

    def _prepared(self, side: f.Node) -> f.Node:
        if isinstance(side, f.Unsaid):
            return side
        node = self.reader.with_derivatives(self.reader.with_powers(side))
        for part in node.walk():
            if isinstance(part, f.Derivative) and not isinstance(whole_of(part.wrt), f.Reference):
                raise NotRead(self.claim.claim, 0, "a derivative by a derivative is not computed")
            if isinstance(part, f.Unsaid) and part.text not in ("∞", "F", "*", ":"):
                shown = part.text or "an empty place"
                raise NotRead(self.claim.claim, 0, f"{shown} cannot be computed; write it out")
        return node

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The sizes that matter to the claim: of its symbols, and those that stand in formulas."""
        formulas = (*self.sides, *(equation.body for equation in self.system.equations))
        named = {part.name for side in formulas for part in side.walk() if isinstance(part, f.Size)}
        sides = [text for symbol in self.system.symbols.values() for text in symbol.sides]
        words = {word for text in sides for word in re.findall(r"[^\W\d]\w*", text)}
        return frozenset(named | (words & set(self.names.sizes)))

    @cached_property
    def is_deep(self) -> bool:
        """Whether so many indices run inside each other that small sizes must do."""
        depth = max((index_depth(side) for side in self.sides), default=0)
        return len(self.free) > 2 or len(self.free) + depth > MOST_INDICES

    @property
    def title(self) -> str:
        """What the claim is called in messages."""
        return self.claim.name or self.claim.claim

    @property
    def hurries(self) -> bool:
        """Whether so much time has gone that only what is needed is still done."""
        return now() > self.hurries_from

    def in_layout(self, layout: Layout) -> "LiveClaim":
        """The same claim with derivatives of another shape."""
        other = copy.copy(self)
        other.layout = layout
        return other

    def unwatched(self) -> "LiveClaim":
        """The same claim for trying other formulas, whose branches are not of interest."""
        other = copy.copy(self)
        other.watches = False
        return other

    def read_again(self, formula: str) -> "LiveClaim":
        """Another formula in place of the claim's, read from its text."""
        claim = self.claim.model_copy(update={"claim": formula})
        other = LiveClaim(self.reader, self.whole_system, claim, self.seed, self.layout)
        other.until = self.until_repaired
        return other

    @property
    def until_repaired(self) -> float:
        """When to give up a repair: however long the verdict took, there is some time for it."""
        return at_most(max(self.until, now() + SECONDS_FOR_A_REPAIR))

    # Draws

    def point(self, number: int, style: Style | None = None, more_steps: int = 0) -> Point:
        """The system at a random draw; undefined where a size of 1 makes formulas mean others."""
        system = replace(self.system, steps=self.system.steps + more_steps)
        draw = system.draw(self.seed + number, style)
        free = {name: size for name, size in draw.sizes.items() if name not in system.sizes}
        formulas = (*self.sides, *(equation.body for equation in system.equations))
        if 1 in free.values() and reads_otherwise(
            formulas, system.symbols, self.names.shapes, draw.sizes
        ):
            raise Undefined("a matrix with one row or column is taken for a vector")
        return Point(
            system,
            draw,
            immediate=self.claim.partials == "immediate",
            only=self.claim.at == "step t only",
            layout=self.layout,
            indices={self.names.time: system.steps - self.ahead} if self.names.time else {},
            until=self.until,
            trace=Branches() if self.watches else None,
        )

    def drawn(self, plan: Plan = PLAIN, more_steps: int = 0) -> list[Drawn]:
        """The draws of a plan at which the left side has a finite value; there must be some."""
        draws, why = self.tried(plan, more_steps)
        if not draws:
            raise Undecided(f"{self.title}: the left side has no value: {why}")
        return draws

    def tried(self, plan: Plan, more_steps: int = 0) -> tuple[list[Drawn], str]:
        """The draws at which the left side has a finite value, and why others have none."""
        draws: list[Drawn] = []
        why = ""
        for number, style in plan:
            if len(draws) >= FEWEST_DRAWS and self.hurries:
                break
            if (self.hurries or self.is_deep) and style.is_plain:  # sums over sums grow
                style = replace(style, sizes=SMALL)
            for again in range(MOST_TRIES if style.is_plain else 3):
                try:
                    point = self.point(number + ANOTHER * again, style, more_steps)
                    right = self.right(point)
                    self._check_inverses(point)
                except Undefined as error:
                    self.is_restricted = self.is_restricted or isinstance(error, Singular)
                    self.is_uncomputed = self.is_uncomputed or isinstance(error, Uncomputed)
                    why = why or str(error)
                    continue
                except WorkingsError:
                    if style.is_plain:
                        raise
                    continue  # a side of n - 1, say, where n is 1
                if torch.isfinite(right).all():
                    draws.append(Drawn(point, right))
                    break
                why = why or "it is not finite at random values"
            if style.is_plain and not draws:
                break
        return draws, why

    def _check_inverses(self, point: Point) -> None:
        """Refuse a draw at which an inverse on the right side does not exist."""
        bodies = [equation.body for equation in self.system.equations]
        formulas = (*self.sides[1:], *bodies)
        if not any(may_invert(part) for formula in formulas for part in formula.walk()):
            return
        for side in self.sides[1:]:
            try:
                self.at_each(point, side)
            except Singular:
                raise
            except (Undefined, WorkingsError):
                continue  # which is judged later

    def right(self, point: Point) -> Tensor:
        """What the left side really is."""
        left = self.sides[0]
        if isinstance(left, f.Derivative):
            self.at_each(point, left.of)  # so that the branches it takes are seen
        return self.at_each(point, left, as_left=True)

    # Values

    def at_each(self, point: Point, node: f.Node, as_left: bool = False) -> Tensor:
        """The value; with free indices, one at each of their values, as a row or a matrix."""
        return self._over(point, node, list(self.free), as_left)

    def _over(self, point: Point, node: f.Node, free: list[str], as_left: bool) -> Tensor:
        if not free:
            if not as_left or not isinstance(node, f.Derivative):
                return point.value(node)
            gradient = point.checked(node, numerically=not isinstance(point.trace, Noise))
            if self.by_structure is not ByStructure.FREELY:
                return self.by_structure.applied(gradient)
            transposed = self.layout is Layout.COLUMNS and self.is_jacobian(point)
            return gradient.t() if transposed else gradient
        name, *rest = free
        lengths = [length_of(each, self.sides, point.scope) for each in free]
        if math.prod(lengths) > MOST_ENTRIES:
            raise WorkingsError(
                f"{self.title}: {math.prod(lengths):,} entries to compare one by one; give smaller "
                "[sizes]"
            )
        columns = []
        try:
            for value in range(1, lengths[0] + 1):
                Budget(until=self.until).check()
                point.scope.indices[name] = value
                columns.append(self._over(point, node, rest, as_left).reshape(-1))
        finally:
            point.scope.indices.pop(name, None)
        return torch.stack(columns, 1)

    def is_jacobian(self, point: Point) -> bool:
        """Whether the left side is the derivative of something with several entries."""
        left = self.sides[0]
        if self.free or not isinstance(left, f.Derivative):
            return False
        of = point.value(left.of)
        if is_matrix(of) and point.scope.value(left.wrt).numel() == 1:
            return False  # of each entry in its place
        return of.numel() > 1

    def rounding(
        self, point: Point, node: f.Node, value: Tensor, as_left: bool = False
    ) -> Rounding:
        """How far rounding may have moved each entry of a value at a point."""

        def noisy(noise: Noise) -> Tensor:
            return self.at_each(replace(point, trace=noise, seen={}), node, as_left)

        return Rounding(value, noisy, 2 if self.hurries else NOISY)


class Undecided(WorkingsError):
    """A claim that is understood, and of which nothing can be said."""
