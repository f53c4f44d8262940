"""What a module costs, as exact formulas in its sizes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from torch import nn

from workings.cost.arguments import Input, Value, parse_args, parse_input
from workings.cost.exact import Formula
from workings.cost.grid import grids
from workings.cost.growth import Growth, decide, free_terms, maximal, parse_bound
from workings.cost.module import Spec, spec, spec_of
from workings.cost.recover import Counts, Key, Refused, recover
from workings.cost.tally import QUANTITIES, tally
from workings.cost.text import sizes_text
from workings.errors import WorkingsError, nearest
from workings.formula.polynomial import Polynomial, Sizes

OPERATIONS = "operations"  # all of the forward pass: multiply-adds, elementwise and moved


@dataclass(frozen=True)
class Cost:
    """Formulas by quantity, `cost["params"]`, in total and by layer; prints as a page."""

    spec: Spec
    total: Mapping[str, Formula]
    layers: Mapping[str, Mapping[str, Formula]]
    """by the path of the module that does the work itself; "" is the outermost"""
    asked: tuple[Sizes, ...] = ()
    """sizes at which the page has a table"""

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.spec.symbols

    def __getitem__(self, quantity: str) -> Formula:
        if quantity not in self.total:
            raise WorkingsError(
                f"nothing is counted as {quantity!r}{nearest(quantity, self.total)}; "
                f"there is: {', '.join(self.total)}"
            )
        return self.total[quantity]

    def at(self, **sizes: int) -> dict[str, int]:
        """The counts at these sizes; where there is no formula, by counting there."""
        self.check(sizes)
        found: dict[str, int] = {}
        counted: Counts | None = None
        for quantity, formula in self.total.items():
            value = formula(sizes)
            if value is None:
                counted = counted or self._count(sizes)
                found[quantity] = int(counted.get(quantity, 0))
            else:
                found[quantity] = int(value)
        return found

    def _count(self, sizes: Sizes) -> Counts:
        try:
            return _Counted(self.spec)(sizes)
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

    def to_dict(self) -> dict[str, Any]:
        from workings.cost.render import as_dict

        return as_dict(self)

    def __str__(self) -> str:
        from workings.cost.render import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from workings.cost.render import as_html

        return as_html(self)


def cost(
    factory: str | Callable[..., nn.Module],
    sizes: Mapping[str, int | None] | Iterable[str] | None = None,
    *,
    inputs: Callable[..., Any] | Sequence[str] | str | None = None,
    args: Mapping[str, Value] | str | None = None,
    input_grad: bool = True,
) -> Cost:
    """Exact formulas of what a module has and does, in its sizes.

    >>> cost(lambda d: nn.Linear(d, d), inputs=lambda n, d: torch.empty(n, d))
    >>> cost("attention", ["n", "d", "h"])
    >>> cost("mypackage.net:Net", args="width=4*d", inputs=["n,d"])

    factory: a function of sizes that gives a module, a named architecture, or an importable class
    with `args`. sizes: the symbols, or example sizes of them, for which there is a table then; left
    out, they are the arguments without a default. inputs: a function of sizes that gives what
    forward is called with, or shapes; without it only parameters are counted. input_grad: whether
    the backward pass goes on to the inputs.
    """
    shapes = [inputs] if isinstance(inputs, str) else inputs
    given = shapes if shapes is None or callable(shapes) else [_input(i) for i in shapes]
    symbols = None if sizes is None else list(sizes)
    if isinstance(factory, str):
        if callable(given):
            raise WorkingsError(f"{factory}: inputs must be shapes, such as ['n,d']")
        bound = parse_args(args, symbols) if isinstance(args, str) else args
        found = spec(factory, symbols, bound, given or ())
    elif args is not None:
        raise WorkingsError("args: are of a module that is named; a function has its own")
    else:
        found = spec_of(factory, symbols, given, input_grad)
    result = of_spec(found)
    if isinstance(sizes, Mapping):
        examples = {symbol: size for symbol, size in sizes.items() if size is not None}
        if examples:
            result.check(examples)
            result = replace(result, asked=(examples,))
    return result


def _input(shape: str | Input) -> Input:
    return parse_input(shape) if isinstance(shape, str) else shape


def of_spec(found: Spec) -> Cost:
    """The formulas of a module that has been named already."""
    counted = _Counted(found)
    try:
        formulas, grid = recover(counted, grids(found.symbols, multiples=found.multiples))
    except WorkingsError as error:
        raise WorkingsError(f"{found.name}: {error}") from error
    total = {q: formulas[q] for q in (*QUANTITIES, OPERATIONS) if q in formulas}
    layers: dict[str, dict[str, Formula]] = {}
    for key, formula in formulas.items():
        if isinstance(key, tuple) and not formula.is_zero:
            quantity, path, collapsed = key
            if collapsed == counted.layers_vary:
                layers.setdefault(path, {})[quantity] = formula
    return Cost(replace(found, multiples=grid.multiples, units=grid.units), total, layers)


class _Counted:
    """Counts at given sizes: totals by quantity, and by layer as (quantity, path, collapsed)."""

    def __init__(self, found: Spec) -> None:
        self.make = found.make
        self.seen: set[frozenset[str]] = set()

    @property
    def layers_vary(self) -> bool:
        """Whether some sizes have more layers: then `layers.0`, `layers.1` are `layers.*`."""
        return len(self.seen) > 1

    def __call__(self, sizes: Sizes) -> Counts:
        counts = tally(self.make, sizes)
        runs = any(quantity != "params" for quantity, _ in counts)
        found: dict[Key, int] = dict.fromkeys((*QUANTITIES, OPERATIONS) if runs else ("params",), 0)
        self.seen.add(frozenset(path for _, path in counts))
        for (quantity, path), value in counts.items():
            among = re.sub(r"\b\d+\b", "*", path)
            for key in (quantity, (quantity, path, False), (quantity, among, True)):
                found[key] = found.get(key, 0) + value
            if quantity in ("forward", "elementwise", "moved"):
                found[OPERATIONS] = found.get(OPERATIONS, 0) + value
        return found
