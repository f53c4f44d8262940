"""The formulas of what a module costs: by quantity and by layer, asked at sizes and for growth."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from workings.cost.count_formula import CountFormula
from workings.cost.format import sizes_text
from workings.cost.growth import Growth, decide, free_terms, maximal, parse_bound
from workings.cost.module import Spec
from workings.cost.recover import Counts, Key, Refused
from workings.cost.tally import QUANTITIES, tally
from workings.errors import WorkingsError, nearest
from workings.formula.polynomial import Polynomial, Sizes

OPERATIONS = "operations"  # all of the forward pass: multiply-adds, elementwise and moved


@dataclass(frozen=True)
class CostFormulas:
    """Formulas by quantity, `cost["params"]`, in total and by layer."""

    spec: Spec
    total: Mapping[str, CountFormula]
    layers: Mapping[str, Mapping[str, CountFormula]]
    """by the path of the module that does the work itself; "" is the outermost"""
    asked: tuple[Sizes, ...] = ()
    """sizes at which the page has a table"""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The sizes that the formulas are in."""
        return self.spec.symbols

    def __getitem__(self, quantity: str) -> CountFormula:
        if quantity not in self.total:
            raise WorkingsError(
                f"nothing is counted as {quantity!r}{nearest(quantity, self.total)}; "
                f"there is: {', '.join(self.total)}"
            )
        return self.total[quantity]

    def at(self, **sizes: int) -> dict[str, int]:
        """The counts at these sizes; where there is no formula, by counting there."""
        self.check(sizes)
        values: dict[str, int] = {}
        counted: Counts | None = None
        for quantity, formula in self.total.items():
            value = formula(sizes)
            if value is None:
                counted = counted or self._count(sizes)
                values[quantity] = int(counted.get(quantity, 0))
            else:
                values[quantity] = int(value)
        return values

    def _count(self, sizes: Sizes) -> Counts:
        try:
            return CountsAtSizes(self.spec)(sizes)
        except Refused as error:
            raise WorkingsError(f"{self.spec.name}: {error}") from error

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
        for multiple, divisor in self.spec.multiples or ():
            if sizes[multiple] % sizes[divisor]:
                raise WorkingsError(
                    f"{self.spec.name}: {multiple} must be a multiple of {divisor} "
                    f"(got {sizes_text(sizes)})"
                )

    def claim(self, bound: str, counted: str = "forward", fixed: Sequence[str] = ()) -> Growth:
        """Whether what is counted is O(bound) while the sizes in `fixed` do not grow."""
        known = [*self.symbols, *self.spec.held]
        for symbol in fixed:
            if symbol not in known:
                raise WorkingsError(
                    f"fixed: no symbol {symbol!r}{nearest(symbol, known)}; "
                    f"there is: {', '.join(known)}"
                )
        text, polynomial = parse_bound(bound, known, self.spec.where)
        still = list(dict.fromkeys([*fixed, *self.spec.held]))
        return decide(self[counted], polynomial, text, still, self.spec.multiples or ())

    def order(self, quantity: str) -> Polynomial:
        """The terms that grow fastest, without their coefficients; zero if nothing is known."""
        terms = dict.fromkeys(m for p in self[quantity].pieces for m in free_terms(p.polynomial))
        leading = maximal(list(terms), self.spec.multiples or ())
        return sum((Polynomial.of({m: Fraction(1)}) for m in leading), Polynomial({}, self.symbols))


class CountsAtSizes:
    """Counts at given sizes: totals by quantity, and by layer as (quantity, path, collapsed)."""

    def __init__(self, spec: Spec) -> None:
        self.make = spec.make
        self.seen: set[frozenset[str]] = set()

    @property
    def layers_vary(self) -> bool:
        """Whether some sizes have more layers: then `layers.0`, `layers.1` are `layers.*`."""
        return len(self.seen) > 1

    def __call__(self, sizes: Sizes) -> Counts:
        counts = tally(self.make, sizes)
        runs = any(quantity != "params" for quantity, _ in counts)
        quantities = (*QUANTITIES, OPERATIONS) if runs else ("params",)
        total: dict[Key, int] = dict.fromkeys(quantities, 0)
        self.seen.add(frozenset(path for _, path in counts))
        for (quantity, path), value in counts.items():
            among = re.sub(r"\b\d+\b", "*", path)
            for key in (quantity, (quantity, path, False), (quantity, among, True)):
                total[key] = total.get(key, 0) + value
            if quantity in ("forward", "elementwise", "moved"):
                total[OPERATIONS] = total.get(OPERATIONS, 0) + value
        return total
