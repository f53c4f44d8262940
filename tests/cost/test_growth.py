"""Orders of growth, decided exactly: against directions drawn at random, and claim by claim."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.cost.domination import dominated, maximal
from workings.cost.growth import (
    LARGE,
    LOOSE,
    SMALL,
    TIGHT,
    UNDECIDED,
    Growth,
    decide,
    parse_bound,
    split_order,
)
from workings.cost.recovery.count_formula import CountFormula, Piece
from workings.errors import WorkingsError
from workings.formula.polynomial import Monomial, Polynomial, monomial
from workings.formula.sizes import parse_sizes

SYMBOLS = ("n", "d", "h")
terms = st.builds(
    lambda powers: monomial(zip(SYMBOLS, powers, strict=True)),
    st.tuples(*[st.integers(0, 4)] * 3),
)


def formula(*pieces: str) -> CountFormula:
    polynomials = [parse_sizes(text, SYMBOLS).polynomial() for text in pieces]
    return CountFormula(tuple(Piece((("n", 2, i),), p) for i, p in enumerate(polynomials)))


def claim(
    count: str | CountFormula,
    bound: str,
    fixed: str = "",
    at_most: tuple[tuple[str, str], ...] = (),
) -> Growth:
    text, polynomial = parse_bound(bound, SYMBOLS)
    found = formula(count) if isinstance(count, str) else count
    return decide(found, polynomial, text, list(fixed), at_most)


def excess(term: Monomial, others: list[Monomial], u: list[float]) -> float:
    """How much faster the term grows than all others where the sizes grow as x^u."""

    def speed(m: Monomial) -> float:
        return sum(dict(m).get(s, 0) * w for s, w in zip(SYMBOLS, u, strict=True))

    return speed(term) - max(speed(m) for m in others)


_RANDOM = random.Random(0)
DIRECTIONS = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
DIRECTIONS += [[_RANDOM.random() ** 3 for _ in SYMBOLS] for _ in range(300)]


@given(terms, st.lists(terms, min_size=1, max_size=4))
def test_a_term_is_dominated_exactly_if_it_is_nowhere_faster(
    term: Monomial, others: list[Monomial]
) -> None:
    fastest = max(excess(term, others, u) for u in DIRECTIONS)
    if dominated(term, others):
        assert fastest < 1e-9
    elif len(others) == 1:
        assert fastest > 0  # one other: an axis shows it
    if fastest > 1e-9:
        assert not dominated(term, others)


@given(st.lists(terms, min_size=1, max_size=5, unique=True))
def test_the_maximal_terms_dominate_all_and_not_each_other(found: list[Monomial]) -> None:
    kept = maximal(found)
    assert all(dominated(m, kept) for m in found)
    for m in kept:
        others = [n for n in kept if n != m]
        assert not others or not dominated(m, others)


@pytest.mark.parametrize(
    ("count", "bound", "verdict"),
    [
        ("2n^2 d", "O(n^2 d)", TIGHT),
        ("2n^2 d + 5n^2", "O(n^2 d)", TIGHT),
        ("2n^2 d + 4nd^2", "O(n^2 d)", SMALL),
        ("2n^2 d + 4nd^2", "O(n^2 d + n d^2)", TIGHT),
        ("2n^2 d + 4nd^2", "O(n d (n + d))", TIGHT),
        ("2n^2 d + 4nd^2", "O(n d max)", None),
        ("2n^2 d", "O(n^3)", SMALL),
        ("n d", "O(n^2 + d^2)", LOOSE),  # between the two: nd ≤ (n² + d²)/2
        ("n^2 + n d + d^2", "O(n^2 + d^2)", TIGHT),
        ("n^2 + d^2", "O(n d)", SMALL),
        ("n^2 - 3n", "O(n^2)", TIGHT),
        ("7", "O(1)", TIGHT),
        ("7", "O(n)", LOOSE),
        ("n", "O(1)", SMALL),
        ("n d/h", "O(n d)", LOOSE),
        ("n d/h", "O(n d/h)", TIGHT),
        ("3n", r"\mathcal{O}\left(n\right)", TIGHT),
        ("3n", "n", TIGHT),
    ],
)
def test_claims(count: str, bound: str, verdict: str | None) -> None:
    if verdict is None:
        with pytest.raises(WorkingsError, match="max is not a size here"):
            claim(count, bound)
    else:
        assert claim(count, bound).verdict == verdict


def test_fixed_sizes_do_not_count() -> None:
    assert claim("2n^2 d + 4nd^2", "O(n^2)", fixed="d").verdict == TIGHT
    assert claim("2n^2 d + 4nd^2", "O(n^2 d)", fixed="n").verdict == SMALL
    loose = claim("2n d^3", "O(n^2)", fixed="d")
    assert (loose.verdict, str(loose.factor)) == (LOOSE, "n")
    assert loose.evidence == (
        "the count grows as n for fixed d; n^2 exceeds it by a factor of up to n"
    )


def test_what_is_missing_is_named() -> None:
    small = claim("2n^2 d + 4nd^2 + n", "O(n^2 d)")
    assert [str(m) for m in small.missing] == ["n·d²"]
    assert str(small) == ("O(n^2 d): too small; the count grows as n²·d + n·d²; n^2 d lacks n·d²")
    both = claim("n^2 + d^2 + n", "O(n)")
    assert [str(m) for m in both.missing] == ["n²", "d²"]


def test_by_how_much_a_bound_is_loose() -> None:
    assert str(claim("n d", "O(n^2 d)").factor) == "n"
    assert str(claim("n d", "O(n^2 d + h)").factor) == "n"
    assert str(claim("n^2 d + n d^2", "O(n^3 + d^3)").factor) == "n/d"
    assert claim("n d", "O(n^2)").factor is None


def test_a_divisor_is_never_more_than_its_multiple() -> None:
    pairs = (("d", "h"),)
    assert claim("n^2 d", "O(n^2 (d + h))").verdict == LOOSE
    assert claim("n^2 d", "O(n^2 (d + h))", at_most=pairs).verdict == TIGHT
    assert claim("n^2 h", "O(n^2 d)").verdict == SMALL
    assert claim("n^2 h", "O(n^2 d)", at_most=pairs).verdict == LOOSE


def test_every_piece_must_hold() -> None:
    assert claim(formula("n^2", "n^2 - n"), "O(n^2)").verdict == TIGHT
    assert claim(formula("n", "n^2"), "O(n)").verdict == SMALL
    assert claim(formula("n", "n^2"), "O(n^2)").verdict == LOOSE


def test_without_a_formula_nothing_is_decided() -> None:
    assert claim(CountFormula(()), "O(n)").verdict == UNDECIDED


def test_names_that_stand_for_others() -> None:
    where = {"M": parse_sizes("1 + d + d(d+1)/2").polynomial()}
    text, bound = parse_bound("O(n M d)", SYMBOLS, where)
    assert text == "n M d"
    assert bound == Polynomial.symbol("n") * Polynomial.symbol("d") * where["M"]


def test_logarithms_are_refused() -> None:
    with pytest.raises(WorkingsError, match=r"'O\(n log n\)': log is not a size.*logarithms"):
        parse_bound("O(n log n)", SYMBOLS)


@pytest.mark.parametrize(
    ("order", "count", "bound", "verdict"),
    [
        ("O", "n^2", "n", SMALL),
        ("O", "n", "n^2", LOOSE),
        ("Θ", "3 n^2 + n", "n^2", TIGHT),
        ("Θ", "n", "n^2", LARGE),
        ("Θ", "n^2", "n", SMALL),
        ("Ω", "n^2", "n", LOOSE),
        ("Ω", "n^2", "n^2", TIGHT),
        ("Ω", "n", "n^2", LARGE),
        ("Ω", "n^2", "n d", LARGE),  # neither covers the other
    ],
)
def test_bounds_from_below_and_from_both_sides(
    order: str, count: str, bound: str, verdict: str
) -> None:
    claimed = parse_sizes(bound, SYMBOLS).polynomial()
    assert decide(formula(count), claimed, order=order).verdict == verdict


def test_a_lower_bound_must_hold_of_every_piece() -> None:
    claimed = parse_sizes("n^2", SYMBOLS).polynomial()
    assert decide(formula("n^3", "n"), claimed, order="Ω").verdict == LARGE


@pytest.mark.parametrize(
    "text", ["Θ(n^2)", r"\Theta(n^2)", r"\Theta\left(n^2\right)", "Theta (n^2)"]
)
def test_orders_as_they_are_written(text: str) -> None:
    order, upper = split_order(text)
    assert order == "Θ"
    assert parse_bound(upper, SYMBOLS)[1] == Polynomial.symbol("n") ** 2
