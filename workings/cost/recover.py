"""Exact formulas from counts: interpolated on a grid of sizes, proven at sizes off the grid.

A count that is no polynomial is tried as one for each residue of a size (a stride of 2 counts even
and odd sizes apart); if that fails too, there are numbers and no formula.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from workings.cost.count_formula import CountFormula, Piece
from workings.cost.format import sizes_text
from workings.cost.grid import PROBES, Grid
from workings.cost.interpolate import degree, interpolate
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes, monomial

Key = Hashable
Counts = Mapping[Key, int | Fraction]
Counter = Callable[[Sizes], Counts]

PERIODS = (1, 2, 3, 4, 6, 8)
PIECES = 16
PROOFS = 4  # held-out sizes below which nothing is called proven


class Refused(Exception):
    """The module cannot be built or run at these sizes; the text says why."""


class Samples:
    """Counts by size, each taken once; None where the module refuses."""

    def __init__(self, count: Counter, symbols: Sequence[str]) -> None:
        self.count, self.symbols = count, tuple(symbols)
        self.taken: dict[tuple[int, ...], Counts | None] = {}
        self.refusal = ""

    def __call__(self, sizes: Sizes) -> Counts | None:
        point = tuple(sizes[symbol] for symbol in self.symbols)
        if point not in self.taken:
            try:
                self.taken[point] = self.count(sizes)
            except Refused as error:
                self.taken[point] = None
                self.refusal = self.refusal or f"{sizes_text(sizes)}: {error}"
        return self.taken[point]

    def required(self, sizes: Sizes) -> Counts:
        """The counts at sizes that the module must accept."""
        counts = self(sizes)
        if counts is None:
            raise Refused(self.refusal)
        return counts


class Recovered(NamedTuple):
    """A formula for each key of the counts."""

    formulas: dict[Key, CountFormula]
    grid: Grid  # the one they were fitted on


def recover(
    count: Counter, grids: Iterator[Grid], is_wanted: Callable[[Key], bool] = lambda key: True
) -> Recovered:
    """A formula for each key of the counts, on the first grid whose sizes are all accepted.

    is_wanted: which keys are worth one, asked when some sizes of every symbol have been counted.
    """
    refusal, unproven = "", None
    for grid in grids:
        try:
            recovery = _Recovery(Samples(count, grid.symbols), grid)
            if recovery.can_prove:
                return Recovered(recovery.formulas(is_wanted), grid)
            unproven = unproven or recovery
        except Refused as error:
            refusal = refusal or str(error)
    if unproven is not None:
        return Recovered(unproven.formulas(is_wanted), unproven.grid)
    raise WorkingsError(f"cannot be built or run at any size tried; at {refusal}")


@dataclass(frozen=True)
class _Shape:
    """What the axes say of one count: its degree, period and power of 1/s in each symbol s."""

    degree: Mapping[str, int]
    period: Mapping[str, int]
    below: Mapping[str, int]


class _Recovery:
    def __init__(self, samples: Samples, grid: Grid) -> None:
        self.samples, self.grid = samples, grid
        self.axes = {s: [self._along(s, v) for v in grid.values(s)] for s in grid.symbols}
        self.base = samples.required(grid.base)
        self.held_out = grid.held_out()

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
        shape = self._shape(key)
        if isinstance(shape, str):
            return self._numbers(key, shape)
        higher = {s: d + 1 for s, d in shape.degree.items()}
        reason = ""
        # A term may vanish where the axes cross: then the degrees seen there are too low.
        for tried in (shape, _Shape(higher, shape.period, shape.below)):
            try:
                return self._proven(key, tried)
            except _Unproven as error:
                reason = reason or str(error)
        return self._numbers(key, reason)

    def _shape(self, key: Key) -> _Shape | str:
        """Or why there is none."""
        degree, period, below = {}, {}, {}
        for symbol in self.grid.symbols:
            along = self._along_axis(key, symbol)
            if along is None:
                return f"no polynomial in {symbol}, nor one for each residue of it"
            degree[symbol], period[symbol], below[symbol] = along
        pieces = prod(period.values())
        if pieces > PIECES:
            return f"no polynomial, but {pieces} of them, one for each residue of the sizes"
        return _Shape(degree, period, below)

    def _along_axis(self, key: Key, symbol: str) -> tuple[int, int, int] | None:
        """Degree, period and power of 1/symbol of the count as a function of one symbol."""
        sizes = self.grid.values(symbol)
        counts = [c.get(key, 0) for c in self.axes[symbol]]
        for power in (0, 1, 2) if symbol in self.grid.divisors else (0,):
            order = degree([c * v**power for c, v in zip(counts, sizes, strict=True)])
            if order is not None:
                return order, 1, power
        if not self.grid.is_plain(symbol):
            return None
        sizes = self.grid.values(symbol, PROBES * PERIODS[-1])
        counts = []
        for period in PERIODS[1:]:
            needed = sizes[: PROBES * period]
            counts += [self._along(symbol, v).get(key, 0) for v in needed[len(counts) :]]
            degrees = [degree(counts[r::period]) for r in range(period)]
            known = [d for d in degrees if d is not None]
            if len(known) == period:
                return max(known), period, 0
        return None

    def _proven(self, key: Key, shape: _Shape) -> CountFormula:
        periods = [(s, p) for s, p in shape.period.items() if p > 1]
        pieces, fitted = [], 0
        proven: list[Sizes] = []
        for residues in product(*(range(p) for _, p in periods)):
            classes = tuple((s, p, r) for (s, p), r in zip(periods, residues, strict=True))
            polynomial, count = self._fit(key, shape, classes)
            proven += self._prove(key, polynomial, classes)
            pieces.append(Piece(classes, polynomial))
            fitted += count
        formula = CountFormula(tuple(pieces), fitted, tuple(proven))
        return CountFormula(tuple(pieces), fitted, tuple(proven), self._fails(key, formula))

    def _fit(
        self, key: Key, shape: _Shape, classes: tuple[tuple[str, int, int], ...]
    ) -> tuple[Polynomial, int]:
        """The polynomial through a box of sizes, one more a side than the degree."""
        symbols = self.grid.symbols
        nodes = []
        for s in symbols:
            period, residue = next(((p, r) for name, p, r in classes if name == s), (1, 0))
            sizes = self.grid.values(s, (shape.degree[s] + 1) * period)
            nodes.append([v for v in sizes if v % period == residue][: shape.degree[s] + 1])
        points = list(product(*nodes))
        values = []
        for point in points:
            sizes_here = dict(zip(symbols, point, strict=True))
            factor = prod(sizes_here[s] ** shape.below[s] for s in symbols)
            values.append(self.samples.required(sizes_here).get(key, 0) * factor)
        lifted = interpolate(symbols, nodes, values)
        under = Polynomial({monomial((s, -p) for s, p in shape.below.items()): Fraction(1)})
        return (lifted * under).ordered(symbols), len(points)

    def _prove(
        self, key: Key, polynomial: Polynomial, classes: tuple[tuple[str, int, int], ...]
    ) -> list[Sizes]:
        """The held-out sizes of this class, at all of which the polynomial holds."""
        proven: list[Sizes] = []
        for held_out in self.held_out:
            sizes = dict(held_out)
            for symbol, period, residue in classes:
                sizes[symbol] += PROBES * period  # the grid goes further with a period
                sizes[symbol] += (residue - sizes[symbol]) % period
            counts = self.samples(sizes)
            if counts is None:
                continue
            if polynomial(sizes) != counts.get(key, 0):
                raise _Unproven(f"no polynomial: the one fitted fails at {sizes_text(sizes)}")
            proven.append(sizes)
        if len(proven) < PROOFS and self.grid.symbols:
            raise _Unproven(f"unproven: only {len(proven)} sizes off the grid can be built")
        return proven

    def _fails(self, key: Key, formula: CountFormula) -> tuple[Sizes, ...]:
        """Where one size is one: a special case more often than any other."""
        fails = []
        for symbol in self.grid.symbols:
            sizes = self.grid.fitted({**self.grid.base, symbol: 1})
            counts = self.samples(sizes) if sizes[symbol] == 1 else None
            if counts is not None and formula(sizes) != counts.get(key, 0):
                fails.append({symbol: 1})
        return tuple(fails)

    def _numbers(self, key: Key, reason: str) -> CountFormula:
        values = []
        for sizes in [self.grid.base, *self.held_out]:
            counts = self.samples(sizes)
            if counts is not None:
                values.append((sizes, counts.get(key, 0)))
        return CountFormula((), reason=reason, values=tuple(values))


class _Unproven(Exception):
    """A fitted polynomial fails at a size that was held out, or has too few of them."""
