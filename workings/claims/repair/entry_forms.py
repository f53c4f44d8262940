"""A matrix formula entry by entry: [A B^T]_{ij} as a sum over l of a_{il} b_{jl}."""

from collections.abc import Sequence

from workings.claims.repair.plain import product
from workings.claims.system.gradient import Point
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.evaluation.activations import ELEMENTWISE
from workings.formula.printing.latex import latex

LETTERS = "lrstuvpq"


class NoEntries(WorkingsError):
    """A formula whose entries have no plain form here."""


def by_entries(left: f.Node, point: Point, taken: Sequence[str]) -> f.Node | None:
    """An entry of a formula, with the sums of its products written out; or nothing."""
    if not isinstance(left, f.Index) or isinstance(left.body, f.Reference):
        return None
    free = [letter for letter in LETTERS if letter not in taken]
    try:
        shape = point.value(left.body).shape
        if len(left.indices) == len(shape) == 2:
            row, column = left.indices
        elif len(left.indices) == 1 and 1 in shape:
            row = column = left.indices[0]
        else:
            return None
        return _entry(left.body, row, column, point, free)
    except NoEntries:
        return None


def _entry(
    node: f.Node, row: f.Node, column: f.Node, point: Point, letters: Sequence[str]
) -> f.Node:
    value = point.value(node)
    if value.numel() == 1:
        return node
    match node:
        case f.Reference():
            vector = 1 in value.shape
            at = (row if value.shape[1] == 1 else column,) if vector else (row, column)
            return f.Index(node, at)
        case f.Transpose(body):
            return _entry(body, column, row, point, letters)
        case f.Negative(body):
            return f.Negative(_entry(body, row, column, point, letters))
        case f.Sum(terms):
            return f.Sum(tuple(_entry(term, row, column, point, letters) for term in terms))
        case f.Elementwise(factors):
            return product([_entry(each, row, column, point, letters) for each in factors])
        case f.Product((first, *rest)):
            last = f.product_of(rest)
            if 1 in (point.value(first).numel(), point.value(last).numel()):
                return product(
                    [_entry(each, row, column, point, letters) for each in (first, last)]
                )
            if not letters:
                raise NoEntries(latex(node))
            inner = f.Variable(letters[0])
            left = _entry(first, row, inner, point, letters[1:])
            right = _entry(last, inner, column, point, letters[1:])
            return f.Total((f.Range(letters[0]),), product((left, right)))
        case f.Call(function, (argument,), 0) if function.lstrip("\\").lower() in ELEMENTWISE:
            return f.Call(function, (_entry(argument, row, column, point, letters),))
    raise NoEntries(latex(node))
