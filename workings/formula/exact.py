"""The exact value of a formula in sizes: a fraction at given sizes, or a polynomial in them.

Its degree, terms and digits are bounded, and known before they are made: a formula is data and
must not hang its reader.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, comb, factorial, floor

from workings.formula import nodes as f
from workings.formula.polynomial import Polynomial
from workings.formula.printing.latex import latex

HIGHEST = 32  # power
LARGEST = 4096  # bits of a number
MOST_TERMS = 10_000
MOST_PARTS = 10_000  # of a sum over a range

Exact = Fraction | Polynomial


class NotExact(Exception):
    """Why a formula has no exact value, without the formula."""


def exact(node: f.Node, names: Mapping[str, Exact]) -> Exact:
    """The value of a formula whose names have these values."""
    match node:
        case f.Number(value):
            return value
        case f.Symbol() | f.Size() | f.Variable() | f.Reference():
            return names[node.name]
        case f.Sum(parts):
            total: Exact = Fraction(0)
            for part in parts:
                total = _bounded(_plus(total, exact(part, names)))
            return total
        case f.Product(parts) | f.Elementwise(parts):
            product: Exact = Fraction(1)
            for part in parts:
                product = _times(product, exact(part, names))
            return product
        case f.Dot(left, right):
            return _times(exact(left, names), exact(right, names))
        case f.Negative(body):
            return _times(Fraction(-1), exact(body, names))
        case f.Quotient(top, bottom):
            return _divided(exact(top, names), exact(bottom, names))
        case f.Floor(top, bottom):
            above, below = exact(top, names), exact(bottom, names)
            if isinstance(above, Polynomial) or isinstance(below, Polynomial):
                raise NotExact("// is not a polynomial")
            return Fraction(above // below)
        case f.Call("floor" | "ceil" as name, (body,)):
            inner = exact(body, names)
            if isinstance(inner, Polynomial):
                raise NotExact("a rounded number is not a polynomial")
            return Fraction(floor(inner) if name == "floor" else ceil(inner))
        case f.Power(base, exponent):
            return _power(exact(base, names), exact(exponent, names))
        case f.Call("abs" | "bars", (f.Symbol() as size,)):
            return names[size.name]  # |V| is the size of V
        case f.Call("binom", (top, bottom)):
            return Fraction(comb(_whole(exact(top, names)), _whole(exact(bottom, names))))
        case f.Call("factorial", (body,)):
            return _bounded(Fraction(factorial(_whole(exact(body, names)))))
        case f.Total((f.Range(variable, low, high, (), False),), body) if low and high:
            return _sum_over(variable, exact(low, names), exact(high, names), body, names)
    raise NotExact(f"{latex(node)} is not arithmetic in sizes")


def _sum_over(
    variable: str, low: Exact, high: Exact, body: f.Node, names: Mapping[str, Exact]
) -> Exact:
    first, last = _whole(low), _whole(high)
    if last - first > MOST_PARTS:
        raise NotExact("has a sum of too many parts")
    total: Exact = Fraction(0)
    for index in range(first, last + 1):
        total = _bounded(_plus(total, exact(body, {**names, variable: Fraction(index)})))
    return total


def _whole(value: Exact) -> int:
    if isinstance(value, Polynomial) or value.denominator != 1 or not 0 <= value <= 1000:
        raise NotExact("has a bound that is not a whole number from 0 to 1000")
    return int(value)


def _plus(left: Exact, right: Exact) -> Exact:
    _check_terms(_terms(left) + _terms(right))
    return right + left if isinstance(right, Polynomial) else left + right


def _times(left: Exact, right: Exact) -> Exact:
    _check_terms(_terms(left) * _terms(right))
    return _bounded(right * left if isinstance(right, Polynomial) else left * right)


def _divided(top: Exact, bottom: Exact) -> Exact:
    if isinstance(bottom, Polynomial):
        return _bounded(Polynomial.constant(1) / bottom * top)
    return _bounded(top / bottom)


def check_power(exponent: Exact) -> int:
    """The power, if it is a whole number that is not too high."""
    is_whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if not isinstance(exponent, Fraction) or not is_whole or abs(exponent) > HIGHEST:
        raise NotExact(f"a power must be a whole number, at most {HIGHEST}")
    return int(exponent)


def _power(base: Exact, exponent: Exact) -> Exact:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if exponent.denominator == 1 and abs(exponent) * bits <= LARGEST:
            return base ** int(exponent)
    power = check_power(exponent)
    _check_terms(comb(max(1, _terms(base)) + abs(power) - 1, abs(power)))
    return _bounded(base**power)


def _terms(value: Exact) -> int:
    return len(value.terms) if isinstance(value, Polynomial) else 1


def _check_terms(count: int) -> None:
    if count > MOST_TERMS:
        raise NotExact("has too many terms")


def _bounded(value: Exact) -> Exact:
    numbers = value.terms.values() if isinstance(value, Polynomial) else [value]
    if any(c.numerator.bit_length() + c.denominator.bit_length() > LARGEST for c in numbers):
        raise NotExact("has a value that is too large")
    return value
