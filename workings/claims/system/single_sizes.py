"""What a size of 1 makes of a formula: a matrix with one row looks like a vector, and is none."""

from collections.abc import Iterable, Mapping

from workings.claims.system.symbols import Symbol
from workings.formula import nodes as f
from workings.formula.resolution.shapes import Shape, is_matrix, shape_of
from workings.formula.sizes import parse_sizes

BY_VALUE = frozenset({
    "softmax", "Softmax", "logsumexp", "LogSumExp", "LSE", "bars", "diag", "Diag", "outer",
    "concat", "Concat", "maclaurin",
})  # fmt: skip
"""functions that are of the rows of a matrix, and of all entries of what has one row or column"""
SHARED_OUT = frozenset({"stochastic", "probability", "onehot"})
"""kinds whose rows, or all entries of a vector, add up to 1"""


def reads_otherwise(
    formulas: Iterable[f.Node],
    symbols: Mapping[str, Symbol],
    shapes: Mapping[str, Shape],
    sizes: Mapping[str, int],
) -> bool:
    """Whether a matrix has one row or column at these sizes, and is taken for a vector there."""

    def is_taken(shape: Shape | None) -> bool:
        return shape is None or (is_matrix(shape) and any(_is_one(side, sizes) for side in shape))

    kinds = (each for each in symbols.values() if SHARED_OUT & set(each.kinds))
    if any(is_taken(each.sides) for each in kinds):
        return True
    nodes = (part for formula in formulas for part in formula.walk())
    return any(is_taken(shape_of(body, shapes)) for part in nodes for body in _by_value(part))


def _by_value(node: f.Node) -> Iterable[f.Node]:
    """Those parts whose value says whether the formula is of a vector or of a matrix."""
    match node:
        case f.Index(body, (_,)):
            return (body,)
        case f.Entries((_,), body):  # along what it indexes, a row or a column
            return [part.body for part in body.walk() if isinstance(part, f.Index)]
        case f.Dot(left, right):
            return (left, right)
        case f.Call("norm", (body, _)):
            return (body,)
        case f.Call(name, arguments) if name in BY_VALUE:
            return arguments
    return ()


def _is_one(side: str, sizes: Mapping[str, int]) -> bool:
    """Whether a side that is not written as 1 is 1 at these sizes."""
    return side != "1" and all(parse_sizes(part)(sizes) == 1 for part in side.split("·"))
