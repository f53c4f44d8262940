"""How far a formula reaches: the module is counted at large sizes too, one by one and together.

A module may work otherwise above some size (windows of 128 tokens, say), which no fit on small
sizes can see. It is counted on a ladder of sizes, and at and beside the numbers that its own code
names. Where a count departs, the first size at which the formula fails is looked for.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workings.cost.counts.samples import Counts, Key, Refused
from workings.cost.formulas import CountsAtSizes
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid
from workings.cost.recovery.own_numbers import as_products, as_sizes
from workings.formula.polynomial import Sizes

LADDER = (64, 129, 300, 1024, 4097, 20_011, 100_003)
TOGETHER = (64, 129, 300)  # of all symbols at once
OTHERS = (1, 2, 64)  # of the others, while one is large: from where it differs may depend on them
MOST_CALLS = 2000  # operations that one count may run for a larger one to be tried
MOST_SECONDS = 6.0  # of this thread's work, after which no larger size is tried
SLOWER = 1.5  # the power of a size by which counting there is feared to take longer
MOST_BESIDE = 12  # of the module's own numbers, that are tried with other sizes of the others too
FAR = 64  # times the size that a module refuses: one that another size allows is not its own limit
LARGEST_REAL = 257  # where real tensors are counted, which take memory
LARGEST_REAL_TOGETHER = 33
MOST_BISECTIONS = 14


@dataclass
class Reach:
    """Up to where each symbol was tried, and which counts depart from their formulas."""

    tried: dict[str, int] = field(default_factory=dict)
    together: int = 0
    """the largest size at which all symbols were tried at once"""
    numbers: tuple[int, ...] = ()
    """sizes that the module's own code names, at which each symbol was tried"""
    unseen: tuple[int, ...] = ()
    """others that it names, at which some symbol was not"""
    departs: dict[Key, dict[str, int]] = field(default_factory=dict)
    """by key and symbol: the first size, the others being small, at which the formula fails"""
    departs_together: dict[Key, dict[str, int]] = field(default_factory=dict)
    """by key: sizes at which it fails, though at none of them alone"""
    departs_with: dict[Key, dict[str, Sizes]] = field(default_factory=dict)
    """by key and symbol: sizes of the others, where it departs earlier with them"""
    refused: dict[str, tuple[int, str]] = field(default_factory=dict)
    """by symbol: the first size from which on the module refuses, and what it says"""
    at_most: list[tuple[str, str]] = field(default_factory=list)
    """(n, k): the module takes a larger k with a larger n alone, as a kernel's width in a line"""


def reach(
    count: CountsAtSizes,
    formulas: Mapping[Key, CountFormula],
    grid: Grid,
    numbers: Iterable[int] = (),
) -> Reach:
    """Count at growing sizes, as long as that is quick."""
    climb = _Climb(count, formulas, grid, tuple(numbers))
    for symbol in grid.symbols:
        climb.along(symbol)
    climb.look_at_limits()
    if len(climb.free) > 1:
        climb.together()
        for symbol in climb.free:
            for others in OTHERS:
                climb.beside(symbol, others)
    climb.sort_numbers()
    return climb.reach


def later(seconds: float, larger: float) -> float:
    """What a count is feared to take at sizes so many times larger."""
    return seconds * larger**SLOWER


