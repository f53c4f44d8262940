"""The series and its features against sums of powers and against counting."""

import itertools
import math

import pytest
import torch

from workings.nn.attention.taylor.series import (
    Polynomial,
    factors,
    feature_count,
    features,
    weights,
)


def series(s: torch.Tensor, order: int) -> torch.Tensor:
    return sum((s**n / math.factorial(n) for n in range(1, order + 1)), torch.ones_like(s))


@pytest.mark.parametrize("order", range(1, 9))
def test_the_polynomial_and_its_slope_are_the_series(order: int) -> None:
    s = torch.linspace(-5, 5, 41, dtype=torch.double)
    polynomial = Polynomial(order, s)
    value = polynomial.value(1 + s, torch.empty_like(s))
    torch.testing.assert_close(value, series(s, order))
    slope = polynomial.times_slope(torch.full_like(s, 3), 1 + s, torch.empty_like(s))
    torch.testing.assert_close(slope, 3 * series(s, order - 1))


def test_up_to_order_two_the_value_may_take_the_place_of_its_argument() -> None:
    s = torch.linspace(-5, 5, 41, dtype=torch.double)
    for order in (1, 2):
        t = 1 + s
        torch.testing.assert_close(Polynomial(order, s).value(t, t), series(s, order))


@pytest.mark.parametrize("order", [2, 4, 6, 8])
def test_even_orders_are_positive(order: int) -> None:
    s = torch.linspace(-50, 50, 100_001, dtype=torch.double)
    assert series(s, order).min() > 0
    assert Polynomial(order, s).value(1 + s, torch.empty_like(s)).min() > 0


@pytest.mark.parametrize(("width", "order"), [(1, 4), (2, 3), (3, 1), (5, 2), (4, 4)])
def test_every_monomial_is_there_once(width: int, order: int) -> None:
    expected = list(itertools.combinations_with_replacement(range(width + 1), order))
    assert [tuple(row) for row in factors(width, order).tolist()] == expected
    assert feature_count(width, order) == len(expected)


def test_weights_are_one_over_the_factorials_of_the_exponents() -> None:
    for row, weight in zip(factors(3, 4).tolist(), weights(factors(3, 4)).tolist(), strict=True):
        exponents = [row.count(i) for i in (1, 2, 3)]
        assert weight == pytest.approx(1 / math.prod(map(math.factorial, exponents)))


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_product_of_features_is_the_series_of_the_product(width: int, order: int) -> None:
    torch.manual_seed(1)
    q, k = torch.randn(2, 3, 4, width, dtype=torch.double)
    phi_q, phi_k = features(q, order), features(k, order)
    assert phi_q.shape == (3, 4, feature_count(width, order))
    torch.testing.assert_close(phi_q @ phi_k.mT, series(q @ k.mT, order))
