"""Counts that change at a size: the formula below it is looked for too, and pieces are readable."""

from collections.abc import Callable

import pytest

from workings.cost.counts.samples import Counts, Key, Refused
from workings.cost.recovery.below import with_smaller
from workings.cost.recovery.count_formula import CountFormula
from workings.cost.recovery.grid import grids
from workings.cost.recovery.recover import recover
from workings.formula.polynomial import Sizes


def recovered(value: Callable[[int, int], int]) -> CountFormula:
    def count(sizes: Sizes) -> Counts:
        counts: dict[Key, int] = {"forward": value(sizes["n"], sizes["d"])}
        return counts

    formulas, grid = recover(count, grids(("n", "d")))
    return with_smaller(count, formulas, grid)["forward"]


def keys_of_the_last_50(n: int, d: int) -> int:
    return 2 * n * min(n, 50) * d


def rounded_to_8(n: int, d: int) -> int:
    return max(8, (n // 4 + 4) // 8 * 8) * d


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (keys_of_the_last_50, "100·n·d for n ≥ 50; 2·n²·d for n < 50"),
        (lambda n, d: max(n, 40) * d, "n·d for n ≥ 40; 40·d for n < 40"),
        (rounded_to_8, "8·⌊(n+16)/32⌋·d for n ≥ 16; 8·d for n < 16"),
    ],
)
def test_the_formula_below_a_change_is_given_too(
    value: Callable[[int, int], int], text: str
) -> None:
    formula = recovered(value)
    assert str(formula) == text
    for n in (1, 7, 39, 40, 49, 50, 51, 300):
        assert formula({"n": n, "d": 3}) == value(n, 3)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda n, d: n * d * d if n % 2 else n * n * d, "n²·d for n = 2k; n·d² for n = 2k + 1"),
        (lambda n, d: d * d * n if n % 7 == 3 else 0, "n·d² for n = 7k + 3; 0 otherwise"),
        (lambda n, d: d * (2 * n * n + 4 * (n // 2) ** 2), "2·n²·d + 4·⌊n/2⌋²·d"),
        (
            lambda n, d: d * (n * (n // 4) + 40 * (n // 4) + n * (n // 16) + 50 * (n // 16)),
            "n·⌊n/4⌋·d + n·⌊n/16⌋·d + 40·⌊n/4⌋·d + 50·⌊n/16⌋·d",
        ),
    ],
)
def test_the_plainest_form_is_shown(value: Callable[[int, int], int], text: str) -> None:
    formula = recovered(value)
    assert str(formula) == text
    for n in range(2, 70):
        assert formula({"n": n, "d": 3}) == value(n, 3)


def test_the_letter_of_a_residue_is_no_size() -> None:
    def count(sizes: Sizes) -> Counts:
        return {"forward": sizes["k"] ** (2 if sizes["k"] % 2 else 1)}

    formula = recover(count, grids(("k",))).formulas["forward"]
    assert str(formula) == "k for k = 2j; k² for k = 2j + 1"


def test_a_change_along_one_size_says_nothing_about_another() -> None:
    def value(n: int, d: int) -> int:
        if n < 4:
            raise Refused("four neighbours at least")
        return 4 * n * d * d + (n * n if n > 25 else 0)

    assert str(recovered(value)) == "4·n·d² + n² for n ≥ 26; 4·n·d² for n < 26"


@pytest.mark.parametrize("ratio", [3, 4, 5, 8])
def test_what_changes_where_one_size_is_several_times_another_has_no_formula(ratio: int) -> None:
    assert recovered(lambda n, d: n * d * d * (n != ratio * d)).kind == "numeric"
    assert recovered(lambda n, d: n * d * d * (d != ratio * n)).kind == "numeric"
