"""How a count depends on one size: the terms that it is a sum of, seen at sizes in a row.

It is a polynomial, or one in the size and a rounded quotient of it, or one in several of these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod

from workings.cost.recovery.rounded import Rounded
from workings.formula.polynomial import Monomial, monomial

Values = Sequence[int | Fraction]

HIGHEST = 9  # differences that are taken: powers up to 8
SPARE = 6  # values beyond those that a period needs to be seen
WIDEST = 20  # period for which multiples are rounded: ⌊3n/10⌋
UNEVEN = 2  # how far the degree in ⌊n/k⌋ may exceed that of the growth: (n mod k)² is bounded


@dataclass(frozen=True)
class Axis:
    """A count along one symbol: a sum of terms, which can be told apart at the nodes.

    Where `period` is not 1, the count is such a sum for each residue by itself.
    """

    symbol: str
    terms: tuple[Monomial, ...]
    nodes: tuple[int, ...]
    rounded: tuple[Rounded, ...] = ()
    period: int = 1
    since: int = 0
    """the size from which on the count is this sum"""

    def value(self, term: Monomial, size: int) -> Fraction:
        """Of one of the terms at a size."""
        values = {self.symbol: size} | {each.name: each(size) for each in self.rounded}
        return prod((Fraction(values[name]) ** power for name, power in term), start=Fraction(1))

    def more_nodes(self, count: int) -> list[int]:
        """Sizes after the last one."""
        return [self.nodes[-1] + k for k in range(1, count + 1)]


def degree(values: Values) -> int | None:
    """The degree of the polynomial through values at equally spaced sizes.

    None unless two values at least are left over that confirm it.
    """
    differences = list(values)
    for order in range(-1, len(values) - 2):
        if not any(differences):
            return max(order, 0)
        differences = [b - a for a, b in pairwise(differences)]
    return None


def powers(symbol: str, sizes: Sequence[int], top: int, below: int = 0, since: int = 0) -> Axis:
    """A polynomial of this degree, divided by symbol^below."""
    terms = tuple(monomial([(symbol, k - below)]) for k in range(top + 1))
    return Axis(symbol, terms, tuple(sizes[: top + 1]), since=since)


def periodic(symbol: str, sizes: Sequence[int], values: Values) -> Axis | None:
    """The sum of terms with rounded quotients, or one for each residue, that has these values.

    The sizes are equally spaced, and so many more than the terms that these are seen to hold.
    """
    seen = period_of(values)
    if seen is None:
        return None
    period, top = seen
    if period == 1:
        return powers(symbol, sizes, top, since=sizes[0])
    step = sizes[1] - sizes[0]
    for rounded, terms in _candidates(symbol, period, top, step, sizes[0]):
        axis = Axis(symbol, tuple(terms), (), tuple(rounded))
        nodes = _solved(axis, sizes, values)
        if nodes is not None:
            kept = tuple(terms[column] for column in nodes)
            return Axis(symbol, kept, tuple(nodes.values()), axis.rounded, since=sizes[0])
    terms_of_each = powers(symbol, sizes, top).terms
    return Axis(symbol, terms_of_each, tuple(sizes[: (top + 1) * period]), (), period, sizes[0])


def period_of(values: Values) -> tuple[int, int] | None:
    """The shortest period for whose residues the values are polynomials, and their degree."""
    for period in range(1, len(values) // 2):
        differences = list(values)
        for top in range(-1, HIGHEST):
            if len(differences) < max(period, SPARE):
                break
            if not any(differences):
                return period, max(top, 0)
            differences = [b - a for a, b in zip(differences, differences[period:], strict=False)]
    return None


def _candidates(
    symbol: str, period: int, top: int, step: int, first: int
) -> Iterator[tuple[list[Rounded], list[Monomial]]]:
    """Sums to try: in a quotient, it and the size, powers of several, a multiple's quotient."""
    # A shift by less than a step changes nothing at these sizes.
    shifts = [-first % step + step * j for j in range(period)]
    rounding = [shifts[0], shifts[-1], *shifts[1:-1]]
    alone = [Rounded(symbol, shift % (period * step), period * step) for shift in rounding]
    for quotient in alone:
        yield [quotient], [monomial([(quotient.name, k)]) for k in range(max(top, 1) + 1)]
    for total in range(max(top, 1), max(top, 1) + UNEVEN + 1):
        for quotient in alone:
            yield [quotient], _products(quotient.name, symbol, total)
    divisors = [q for q in range(2, period + 1) if period % q == 0]
    for shift in rounding:
        quotients = [Rounded(symbol, shift % (q * step), q * step) for q in divisors]
        names = [*(each.name for each in quotients), symbol]
        pure = [monomial([(name, k)]) for k in range(1, max(top, 1) + 1) for name in names]
        yield quotients, [(), *pure]
        if len(quotients) > 1 and max(top, 1) > 1:
            times_size = [monomial([(each.name, 1), (symbol, 1)]) for each in quotients]
            yield quotients, [(), *pure, *times_size]
    for times in range(2, period if period <= WIDEST and step == 1 else 0):
        for shift in rounding if gcd(times, period) == 1 else ():
            quotient = Rounded(symbol, shift, period, times)
            yield [quotient], _products(quotient.name, symbol, max(top, 1))


def _products(first: str, second: str, total: int) -> list[Monomial]:
    """All products of two names up to a total degree, powers of either before their products.

    (n mod k)² and the like are bounded, so that there are several sums with the same values: that
    of the first terms is taken.
    """
    exponents = [(k - j, j) for k in range(total + 1) for j in range(k + 1)]
    pure = [each for each in exponents if 0 in each]
    mixed = [each for each in exponents if 0 not in each]
    return [monomial([(first, i), (second, j)]) for i, j in (*pure, *mixed)]


def _solved(axis: Axis, sizes: Sequence[int], values: Values) -> dict[int, int] | None:
    """The sizes that tell each needed term, by its column; None if no sum has these values."""
    pivots: dict[int, tuple[int, list[Fraction]]] = {}
    for size, value in zip(sizes, values, strict=True):
        row = [*(axis.value(term, size) for term in axis.terms), Fraction(value)]
        for column, (_, pivot) in pivots.items():
            if row[column]:
                times = row[column] / pivot[column]
                row = [a - times * b for a, b in zip(row, pivot, strict=True)]
        column = next((j for j, a in enumerate(row[:-1]) if a), -1)
        if column >= 0:
            pivots[column] = size, row
        elif row[-1]:
            return None
    return {column: size for column, (size, _) in sorted(pivots.items())}
