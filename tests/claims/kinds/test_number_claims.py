import re

import pytest
import torch
from torch import nn

import workings
from workings.errors import WorkingsError


def verdict(**claim):
    return workings.check({"claims": [claim]}, trust=True)[0]


def test_a_count_against_torch_s_own_module():
    claim = {"model": "torch.nn:Linear", "args": {"in_features": "a", "out_features": "b"}}
    assert verdict(count="a b + b", **claim).verdict == "holds"
    wrong = verdict(count="a b", **claim)
    assert wrong.verdict == "wrong value"
    assert "b more: bias" in wrong.why


def test_a_count_with_sums_and_binomials():
    assert verdict(count=r"\binom{D+K}{K}", model="feature-map").verdict == "holds"
    assert verdict(count=r"\binom{D+K}{K} + 1", model="feature-map").verdict == "wrong value"


def test_a_comparison_of_two_architectures():
    assert verdict(count="= cnn-stride", model="cnn-pool").verdict == "holds"
    assert verdict(count="> rnn", model="lstm").verdict == "holds"
    wrong = verdict(count="< rnn", model="lstm")
    assert wrong.repair.formula == "lstm > rnn"


class Square(nn.Linear):
    def __init__(self, d, bias=True):
        super().__init__(d, 2 * d, bias)


class Narrower(nn.Linear):
    def __init__(self, d):
        super().__init__(d, 20)


def test_a_comparison_that_depends_on_the_sizes_is_wrong_whichever_way_it_goes():
    claim = {"model": f"{__name__}:Square", "args": {"d": "d"}}
    for sign, where in (("<", "d = 30"), (">", "d = 1"), ("=", "d = 1")):
        other = verdict(count=f"{sign} {__name__}:Narrower", **claim)  # 2d² + 2d, or 20d + 20
        assert (other.verdict, other.repair) == ("wrong value", None)
        assert f"at {where}: " in other.why


class Sorts(nn.Linear):
    def forward(self, x):
        return super().forward(x).sort().values


class InWindows(nn.Linear):
    def forward(self, x):
        return torch.cat([part @ part.T @ part for part in super().forward(x).split(100)])


LAYER = {"args": {"in_features": "d", "out_features": "d"}, "inputs": ["n,d"]}


def test_a_count_of_multiply_adds():
    claim = {"model": "torch.nn:Linear", "counts": "multiply-adds", **LAYER}
    assert verdict(count="n d^2", **claim).verdict == "holds"
    wrong = verdict(count="n d^2 + n d", **claim)
    assert (wrong.verdict, wrong.repair.formula) == ("wrong value", "d²·n")
    assert verdict(count="n d^2 + n d", **{**claim, "counts": "operations"}).verdict == "holds"
    rounded = verdict(count=r"n d^2 + \lfloor n / 1000 \rfloor", **claim)
    assert rounded.verdict in ("wrong value", "not read")
    assert verdict(count="d^2 + d", **{**claim, "counts": "parameters"}).verdict == "holds"


def test_a_count_that_departs_at_a_size_does_not_hold():
    claim = {"model": f"{__name__}:InWindows", "counts": "multiply-adds", **LAYER}
    departs = verdict(count="n d^2 + 2 n^2 d", **claim)
    assert departs.verdict == "wrong value"
    # With the time to look for it, one formula of all windows; else where the first one ends.
    assert re.search(r"20,000·d·⌊n/100⌋²|but from n = 101 on the count is another", departs.why)


def test_what_was_not_counted_gets_no_verdict():
    claim = {"model": f"{__name__}:Sorts", **LAYER}
    for about in ({"count": "n d^2"}, {"cost": "O(n d^2)"}):
        result = verdict(**claim, counts="operations", **about)
        assert result.verdict == "not read"
        assert "not counted: aten.sort" in result.why
    assert verdict(count="n d^2", counts="multiply-adds", **claim).verdict == "holds"
    assert verdict(count="d^2 + d", **claim).verdict == "holds"


def test_an_order_from_both_sides():
    claim = {"model": "torch.nn:Linear", "counts": "multiply-adds", **LAYER}
    assert verdict(cost="Θ(n d^2)", **claim).verdict == "holds and tight"
    large = verdict(cost="Θ(n^2 d^2)", **claim)
    assert (large.verdict, large.repair.formula) == ("wrong value", "Θ(d²·n)")
    in_windows = {**claim, "model": f"{__name__}:InWindows"}
    assert verdict(**in_windows, cost="O(n^2 d)").verdict in ("too small", "undecided")  # d²·n


def test_the_shape_of_a_parameter():
    space = r"W \in \mathbb{R}^{%s}"
    claim = {"model": "torch.nn:Linear", "args": {"in_features": "a", "out_features": "b"}}
    right = verdict(claim=space % r"b \times a", parameter="weight", **claim)
    assert right.verdict == "holds"
    transposed = verdict(claim=space % r"a \times b", parameter="weight", **claim)
    assert (transposed.verdict, transposed.evidence.convention) == (
        "holds",
        "PyTorch keeps it transposed",
    )
    wrong = verdict(claim=space % r"a \times a", parameter="weight", **claim)
    assert wrong.verdict == "wrong shape"


def test_an_order_of_growth():
    claim = {"model": "attention-core", "counts": "multiply-adds"}
    assert verdict(cost="O(n^2 d)", **claim).verdict == "holds and tight"
    loose = verdict(cost="O(n^3 d)", **claim)
    assert (loose.verdict, loose.repair.formula) == ("holds, not tight", "Θ(n²·d)")
    assert verdict(cost="O(n d)", **claim).verdict == "too small"
    assert verdict(cost="O(n^2)", fixed=["d"], **claim).verdict == "holds and tight"


def test_an_order_with_a_logarithm_is_not_read_and_the_others_are():
    claim = {"model": "torch.nn:Linear", **LAYER}
    orders = [r"O(n \log n)", "O(n d^2)"]
    results = workings.check({"claims": [{**claim, "cost": order} for order in orders]}, trust=True)
    assert [result.verdict for result in results] == ["not read", "holds and tight"]
    assert "sums of products of sizes" in results[0].why


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"count": "d"}, "model is required"),
        ({"count": "d", "model": "lstmm"}, "did you mean lstm"),
        ({"count": "d", "model": "no.such:Thing"}, "cannot import"),
        ({"cost": "O(q)", "model": "attention-core"}, "q is not a size"),
        (
            {"claim": r"W \in \mathbb{R}^{d \times D}", "model": "rnn-lm", "parameter": "x"},
            "no par",
        ),
    ],
)
def test_bad_input_is_named(claim, message):
    with pytest.raises(WorkingsError, match=message):
        verdict(**claim)


def test_a_count_that_is_not_read_gets_no_verdict():
    result = verdict(count="q", model="lstm")
    assert result.verdict == "not read"
    assert "q is not declared" in result.why


@pytest.mark.parametrize(("key", "value"), [("_", "/"), ("K", "²"), ("K", "9" * 5000)])
def test_an_argument_that_is_no_size_is_named(key: str, value: str) -> None:
    claim = {"model": "feature-map", "count": "2 D + 1", "args": {"K": "2"} | {key: value}}
    with pytest.raises(WorkingsError, match=rf"args\.{key}"):
        workings.check(claims=[claim])
