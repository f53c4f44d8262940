"""Bounds of numbers: against the decimal module, which computes by other ways."""

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from workings.formula import nodes as f
from workings.formula.enclosure import Interval, enclosure, is_narrow
from workings.formula.exact import NotExact


def number(value: int | Fraction) -> f.Node:
    return f.Number(Fraction(value))


def call(name: str, *arguments: f.Node) -> f.Node:
    return f.Call(name, arguments)


def near(interval: Interval, value: Decimal) -> bool:
    """Whether the interval is narrow and within 10^-90, relative, of the value."""
    exact = enclosure(number(Fraction(value)))
    distance = abs(interval - exact)
    bound = enclosure(number(Fraction(1, 10**90))) * abs(exact)
    return is_narrow(interval) and (distance < bound) is True


@pytest.mark.parametrize("seed", range(5))
def test_functions_agree_with_decimals(seed: int) -> None:
    draw = random.Random(seed)
    x = Fraction(draw.randrange(1, 10**6), draw.randrange(1, 10**4))
    with localcontext() as context:
        context.prec = 120
        value = Decimal(x.numerator) / Decimal(x.denominator)
        small = value / 1000
        e = small.exp()
        below = number(x / 1000)
        assert near(enclosure(call("sqrt", number(x))), value.sqrt())
        assert near(enclosure(call("log", number(x + 1))), (value + 1).ln())
        assert near(enclosure(call("log", number(x + 1), number(10))), (value + 1).log10())
        assert near(enclosure(call("exp", below)), e)
        assert near(enclosure(call("sinh", below)), (e - 1 / e) / 2)
        assert near(enclosure(call("tanh", below)), (e * e - 1) / (e * e + 1))
        assert near(enclosure(call("sigmoid", below)), e / (1 + e))
        assert near(enclosure(call("softplus", below)), (1 + e).ln())
        assert near(
            enclosure(f.Power(number(x), number(Fraction(2, 7)))), value ** (2 / Decimal(7))
        )


def test_angles_by_their_identities() -> None:
    pi = f.Constant(r"\pi")
    for k in range(1, 12):
        angle = f.Quotient(pi, number(k))
        square = sum(enclosure(call(name, angle)) ** 2 for name in ("sin", "cos"))
        assert 1 in square
        assert is_narrow(square)
    assert 0 in enclosure(call("sin", pi))
    assert (enclosure(call("tan", number(1))) > 1) is True


@pytest.mark.parametrize(
    "node",
    [
        call("log", number(0)),
        call("sqrt", number(-2)),
        call("exp", number(10**7)),
        f.Quotient(number(1), call("sin", f.Constant(r"\pi"))),
        f.Quotient(number(1), number(0)),
        f.Power(number(-8), number(Fraction(1, 3))),
        f.Power(number(10), f.Power(number(10), number(10))),
        f.Size("n"),
        call("arctan", number(1)),
    ],
)
def test_what_has_no_value_or_is_too_large_has_no_bounds(node: f.Node) -> None:
    with pytest.raises(NotExact):
        enclosure(node)
