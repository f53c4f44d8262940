"""Exact formulas from counts: interpolated on a grid of sizes, proven at sizes off the grid.

A count that is no polynomial is tried as one in rounded quotients of a size (a stride of 2 counts
by ⌈n/2⌉), then as one for each residue; if that fails too, there are numbers and no formula.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import NamedTuple

from workings.cost.counts.samples import Counter, Counts, Key, Refused, Samples
from workings.cost.format import sizes_text
from workings.cost.recovery.axis import Axis, degree, periodic, powers
from workings.cost.recovery.count_formula import CountFormula, Piece
from workings.cost.recovery.grid import PROBES, Grid
from workings.cost.recovery.interpolate import interpolate
from workings.cost.recovery.rounded import Rounded, pieces_of
from workings.cost.recovery.special_sizes import with_special_sizes
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes

LENGTHS = (24, 64, 136, 264, 520)  # sizes in a row, where eight show no polynomial
DROPS = (6, 30)  # of the first ones, which a module may treat by themselves; then half of them
MOST_SECONDS = 3.0  # of this thread's work on one symbol, after which no more sizes are counted
LONGEST_PERIOD = 8  # of a size whose residues have a polynomial each
PIECES = 16  # for residues of several sizes
MOST_PIECES = 1024  # that a formula in rounded quotients comes apart into
MOST_RAISED = 2  # degrees more than were seen, where terms vanish at the sizes of the others
PROOFS = 4  # held-out sizes below which nothing is called proven


class Recovered(NamedTuple):
    """A formula for each key of the counts."""

    formulas: dict[Key, CountFormula]
    grid: Grid  # the one they were fitted on


def recover(
    count: Counter,
    grids: Iterable[Grid],
    is_wanted: Callable[[Key], bool] = lambda key: True,
    changes: Mapping[str, int] | None = None,
) -> Recovered:
    """A formula for each key of the counts, on the first grid whose sizes are all accepted.

    is_wanted: which keys are worth one, asked when some sizes of every symbol have been counted.
    changes: sizes from which on another formula is looked for than that of smaller ones.
    """
    refusal, unproven = "", None
    for grid in grids:
        try:
            recovery = _Recovery(Samples(count, grid.symbols), grid, changes or {})
            if recovery.can_prove:
                return Recovered(recovery.formulas(is_wanted), grid)
            unproven = unproven or recovery
        except Refused as error:
            refusal = refusal or str(error)
    if unproven is not None:
        return Recovered(unproven.formulas(is_wanted), unproven.grid)
    raise WorkingsError(f"cannot be built or run at any size tried; at {refusal}")


class _Recovery:
    def __init__(self, samples: Samples, grid: Grid, changes: Mapping[str, int]) -> None:
        self.samples, self.grid, self.changes = samples, grid, changes
        self.axes = {s: [self._along(s, v) for v in grid.values(s)] for s in grid.symbols}
        self.base = samples.required(grid.base)
        self.held_out = grid.held_out()
        self.spent = dict.fromkeys(grid.symbols, 0.0)
        self.known: dict[tuple[Hashable, ...], Axis | None] = {}

    @property
    def can_prove(self) -> bool:
        """Whether enough held-out sizes are accepted: else the grid was so by coincidence."""
        accepted = [sizes for sizes in self.held_out if self.samples(sizes) is not None]
        return len(accepted) >= PROOFS or not self.grid.symbols

    def _along(self, symbol: str, value: int) -> Counts:
        return self.samples.required({**self.grid.base, symbol: value})

    def formulas(self, is_wanted: Callable[[Key], bool]) -> dict[Key, CountFormula]:
        """A formula for each key that is wanted; none for what differs from count to count."""
        keys = dict.fromkeys(key for counts in self._all() for key in counts)
        again = self.samples.count(self.grid.base)
        return {
            key: self._formula(key)
            if self.base.get(key, 0) == again.get(key, 0)
            else self._numbers(key, "two counts at the same sizes differ")
            for key in keys
            if is_wanted(key)
        }

    def _all(self) -> Iterator[Counts]:
        yield self.base
        for sizes in self.held_out:
            yield self.samples(sizes) or {}

    def _formula(self, key: Key) -> CountFormula:
        reason = ""
        for shortest in (0, LENGTHS[2]):  # a few sizes may look like less than they are part of
            axes = self._shape(key, shortest)
            if isinstance(axes, str):
                reason = reason or axes
                continue
            # A term may vanish where the axes cross: then the degrees seen there are too low.
            for raised in range(MOST_RAISED + 1):
                tried = [self._higher(axis, raised) for axis in axes]
                try:
                    return self._proven(key, tried)
                except (_Unproven, Refused) as error:
                    reason = reason or str(error)
        return self._numbers(key, reason)

    def _higher(self, axis: Axis, by: int) -> Axis:
        """With so many degrees more."""
        if axis.rounded or axis.period > 1 or not by:
            return axis
        below = -min((power for term in axis.terms for _, power in term), default=0)
        values = self.grid.values(axis.symbol, max(PROBES, len(axis.nodes) + by))
        sizes = [v for v in values if v >= axis.since]
        wanted = len(axis.nodes) + by
        sizes = sizes if len(sizes) >= wanted else [*axis.nodes, *axis.more_nodes(by)]
        return powers(axis.symbol, sizes, wanted - 1, max(below, 0), axis.since)

    def _shape(self, key: Key, shortest: int) -> list[Axis] | str:
        """The count along every symbol, or why there is none."""
        axes = []
        for symbol in self.grid.symbols:
            axis = self._along_axis(key, symbol, shortest)
            if axis is None:
                return f"no polynomial in {symbol}, nor in rounded quotients of it"
            axes.append(axis)
        pieces = prod(axis.period for axis in axes)
        if pieces > PIECES:
            return f"no polynomial, but {pieces} of them, one for each residue of the sizes"
        return axes

    def _along_axis(self, key: Key, symbol: str, shortest: int) -> Axis | None:
        sizes = self.grid.values(symbol)
        counts = [c.get(key, 0) for c in self.axes[symbol]]
        inverse = (0, 1, 2) if symbol in self.grid.divisors else (0,)
        for power in () if symbol in self.changes else inverse:
            order = degree([c * v**power for c, v in zip(counts, sizes, strict=True)])
            if order is not None and not shortest:
                return powers(symbol, sizes, order, power)
        if symbol in self.grid.divisors:
            return None
        shortest = max(shortest, self._before_change(symbol))
        for length in (n for n in LENGTHS if n >= shortest):
            axis = self._in_a_row(key, symbol, self._row(symbol, length))
            if axis is not None:
                return axis
        return None

    def _before_change(self, symbol: str) -> int:
        """So many sizes as show a second change at the same distance, and a third."""
        first, second, *_ = self.grid.values(symbol)
        before = (self.changes.get(symbol, first) - first) // (second - first)
        return min(3 * before, LENGTHS[-1])

    def _row(self, symbol: str, length: int) -> list[int]:
        """Sizes in a row, from the one on at which the module changes."""
        sizes = self.grid.values(symbol, length)
        if symbol not in self.changes:
            return sizes
        step = sizes[1] - sizes[0]
        return [self.changes[symbol] + step * k for k in range(length)]

    def _in_a_row(self, key: Key, symbol: str, sizes: Sequence[int]) -> Axis | None:
        """What the counts at these sizes show, perhaps without the first of them."""
        began = time.thread_time()
        counts = []
        for size in sizes:
            if self.spent[symbol] + time.thread_time() - began > MOST_SECONDS:
                return None
            try:
                counts.append(self._along(symbol, size).get(key, 0))
            except Refused:
                return None
        self.spent[symbol] += time.thread_time() - began
        may_drop = len(sizes) >= LENGTHS[1] and symbol not in self.changes
        for drop in (0, *DROPS, len(sizes) // 2) if may_drop else (0,):
            seen = (symbol, sizes[drop], *counts[drop:])
            if seen not in self.known:
                self.known[seen] = periodic(symbol, sizes[drop:], counts[drop:])
            axis = self.known[seen]
            if axis is not None and axis.period <= LONGEST_PERIOD:
                return replace(axis, since=sizes[drop] if drop or symbol in self.changes else 0)
        return None

    def _proven(self, key: Key, axes: Sequence[Axis]) -> CountFormula:
        periods = [(axis.symbol, axis.period) for axis in axes if axis.period > 1]
        pieces, fitted = [], 0
        proven: list[Sizes] = []
        closed = None
        for residues in product(*(range(p) for _, p in periods)):
            classes = tuple((s, p, r) for (s, p), r in zip(periods, residues, strict=True))
            among = [self._of_residue(axis, classes) for axis in axes]
            polynomial, count = self._fit(key, among)
            proven += self._prove(key, polynomial, among, classes)
            parts = pieces_of(polynomial, _rounded(among), classes)
            closed = polynomial if _is_plainer(polynomial, parts) and not periods else None
            pieces += parts
            fitted += count
        if len(pieces) > MOST_PIECES:
            raise _Unproven(f"no polynomial, but {len(pieces)} of them")
        formula = CountFormula(tuple(pieces), fitted, tuple(proven), closed=closed)
        since = {axis.symbol: axis.since or self.grid.values(axis.symbol)[0] for axis in axes}
        return with_special_sizes(key, formula, self.samples, self.grid, since)

    def _of_residue(self, axis: Axis, classes: Sequence[tuple[str, int, int]]) -> Axis:
        """The axis of one residue's polynomial, where each has one."""
        for name, period, residue in classes:
            if name == axis.symbol:
                nodes = [v for v in axis.nodes if v % period == residue][: len(axis.terms)]
                return replace(axis, nodes=tuple(nodes), period=1)
        return axis

    def _fit(self, key: Key, axes: Sequence[Axis]) -> tuple[Polynomial, int]:
        """The sum of products of terms through a box of sizes."""
        symbols = self.grid.symbols
        points = list(product(*(axis.nodes for axis in axes)))
        values = [
            self.samples.required(dict(zip(symbols, point, strict=True))).get(key, 0)
            for point in points
        ]
        return interpolate(axes, values), len(points)

    def _prove(
        self,
        key: Key,
        polynomial: Polynomial,
        axes: Sequence[Axis],
        classes: Sequence[tuple[str, int, int]],
    ) -> list[Sizes]:
        """The held-out sizes of this class, at all of which the polynomial holds."""
        proven: list[Sizes] = []
        pieces = pieces_of(polynomial, _rounded(axes), ())
        cycle = max((each.divisor for each in _rounded(axes)), default=1)
        turned = product(self.held_out, range(min(cycle, PROBES)))
        related = self.grid.related(max((axis.since for axis in axes), default=0))
        for held_out, turn in [*turned, *((sizes, 0) for sizes in related)]:
            sizes = dict(held_out)
            for each in _rounded(axes):
                sizes[each.symbol] = held_out[each.symbol] + turn
            for symbol, period, residue in classes:
                sizes[symbol] += PROBES * period  # the grid goes further with a period
                sizes[symbol] += (residue - sizes[symbol]) % period
            for axis in axes:
                unit = self.grid.units.get(axis.symbol, 1)
                if held_out not in related:  # for a formula of larger sizes
                    sizes[axis.symbol] += -(-axis.since // unit) * unit
            sizes = self.grid.fitted(sizes)
            counts = self.samples(sizes)
            if counts is None:
                continue
            value = next(p.polynomial(sizes) for p in pieces if p.holds_at(sizes))
            if value != counts.get(key, 0):
                if len(set(sizes.values())) < len(sizes):
                    continue  # equal sizes may be a special case, which is looked at by itself
                raise _Unproven(f"no polynomial: the one fitted fails at {sizes_text(sizes)}")
            proven.append(sizes)
        if len(proven) < PROOFS and self.grid.symbols:
            raise _Unproven(f"unproven: only {len(proven)} sizes off the grid can be built")
        return proven

    def _numbers(self, key: Key, reason: str) -> CountFormula:
        values = []
        for sizes in [self.grid.base, *self.held_out]:
            counts = self.samples(sizes)
            if counts is not None:
                values.append((sizes, counts.get(key, 0)))
        return CountFormula((), reason=reason, values=tuple(values))


class _Unproven(Exception):
    """A fitted polynomial fails at a size that was held out, or has too few of them."""


def _is_plainer(polynomial: Polynomial, parts: Sequence[Piece]) -> bool:
    """Whether one polynomial in rounded quotients is shorter than one for each residue."""
    return len(parts) > 1 and len(polynomial.terms) <= sum(len(p.polynomial.terms) for p in parts)


def _rounded(axes: Sequence[Axis]) -> list[Rounded]:
    return [each for axis in axes for each in axis.rounded]
