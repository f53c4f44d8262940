"""How far a formula reaches: the module is counted at large sizes too, one symbol at a time.

A module may work otherwise above some size (windows of 128 tokens, say), which no fit on small
sizes can see. Where a count departs, the last size at which the formula holds is looked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workings.cost.count_formula import CountFormula
from workings.cost.formulas import CountsAtSizes
from workings.cost.grid import Grid
from workings.cost.recover import Counts, Key, Refused
from workings.formula.polynomial import Sizes

LADDER = (129, 513, 4097)
MOST_CALLS = 2000  # operations that one count may run for a larger one to be tried
LARGEST_REAL = 257  # where real tensors are counted, which take memory
MOST_BISECTIONS = 14


@dataclass(frozen=True)
class Reach:
    """Up to where each symbol was tried, and which counts depart from their formulas."""

    tried: Mapping[str, int]
    departs: Mapping[Key, Mapping[str, int]]
    """by key and symbol: the first size, the others being small, at which the formula fails"""


def reach(count: CountsAtSizes, formulas: Mapping[Key, CountFormula], grid: Grid) -> Reach:
    """Count at growing sizes, as long as that is quick."""
    tried: dict[str, int] = {}
    departs: dict[Key, dict[str, int]] = {}
    for symbol in grid.symbols:
        if symbol in grid.divisors:
            continue  # its multiples grow with it: they are tried by themselves
        last = grid.base[symbol]
        for rung in LADDER:
            sizes = _at(grid, symbol, rung)
            counts = _counts(count, sizes)
            if counts is None:
                break
            for key in _failing(formulas, counts, sizes):
                first = departs.setdefault(key, {})
                if symbol not in first:
                    first[symbol] = _first(count, formulas[key], key, grid, symbol, last, rung)
            tried[symbol] = sizes[symbol]
            last = rung
            if count.calls > MOST_CALLS or (count.real and rung > LARGEST_REAL):
                break
    return Reach(tried, departs)


def _at(grid: Grid, symbol: str, size: int) -> dict[str, int]:
    return grid.fitted({**grid.base, symbol: size * grid.units.get(symbol, 1)})


def _counts(count: CountsAtSizes, sizes: Sizes) -> Counts | None:
    try:
        return count(sizes)
    except Refused:
        return None


def _failing(formulas: Mapping[Key, CountFormula], counts: Counts, sizes: Sizes) -> list[Key]:
    failing = []
    for key, formula in formulas.items():
        value = formula(sizes) if formula.pieces else None
        if value is not None and value != counts.get(key, 0):
            failing.append(key)
    return failing


def _first(
    count: CountsAtSizes,
    formula: CountFormula,
    key: Key,
    grid: Grid,
    symbol: str,
    good: int,
    bad: int,
) -> int:
    """The smallest size found at which the formula fails, by bisection."""
    for _ in range(MOST_BISECTIONS):
        if bad - good <= 1:
            break
        middle = (good + bad) // 2
        sizes = _at(grid, symbol, middle)
        counts = _counts(count, sizes)
        if counts is None:
            break
        if formula(sizes) == counts.get(key, 0):
            good = middle
        else:
            bad = middle
    return _at(grid, symbol, bad)[symbol]


def restrictions(
    count: CountsAtSizes, grid: Grid, known: tuple[tuple[str, str], ...] | None
) -> tuple[tuple[tuple[str, str], ...], dict[str, int]]:
    """Which multiples the module itself asks for: of those that the grid has, it refuses others."""
    units = {
        symbol: unit
        for symbol, unit in grid.units.items()
        if _counts(count, {**grid.base, symbol: grid.base[symbol] + 1}) is None
    }
    if known is not None:
        return known, units
    multiples = tuple(
        (multiple, divisor)
        for multiple, divisor in grid.multiples
        if _counts(count, {**grid.base, multiple: grid.base[multiple] + 1}) is None
    )
    return multiples, units
