"""How a formula was read, in words: what could have been meant otherwise is said."""

from collections.abc import Iterator

from torch import Tensor

from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.printing.latex import latex

IN_LATEX = {"≤": r"\le", "≥": r"\ge", "∈": r"\in", "≈": r"\approx"}


def reading(live: LiveClaim) -> tuple[str, ...]:
    """The formula as it was read, then a line for each thing that was decided about it."""
    parts = [latex(live.sides[0])]
    for relation, side in zip(live.written.relations, live.sides[1:], strict=True):
        parts += [IN_LATEX.get(relation, relation), latex(side)]
    lines = [" ".join(parts)]
    if live.free:
        lines.append(f"for every {', '.join(live.free)}")
    lines += live.notes
    try:
        point = live.unwatched().point(0)
    except (Undefined, WorkingsError):
        return tuple(lines)
    decided = (line for side in live.sides for node in side.walk() for line in _said(node, point))
    return tuple(dict.fromkeys([*lines, *decided]))


def _said(node: f.Node, point: Point) -> Iterator[str]:
    match node:
        case f.Transpose(body):
            yield f"{latex(node)} is the transpose of {latex(body)}"
        case f.Power(base) if (value := _value(base, point)) is not None and value.numel() > 1:
            whole = value.shape[0] == value.shape[1]
            of = "the matrix" if whole else "every entry"
            yield f"{latex(node)} is the power of {of}"
        case f.Dot(left, right):
            a, b = _value(left, point), _value(right, point)
            if a is not None and b is not None:
                inner = a.numel() > 1 and a.shape == b.shape and 1 in a.shape
                yield f"{latex(node)} is {'an inner' if inner else 'a matrix'} product"
        case f.Call(function, arguments):
            yield from _call(node, function, _value(arguments[0], point))


def _call(node: f.Call, function: str, value: Tensor | None) -> Iterator[str]:
    if value is None:
        return
    is_matrix = value.ndim == 2 and 1 not in value.shape
    if function == "norm" and len(node.arguments) < 2:
        yield f"{latex(node)} is the {'Frobenius' if is_matrix else 'Euclidean'} norm"
    elif function == "abs" and value.numel() > 1:
        yield f"{latex(node)} is of every entry"
    elif function.lower() == "softmax":
        yield f"{latex(node)} is over {'each row' if is_matrix else 'the entries of the vector'}"
    elif function in ("max", "min") and len(node.arguments) == 1 and value.numel() > 1:
        yield f"{latex(node)} is over all entries"
    if node.primes:
        yield f"{latex(node)} is the derivative of {function} at every entry"


def _value(node: f.Node, point: Point) -> Tensor | None:
    try:
        return point.value(node)
    except (Undefined, WorkingsError):
        return None
