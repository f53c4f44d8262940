"""Numbers that are rounded: 6/7 = 0.857 claims nothing exact."""

from collections.abc import Iterator

import torch

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope

MOST_DECIMALS = 12
EXACT_DECIMALS = 2  # 0.1 and 2.25 are taken as they are where they are put in
FRACTION_OF_A_UNIT = 0.999  # of the last decimal: cut off, or rounded


def is_rounded(left: f.Node, right: f.Node, written: f.Node) -> bool:
    """Whether two formulas in numbers differ by no more than the decimals of one side explain."""
    values = [value_of(side) for side in (left, right)]
    if values[0] is None or values[1] is None or values[0].numel() != values[1].numel():
        return False
    decimals = [*_decimals(left), *_decimals(written)]
    if not decimals:
        return False
    given = [each for each in _decimals(left) if each > EXACT_DECIMALS]
    unit = 10.0 ** -min(decimals)
    apart = (values[0].reshape(-1) - values[1].reshape(-1)).abs()
    size = torch.maximum(values[0].reshape(-1).abs(), torch.ones(()))
    slack = 10.0 ** (1 - min(given)) * size if given else torch.zeros(())
    return bool((apart < FRACTION_OF_A_UNIT * unit + slack).all())


def value_of(node: f.Node) -> torch.Tensor | None:
    """The value of a formula without names; None if it has none."""
    try:
        value = Scope({}, {}).value(_with_constants(node))
    except (WorkingsError, Undefined):
        return None
    return value if torch.isfinite(value).all() else None


def _with_constants(node: f.Node) -> f.Node:
    if isinstance(node, f.Symbol) and node.name in ("e", "\\pi"):
        return f.Constant(node.name)
    return node.rebuilt(_with_constants)


def _decimals(node: f.Node) -> Iterator[int]:
    """How many decimals each number of a formula has that is not whole."""
    for part in node.walk():
        if isinstance(part, f.Number) and part.value.denominator != 1:
            places = next(
                (n for n in range(1, MOST_DECIMALS) if (part.value * 10**n).denominator == 1), None
            )
            if places is not None:
                yield places
