"""The sum of products of terms, one of each axis, that has given values, exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from workings.cost.recovery.axis import Axis, Values
from workings.formula.polynomial import Monomial, Polynomial, monomial


def interpolate(axes: Sequence[Axis], values: Values) -> Polynomial:
    """With `values` on the product of the nodes (the last axis varies fastest)."""
    table = [Fraction(value) for value in values]
    for position, axis in enumerate(axes):
        inner = prod(len(other.nodes) for other in axes[position + 1 :])
        table = _along_axis(table, _inverse(axis), inner)
    terms: dict[Monomial, Fraction] = {}
    for factors, c in zip(product(*(axis.terms for axis in axes)), table, strict=True):
        if c:
            terms[monomial(power for factor in factors for power in factor)] = c
    names = [n for axis in axes for n in (axis.symbol, *(each.name for each in axis.rounded))]
    return Polynomial(terms, tuple(names))


def _along_axis(table: list[Fraction], inverse: list[list[Fraction]], inner: int) -> list[Fraction]:
    """Values at the nodes into coefficients, for every line of the table along one axis."""
    result = list(table)
    count = len(inverse)
    for first in range(0, len(table), count * inner):
        for offset in range(inner):
            line = slice(first + offset, first + count * inner, inner)
            values = table[line]
            result[line] = [
                sum((a * b for a, b in zip(row, values, strict=True)), Fraction(0))
                for row in inverse
            ]
    return result


def _inverse(axis: Axis) -> list[list[Fraction]]:
    """Of the matrix of the terms at the nodes, by elimination."""
    count = len(axis.nodes)
    rows = [
        [axis.value(term, node) for term in axis.terms]
        + [Fraction(int(i == j)) for j in range(count)]
        for i, node in enumerate(axis.nodes)
    ]
    for column in range(count):
        pivot = next(i for i in range(column, count) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [a / rows[column][column] for a in rows[column]]
        for i in range(count):
            if i != column and rows[i][column]:
                times = rows[i][column]
                rows[i] = [a - times * b for a, b in zip(rows[i], rows[column], strict=True)]
    return [row[count:] for row in rows]
