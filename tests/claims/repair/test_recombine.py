"""Every way to combine factors: what can be made is found, and its tree has its value."""

import itertools
import time

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import Tensor

from tests.claims.sets import NAMES, SIZES, VALUES, assert_same
from workings.claims.repair.recombine import Table, factors_of, fingerprint, transposed
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex


def node(text: str) -> f.Node:
    return NAMES.resolve(parse_expression(text))


def computed(tree: f.Node) -> Tensor:
    return Scope(SIZES, dict(VALUES)).value(tree)


def table(*texts: str, diagonals: bool = False) -> Table:
    made = Table(time.monotonic() + 60, diagonals)
    for text in texts:
        made.add(node(text), computed(node(text)))
    return made


@pytest.mark.parametrize(
    ("factors", "target"),
    [
        (["x", "W"], "x W"),
        (["W", "x"], "x W"),
        (["W", "x", "y"], r"x W \odot y"),
        (["u", "y", "p"], r"u (y \odot p)"),
        (["y", "p", "u", "W"], r"(y \odot p \odot u^T W) "),
        (["W", "K"], "W^T K"),
        (["W", "K"], r"W \odot K"),
        (["x", "y", "p", "M"], r"x^T ((y M) \odot p)"),
        (["a", "W"], "a W"),
        (["y", "u"], "u y"),
        (["y", "y", "M"], "y M y^T"),
    ],
)
def test_what_can_be_made_of_the_factors_is_found(factors: list[str], target: str) -> None:
    right = computed(node(target))
    everything = (1 << len(factors)) - 1
    hits = [hit for subset, hit in table(*factors).matching(right) if subset == everything]
    assert hits
    value = computed(hits[0].node)
    close = [x for x in (value, value.t()) if x.shape == right.shape]
    assert any(torch.allclose(x, right) for x in close)


@pytest.mark.parametrize("factors", [["x", "W", "y"], ["u", "y", "p", "M"], ["W", "K", "M", "b_1"]])
@pytest.mark.parametrize("diagonals", [False, True])
def test_every_candidate_is_worth_what_it_says(factors: list[str], diagonals: bool) -> None:
    made = table(*factors, diagonals=diagonals)
    count = 0
    for here in made.subsets.values():
        for candidate in here.values():
            assert_same(computed(candidate.node), candidate.value)
            count += 1
    assert count > 5


def test_every_order_of_the_factors_finds_the_same_values() -> None:
    whole = (1 << 4) - 1
    marks_by_table = [
        set(table(*order).subsets[whole]) for order in itertools.permutations(["x", "W", "y", "p"])
    ]
    assert all(marks == marks_by_table[0] for marks in marks_by_table)


@given(st.integers(1, 4), st.integers(1, 4), st.floats(-50, 50).filter(lambda c: abs(c) > 0.01))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_the_fingerprint_forgets_transposes_and_multiples_only(r: int, c: int, by: float) -> None:
    x = torch.randn(r, c, dtype=torch.float64, generator=torch.Generator().manual_seed(r * 7 + c))
    assert fingerprint(x) == fingerprint(x.t()) == fingerprint(by * x)
    if x.numel() > 1:
        other = x.clone()
        other[0, 0] += 0.01
        assert fingerprint(other) != fingerprint(x)


@pytest.mark.parametrize(
    "text", ["x W", r"W \odot K", "u (y M)", "-W", "W^T", "a W", r"diag(y) M", "tanh(W)", "2"]
)
def test_a_transpose_pushed_down_is_the_transpose(text: str) -> None:
    tree = node(text)
    value = computed(tree)
    assert_same(computed(transposed(tree)), value.t() if value.ndim == 2 else value)


def test_factors_are_found_under_signs_transposes_and_numbers() -> None:
    def is_scalar(tree: f.Node) -> bool:
        try:
            return computed(tree).numel() == 1
        except Undefined:
            return False

    factors = factors_of(node(r"-2 (x^T (y \odot diag(p)))^T / a"), is_scalar)
    assert [latex(part) for part in factors] == ["x", "y", "p", r"\frac{1}{a}"]
