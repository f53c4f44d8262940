"""Small and equal sizes, at which a formula that holds elsewhere may fail: a head of width one."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

from workings.cost.counts.samples import Key, Samples
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid
from workings.formula.polynomial import Sizes


def with_special_sizes(
    key: Key, formula: CountFormula, samples: Samples, grid: Grid, first: Mapping[str, int]
) -> CountFormula:
    """The formula with the sizes at which it is not what is counted.

    first: by symbol, the smallest size that it was fitted on.
    """
    checked = _Checked(key, samples, grid)
    formula = replace(formula, since=checked.since(formula, first))
    formula = replace(formula, fails=checked.ones(formula))
    return replace(formula, alike=checked.alike(formula))


class _Checked:
    def __init__(self, key: Key, samples: Samples, grid: Grid) -> None:
        self.key, self.samples, self.grid = key, samples, grid

    def _differs(self, formula: CountFormula, sizes: Sizes) -> bool:
        """Whether the formula is claimed at these sizes, and is not what is counted there."""
        value = formula(sizes)
        counts = None if value is None else self.samples(sizes)
        return counts is not None and value != counts.get(self.key, 0)

    def since(self, formula: CountFormula, first: Mapping[str, int]) -> dict[str, int]:
        """By symbol: the size from which on the formula holds, where it fails below."""
        since = {}
        # The others are of sizes at which the formula is claimed.
        base = dict(self.grid.base)
        base |= {s: v for s, v in first.items() if self.grid.is_plain(s) and v > base[s]}
        for symbol, smallest in first.items():
            if smallest <= 2 or any(symbol in pair for pair in self.grid.multiples):
                continue
            for size in range(smallest - 1, 0, -1):
                if self._differs(formula, {**base, symbol: size}):
                    since[symbol] = size + 1
                    break
        return since

    def ones(self, formula: CountFormula) -> tuple[Sizes, ...]:
        """Where one size is one, or several are: a special case more often than any other."""
        fails: list[Sizes] = []
        symbols = self.grid.symbols
        for ones in [*combinations(symbols, 1), *combinations(symbols, 2), symbols]:
            sizes = self.grid.fitted({**self.grid.base, **dict.fromkeys(ones, 1)})
            if any(sizes[symbol] > 1 for symbol in ones):
                continue
            if self._differs(replace(formula, fails=tuple(fails)), sizes):
                fails.append(dict.fromkeys(ones, 1))
        return tuple(fails)

    def alike(self, formula: CountFormula) -> tuple[tuple[str, str], ...]:
        """Pairs of symbols for which the formula fails where both have the same size."""
        pairs = []
        for first, second in combinations(self.grid.symbols, 2):
            for size in sorted((self.grid.base[first], self.grid.base[second])):
                sizes = self.grid.fitted({**self.grid.base, first: size, second: size})
                if sizes[first] == sizes[second] and self._differs(formula, sizes):
                    pairs.append((first, second))
                    break
        return tuple(pairs)
