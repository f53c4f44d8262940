"""What a module costs, as exact formulas in its sizes: `cost(...)`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from torch import nn
from torch.nn.parameter import is_lazy

from workings.cost.arguments import Input, Value, parse_args, parse_input
from workings.cost.counts.module import Spec, spec, spec_of
from workings.cost.counts.samples import Key, Samples
from workings.cost.counts.tally import Example
from workings.cost.formulas import CostFormulas, CountsAtSizes
from workings.cost.quantities import OPERATIONS, QUANTITIES
from workings.cost.recovery.accepted import accepted_grids, counts_alone, restrictions
from workings.cost.recovery.chains import recover_chain
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid, grids
from workings.cost.recovery.ranges import with_reach
from workings.cost.recovery.recover import recover
from workings.cost.render import as_dict, as_html, as_text
from workings.errors import WorkingsError
from workings.formula.polynomial import Sizes


class Cost(CostFormulas):
    """The formulas of what a module costs; prints as a page, and shows as tables in a notebook."""

    def to_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return as_dict(self)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def cost(
    factory: str | Callable[..., nn.Module],
    sizes: Mapping[str, int | None] | Iterable[str] | None = None,
    *,
    inputs: Callable[..., object] | Sequence[str] | str | None = None,
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
        counted = spec(factory, symbols, bound, given or ())
    elif args is not None:
        raise WorkingsError("args: are of a module that is named; a function has its own")
    else:
        counted = spec_of(factory, symbols, given, input_grad)
    examples = dict(sizes) if isinstance(sizes, Mapping) else {}
    examples = {symbol: size for symbol, size in examples.items() if size is not None}
    result = of_spec(counted, [examples] if examples else [])
    for each in result.asked:
        result.check(each)
    return result


def _input(shape: str | Input) -> Input:
    return parse_input(shape) if isinstance(shape, str) else shape


def of_spec(spec: Spec, asked: Sequence[Sizes] = ()) -> Cost:
    """The formulas of a module that has been named already; asked: sizes for a table."""
    counted = CountsAtSizes(spec)
    try:
        formulas, grid = _recovered(counted, spec, asked)
    except WorkingsError as error:
        raise WorkingsError(f"{spec.name}: {error}") from error
    numbers = () if grid is None else counted.own_numbers(grid.base)
    formulas, reached = with_reach(counted, formulas, grid, numbers)
    counts = [q for q in (*QUANTITIES, OPERATIONS) if q not in counted.uncounted]
    total = {q: formulas[q] for q in counts if q in formulas}
    layers: dict[str, dict[str, CountFormula]] = {}
    for key, formula in formulas.items():
        if isinstance(key, tuple) and not formula.is_zero:
            quantity, path, _ = key
            if counted.is_shown(key) and quantity in total:
                layers.setdefault(path, {})[quantity] = formula
    if grid is not None:
        multiples, units, residues = restrictions(counted, grid, spec.multiples)
        spec = replace(spec, multiples=multiples, units=units, residues=residues)
    return Cost(
        spec,
        total,
        layers,
        asked=tuple(asked),
        tried=reached.tried,
        tried_together=reached.together,
        own_numbers=reached.numbers,
        unseen_numbers=reached.unseen,
        refused=reached.refused,
        at_most=(*(spec.multiples or ()), *reached.at_most),
        uncounted=counted.uncounted,
        real=counted.real,
    )


def parameters_of(spec: Spec) -> CountFormula:
    """The formula of a module's parameters alone: it is built at the sizes, and not run."""

    def unused(sizes: Sizes) -> Example:
        made = spec.make(sizes)
        lazy = any(is_lazy(each) for each in made.module.parameters())
        return made if lazy else made._replace(inputs=None)

    return of_spec(replace(spec, make=unused))["params"]


def _recovered(
    counted: CountsAtSizes, spec: Spec, asked: Sequence[Sizes]
) -> tuple[Mapping[Key, CountFormula], Grid | None]:
    """The formulas, with the grid that they were fitted on; without one there are numbers alone."""
    samples = Samples(counted, spec.symbols)
    whole = [sizes for sizes in asked if set(sizes) == set(spec.symbols)]
    accepted = accepted_grids(samples, whole)
    try:
        usual = grids(spec.symbols, multiples=spec.multiples, others=accepted)
        return recover(counted, usual, counted.is_shown)
    except WorkingsError:
        chained = recover_chain(counted, spec.symbols, counted.is_shown)
        if chained is not None:
            return chained
        numbers = counts_alone(samples, counted.is_shown)
        if not numbers:
            raise
        return numbers, None
