"""Formulas recovered from counts: random polynomials come back, and nothing else passes for one."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.cost.counts.samples import Counts, Refused
from workings.cost.recovery.axis import degree, powers
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import Grid, grids
from workings.cost.recovery.interpolate import interpolate
from workings.cost.recovery.recover import recover
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes, monomial

SYMBOLS = ("n", "d", "h")
polynomials = st.builds(
    lambda terms: Polynomial.of(
        {monomial(zip(SYMBOLS, p, strict=True)): c for p, c in terms.items()}, SYMBOLS
    ),
    st.dictionaries(
        st.tuples(*[st.integers(0, 3)] * 3), st.fractions(-9, 9, max_denominator=4), max_size=5
    ),
)


def formula(count: Callable[..., int | Fraction], *symbols: str) -> CountFormula:
    found, _ = recover(lambda sizes: {"count": count(**sizes)}, grids(symbols))
    return found["count"]


@settings(deadline=None, max_examples=25)
@given(polynomials)
def test_a_polynomial_comes_back_exactly(p: Polynomial) -> None:
    found = formula(lambda **sizes: p(sizes), *SYMBOLS)
    assert found.polynomial == p
    assert found.kind == "exact"


@settings(deadline=None, max_examples=25)
@given(polynomials)
def test_it_is_proven_at_sizes_that_it_was_not_fitted_on(p: Polynomial) -> None:
    taken: list[Sizes] = []

    def count(sizes: Sizes) -> dict[str, Fraction]:
        taken.append(dict(sizes))
        return {"count": p(sizes)}

    found = recover(count, grids(SYMBOLS)).formulas["count"]
    on_grid = [s for s in taken if max(s.values()) < 11]
    assert len(found.proven) >= 4
    assert all(sizes in taken and sizes not in on_grid for sizes in found.proven)
    for symbol in SYMBOLS:
        assert max(sizes[symbol] for sizes in found.proven) > 60


def test_a_term_that_vanishes_where_the_axes_cross_is_found() -> None:
    base = next(grids(("n", "d"))).base

    def count(n: int, d: int) -> int:
        return n * n + (n - base["n"]) * (d - base["d"])

    assert str(formula(count, "n", "d")) == "n² + n·d - 6·n - 5·d + 30"


@pytest.mark.parametrize(
    ("count", "period"),
    [
        (lambda n: n // 2, 2),
        (lambda n: (n - 3) // 2 + 1, 2),
        (lambda n: (n // 2 - 2) // 2, 4),
        (lambda n: (n // 3) ** 2 * n, 3),
        (lambda n: n // 2 + n // 3, 6),
        (lambda n: n // 8, 8),
    ],
)
def test_rounding_gives_one_polynomial_for_each_residue(
    count: Callable[[int], int], period: int
) -> None:
    found = formula(count, "n")
    assert found.kind == "piecewise"
    assert found.polynomial is None
    assert len(found.pieces) == period
    for n in (*range(2, 40), 1001, 1002, 1003, 1004):
        assert found({"n": n}) == count(n)


def test_two_sizes_that_are_rounded_have_the_product_of_their_residues() -> None:
    found = formula(lambda n, d: (n // 2) * (d // 3) + d, "n", "d")
    assert len(found.pieces) == 6
    assert found({"n": 101, "d": 77}) == 50 * 25 + 77
    assert str(found) == "⌊n/2⌋·⌊d/3⌋ + d"
    assert found.pieces[-1].condition == "n = 2k + 1, d = 3k + 2"


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (lambda n, d: 4 * d * (n + -n % 20), "80·⌈n/20⌉·d"),
        (lambda n, d: ((n - 7) // 7 + 1) * d, "⌊n/7⌋·d"),
        (lambda n, d: ((n - 3) // 5 + 1) * d, "⌊(n+2)/5⌋·d"),
        (lambda n, d: d * sum((-(-n // 2**k)) ** 2 for k in (1, 2, 3)),
         "⌈n/2⌉²·d + ⌈n/4⌉²·d + ⌈n/8⌉²·d"),
        (lambda n, d: d * (n // 12 * 144 + (n % 12) ** 2),
         "n²·d - 24·n·⌊n/12⌋·d + 144·⌊n/12⌋²·d + 144·⌊n/12⌋·d"),
        (lambda n, d: d * int(0.3 * n), "⌊3n/10⌋·d"),
        (lambda n, d: (1 + n // 8) * (1 + d // 8), "⌊n/8⌋·⌊d/8⌋ + ⌊n/8⌋ + ⌊d/8⌋ + 1"),
    ],
)  # fmt: skip
def test_rounded_quotients_are_one_formula(count: Callable[..., int], expected: str) -> None:
    found = formula(count, "n", "d")
    assert str(found) == expected
    for n, d in ((3, 5), (64, 7), (65, 7), (1000, 31), (12_345, 2)):
        assert found({"n": n, "d": d}) == count(n, d)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (lambda n, d: d * min(n, 8), "8·d for n ≥ 8"),
        (lambda n, d: d * max(1, n // 16), "⌊n/16⌋·d for n ≥ 16"),
        (lambda n, d: d * n if n > 4 else d, "n·d for n ≥ 5"),
        (lambda n, d: d if n < 50 else 2 * n, "2·n for n ≥ 50"),
    ],
)
def test_a_formula_that_holds_from_some_size_on_says_so(
    count: Callable[..., int], expected: str
) -> None:
    found = formula(count, "n", "d")
    assert str(found) == expected
    (since,) = found.since.values()
    assert found({"n": since - 1, "d": 5}) is None
    assert found({"n": since, "d": 5}) == count(since, 5)
    assert found({"n": 999, "d": 12}) == count(999, 12)


def test_two_equal_sizes_where_the_formula_fails_are_said() -> None:
    found = heads(lambda n, d, h: n * d if d != h else 0)
    assert str(found) == "n·d"
    assert found.alike == (("d", "h"),)
    assert found({"n": 5, "d": 7, "h": 7}) is None
    assert found({"n": 7, "d": 14, "h": 7}) == 98


def test_several_sizes_of_one_where_the_formula_fails_are_said() -> None:
    found = formula(lambda n, d: n * d if n * d > 1 else 5, "n", "d")
    assert found.fails == ({"n": 1, "d": 1},)
    assert found({"n": 1, "d": 1}) is None
    assert found({"n": 1, "d": 2}) == 2


def test_pieces_are_proven_off_their_grid_too() -> None:
    taken: list[int] = []

    def count(sizes: Sizes) -> dict[str, int]:
        taken.append(sizes["n"])
        return {"count": sizes["n"] ** 2 // 8}

    found = recover(count, grids(("n",))).formulas["count"]
    assert len(found.pieces) == 4
    assert len(found.proven) >= 4 * len(found.pieces)
    assert {sizes["n"] % 4 for sizes in found.proven} == {0, 1, 2, 3}
    assert all(found(sizes) == sizes["n"] ** 2 // 8 for sizes in found.proven)


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (lambda n, d: n.bit_length() * d, "no polynomial in n, nor in rounded quotients"),
        (lambda n, d: 2 ** min(n, 300) + d, "no polynomial in n"),
        (lambda n, d: max(n, d) if n > 9 else n + d, "the one fitted fails at"),
        (lambda n, d: math.isqrt(n) * d, "no polynomial in n"),
    ],
)
def test_what_is_no_polynomial_has_numbers_and_no_formula(
    count: Callable[..., int], why: str
) -> None:
    found = formula(count, "n", "d")
    assert found.kind == "numeric"
    assert found.pieces == ()
    assert found({"n": 5, "d": 6}) is None
    assert why in str(found)
    assert all(count(**sizes) == value for sizes, value in found.values)
    assert len(found.values) >= 4


def heads(term: Callable[[int, int, int], int]) -> CountFormula:
    def count(n: int, d: int, h: int) -> int:
        if d % h:
            raise Refused("h does not divide d")
        return term(n, d, h)

    return formula(count, *SYMBOLS)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (lambda n, d, h: n * n * h + 4 * n * d * d, "n²·h + 4·n·d²"),
        (lambda n, d, h: n * (d // h), "n·d/h"),
        (lambda n, d, h: h * (d // h) ** 2 + n, "n + d²/h"),
        (lambda n, d, h: (d // h) ** 2, "d²/h²"),
    ],
)
def test_what_divides_what_is_found_out(
    term: Callable[[int, int, int], int], expected: str
) -> None:
    assert str(heads(term)) == expected


def test_the_grid_says_what_divides_what() -> None:
    def count(sizes: Sizes) -> dict[str, int]:
        if sizes["d"] % 8:
            raise Refused("not a multiple of 8")
        return {"count": sizes["d"] // 8 * sizes["n"]}

    found = recover(count, grids(("n", "d")))
    assert str(found.formulas["count"]) == "n·d/8"
    assert found.grid.units == {"d": 8}


def test_a_module_that_refuses_to_be_small_is_counted_from_where_it_does_not() -> None:
    def count(s: int) -> int:
        if s < 20:
            raise Refused("too small")
        return s * s

    assert str(formula(count, "s")) == "s²"


def test_a_module_that_refuses_every_size_is_an_error_with_the_reason() -> None:
    def count(n: int) -> int:
        raise Refused("width must be prime")

    with pytest.raises(WorkingsError, match="at n = 2: width must be prime"):
        formula(count, "n")


def test_a_size_of_one_where_the_formula_fails_is_said() -> None:
    found = formula(lambda n, d: n * d if n > 1 else 0, "n", "d")
    assert str(found) == "n·d"
    assert found.fails == ({"n": 1},)
    assert found({"n": 1, "d": 5}) is None
    assert found({"n": 2, "d": 5}) == 10


def test_without_symbols_a_count_is_a_constant() -> None:
    assert str(formula(lambda: 224_892)) == "224,892"


def test_each_size_but_one_is_counted_once() -> None:
    taken: list[tuple[int, ...]] = []

    def count(n: int, d: int) -> int:
        taken.append((n, d))
        return n * d

    formula(count, "n", "d")
    assert len(taken) == len(set(taken)) + 1  # one of them twice, to see that it is the same


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5))
def test_the_degree_is_that_of_the_polynomial(coefficients: list[int]) -> None:
    values = [sum(c * x**k for k, c in enumerate(coefficients)) for x in range(8)]
    top = max((k for k, c in enumerate(coefficients) if c), default=0)
    assert degree(values) == top


def test_a_degree_needs_values_to_spare() -> None:
    assert degree([x**5 for x in range(8)]) == 5
    assert degree([x**6 for x in range(8)]) is None
    assert degree([math.comb(x, 2) for x in range(5)]) == 2


@given(
    st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 1)), st.integers(-5, 5)),
    st.lists(st.integers(1, 40), min_size=3, max_size=3, unique=True),
    st.lists(st.integers(1, 40), min_size=2, max_size=2, unique=True),
)
def test_interpolation_at_any_nodes(
    terms: dict[tuple[int, int], int], xs: list[int], ys: list[int]
) -> None:
    values = [sum(c * x**i * y**j for (i, j), c in terms.items()) for x in xs for y in ys]
    found = interpolate((powers("x", xs, 2), powers("y", ys, 1)), values)
    expected = {monomial(zip("xy", p, strict=True)): Fraction(c) for p, c in terms.items()}
    assert found == Polynomial.of(expected)


def test_the_held_out_sizes_are_off_the_grid_and_keep_to_its_rules() -> None:
    grid = Grid(SYMBOLS, dict.fromkeys(SYMBOLS, 2), (("d", "h"),))
    for sizes in grid.held_out():
        assert sizes["d"] % sizes["h"] == 0
        assert sizes["d"] not in grid.values("d")
        assert sizes["n"] not in grid.values("n")


def test_what_differs_from_count_to_count_has_no_formula() -> None:
    taken: list[int] = []

    def count(sizes: Sizes) -> Counts:
        taken.append(sizes["n"])
        return {"steady": sizes["n"] ** 2, "random": sizes["n"] * taken.count(sizes["n"])}

    formulas = recover(count, grids(("n",))).formulas
    assert str(formulas["steady"]) == "n²"
    assert formulas["random"].reason == "two counts at the same sizes differ"


def test_only_what_is_wanted_is_fitted() -> None:
    taken: list[int] = []

    def count(sizes: Sizes) -> Counts:
        taken.append(sizes["n"])
        return {"kept": sizes["n"], "left": 2 ** sizes["n"]}

    formulas = recover(count, grids(("n",)), lambda key: key == "kept").formulas
    assert set(formulas) == {"kept"}
    assert len(taken) < 20  # the residues of a count that is not wanted are not looked for
