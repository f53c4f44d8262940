"""Where terms that are taken off leave less of a count than what grows fastest."""

import pytest

from workings.cost.recovery.cancelling import cancelling
from workings.formula.polynomial import Polynomial
from workings.formula.sizes import parse_sizes

SYMBOLS = ("n", "k", "d")


def polynomial(text: str) -> Polynomial:
    return parse_sizes(text, SYMBOLS).polynomial()


@pytest.mark.parametrize(
    ("count", "bound", "where"),
    [
        ("n^2 - n", "n^2", None),  # below what grows, however large n is
        ("n d - d", "n d", None),
        ("n^2 - n d + d^3", "n^2 + d^3", None),
        ("k (n - k + 1)", "n k", "k = n"),
        ("k (n - 2 k + 2)", "n k", "n = 2k"),
        ("n^2 - n d + d^2", "n^2 + d^2", ""),  # never less than half of it, which we do not see
    ],
)
def test_what_is_taken_off(count: str, bound: str, where: str | None) -> None:
    assert cancelling(polynomial(count), polynomial(bound)) == where


def test_a_size_that_is_fixed_cancels_nothing() -> None:
    assert cancelling(polynomial("k (n - k + 1)"), polynomial("n k"), ["k"]) is None
