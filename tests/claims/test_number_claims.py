import pytest

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


def test_the_shape_of_a_parameter():
    space = r"W \in \mathbb{R}^{%s}"
    claim = {"model": "torch.nn:Linear", "args": {"in_features": "a", "out_features": "b"}}
    right = verdict(claim=space % r"b \times a", parameter="weight", **claim)
    assert right.verdict == "holds"
    turned = verdict(claim=space % r"a \times b", parameter="weight", **claim)
    assert (turned.verdict, turned.evidence.convention) == (
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
