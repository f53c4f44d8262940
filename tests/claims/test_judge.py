"""What rounding may and may not decide."""

import pytest

import workings

SLOPE = r"\frac{d}{dx} \sigma(x) = \frac{e^{-x}}{(1+e^{-x})^2} = \sigma(x)(1 - \sigma(x))"


@pytest.mark.parametrize("seed", range(12, 24))
def test_a_slope_that_is_lost_at_large_values_is_not_called_wrong(seed: int) -> None:
    (result,) = workings.check(symbols={"x": "scalar"}, claims=[SLOPE], seed=seed)
    assert result.holds


@pytest.mark.parametrize("seed", [15, 30, 37])
def test_a_second_derivative_that_overflows_says_nothing(seed: int) -> None:
    claim = (
        r"\nabla_x^2 \log \sum_i e^{x_i} = \mathrm{diag}(\mathrm{softmax}(x))"
        r" - \mathrm{softmax}(x) \mathrm{softmax}(x)^T"
    )
    (result,) = workings.check(symbols={"x": "n x 1"}, claims=[claim], seed=seed)
    assert result.holds


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "claim",
    [
        r"10^{-20} x + 10^{-20} x = 10^{-20} x",
        r"\frac{d}{dx} (10^{-20} x^2) = 10^{-20} x",
        r"10^{10} x + 1 = 10^{10} x",
    ],
)
def test_a_small_or_a_hidden_difference_is_not_taken_for_rounding(claim: str, seed: int) -> None:
    (result,) = workings.check(symbols={"x": "scalar"}, claims=[claim], seed=seed)
    assert not result.holds
