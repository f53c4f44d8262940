"""Inequalities by counterexample, and for which numbers a statement holds."""

import pytest

from tests.claims.sets import check
from workings.errors import WorkingsError

SHAPES = {
    "u": "n x 1", "v": "n x 1", "s": "positive scalar", "b": "scalar", "p": "stochastic 1 x n",
}  # fmt: skip


@pytest.mark.parametrize(
    "claim",
    [
        r"|u^T v| \le \|u\| \|v\|",
        r"\|u + v\| \leq \|u\| + \|v\|",
        r"\left(\sum_{i=1}^n u_i v_i\right)^2 \leq \sum_{i=1}^n u_i^2 \sum_{i=1}^n v_i^2",
        r"\log s \le s - 1",
        "exp(s) >= 1 + s",
        "s > 0",
        r"-\sum_i p_i \log p_i \le \log n",
        r"\|u\|_\infty \le \|u\|",
    ],
)
def test_what_is_true_holds(claim: str) -> None:
    result = check(SHAPES, [], claim)
    assert result.verdict == "holds"
    assert result.evidence.draws >= 50


@pytest.mark.parametrize(
    "claim",
    [
        r"(u^T v)^2 \le \sum_{i=1}^n (u_i v_i)^2",
        r"u^T v \ge 0",
        r"\|u + v\| \ge \|u\| + \|v\|",
        "s >= 1",
        r"\exp(b) \le 1 + b",
        r"u \le v",
        r"\|u\| \le 3",
        r"b^2 < b",
    ],
)
def test_what_is_false_has_a_counterexample(claim: str) -> None:
    result = check(SHAPES, [], claim)
    assert result.verdict == "wrong value"
    values = result.evidence.counterexample
    smaller = any(sign in claim for sign in (r"\le", "<"))
    assert (values["left"] > values["right"]) == smaller
    assert set(result.evidence.sizes) <= {"n"}


def test_the_inequality_of_cauchy_and_schwarz_is_the_repair() -> None:
    result = check(SHAPES, [], r"(\sum_{i=1}^n u_i v_i)^2 \le \sum_{i=1}^n (u_i v_i)^2")
    assert result.repair
    assert check(SHAPES, [], result.repair.formula).verdict == "holds"
    assert "two sums" in result.repair.changes
    assert result.repair.verified_draws > 0


def test_a_strict_inequality_does_not_hold_where_both_are_equal() -> None:
    assert check(SHAPES, [], "u^T u < u^T u").verdict == "wrong value"
    assert check(SHAPES, [], r"u^T u \le u^T u").verdict == "holds"


def test_a_chain_of_inequalities() -> None:
    assert check(SHAPES, [], r"0 \le p_1 \le 1").verdict == "holds"
    assert check(SHAPES, [], r"0 \le s \le 1").verdict == "wrong value"


def test_shapes_that_cannot_be_compared_are_undefined() -> None:
    result = check({"u": "n x 1", "w": "m x 1"}, [], r"u \le w")
    assert result.verdict == "undefined"
    result = check({"u": "n x 1", "w": "m x 1"}, [], r"u u \le 0")
    assert (result.verdict, result.evidence.why[:11]) == ("undefined", "the product")


@pytest.mark.parametrize(
    ("domain", "verdict"),
    [
        ("b: integer", "wrong value"),
        ("b: any integer", "wrong value"),
        ("b: positive", "wrong value"),
        ("b: positive and not 1", "holds"),
        ("b: integer above 1", "holds"),
        ("b: any number", "wrong value"),
    ],
)
def test_for_which_bases(domain: str, verdict: str) -> None:
    result = check(SHAPES, [], r"b^{\log_b(s)} = s", domain=domain)
    assert result.verdict == verdict
    if domain != "b: positive and not 1":
        assert result.repair
        assert result.repair.formula == "any b that is positive and not 1"


@pytest.mark.parametrize("domain", ["b", "b: intteger", "q: integer", "u: integer", ": integer"])
def test_a_domain_that_cannot_be_read(domain: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        check(SHAPES, [], r"b^{\log_b(s)} = s", domain=domain)
    assert "\n" not in str(caught.value)


DIVERGENT = {"p": "probability n x 1", "q": "probability n x 1", "u": "n x 1", "b": "scalar"}


@pytest.mark.parametrize(
    "claim",
    [
        r"\mathrm{KL}(p \| q) \le 2000",
        r"\mathrm{KL}(p \| q) \ge \mathrm{KL}(q \| p) - 5000",
        r"\|u\|_1 \le 300\|u\|",
        r"\|u\| \ge 10^{-3}\|u\|_1",
        r"\tanh(b) \le 90",
    ],
)
def test_a_number_that_no_draw_comes_near_is_not_judged(claim: str) -> None:
    result = check(DIVERGENT, [], claim)
    assert result.verdict in ("undecided", "wrong value")
    if result.verdict == "undecided":
        assert "never came near" in result.evidence.why


@pytest.mark.parametrize(
    "claim",
    [
        r"\tanh(b) \le 1.5",
        r"\|u + u\|^2 \le 4\|u\|^2",
        r"(b + 3)^2 \le 2b^2 + 18",
        r"b^2 \ge -1",
        r"\mathrm{KL}(p \| q) \ge \frac{1}{2}\|p - q\|_1^2",
    ],
)
def test_a_number_that_draws_come_near_is_judged(claim: str) -> None:
    assert check(DIVERGENT, [], claim).verdict == "holds"