class _Climb:
    def __init__(
        self,
        count: CountsAtSizes,
        formulas: Mapping[Key, CountFormula],
        grid: Grid,
        numbers: tuple[int, ...],
    ) -> None:
        self.count, self.formulas, self.grid = count, formulas, grid
        self.reach, self.numbers = Reach(), numbers
        self.seen: dict[str, set[int]] = {symbol: set() for symbol in grid.symbols}
        self.took = 0.0  # seconds, by the last count
        # A divisor's multiples grow with it: they are tried by themselves.
        self.free = [symbol for symbol in grid.symbols if symbol not in grid.divisors]
        self.taken: dict[tuple[int, ...], Counts | None] = {}
        self.why_refused: dict[tuple[int, ...], str] = {}
        self.started = time.thread_time()

    def along(self, symbol: str) -> None:
        """Count at growing sizes of one symbol; the others stay small."""
        last, refused = self._index(symbol, self.grid.base[symbol]), 0
        for size in self._sizes(symbol, LADDER, as_sizes(self.numbers), LARGEST_REAL):
            if symbol in self.reach.tried and self._slow(size / max(last, 1)):
                break
            sizes = self._at([symbol], size)
            counts = self._counts(sizes)
            if counts is None and self._is_too_large(sizes):
                break
            self.seen[symbol].add(size)
            if counts is None:
                refused = refused or size
                continue
            for key in self._failing(counts, sizes):
                first = self._first_failing(key, [symbol], last, size)
                self.reach.departs.setdefault(key, {})[symbol] = first[symbol]
            last, refused = size, 0
            self.reach.tried[symbol] = sizes[symbol]
        if refused:
            self._bound(symbol, last, refused)

    def look_at_limits(self) -> None:
        """Which refused sizes another size allows: a kernel may be as wide as a longer line."""
        for symbol, (size, _) in self.reach.refused.items():
            for other in self.free:
                if other != symbol and self._is_allowed(symbol, 2 * size, other, FAR * size):
                    self.reach.at_most.append((other, symbol))

    def _is_allowed(self, symbol: str, size: int, other: str, far: int) -> bool:
        index, other_index = self._index(symbol, size), self._index(other, far)
        fixed = self._at([other], other_index)
        return self._counts(self._at([symbol], index, {other: fixed[other]})) is not None

    def sort_numbers(self) -> None:
        """The module's own numbers at which each symbol was tried, and the others."""
        tried = {n for n in self.numbers if all(self._is_seen(s, n) for s in self.seen)}
        self.reach.numbers = tuple(sorted(tried))
        self.reach.unseen = tuple(n for n in self.numbers if n not in tried)

    def _is_seen(self, symbol: str, number: int) -> bool:
        index = self._index(symbol, number)
        return index <= 1 or {index, index + 1} <= self.seen[symbol]

    def together(self) -> None:
        """Count at growing sizes of all symbols at once."""
        last = 0
        numbers = [n for n in as_sizes(self.numbers) if n <= max(LADDER)]
        ladder = {*TOGETHER, *as_products(self.numbers), *(n + 1 for n in numbers)}
        for size in sorted(n for n in ladder if self._is_affordable(n, LARGEST_REAL_TOGETHER)):
            if last and self._slow(size / last):
                break
            sizes = self._at(self.free, size)
            counts = self._counts(sizes)
            if counts is None:
                continue
            for key in self._failing(counts, sizes):
                first = self._first_failing(key, self.free, last, size)
                self.reach.departs_together[key] = self._needed(key, first)
            last = self.reach.together = size

    def beside(self, symbol: str, others: int) -> None:
        """Count at growing sizes of one symbol with the others of a given size."""
        fixed = self._at([s for s in self.free if s != symbol], others)
        last = self._index(symbol, self.grid.base[symbol])
        # Just below where it departs: with these others it may do so earlier.
        known = [each[symbol] for each in self.reach.departs.values() if symbol in each]
        below = [self._index(symbol, size) - 1 for size in known]
        ladder, numbers = [*LADDER, *below], as_sizes(self.numbers)[-MOST_BESIDE:]
        for size in self._sizes(symbol, ladder, numbers, LARGEST_REAL_TOGETHER):
            sizes = self.grid.fitted({**fixed, symbol: self._at([symbol], size)[symbol]})
            if self._slow():
                break
            counts = self._counts(sizes)
            if counts is None:
                continue
            for key in self._failing(counts, sizes):
                first = self._first_failing(key, [symbol], last, size, fixed)
                self.reach.departs.setdefault(key, {})[symbol] = first[symbol]
                with_others = {s: first[s] for s in self.free if s != symbol}
                self.reach.departs_with.setdefault(key, {})[symbol] = with_others
            last = size

    def _slow(self, larger: float = 1.0) -> bool:
        """Whether sizes so many times larger would take too long; the reach then says how far."""
        spent = time.thread_time() - self.started + later(self.took, larger)
        return self.count.calls > MOST_CALLS or spent > MOST_SECONDS

    def _sizes(
        self, symbol: str, ladder: Iterable[int], numbers: Iterable[int], largest_real: int
    ) -> list[int]:
        """The ladder, with the module's own numbers and those beside them, in units."""
        indices = [self._index(symbol, number) for number in numbers]
        sizes = {*ladder, *(index + step for index in indices for step in (0, 1))}
        return sorted(n for n in sizes if n > 1 and self._is_affordable(n, largest_real))

    def _is_affordable(self, size: int, largest_real: int) -> bool:
        return not self.count.real or size <= largest_real

    def _is_too_large(self, sizes: Sizes) -> bool:
        """Whether it is PyTorch that cannot count so far, and not the module that refuses."""
        return "overflow" in self.why_refused[tuple(sizes.values())]

    def _index(self, symbol: str, size: int) -> int:
        """The size in units of the symbol."""
        return (size - self.grid.offsets.get(symbol, 0)) // self.grid.units.get(symbol, 1)

    def _at(self, symbols: Iterable[str], size: int, fixed: Sizes | None = None) -> dict[str, int]:
        units, offsets = self.grid.units, self.grid.offsets
        sizes = {s: size * units.get(s, 1) + offsets.get(s, 0) for s in symbols}
        return self.grid.fitted({**self.grid.base, **(fixed or {}), **sizes})

    def _counts(self, sizes: Sizes) -> Counts | None:
        point = tuple(sizes.values())
        if point not in self.taken:
            began = time.thread_time()
            try:
                self.taken[point] = self.count(sizes)
            except Refused as error:
                self.taken[point], self.why_refused[point] = None, str(error)
            self.took = time.thread_time() - began
        return self.taken[point]

    def _failing(self, counts: Counts, sizes: Sizes) -> list[Key]:
        """Keys whose formula gives another number, and that are not known to depart here."""
        return [key for key in self.formulas if self._fails(key, counts, sizes)]

    def _fails(self, key: Key, counts: Counts, sizes: Sizes) -> bool:
        alone = self.reach.departs.get(key, {}).items()
        together = self.reach.departs_together.get(key, {}).items()
        if any(sizes[symbol] >= size for symbol, size in [*alone, *together]):
            return False
        value = self.formulas[key](sizes)
        return value is not None and value != counts.get(key, 0)

    def _first_failing(
        self, key: Key, symbols: list[str], good: int, bad: int, fixed: Sizes | None = None
    ) -> dict[str, int]:
        """The smallest sizes seen at which the formula fails, by bisection."""
        for _ in range(MOST_BISECTIONS):
            middle = (good + bad) // 2
            sizes = self._at(symbols, middle, fixed)
            counts = self._counts(sizes) if bad - good > 1 else None
            if counts is None:
                break
            if self._fails(key, counts, sizes):
                bad = middle
            else:
                good = middle
        return self._at(symbols, bad, fixed)

    def _needed(self, key: Key, sizes: Sizes) -> dict[str, int]:
        """Those of the sizes without which it does not fail."""
        needed = dict(sizes)
        for symbol in sizes:
            smaller = self.grid.fitted({**needed, symbol: self.grid.base[symbol]})
            counts = self._counts({**self.grid.base, **smaller})
            if counts is not None and self._fails(key, counts, {**self.grid.base, **smaller}):
                needed[symbol] = self.grid.base[symbol]
        return {s: size for s, size in needed.items() if size != self.grid.base[s]}

    def _bound(self, symbol: str, good: int, bad: int) -> None:
        """The first size that the module refuses, by bisection, and what it says."""
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (
                (good, middle)
                if self._counts(self._at([symbol], middle)) is None
                else (middle, bad)
            )
        first = self._at([symbol], bad)
        self.reach.refused[symbol] = first[symbol], self.why_refused[tuple(first.values())]
        self.reach.tried[symbol] = max(
            self.reach.tried.get(symbol, 0), self._at([symbol], good)[symbol]
        )
