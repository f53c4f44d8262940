"""Formulas with how far they reach, and the one that holds from there on, where it can be found."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workings.cost.counts.samples import Key
from workings.cost.formulas import CountsAtSizes
from workings.cost.recovery.below import with_smaller
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid
from workings.cost.recovery.reach import Reach, reach
from workings.cost.recovery.recover import recover
from workings.errors import WorkingsError

LARGEST_CHANGE = 2000  # a size from which on a second formula is looked for

Formulas = Mapping[Key, CountFormula]


def with_reach(
    count: CountsAtSizes, formulas: Formulas, grid: Grid | None, numbers: Iterable[int]
) -> tuple[dict[Key, CountFormula], Reach]:
    """The formulas, each with the sizes at which its count departs from it."""
    if grid is None:
        return dict(formulas), Reach()
    numbers = tuple(numbers)
    formulas = with_smaller(count, formulas, grid)
    reached = reach(count, formulas, grid, numbers)
    known = {key: _bounded(formula, key, reached) for key, formula in formulas.items()}
    related = {symbol for pair in grid.multiples for symbol in pair}
    for symbol, change in _changes(known).items():
        if symbol in related:
            continue
        departing = {key for key, formula in known.items() if symbol in formula.departs}
        try:
            larger, _ = recover(count, [grid], departing.__contains__, {symbol: change})
        except WorkingsError:
            continue
        larger = {key: formula for key, formula in larger.items() if formula.pieces}
        beyond = reach(count, larger, grid, numbers)
        for key, formula in larger.items():
            bounded = _bounded(formula, key, beyond)
            if not bounded.departures and set(known[key].departs) == {symbol}:
                known[key] = replace(bounded, smaller=known[key] if bounded.since else None)
    return known, reached


def _bounded(formula: CountFormula, key: Key, reached: Reach) -> CountFormula:
    return replace(
        formula,
        departs=reached.departs.get(key, {}),
        departs_together=reached.departs_together.get(key, {}),
        departs_with=reached.departs_with.get(key, {}),
    )


def _changes(formulas: Formulas) -> dict[str, int]:
    """By symbol: the smallest size at which a total departs from its formula."""
    changes: dict[str, int] = {}
    for key, formula in formulas.items():
        for symbol, size in formula.departs.items() if isinstance(key, str) else ():
            if size <= LARGEST_CHANGE and symbol not in formula.departs_with:
                changes[symbol] = min(size, changes.get(symbol, size))
    return changes
