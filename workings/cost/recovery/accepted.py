"""The sizes that a module accepts where the usual grids are refused: odd ones, or from 400 on.

One accepted point is looked for, and from there each size is varied by itself.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import gcd

from workings.cost.counts.samples import Key, Samples
from workings.cost.formulas import CountsAtSizes
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import PROBES, Grid
from workings.formula.polynomial import Sizes

ALIKE = (*range(1, 66), 96, 97, 128, 129, 144, 192, 256, 257, 400, 512, 1000, 1024, 3000, 4096)
APART = (1, 2, 3, 4, 7, 8, 16, 64)  # sizes that are combined
MOST_COMBINATIONS = 600
FEW, ENOUGH = 24, 5  # sizes of one symbol that are scanned, unless fewer of them are accepted
SCANNED = 340


def accepted_grids(samples: Samples, seeds: Iterable[Sizes]) -> Iterator[Grid]:
    """At most one grid, around the first sizes that are accepted: the seeds, alike ones, others."""
    for sizes in [*seeds, *_guesses(samples.symbols)]:
        if samples(sizes) is not None:
            grid = _grid(samples, sizes)
            if grid is not None:
                yield grid
            return


def counts_alone(samples: Samples, is_wanted: Callable[[Key], bool]) -> dict[Key, CountFormula]:
    """What was counted at the few sizes that a module accepts, without a formula."""
    taken = [
        (dict(zip(samples.symbols, point, strict=True)), counts)
        for point, counts in samples.taken.items()
        if counts is not None
    ]
    keys = dict.fromkeys(key for _, counts in taken for key in counts if is_wanted(key))
    return {
        key: CountFormula(
            (),
            reason=f"too few sizes are accepted for a formula; at {samples.refusal}",
            values=tuple((sizes, counts.get(key, 0)) for sizes, counts in taken),
        )
        for key in keys
    }


def _guesses(symbols: Sequence[str]) -> Iterator[dict[str, int]]:
    for size in ALIKE:
        yield dict.fromkeys(symbols, size)
    if len(APART) ** len(symbols) <= MOST_COMBINATIONS:
        for sizes in product(APART, repeat=len(symbols)):
            yield dict(zip(symbols, sizes, strict=True))


def _grid(samples: Samples, point: Sizes) -> Grid | None:
    """A grid of sizes that are each an arithmetic progression, if the accepted ones are."""
    start, units, offsets = {}, {}, {}
    for symbol in samples.symbols:

        def is_accepted(size: int, symbol: str = symbol) -> bool:
            return samples({**point, symbol: size}) is not None

        progression = _progression(is_accepted, point[symbol])
        if progression is None:
            return None
        start[symbol], unit = progression
        if unit > 1:
            units[symbol], offsets[symbol] = unit, start[symbol] % unit
    return Grid(samples.symbols, start, (), units, offsets)


def _progression(is_accepted: Callable[[int], bool], middle: int) -> tuple[int, int] | None:
    """The size from which on every so many-th one is accepted, and how many."""
    above = [n for n in range(middle, middle + FEW) if is_accepted(n)]
    if len(above) < ENOUGH:
        above += [n for n in range(middle + FEW, middle + SCANNED) if is_accepted(n)]
    unit = gcd(*(n - middle for n in above))
    in_a_row = [middle + unit * k for k in range(2 * PROBES)]
    if not unit or not all(is_accepted(n) for n in in_a_row):
        return None
    while middle > unit and is_accepted(middle - unit):
        middle -= unit
    return middle, unit


def restrictions(
    count: CountsAtSizes, grid: Grid, known: tuple[tuple[str, str], ...] | None
) -> tuple[tuple[tuple[str, str], ...], dict[str, int], dict[str, tuple[int, int]]]:
    """Which multiples the module itself asks for: of those that the grid has, it refuses others.

    Pairs of symbols, units that divide a size, and units with a remainder.
    """
    samples = Samples(count, grid.symbols)

    def is_refused(symbol: str) -> bool:
        return samples({**grid.base, symbol: grid.base[symbol] + 1}) is None

    asked = {symbol: unit for symbol, unit in grid.units.items() if is_refused(symbol)}
    units = {s: unit for s, unit in asked.items() if not grid.offsets.get(s)}
    residues = {s: (u, grid.offsets[s]) for s, u in asked.items() if grid.offsets.get(s)}
    if known is not None:
        return known, units, residues
    multiples = tuple((of, by) for of, by in grid.multiples if is_refused(of))
    return multiples, units, residues
