"""Verdicts from pairs of values, and the evidence."""

import math

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from workings.claims.compare import (
    Pair,
    compare,
    equal,
    error,
    factor,
    name_factor,
)
from workings.claims.evidence import Evidence
from workings.claims.verdict import Verdict

SIZES = [{"n": 3, "d": 5}, {"n": 7, "d": 3}, {"n": 5, "d": 11}]


def rights(square: bool = False) -> list[Tensor]:
    random = torch.Generator().manual_seed(1)
    return [
        torch.randn(s["n"], s["n"] if square else s["d"], generator=random, dtype=torch.float64)
        for s in SIZES
    ]


def verdict(claimed: list[Tensor], right: list[Tensor]) -> tuple[Verdict, Evidence]:
    return compare([Pair(*pair) for pair in zip(claimed, right, SIZES, strict=True)])


@pytest.mark.parametrize("square", [False, True])
def test_each_verdict(square: bool) -> None:
    right = rights(square)
    assert verdict(right, right)[0] == Verdict.HOLDS
    assert verdict([x.t() for x in right], right)[0] == Verdict.TRANSPOSED
    assert verdict([-x for x in right], right)[0] == Verdict.FLIPPED
    assert verdict([x + 1e-3 for x in right], right)[0] == Verdict.WRONG_VALUE
    assert verdict([x[:, :1] for x in right], right)[0] == Verdict.WRONG_SHAPE
    assert verdict([x * 0 for x in right], right)[0] == Verdict.WRONG_VALUE
    for value, name in ((2.0, "2"), (0.5, "1/2"), (-3.0, "-3"), (2 / 3, "2/3")):
        given, evidence = verdict([value * x for x in right], right)
        assert (given, evidence.factor) == (Verdict.SCALED, name)


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("n", lambda s: s["n"]), ("1/n", lambda s: 1 / s["n"]), ("-d", lambda s: -s["d"]),
        ("-1/d", lambda s: -1 / s["d"]), ("2/n", lambda s: 2 / s["n"]),
        ("n/2", lambda s: s["n"] / 2),
    ],
)  # fmt: skip
def test_a_factor_that_is_a_size_is_named(name: str, of: object) -> None:
    right = rights()
    given, evidence = verdict([of(s) * x for s, x in zip(SIZES, right, strict=True)], right)
    assert (given, evidence.factor) == (Verdict.SCALED, name)


def test_a_factor_that_changes_with_the_draw_is_no_constant() -> None:
    right = rights()
    claimed = [number * x for number, x in zip((1.3, 2.1, 0.7), right, strict=True)]
    assert verdict(claimed, right)[0] == Verdict.WRONG_VALUE


def test_one_wrong_draw_is_enough() -> None:
    right = rights()
    for wrong in range(3):
        claimed = [x.clone() for x in right]
        claimed[wrong][1, 2] += 1e-5
        given, evidence = verdict(claimed, right)
        assert given == Verdict.WRONG_VALUE
        assert evidence.worst_entry == (2, 3)
        assert evidence.sizes == SIZES[wrong]
        assert evidence.claimed == pytest.approx(evidence.right + 1e-5)


def test_one_wrong_shape_is_enough() -> None:
    right = rights()
    assert verdict([right[0], right[1].t(), right[2]], right)[0] == Verdict.WRONG_SHAPE


def test_a_number_may_be_a_matrix_of_one_entry() -> None:
    number = torch.tensor(2.0).double()
    assert equal(number, number.reshape(1, 1))
    assert not equal(number, number.expand(1, 2))


def test_what_is_not_a_number_is_not_equal() -> None:
    nan = torch.tensor([[math.nan, 1.0]]).double()
    assert not equal(nan, nan)
    assert error(nan, torch.ones(1, 2).double()) == math.inf


def test_a_zero_gradient_is_no_multiple_of_anything() -> None:
    zero = [torch.zeros_like(x) for x in rights()]
    assert verdict(zero, zero)[0] == Verdict.HOLDS
    assert verdict(rights(), zero)[0] == Verdict.WRONG_VALUE


@given(st.floats(-100, 100).filter(lambda c: abs(c) > 1e-3))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_factor_is_found(c: float) -> None:
    right = rights()[0]
    constant = factor(c * right, right)
    assert constant == pytest.approx(c)
    assert factor(c * right + torch.eye(3, 5) * c, right) is None


def test_names_of_factors() -> None:
    assert name_factor([3.0, 7.0, 5.0], SIZES) == "n"
    assert name_factor([2.0, 2.0, 2.0], SIZES) == "2"
    assert name_factor([each["d"] ** 0.5 for each in SIZES], SIZES) == "√d"
    assert name_factor([0.5 / each["n"] ** 0.5 for each in SIZES], SIZES) == "1/(2 √n)"
    assert name_factor([1 / (each["n"] * each["d"]) for each in SIZES], SIZES) == "1/(1 n d)"
    assert name_factor([1.0, 2.0, 3.0], SIZES) == ""
    assert float(name_factor([math.pi] * 3, SIZES)) == pytest.approx(math.pi, rel=1e-5)
