"""What the Cost page asks: exact formulas drawn, as terms that the page evaluates; in a worker."""

from collections.abc import Iterator
from functools import cache

from workings.cost.architectures import ARCHITECTURES
from workings.cost.arguments import parse_args, parse_input
from workings.cost.cost import Cost, of_spec
from workings.cost.counts.module import spec
from workings.cost.measure import chart_rows, measure
from workings.cost.quantities import QUANTITIES
from workings.cost.render import label, notes
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial
from workings.formula.printing.mathml import mathml
from workings.own_class import is_own, refuse

SHOWN = ("params", "forward", "backward", "memory", "elementwise", "moved")
MEASURE_SECONDS = 4.0


def architectures() -> Iterator[list[dict[str, object]]]:
    """The named architectures."""
    yield [{"name": name, "about": each.about} for name, each in ARCHITECTURES.items()]


@cache
def _cost(model: str, symbols: str, args: str, inputs: str) -> Cost:
    wanted = [each.strip() for each in symbols.split(",")] if symbols.strip() else None
    given = parse_args(args, wanted) if args.strip() else {}
    shapes = [parse_input(line) for line in inputs.splitlines() if line.strip()]
    return of_spec(spec(model, wanted, given, shapes))


def _asked(asked: dict[str, str], trust: bool) -> Cost:
    model = asked["model"]
    if model not in ARCHITECTURES:
        if not is_own(model):
            raise WorkingsError(f"no architecture {model!r}; there is: {', '.join(ARCHITECTURES)}")
        if not trust:
            refuse(model, "model")
    return _cost(model, asked["symbols"], asked["args"], asked["inputs"])


def formulas(asked: dict[str, str], trust: bool) -> Iterator[dict[str, object]]:
    """Every quantity of a model as a formula: drawn, in words, and term by term."""
    cost = _asked(asked, trust)
    known = ARCHITECTURES.get(cost.spec.name)
    sizes = {name: size for name, (_, size) in known.symbols.items()} if known else {}
    yield {
        "model": cost.spec.name,
        "about": cost.spec.about,
        "symbols": [
            {"name": s, "means": cost.spec.meanings.get(s, ""), "size": sizes.get(s, 64)}
            for s in cost.symbols
        ],
        "multiples": [list(pair) for pair in cost.spec.multiples or ()],
        "units": dict(cost.spec.units),
        "quantities": {
            quantity: {
                "label": "parameters" if quantity == "params" else label(quantity),
                "unit": QUANTITIES[quantity],
                "reason": formula.reason,
                "departs": dict(formula.departs_together) | dict(formula.departs),
                "fails": [dict(case) for case in formula.fails],
                "alike": [list(pair) for pair in formula.alike],
                "since": dict(formula.since),
                "pieces": [
                    {
                        "condition": piece.condition,
                        "residues": [list(each) for each in piece.residues],
                        "math": mathml(piece.polynomial.tree(), display=True),
                        "text": str(piece.polynomial),
                        "terms": _terms(piece.polynomial),
                    }
                    for piece in formula.pieces
                ],
            }
            for quantity in SHOWN
            if (formula := cost.total.get(quantity)) is not None
        },
        "notes": notes(cost),
    }


def _terms(polynomial: Polynomial) -> list[dict[str, object]]:
    """By falling degree; each with its fraction and its powers."""
    return [
        {
            "over": coefficient.numerator,
            "under": coefficient.denominator,
            "powers": dict(powers),
            "math": mathml(Polynomial.of({powers: coefficient}, polynomial.order).tree()),
        }
        for powers, coefficient in polynomial.sorted_terms()
    ]


def counted(asked: dict[str, str], trust: bool, sizes: dict[str, int]) -> Iterator[dict[str, int]]:
    """The counts at these sizes, counted there and not by the formula."""
    cost = _asked(asked, trust)
    cost.check(sizes)
    if not cost.is_recounted(sizes):
        raise WorkingsError("these sizes are too far beyond those that the module was counted at")
    yield cost.at(**sizes)


def measured(
    asked: dict[str, str], trust: bool, symbol: str, sizes: dict[str, int]
) -> Iterator[dict[str, object]]:
    """The time of a pass at growing sizes, beside the multiply-adds scaled to meet it."""
    cost = _asked(asked, trust)
    others = {name: size for name, size in sizes.items() if name != symbol}
    times = measure(cost, symbol, others, MEASURE_SECONDS)
    yield {
        "rows": chart_rows(cost, times),
        "exponents": times.exponents,
        "theory": times.theory,
        "threads": times.threads,
    }
