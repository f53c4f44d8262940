"""The formulas of what a module costs: by quantity and by layer, asked at sizes and for growth."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from workings.cost.counts.module import Spec
from workings.cost.counts.samples import Counts, Key, Refused
from workings.cost.counts.tally import built, tally
from workings.cost.domination import free_terms, maximal
from workings.cost.format import residue_text, sizes_text
from workings.cost.growth import Growth, decide, parse_bound, split_order
from workings.cost.quantities import OPERATIONS, QUANTITIES
from workings.cost.recovery.count_formula import CountFormula, Uncounted
from workings.cost.recovery.own_numbers import own_numbers
from workings.errors import WorkingsError, nearest
from workings.formula.polynomial import Polynomial, Sizes

REPEATS = 8  # of a count that may differ from pass to pass
MOST_REPEATED = 3  # sizes at which it is repeated so often; at others once
FURTHEST = 16  # times the largest size tried, up to which a module is counted again


@dataclass(frozen=True)
class CostFormulas:
    """Formulas by quantity, `cost["params"]`, in total and by layer."""

    spec: Spec
    total: Mapping[str, CountFormula]
    layers: Mapping[str, Mapping[str, CountFormula]]
    """by the path of the module that does the work itself; "" is the outermost"""
    asked: tuple[Sizes, ...] = ()
    """sizes at which the page has a table"""
    tried: Mapping[str, int] = field(default_factory=dict)
    """the largest size of each symbol at which the module was counted"""
    tried_together: int = 0
    """the largest size that all symbols had at once"""
    own_numbers: tuple[int, ...] = ()
    """sizes that the module's code names, at and beside which it was counted"""
    unseen_numbers: tuple[int, ...] = ()
    """others that it names, at which it was not"""
    refused: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """by symbol: the size from which on the module refuses, and what it says"""
    at_most: tuple[tuple[str, str], ...] = ()
    """(n, k): the module takes a larger k with a larger n alone; (d, h): h divides d"""
    uncounted: Mapping[str, str] = field(default_factory=dict)
    """why a quantity has no formula"""
    real: bool = False
    """counted with real tensors of random values, not by shapes alone"""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The sizes that the formulas are in."""
        return self.spec.symbols

    def __getitem__(self, quantity: str) -> CountFormula:
        if quantity in self.uncounted:
            raise Uncounted(f"{quantity}: not counted: {self.uncounted[quantity]}")
        if quantity not in self.total:
            raise WorkingsError(
                f"nothing is counted as {quantity!r}{nearest(quantity, self.total)}; "
                f"there is: {', '.join(self.total)}"
            )
        return self.total[quantity]

    def at(self, **sizes: int) -> dict[str, int]:
        """The counts at these sizes: counted there, but for sizes far beyond those tried."""
        self.check(sizes)
        formulas = {quantity: formula(sizes) for quantity, formula in self.total.items()}
        by_formula = {q: int(value) for q, value in formulas.items() if value is not None}
        if len(by_formula) == len(formulas) and not self.is_recounted(sizes):
            return by_formula
        try:
            counts = CountsAtSizes(self.spec)(sizes)
        except Refused as error:
            raise WorkingsError(f"{self.spec.name}: {error}") from error
        return {quantity: int(counts[quantity]) for quantity in formulas if quantity in counts}

    def is_recounted(self, sizes: Sizes) -> bool:
        """Whether the module is counted again at these sizes: a much larger one takes too long."""
        return all(size <= FURTHEST * self.tried.get(s, size) for s, size in sizes.items())

    def departures(self, sizes: Sizes) -> list[str]:
        """The quantities whose formula is not what was counted at these sizes."""
        if not self.is_recounted(sizes):
            return []
        counts = self.at(**sizes)
        return [
            quantity
            for quantity, formula in self.total.items()
            if formula.pieces and formula(sizes) != counts.get(quantity)
        ]

    def check(self, sizes: Sizes) -> None:
        """Refuse sizes that are not those of all the symbols, or at which there is no module."""
        for symbol, size in sizes.items():
            if symbol not in self.symbols:
                held = self.spec.held.get(symbol)
                is_what = "not a symbol" if held is None else f"held at {held}"
                raise WorkingsError(
                    f"{self.spec.name}: {symbol} is {is_what} here; the symbols are: "
                    f"{', '.join(self.symbols) or 'none'}"
                )
            if size < 1:
                raise WorkingsError(f"{symbol} = {size}: a size is a whole number from 1 on")
        missing = [symbol for symbol in self.symbols if symbol not in sizes]
        if missing:
            raise WorkingsError(f"{self.spec.name}: give a size of {', '.join(missing)} too")
        for symbol, unit in self.spec.units.items():
            if sizes[symbol] % unit:
                raise WorkingsError(
                    f"{self.spec.name}: {symbol} must be a multiple of {unit} (got {sizes[symbol]})"
                )
        for symbol, (unit, residue) in self.spec.residues.items():
            if sizes[symbol] % unit != residue:
                raise WorkingsError(
                    f"{self.spec.name}: {symbol} must be {residue_text(unit, residue)} "
                    f"(got {sizes[symbol]})"
                )
        for multiple, divisor in self.spec.multiples or ():
            if sizes[multiple] % sizes[divisor]:
                raise WorkingsError(
                    f"{self.spec.name}: {multiple} must be a multiple of {divisor} "
                    f"(got {sizes_text(sizes)})"
                )

    def claim(self, bound: str, counted: str = "forward", fixed: Sequence[str] = ()) -> Growth:
        """Whether what is counted is O(bound), Ω or Θ of it while sizes in `fixed` do not grow."""
        known = [*self.symbols, *self.spec.held]
        for symbol in fixed:
            if symbol not in known:
                raise WorkingsError(
                    f"fixed: no symbol {symbol!r}{nearest(symbol, known)}; "
                    f"there is: {', '.join(known)}"
                )
        order, upper = split_order(bound)
        text, polynomial = parse_bound(upper, known, self.spec.where)
        still = list(dict.fromkeys([*fixed, *self.spec.held]))
        verdict = decide(self[counted], polynomial, text, still, self.at_most, order)
        return replace(verdict, counted_to="" if verdict.unknown else sizes_text(self.tried))

    def order(self, quantity: str) -> Polynomial:
        """The terms that grow fastest, without their coefficients; zero if nothing is known."""
        if self[quantity].departures:
            return Polynomial({}, self.symbols)
        terms = dict.fromkeys(m for p in self[quantity].pieces for m in free_terms(p.polynomial))
        leading = maximal(list(terms), self.at_most)
        return sum((Polynomial.of({m: Fraction(1)}) for m in leading), Polynomial({}, self.symbols))


class CountsAtSizes:
    """Counts at given sizes: totals by quantity, and by layer as (quantity, path, collapsed)."""

    def __init__(self, spec: Spec) -> None:
        self.make = spec.make
        self.seen: set[frozenset[str]] = set()
        self.uncounted: dict[str, str] = {}
        self.calls = 0  # operations that the last count ran
        self.repeated = 0  # sizes that were counted several times
        self.real = False

    def own_numbers(self, sizes: Sizes) -> list[int]:
        """The numbers that the code of the module of these sizes names, but for the sizes."""
        module = built(self.make, sizes)
        return [number for number in own_numbers(module) if number not in sizes.values()]

    @property
    def layers_vary(self) -> bool:
        """Whether some sizes have more layers: then `layers.0`, `layers.1` are `layers.*`."""
        return len(self.seen) > 1

    def is_shown(self, key: Key) -> bool:
        """Whether a count is a total, or of a layer by the name that it has at all sizes."""
        return not isinstance(key, tuple) or key[-1] == self.layers_vary

    def __call__(self, sizes: Sizes) -> Counts:
        """The counts; what a pass draws at random is not among them if another does other work."""
        counts, is_random = self._once(sizes)
        if is_random:
            for _ in range(REPEATS if self.repeated < MOST_REPEATED else 1):
                again, _ = self._once(sizes)
                self._differ(counts, again)
            self.repeated += 1
        return {k: v for k, v in counts.items() if k not in self.uncounted}

    def _differ(self, counts: Counts, again: Counts) -> None:
        for quantity in (*QUANTITIES, OPERATIONS):
            if counts.get(quantity) != again.get(quantity):
                self.uncounted.setdefault(
                    quantity, "it differs from pass to pass at the same sizes"
                )

    def _once(self, sizes: Sizes) -> tuple[dict[Key, int], bool]:
        tallied = tally(self.make, sizes)
        counts = tallied.counts
        self.uncounted |= tallied.uncounted
        self.calls = tallied.calls
        self.real = self.real or tallied.real
        runs = any(quantity != "params" for quantity, _ in counts)
        quantities = [q for q in (*QUANTITIES, OPERATIONS) if runs or q == "params"]
        quantities = [q for q in quantities if q not in tallied.uncounted]
        total: dict[Key, int] = dict.fromkeys(quantities, 0)
        self.seen.add(frozenset(path for _, path in counts))
        for (quantity, path), value in counts.items():
            among = re.sub(r"\b\d+\b", "*", path)
            for key in (quantity, (quantity, path, False), (quantity, among, True)):
                total[key] = total.get(key, 0) + value
            if quantity in ("forward", "elementwise", "moved"):
                total[OPERATIONS] = total.get(OPERATIONS, 0) + value
        return total, tallied.is_random
