"""Polynomials against plain arithmetic at points, and how they are written."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, monomial

SYMBOLS = ("n", "d", "h")
monomials = st.builds(
    lambda powers: monomial(zip(SYMBOLS, powers, strict=True)),
    st.tuples(*[st.integers(0, 3)] * 3),
)
coefficients = st.fractions(-9, 9, max_denominator=6)
polynomials = st.builds(
    lambda terms: Polynomial.of(terms, SYMBOLS),
    st.dictionaries(monomials, coefficients, max_size=5),
)
sizes = st.fixed_dictionaries({symbol: st.integers(1, 50) for symbol in SYMBOLS})


def n_d() -> tuple[Polynomial, Polynomial]:
    return Polynomial.symbol("n"), Polynomial.symbol("d")


@given(polynomials, polynomials, sizes)
def test_arithmetic_is_that_of_the_values(p: Polynomial, q: Polynomial, at: dict[str, int]) -> None:
    assert (p + q)(at) == p(at) + q(at)
    assert (p - q)(at) == p(at) - q(at)
    assert (p * q)(at) == p(at) * q(at)
    assert (p**3)(at) == p(at) ** 3
    assert (3 - p * 2)(at) == 3 - 2 * p(at)


@given(polynomials, polynomials)
def test_equal_polynomials_are_those_without_a_difference(p: Polynomial, q: Polynomial) -> None:
    assert (p == q) == (not p - q)
    assert p + q == q + p
    assert hash(p + q) == hash(q + p)
    assert not p - p


@given(polynomials, sizes)
def test_division_by_a_term_undoes_its_product(p: Polynomial, at: dict[str, int]) -> None:
    n, d = n_d()
    term = n * d**2 * 3
    assert p * term / term == p
    assert (p / term)(at) == p(at) / (3 * at["n"] * at["d"] ** 2)
    assert n**-2 * n**2 == Polynomial.constant(1)


def test_only_a_single_term_divides() -> None:
    n, d = n_d()
    with pytest.raises(WorkingsError, match="cannot divide by n \\+ d"):
        n / (n + d)
    with pytest.raises(WorkingsError, match="cannot divide by 0"):
        n / (n - n)


@pytest.mark.parametrize(
    ("text", "latex", "terms"),
    [
        ("4·N_h² + 4·N_h·N_i + 8·N_h", "4 N_h^2 + 4 N_h N_i + 8 N_h", "lstm"),
        ("D²/2 + 3·D/2 + 1", r"\frac{D^2}{2} + \frac{3 D}{2} + 1", "features"),
        ("-n + 224,408", "-n + 224408", "negative"),
        ("n·d²/(2·h)", r"\frac{n d^2}{2 h}", "fraction"),
        ("1/h", r"\frac{1}{h}", "inverse"),
        ("0", "0", "zero"),
        ("n¹²", "n^{12}", "high"),
        ("2·seq_len_max", r"2 \mathrm{seq}_{len\_max}", "word"),
    ],
)
def test_written_out(text: str, latex: str, terms: str) -> None:
    N_h, N_i, D, h = (Polynomial.symbol(s) for s in ("N_h", "N_i", "D", "h"))
    n, d = n_d()
    p = {
        "lstm": N_h * 8 + N_h * N_i * 4 + N_h * N_h * 4,
        "features": 1 + D + D * (D + 1) / 2,
        "negative": 224_408 - n,
        "fraction": n * d**2 / (h * 2),
        "inverse": Polynomial.constant(1) / h,
        "zero": n - n,
        "high": n**12,
        "word": Polynomial.symbol("seq_len_max") * 2,
    }[terms]
    assert str(p) == text
    assert p.latex() == latex


def test_the_order_of_symbols_is_that_of_writing_and_no_part_of_the_value() -> None:
    n, d = n_d()
    p = n * d**2 * 4 + n**2 * d * 2
    assert str(p.ordered("nd")) == "2·n²·d + 4·n·d²"
    assert str(p.ordered("dn")) == "4·d²·n + 2·d·n²"
    assert p.ordered("nd") == p.ordered("dn")


def test_degrees_and_symbols() -> None:
    n, d = n_d()
    p = n**3 * d + n - 5
    assert (p.degree("n"), p.degree("d"), p.degree("h")) == (3, 1, 0)
    assert p.symbols == ("n", "d")
    assert (p / n**4).degree("n") == -1


def test_a_value_needs_all_sizes() -> None:
    n, d = n_d()
    with pytest.raises(WorkingsError, match="n·d needs a value of d"):
        (n * d)({"n": 3})
    assert (n * d)({"n": 3, "d": 5, "z": 1}) == Fraction(15)
