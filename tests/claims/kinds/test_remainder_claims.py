"""Approximations: the order of what is left over, against series whose remainders are known."""

import pytest

import workings
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError

SERIES = {
    r"\exp(s x)": (r"1 + s x", 2),
    r"\cos(s)": (r"1 - \frac{s^2}{2}", 4),
    r"\sqrt{1 + s}": (r"1 + \frac{s}{2} - \frac{s^2}{8}", 3),
    r"\tanh(s)": ("s", 2),  # relative to tanh(s), which falls itself
}


def verdict(left: str, right: str, remainder: str) -> Verdict:
    claim = {"claim": rf"{left} \approx {right}", "remainder": remainder}
    return workings.check(symbols={"s": "scalar", "x": "scalar"}, claims=[claim])[0].verdict


@pytest.mark.parametrize("left", SERIES)
def test_the_order_of_a_series(left: str) -> None:
    right, order = SERIES[left]
    assert verdict(left, right, f"s^{order}") is Verdict.TIGHT
    assert verdict(left, right, f"s^{order - 1}") is Verdict.LOOSE
    assert verdict(left, right, f"s^{order + 1}") is Verdict.SMALL


def test_the_measured_order_is_the_repair() -> None:
    claim = {"claim": r"\exp(s) \approx 1 + s", "remainder": "s^4"}
    (result,) = workings.check(symbols={"s": "scalar"}, claims=[claim])
    assert result.repair is not None
    assert result.repair.formula == "s^2"


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"claim": "s = s", "remainder": "s^2"}, "for a claim a ≈ b"),
        ({"claim": r"s \approx 2 s", "remainder": "u"}, "u is no declared number"),
        ({"claim": r"s \approx 2 s", "remainder": "s^9"}, "the order is 1 to 5"),
        ({"claim": r"s \approx s", "remainder": "s^2"}, "both sides are equal"),
        ({"count": "3", "model": "rnn", "remainder": "s"}, "remainder is for claim"),
        ({"claim": "s = s", "where": ["u = s"]}, "where is for computes"),
    ],
)
def test_bad_input_is_named(claim: dict[str, object], message: str) -> None:
    assert message in said({"symbols": {"s": "scalar"}, "claims": [claim]})


def said(given: dict[str, object]) -> str:
    """What is said of a claim without a verdict, whether it is refused or not read."""
    try:
        return workings.check(given)[0].why
    except WorkingsError as error:
        return str(error)
