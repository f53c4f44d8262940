"""Derivatives by a square, σ^2, and logarithms of multiples, as statistics writes them."""

import pytest

import workings

VARIANCE = r"L = -\frac{n}{2}\log 2\pi\sigma^2 - \frac{1}{2\sigma^2}\sum_{i=1}^n (x_i-m)^2"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"-\frac{n}{2\sigma^2} + \frac{1}{2\sigma^4}\sum_{i=1}^n (x_i-m)^2", "holds"),
        (r"-\frac{n}{2\sigma^2} + \frac{1}{\sigma^4}\sum_{i=1}^n (x_i-m)^2", "wrong value"),
    ],
)
def test_a_derivative_by_a_variance(claim: str, verdict: str) -> None:
    symbols = {"x": "n x 1", "m": "scalar", r"\sigma": "positive scalar"}
    statement = rf"\frac{{\partial L}}{{\partial \sigma^2}} = {claim}"
    values = {"symbols": symbols, "equations": [VARIANCE], "claims": [{"claim": statement}]}
    (result,) = workings.check(values)
    assert result.verdict == verdict


def test_the_logarithm_of_a_multiple() -> None:
    claims = [{"claim": each} for each in (r"\log 2\pi = \log(2) + \log(\pi)", r"\hat\sigma^2 = s")]
    symbols = {r"\hat{\sigma}": "scalar", "s": "scalar"}
    first, second = workings.check({"symbols": symbols, "claims": claims})
    assert first.verdict == "holds"
    assert second.verdict == "wrong value"
