"""The polynomial through given values, exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from workings.formula.polynomial import Monomial, Polynomial, monomial


def degree(values: Sequence[int | Fraction]) -> int | None:
    """The degree of the polynomial through values at equally spaced sizes.

    None unless two values at least are left over that confirm it.
    """
    differences = list(values)
    for order in range(-1, len(values) - 2):
        if not any(differences):
            return max(order, 0)
        differences = [b - a for a, b in pairwise(differences)]
    return None


def interpolate(
    symbols: Sequence[str], nodes: Sequence[Sequence[int]], values: Sequence[int | Fraction]
) -> Polynomial:
    """The polynomial with `values` on the product of the nodes (the last symbol varies fastest)."""
    table = [Fraction(value) for value in values]
    for axis, along in enumerate(nodes):
        inner = prod(len(other) for other in nodes[axis + 1 :])
        table = _along_axis(table, along, inner)
    terms: dict[Monomial, Fraction] = {}
    for powers, c in zip(product(*(range(len(along)) for along in nodes)), table, strict=True):
        if c:
            terms[monomial(zip(symbols, powers, strict=True))] = c
    return Polynomial(terms, tuple(symbols))


def _along_axis(table: list[Fraction], nodes: Sequence[int], inner: int) -> list[Fraction]:
    """Values at the nodes into coefficients, for every line of the table along one axis."""
    result = list(table)
    for first in range(0, len(table), len(nodes) * inner):
        for offset in range(inner):
            line = slice(first + offset, first + len(nodes) * inner, inner)
            result[line] = _coefficients(nodes, table[line])
    return result


def _coefficients(nodes: Sequence[int], values: list[Fraction]) -> list[Fraction]:
    """Newton's divided differences, multiplied out from the last to the first."""
    divided = list(values)
    for order in range(1, len(nodes)):
        for k in range(len(nodes) - 1, order - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (nodes[k] - nodes[k - order])
    result = [Fraction(0)] * len(nodes)
    for k in range(len(nodes) - 1, -1, -1):
        # result ← result · (x - nodes[k]) + divided[k]
        shifted = [Fraction(0), *result[:-1]]
        result = [above - nodes[k] * c for above, c in zip(shifted, result, strict=True)]
        result[0] += divided[k]
    return result
