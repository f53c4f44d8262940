"""Entries and ranges: x_i, X_{i,:}, sums, products and maxima over an index, values by entries."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Outside, Uncomputed, Undefined
from workings.formula.evaluation.arithmetic import add
from workings.formula.evaluation.budget import MOST_STEPS
from workings.formula.evaluation.matrices import check_size, shape
from workings.formula.printing.latex import latex

if TYPE_CHECKING:
    from workings.formula.evaluation.evaluate import Scope


def entry(node: f.Index, scope: "Scope") -> Tensor:
    """An entry of a vector or matrix, or a row of a matrix."""
    body = scope.value(node.body)
    chosen = [
        None if isinstance(index, f.Unsaid) and index.text == ":" else scope.whole(index)
        for index in node.indices
    ]
    sides = list(body.shape)
    if any(isinstance(index, f.Size) for index in node.indices) and not all(
        index is None or 1 <= index <= side for index, side in zip(chosen, sides, strict=False)
    ):  # a size may be an index here, whose name was taken already
        raise Uncomputed(f"{latex(node)} at {chosen}, outside {shape(body)}; rename the index")
    if None in chosen:
        return _rows_or_columns(node, body, chosen)
    indices = [index for index in chosen if index is not None]
    if len(indices) == 1 and body.ndim == 2:
        vector = 1 in sides
        if not 1 <= indices[0] <= (body.numel() if vector else sides[0]):
            raise Outside(f"{latex(node)} at {indices[0]}, outside {shape(body)}")
        return body.reshape(-1)[indices[0] - 1] if vector else body[indices[0] - 1 : indices[0]]
    if body.numel() == 1 and body.ndim == 0:
        raise Uncomputed(f"{latex(node)}: an index of what is declared as a number")
    if len(indices) != body.ndim or not all(
        1 <= index <= side for index, side in zip(indices, sides, strict=False)
    ):
        raise Outside(f"{latex(node)} at {indices}, outside {shape(body)}")
    return body[tuple(index - 1 for index in indices)]


def _rows_or_columns(node: f.Index, body: Tensor, chosen: list[int | None]) -> Tensor:
    """X_{i,:} is a row, X_{:,j} a column."""
    if len(chosen) != 2 or body.ndim != 2:
        raise Undefined(f"{latex(node)} of {shape(body)}")
    for side, index in zip(body.shape, chosen, strict=True):
        if index is not None and not 1 <= index <= side:
            raise Undefined(f"{latex(node)} at {index}, outside {shape(body)}")
    row, column = (slice(None) if i is None else slice(i - 1, i) for i in chosen)
    return body[row, column]


def under(scope: "Scope", variable: str, index: int, body: f.Node) -> Tensor:
    """The body's value where a bound index has this value."""
    outer = scope.indices.get(variable)
    scope.indices[variable] = index
    try:
        return scope.value(body)
    finally:  # an Undefined may be caught, and the scope used again
        if outer is None:
            del scope.indices[variable]
        else:
            scope.indices[variable] = outer


def total(ranges: Sequence[f.Range], body: f.Node, scope: "Scope") -> Tensor:
    """A sum over ranges; over all entries if there is none."""
    if not ranges:
        return scope.value(body).sum()
    outer, rest = ranges[0], tuple(ranges[1:])
    inner = f.Total(rest, body) if rest else body
    parts = [under(scope, outer.variable, k, inner) for k in values(outer, body, scope)]
    return reduce(add, parts) if parts else torch.tensor(0.0, dtype=torch.float64)


def extreme(function: str, ranges: Sequence[f.Range], body: f.Node, scope: "Scope") -> Tensor:
    """max, min, argmax or argmin over the values of its indices."""
    outer, rest = ranges[0], tuple(ranges[1:])
    if rest and function.startswith("arg"):
        raise Uncomputed(f"{function} over several indices")
    inner = f.Extreme(function, rest, body) if rest else body
    indices = values(outer, body, scope)
    parts = [under(scope, outer.variable, k, inner) for k in indices]
    if not parts or any(part.numel() != 1 for part in parts):
        raise Undefined(f"{function} over {outer.variable} of what are no numbers")
    stacked = torch.stack([part.reshape(()) for part in parts])
    chosen = stacked.argmax() if function.endswith("max") else stacked.argmin()
    if function.startswith("arg"):
        return torch.tensor(float(indices[int(chosen)]), dtype=torch.float64)
    return stacked[chosen]


