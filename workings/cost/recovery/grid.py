"""The sizes at which a module is counted: a grid to fit a formula on, and others to prove it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise, permutations
from math import lcm

from workings.formula.polynomial import Sizes

PROBES = 8  # sizes of one symbol tried in a row: enough for degree 5 and two to spare
DIVISORS = tuple(range(2, PROBES + 2))
STEP = lcm(*DIVISORS)
STARTS = (2, 8, 32, 128)  # a network may refuse to be small
LARGE = 61
RELATED = 10  # more than the start: where sizes that are twice others begin
RATIOS = (3, 4, 5, 8)  # of two sizes, at which a module may work otherwise
MOST_DOUBLED = 4  # sizes that are each twice the one before
UNITS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64)

# Far from the grid and from each other, of both parities, one row a held-out size.
_HELD_OUT = ((11, 17, 14, 23, 19), (16, 13, 22, 12, 18), (19, 10, 15, 21, 11), (12, 25, 18, 16, 13))


@dataclass(frozen=True)
class Grid:
    """Sizes for each symbol from `start` on.

    multiples: pairs (d, h) where h divides d. units: a number that divides a size, but for the
    remainder in `offsets`.
    """

    symbols: tuple[str, ...]
    start: Mapping[str, int]
    multiples: tuple[tuple[str, str], ...] = ()
    units: Mapping[str, int] = field(default_factory=dict)
    offsets: Mapping[str, int] = field(default_factory=dict)

    @property
    def divisors(self) -> tuple[str, ...]:
        """The symbols of which others are multiples, each once."""
        return tuple(dict.fromkeys(divisor for _, divisor in self.multiples))

    def is_plain(self, symbol: str) -> bool:
        """Free to take any size."""
        return symbol not in self.units and all(symbol not in pair for pair in self.multiples)

    def values(self, symbol: str, count: int = PROBES) -> list[int]:
        """Equally spaced sizes of the symbol, so that differences tell a polynomial's degree."""
        if symbol in self.divisors:
            return list(DIVISORS)
        if not self.is_plain(symbol):
            step, offset = self.units.get(symbol, STEP), self.offsets.get(symbol, 0)
            # Not from 1 on: a head of width one is a special case.
            first = max(2, -(-(self.start[symbol] - offset) // step))
            return [offset + step * k for k in range(first, first + count)]
        return [self.start[symbol] + k for k in range(count)]

    @property
    def base(self) -> dict[str, int]:
        """Where the others stand while one symbol is varied: not at the edge, no two alike."""
        return self.fitted({s: self.values(s)[3 + i % 3] for i, s in enumerate(self.symbols)})

    def held_out(self) -> list[dict[str, int]]:
        """Sizes off the grid: some where every symbol is changed, and one large size of each."""
        rows = [
            {s: self._off_grid(s, row[i % len(row)]) for i, s in enumerate(self.symbols)}
            for row in _HELD_OUT
        ]
        rows += [{**rows[0], s: self._off_grid(s, LARGE + i)} for i, s in enumerate(self.symbols)]
        return [self.fitted(row) for row in rows] if self.symbols else []

    def related(self, since: int = 0) -> list[dict[str, int]]:
        """Each size twice the one before, or one more; one several times another; from `since`."""
        plain = [symbol for symbol in self.symbols if self.is_plain(symbol)]
        orders = [plain, [*plain[::2], *plain[1::2]]] if len(plain) > 2 else [plain]
        chains = [chain for order in orders for chain in (order, order[::-1])]
        base = {s: self._off_grid(s, _HELD_OUT[0][0]) for s in self.symbols}
        first = max([since, *(self.start[s] for s in plain)]) + RELATED
        doubled = [
            {s: first * 2**i for i, s in enumerate(chain[:MOST_DOUBLED])} for chain in chains
        ]
        next_to = [{s: first + i for i, s in enumerate(chain)} for chain in chains]
        pairs = dict.fromkeys(pair for chain in chains for pair in pairwise(chain))
        several = [{a: first, b: first * ratio} for a, b in pairs for ratio in RATIOS]
        rows = [*doubled, *next_to, *several] if len(plain) > 1 else []
        return [self.fitted({**base, **row}) for row in rows]

    def _off_grid(self, symbol: str, value: int) -> int:
        if symbol in self.divisors:
            return 2 + value % 9
        if symbol in self.units:
            return self.values(symbol, 1)[0] + (value - 2) * self.units[symbol]
        if not self.is_plain(symbol):
            return value
        return self.start[symbol] + value - 2

    def fitted(self, sizes: Sizes) -> dict[str, int]:
        """The same, with every multiple rounded up to one."""
        sizes = dict(sizes)
        for _ in self.multiples:  # a divisor may itself be a multiple
            for multiple, divisor in self.multiples:
                sizes[multiple] += -sizes[multiple] % sizes[divisor]
        return sizes


def grids(
    symbols: tuple[str, ...],
    start: Mapping[str, int] | None = None,
    multiples: tuple[tuple[str, str], ...] | None = None,
    others: Iterable[Grid] = (),
) -> Iterator[Grid]:
    """Grids to try in turn, plain ones first, until one is accepted by the module.

    What the caller knows about the sizes is kept: where they start, and what divides what. Other
    grids are tried before those in which one size divides another.
    """
    starts = [{s: (start or {}).get(s, first) for s in symbols} for first in STARTS]
    if multiples is not None:
        yield from (Grid(symbols, first, multiples) for first in starts)
        yield from others
        return
    yield from (Grid(symbols, first) for first in starts)
    yield from (Grid(symbols, starts[0], units={s: unit}) for s in symbols for unit in UNITS)
    yield from others
    pairs = list(permutations(symbols, 2))
    for chosen in [*combinations(pairs, 1), *combinations(pairs, 2)]:
        if not any((b, a) in chosen for a, b in chosen):
            yield Grid(symbols, starts[0], chosen)
