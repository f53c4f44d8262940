"""The shape of a formula in named sides, before it has a value: is |A| of a matrix or a number?

A shape is () of a number, ("1", "d") of a row; None where it does not follow.
"""

from collections.abc import Mapping

from workings.formula import nodes as f
from workings.formula.evaluation.functions import POINTWISE

Shape = tuple[str, ...]
_NUMBERS = (
    "norm", "frobenius", "nuclear", "det", "tr", "trace", "Tr", "inner", "bars", "sum", "mean",
    "max", "min", "argmax", "argmin", "factorial", "binom", "delta", "expectation", "rank",
    "divergence", "divergence of Gaussians",
)  # fmt: skip


def is_vector(shape: Shape | None) -> bool:
    """One row or one column."""
    return bool(shape) and shape is not None and "1" in shape


def is_matrix(shape: Shape | None) -> bool:
    """Two sides that are not one."""
    return bool(shape) and shape is not None and "1" not in shape


def shape_of(node: f.Node, shapes: Mapping[str, Shape]) -> Shape | None:
    """The shape of a formula whose names were looked up."""
    match node:
        case f.Number() | f.Size() | f.Variable() | f.Constant() | f.Condition():
            return ()
        case f.Reference(name):
            return shapes.get(name)
        case f.Sum(parts) | f.Elementwise(parts):
            return _of_entries([shape_of(part, shapes) for part in parts])
        case f.Negative(body):
            return shape_of(body, shapes)
        case f.Quotient(top, bottom):
            return _of_entries([shape_of(top, shapes), shape_of(bottom, shapes)])
        case f.Product(parts):
            return _of_product([shape_of(part, shapes) for part in parts])
        case f.Dot(left, right):
            both = [shape_of(left, shapes), shape_of(right, shapes)]
            return () if both[0] == both[1] and is_vector(both[0]) else _of_product(both)
        case f.Power(body, _):
            return shape_of(body, shapes)
        case f.Transpose(body) | f.TransposeOrPower(body, _):
            inner = shape_of(body, shapes)
            return None if inner is None else inner[::-1]
        case f.Call("max" | "min" | "clip" | "clamp", (_, _, *_) as arguments):  # entry by entry
            return _of_entries([shape_of(part, shapes) for part in arguments])
        case f.Call(name, arguments) if name in _NUMBERS:
            return ()
        case f.Call(name, arguments) if name in POINTWISE or name in ("softmax", "Softmax"):
            return shape_of(arguments[0], shapes)
        case f.Call(name, arguments) if arguments:
            return _of_call(name, [shape_of(part, shapes) for part in arguments])
        case f.Entries(variables, body):
            return _by_entries(variables, body, shapes)
        case f.Expectation(_, _, _, body):
            return shape_of(body, shapes)
        case f.Identity(size):
            return _of_sides([size, size], shapes)
        case f.Ones(rows, columns):
            return _of_sides([rows, columns], shapes)
        case f.Cases(values, _):
            return _of_entries([shape_of(value, shapes) for value in values])
        case f.Index(body, indices):
            return _of_index(shape_of(body, shapes), indices)
        case f.Total(ranges, body):
            return shape_of(body, shapes) if ranges else ()
        case f.Derivative(of, wrt):
            return () if shape_of(of, shapes) == shape_of(wrt, shapes) == () else None
    return None


def _of_entries(parts: list[Shape | None]) -> Shape | None:
    """Of what is combined entry by entry: a row added to a matrix makes a matrix."""
    known = [shape for shape in parts if shape]
    if None in parts:
        return next((shape for shape in known if is_matrix(shape)), None)
    return max(known, key=is_matrix, default=())


def _of_product(parts: list[Shape | None]) -> Shape | None:
    if None in parts:
        return None
    matrices = [shape for shape in parts if shape]
    if not matrices:
        return ()
    shape = (matrices[0][0], matrices[-1][1])
    return () if shape == ("1", "1") else shape


def _of_call(name: str, arguments: list[Shape | None]) -> Shape | None:
    """Of what a function makes of matrices of these shapes."""
    first = arguments[0]
    if first is None or None in arguments:
        return None
    if name.startswith("matrix ") or name in ("expm", "inv", "adj"):
        return first
    if not first:
        return None
    if name == "pinv":
        return first[::-1]
    if name in ("vec", "diag", "Diag") and (is_vector(first) or name == "vec"):
        length = _times(*first)
        return (length, "1") if name == "vec" else (length, length)
    if name == "diagonal":
        return (first[0], "1")
    if name in ("diag", "Diag"):
        return first
    second = arguments[1] if len(arguments) == 2 else None
    if name == "outer" and second and is_vector(first) and is_vector(second):
        return (_times(*first), _times(*second))
    if name == "kronecker" and second:
        return (_times(first[0], second[0]), _times(first[1], second[1]))
    return None


def _times(*sides: str) -> str:
    """The side that is as long as the product of these."""
    factors = [factor for side in sides for factor in side.split("·") if factor != "1"]
    return "·".join(sorted(factors)) or "1"


def _of_sides(sides: list[f.Node], shapes: Mapping[str, Shape]) -> Shape | None:
    """Of ones or an identity with these sides."""
    named = [_side(side, shapes) for side in sides]
    known = tuple(side for side in named if side)
    if len(known) < len(named):
        return None
    return () if known == ("1", "1") else known


def _side(side: f.Node, shapes: Mapping[str, Shape]) -> str:
    """The name of a side, if it has one."""
    match side:
        case f.Size(name):
            return name
        case f.Number(value):
            return str(value)
        case f.SideOf(bodies, axis):
            inner = next((s for s in (shape_of(b, shapes) for b in bodies) if s != ()), None)
            return inner[axis] if inner else ""
    return ""


def _of_index(shape: Shape | None, indices: tuple[f.Node, ...]) -> Shape | None:
    if shape is None:
        return None
    if any(isinstance(index, f.Unsaid) for index in indices):
        if len(indices) != len(shape):
            return None
        pairs = zip(shape, indices, strict=True)
        return tuple(side if isinstance(index, f.Unsaid) else "1" for side, index in pairs)
    return ("1", shape[1]) if is_matrix(shape) and len(indices) == 1 else ()


def _by_entries(
    variables: tuple[str, ...], body: f.Node, shapes: Mapping[str, Shape]
) -> Shape | None:
    """Of a vector or matrix by its entries: as long as what its indices run over."""
    sides: dict[str, Shape] = {}
    for node in body.walk():
        inner = shape_of(node.body, shapes) if isinstance(node, f.Index) else None
        if inner is None or not isinstance(node, f.Index):
            continue
        for axis, index in enumerate(node.indices):
            if isinstance(index, f.Variable) and index.name in variables:
                if is_vector(inner):
                    sides[index.name] = inner
                elif axis < len(inner):
                    sides.setdefault(index.name, (inner[axis], "1"))
    if len(sides) < len(variables):
        return None
    if len(variables) == 1:
        return sides[variables[0]]
    return tuple(next((s for s in sides[each] if s != "1"), "1") for each in variables)