def by_entries(node: f.Entries, scope: "Scope") -> Tensor:
    """A vector or matrix whose entries a formula gives: a column, unless what is indexed is a row.

    With two indices the first is that of the rows.
    """
    lengths = [_reach(name, node, scope) for name in node.variables]
    check_size(*lengths)
    first, *rest = node.variables
    if rest:
        inner = f.Entries(tuple(rest), node.body)
        rows = [under(scope, first, k, inner).reshape(1, -1) for k in range(1, lengths[0] + 1)]
        return torch.cat(rows, 0)
    parts = [under(scope, first, k, node.body) for k in range(1, lengths[0] + 1)]
    if any(part.numel() != 1 for part in parts):
        raise Undefined(f"entries {latex(node.body)} that are no numbers")
    column = torch.stack([part.reshape(()) for part in parts]).reshape(-1, 1)
    vectors = [each for each, _ in _indexed(first, node.body, scope) if 1 in each.shape]
    return column.t() if vectors and vectors[0].shape[0] == 1 else column


def _reach(variable: str, node: f.Entries, scope: "Scope") -> int:
    """How many entries there are: with a shift, y_i = x_{i+1} - x_i, as many as have a value."""
    shifted = any(
        isinstance(part, f.Variable) and part.name == variable
        for entry in node.body.walk()
        if isinstance(entry, f.Index)
        for index in entry.indices
        if isinstance(index, f.Sum)
        for part in index.walk()
    )
    if not shifted:
        return length_of(variable, [node.body], scope)
    others = [name for name in node.variables if name != variable]
    reached = 0
    while True:
        scope.indices |= dict.fromkeys(others, 1)
        try:
            under(scope, variable, reached + 1, node.body)
        except Outside:
            break
        finally:
            for name in others:
                scope.indices.pop(name, None)
        reached += 1
        check_size(reached)
    if not reached:
        raise Uncomputed(f"{latex(node.body)} has no entry with {variable} = 1")
    return reached


def values(bound: f.Range, body: f.Node, scope: "Scope") -> list[int]:
    """The values of a bound index, in their order."""
    if bound.members:
        return [scope.whole(member) for member in bound.members]
    if isinstance(bound.low, f.Unsaid) or isinstance(bound.high, f.Unsaid):
        raise Uncomputed(f"a sum over a set or to infinity by {bound.variable}; write its bounds")
    low = 1 if bound.low is None else scope.whole(bound.low)
    if bound.high is not None:
        high = scope.whole(bound.high)
    else:
        high = length_of(bound.variable, [body], scope)
    if abs(high - low) > MOST_STEPS:
        raise WorkingsError(f"a sum or product of {abs(high - low):,} parts takes too long")
    without = {scope.whole(value) for value in bound.without}
    span = range(low, high - 1, -1) if bound.descending else range(low, high + 1)
    return [value for value in span if value not in without]


def length_of(variable: str, bodies: Sequence[f.Node], scope: "Scope") -> int:
    """How far an index without bounds goes: to the end of what it indexes."""
    for body in bodies:
        for indexed, length in _indexed(variable, body, scope):
            return length or indexed.numel()
    raise Uncomputed(f"the sum over {variable} has no bounds, and it indexes nothing")


def _indexed(variable: str, body: f.Node, scope: "Scope") -> Iterator[tuple[Tensor, int]]:
    """What a bare index stands at in a formula, and how far it goes there."""
    for node in body.walk():
        if not isinstance(node, f.Index):
            continue
        for axis, index in enumerate(node.indices):
            if isinstance(index, f.Variable) and index.name == variable:
                indexed = scope.value(node.body)
                if len(node.indices) == 1 and 1 in indexed.shape:
                    yield indexed, indexed.numel()
                elif axis >= indexed.ndim:
                    raise Undefined(f"{latex(node)}: it has no such index")
                else:
                    yield indexed, indexed.shape[axis]
