"""The value of a formula of numbers alone, between two bounds that agree to some 200 digits.

Intervals of mpmath: what they contain is proven, so that two that do not meet are two numbers.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, Self

from mpmath.ctx_iv import MPIntervalContext
from mpmath.ctx_mp import MPContext

from workings.formula import nodes as f
from workings.formula.exact import NotExact, exact

DIGITS = 200
LARGEST = 10**6  # argument of an exponential or an angle: beyond, a formula could hang its reader


class Interval(Protocol):
    """What is used of mpmath's intervals, which has no types: a < b is None where they meet."""

    @property
    def delta(self) -> Self:
        """How wide it is."""
        ...

    @property
    def mid(self) -> Self:
        """The number in its middle."""
        ...

    def __add__(self, other: Self | int, /) -> Self: ...
    def __radd__(self, other: int, /) -> Self: ...
    def __sub__(self, other: Self | int, /) -> Self: ...
    def __rsub__(self, other: int, /) -> Self: ...
    def __mul__(self, other: Self | int, /) -> Self: ...
    def __rmul__(self, other: int, /) -> Self: ...
    def __truediv__(self, other: Self | int, /) -> Self: ...
    def __rtruediv__(self, other: int, /) -> Self: ...
    def __pow__(self, other: int, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __lt__(self, other: Self | int, /) -> bool | None: ...
    def __gt__(self, other: Self | int, /) -> bool | None: ...
    def __le__(self, other: Self | int, /) -> bool | None: ...
    def __ge__(self, other: Self | int, /) -> bool | None: ...
    def __contains__(self, other: int, /) -> bool: ...
    def __float__(self) -> float: ...


_IV = MPIntervalContext()
_IV.dps = DIGITS
_MP = MPContext()


def enclosure(node: f.Node) -> Interval:
    """An interval with the value of a formula in it; NotExact where a part has none."""
    fraction = _fraction(node)
    if fraction is not None:
        return _IV.mpf(fraction.numerator) / _IV.mpf(fraction.denominator)
    match node:
        case f.Constant(r"\pi"):
            return _IV.pi + 0
        case f.Constant("e"):
            return _IV.e + 0
        case f.Sum(parts):
            return sum(map(enclosure, parts), _IV.mpf(0))
        case f.Product(parts) | f.Elementwise(parts):
            product = _IV.mpf(1)
            for part in parts:
                product = product * enclosure(part)
            return product
        case f.Dot(left, right):
            return enclosure(left) * enclosure(right)
        case f.Negative(body):
            return -enclosure(body)
        case f.Quotient(top, bottom):
            return _divided(enclosure(top), enclosure(bottom))
        case f.Power(base, exponent):
            return _power(base, exponent)
        case f.Call("log" | "ln", (body, base), 0):
            return _divided(_log(enclosure(body)), _log(enclosure(base)))
        case f.Call(name, (body,), 0) if name in _FUNCTIONS:
            return _FUNCTIONS[name](enclosure(body))
    raise NotExact("is not of numbers alone")


def is_narrow(interval: Interval) -> bool:
    """Whether all numbers of an interval agree to more than half of the digits."""
    return (interval.delta < _IV.mpf(10) ** (-DIGITS // 2) * (1 + abs(interval))) is True


def shown(interval: Interval) -> str:
    """A number of the interval in two digits, also where float64 has none that is so small."""
    return str(_MP.nstr(_MP.mpf(interval.mid), 2))


def _fraction(node: f.Node) -> Fraction | None:
    try:
        value = exact(node, {})
    except (NotExact, KeyError):
        return None
    except ZeroDivisionError:
        raise NotExact("divides by zero") from None
    return value if isinstance(value, Fraction) else None


def _divided(top: Interval, bottom: Interval) -> Interval:
    if 0 in bottom:
        raise NotExact("divides by what may be zero")
    return top / bottom


def _power(base: f.Node, exponent: f.Node) -> Interval:
    power = _fraction(exponent)
    below = enclosure(base)
    if power is not None and power.denominator == 1 and abs(power) <= LARGEST:
        if power < 0 and 0 in below:
            raise NotExact("divides by what may be zero")
        return below ** int(power)
    return _exp(enclosure(exponent) * _log(below))


def _exp(x: Interval) -> Interval:
    return _IV.exp(_bounded(x))


def _log(x: Interval) -> Interval:
    if (x > 0) is not True:
        raise NotExact("has a logarithm of what may not be positive")
    return _IV.log(x)


def _sqrt(x: Interval) -> Interval:
    if (x >= 0) is not True:
        raise NotExact("has a root of what may be negative")
    return _IV.sqrt(x)


def _tanh(x: Interval) -> Interval:
    return 1 - 2 / (_exp(2 * x) + 1)


def _sigmoid(x: Interval) -> Interval:
    return 1 / (1 + _exp(-x))


def _bounded(x: Interval) -> Interval:
    if (abs(x) <= LARGEST) is not True:
        raise NotExact("has too large an argument")
    return x


_FUNCTIONS: dict[str, Callable[[Interval], Interval]] = {
    "exp": _exp,
    "log": _log,
    "ln": _log,
    "sqrt": _sqrt,
    "sin": lambda x: _IV.sin(_bounded(x)),
    "cos": lambda x: _IV.cos(_bounded(x)),
    "tan": lambda x: _divided(_IV.sin(_bounded(x)), _IV.cos(x)),
    "sinh": lambda x: (_exp(x) - _exp(-x)) / 2,
    "cosh": lambda x: (_exp(x) + _exp(-x)) / 2,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "\\sigma": _sigmoid,
    "logistic": _sigmoid,
    "softplus": lambda x: _log(1 + _exp(x)),
    "sech": lambda x: 2 / (_exp(x) + _exp(-x)),
    "abs": abs,
    "bars": abs,
}
