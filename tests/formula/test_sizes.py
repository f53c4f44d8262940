"""Arithmetic in named sizes against Python's own, and what is refused."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.formula.sizes import parse_sizes

leaves = st.one_of(st.integers(0, 20).map(str), st.sampled_from(["n", "d", "N_h"]))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//"]), inner).map(
            lambda parts: "({} {} {})".format(*parts)
        ),
        st.tuples(inner, st.integers(0, 3)).map(lambda parts: f"({parts[0]})^{parts[1]}"),
    ),
    max_leaves=8,
)
sizes = st.fixed_dictionaries({name: st.integers(1, 30) for name in ("n", "d", "N_h")})


@given(expressions, sizes)
def test_values_are_those_of_python_with_fractions(text: str, at: dict[str, int]) -> None:
    names = {name: Fraction(value) for name, value in at.items()}
    # Whole numbers must divide exactly there too; those after ^ are powers.
    python = re.sub(r"(?<![\d^])(\d+)", r"Fraction(\1)", text).replace("^", "**")
    try:
        expected = eval(python, {"Fraction": Fraction, **names})  # the oracle, on our own text
    except ZeroDivisionError:
        with pytest.raises(WorkingsError, match="divides by zero"):
            parse_sizes(text)(at)
        return
    assert parse_sizes(text)(at) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n^2(d + h) + nd^2", "n²·d + n²·h + n·d²"),
        ("2nd", "2·n·d"),
        ("n²d", "n²·d"),
        (r"n \cdot d \times h", "n·d·h"),
        ("n·d × h", "n·d·h"),
        ("-n + 3**2", "-n + 9"),
        ("d^2/h", "d²/h"),
        ("n d^{2}", "n·d²"),
        ("(n)(d)", "n·d"),
    ],
)
def test_what_people_write(text: str, expected: str) -> None:
    p = parse_sizes(text, ("n", "d", "h")).polynomial()
    assert str(p.ordered(("n", "d", "h"))) == expected


def test_a_name_is_taken_apart_only_into_known_symbols() -> None:
    assert parse_sizes("nd").names == ("nd",)
    assert parse_sizes("nd", ("n", "d")).names == ("n", "d")
    assert parse_sizes("nd", ("n", "d", "nd")).names == ("nd",)
    assert parse_sizes("ndx", ("n", "d")).names == ("ndx",)
    assert parse_sizes("N_h N_{i}").names == ("N_h", "N_i")


def test_names_that_stand_for_a_polynomial() -> None:
    features = parse_sizes("1 + D + D(D+1)/2").polynomial()
    p = parse_sizes("LMD", ("L", "M", "D")).polynomial({"M": features})
    assert str(p.ordered(("L", "D"))) == "L·D³/2 + 3·L·D²/2 + L·D"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a number, a size or a parenthesis before 'the end'"),
        ("n +", "expected a number"),
        ("(n", "expected '\\)'"),
        ("n)", "expected an operator before '\\)'"),
        ("n.real", "cannot read '.' at character 2"),
        ("__import__('os')", "cannot read '_' at character 1"),
        ("n; d", "cannot read ';'"),
        ("n^d", "a power must be a whole number"),
        ("n^33", "a power must be a whole number, at most 32"),
        ("(" * 60 + "n" + ")" * 60, "nested deeper than 50"),
        ("(" * 100_000, "longer than"),
        ("1" * 31, "more than 30 digits"),
        ("((9^32)^32)^32", "too large"),
        ("1/(n - n)", "divides by zero"),
        ("m", "m is not a size here; there is: n"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(WorkingsError, match=message):
        parse_sizes(text)({"n": 2})


@pytest.mark.parametrize(
    "text", ["(a+b+c+d+e)^32", "((a+b)^30)^30", "(a+b+c+d+e+f)^8(a+b+c+d+e+f)^8", "a//b"]
)
def test_a_product_of_too_many_terms_is_refused_before_it_is_made(text: str) -> None:
    with pytest.raises(WorkingsError, match=r"too many terms|not a polynomial"):
        parse_sizes(text).polynomial()


def test_the_longest_sum_is_read() -> None:
    assert parse_sizes("+".join(["1"] * 200))({}) == 200
    assert parse_sizes("n" * 400, ("n",))({"n": 1}) == 1
