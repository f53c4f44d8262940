"""Counts of a module at given sizes, each taken once, and its refusals."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from workings.cost.format import sizes_text
from workings.formula.polynomial import Sizes

Key = Hashable
Counts = Mapping[Key, int | Fraction]
Counter = Callable[[Sizes], Counts]


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
