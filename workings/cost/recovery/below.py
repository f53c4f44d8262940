"""The formula of small sizes, where the one that was found holds from some size on."""

from collections.abc import Mapping
from dataclasses import replace

from workings.cost.counts.samples import Counter, Counts, Key, Refused
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid
from workings.cost.recovery.recover import recover
from workings.errors import WorkingsError
from workings.formula.polynomial import Sizes

FEWEST = 16  # sizes below, of which a formula is fitted on some and proven at others
MOST = 150  # sizes below, at each of which it is held against a count


def with_smaller(
    count: Counter, formulas: Mapping[Key, CountFormula], grid: Grid
) -> dict[Key, CountFormula]:
    """The formulas, those that hold from a size on with the one of smaller sizes."""
    known = dict(formulas)
    changes = {
        next(iter(formula.since.items()))
        for key, formula in known.items()
        if isinstance(key, str) and len(formula.since) == 1 and formula.smaller is None
    }
    for symbol, since in sorted(changes):
        if not FEWEST <= since <= MOST or not grid.is_plain(symbol):
            continue
        wanted = {key for key, formula in known.items() if formula.since == {symbol: since}}
        below = _Below(count, symbol, since)
        try:
            smaller, _ = recover(below, [grid], wanted.__contains__)
        except WorkingsError:
            continue
        for key, formula in smaller.items():
            if formula.pieces and not formula.since and below.holds(key, formula, grid):
                known[key] = replace(known[key], smaller=formula)
    return known


class _Below:
    """Counts at smaller sizes of a symbol alone, each taken once."""

    def __init__(self, count: Counter, symbol: str, since: int) -> None:
        self.count, self.symbol, self.since = count, symbol, since
        self.taken: dict[tuple[tuple[str, int], ...], Counts] = {}

    def __call__(self, sizes: Sizes) -> Counts:
        if sizes[self.symbol] >= self.since:
            raise Refused(f"{self.symbol} = {sizes[self.symbol]}: larger sizes are counted apart")
        point = tuple(sizes.items())
        if point not in self.taken:
            self.taken[point] = self.count(sizes)
        return self.taken[point]

    def holds(self, key: Key, formula: CountFormula, grid: Grid) -> bool:
        """Whether it is what is counted at every smaller size, but for those it leaves out."""
        for size in range(1, self.since):
            sizes = {**grid.base, self.symbol: size}
            value = formula(sizes)
            try:
                if value is not None and value != self(sizes).get(key, 0):
                    return False
            except Refused:
                continue
        return True
