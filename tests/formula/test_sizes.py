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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*d//h", 4),
        ("d/h*h", 7),
        ("d//h h", 6),
        ("2^-1 n", Fraction(5, 2)),
        (r"\binom{d}{2}", 21),
        (r"\sum_{i=1}^{d} i^2", 140),
        ("|n| + d!", 5045),
        (r"\frac{d(d+1)}{2}", 28),
        ("1.5 n", Fraction(15, 2)),
        ("h1 + d_k", 30),
    ],
)
def test_exact_values(text: str, expected: Fraction) -> None:
    """Products and quotients go from left to right, as in Python."""
    sizes = {"n": 5, "d": 7, "h": 3, "h1": 10, "d_k": 20}
    assert parse_sizes(text)(sizes) == expected


@pytest.mark.parametrize(
    "text",
    ["O(n^2 d)", r"\mathcal{O}(n^2 d)", r"\mathrm{O}\left(n^2 d\right)", "{O}(n²d)", "O(nnd)"],
)
def test_an_order_of_growth_is_what_stands_inside(text: str) -> None:
    assert str(parse_sizes(text, ("n", "d")).polynomial()) == "n²·d"
    assert parse_sizes("O n", ("O", "n")).names == ("O", "n")


def test_names_that_stand_for_a_polynomial() -> None:
    features = parse_sizes("1 + D + D(D+1)/2").polynomial()
    p = parse_sizes("LMD", ("L", "M", "D")).polynomial({"M": features})
    assert str(p.ordered(("L", "D"))) == "L·D³/2 + 3·L·D²/2 + L·D"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a formula was expected, the formula ends at character 1"),
        ("n +", "a formula was expected, the formula ends at character 4"),
        ("(n", "'\\)' was expected"),
        ("n)", "an operator or the end was expected, found '\\)' at character 2"),
        ("n.real", "unexpected '.' .* at character 2"),
        ("__import__('os')", "found '_' at character 1"),
        ("n; d", "without a relation"),
        ("n = 2", "without a relation"),
        ("n^(1/2)", "a power must be a whole number"),
        ("tanh(n)", "not arithmetic in sizes"),
        ("n^33", "a power must be a whole number, at most 32"),
        ("(" * 60 + "n" + ")" * 60, "nested more than 50 deep"),
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
    "text", ["(a+b+c+d+e)^32", "((a+b)^30)^30", "(a+b+c+d+e+f)^8(a+b+c+d+e+f)^8", "a//b", "a^b"]
)
def test_a_product_of_too_many_terms_is_refused_before_it_is_made(text: str) -> None:
    with pytest.raises(WorkingsError, match=r"too many terms|not a polynomial|whole number"):
        parse_sizes(text).polynomial()


def test_the_longest_sum_is_read() -> None:
    assert parse_sizes("+".join(["1"] * 200))({}) == 200
    assert parse_sizes("n" * 400, ("n",))({"n": 1}) == 1


def test_an_index_outside_of_its_sum_is_a_size() -> None:
    formula = parse_sizes(r"i^2 \sum_{i=1}^{n} i^2")
    assert formula.names == ("i", "n")
    assert formula({"i": 3, "n": 4}) == 9 * (1 + 4 + 9 + 16)
