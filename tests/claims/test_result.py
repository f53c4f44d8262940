"""Verdicts, evidence and repairs as types, and as JSON has them."""

import json

import pytest

from workings.claims.evidence import Evidence
from workings.claims.result import Repair, Result, Step
from workings.claims.verdict import Verdict


def test_a_verdict_is_its_word_and_says_whether_it_holds() -> None:
    holds = {"holds", "holds and tight", "holds, not tight"}
    assert {verdict for verdict in Verdict if verdict.holds} == holds
    assert {verdict for verdict in Verdict if not verdict.is_given} == {"not read", "undecided"}
    assert not Verdict.TRIVIAL.holds
    assert not Verdict.TRIVIAL.is_wrong
    assert Verdict("not read") is Verdict.NOT_READ
    assert f"{Verdict.TRIVIAL}" == "trivial"


def test_what_does_not_apply_is_not_in_the_json_and_zeros_are() -> None:
    evidence = Evidence(claimed=0.0, right=0.0, worst_entry=(), sizes={"n": 3})
    expected = {"claimed": 0.0, "right": 0.0, "worst_entry": [], "sizes": {"n": 3}}
    assert evidence.to_dict() == expected


def test_a_repair_is_only_stamped_with_what_was_verified() -> None:
    assert "verified_at_fresh_draws" not in Repair("a = b", "the sign").to_dict()
    stamped = Repair("a = b", "the sign", 7, verified_draws=4).to_dict()
    assert (stamped["candidates"], stamped["verified_at_fresh_draws"]) == (7, 4)


def test_a_result_as_json() -> None:
    evidence = Evidence(departs_at_step=1, last_step=Verdict.HOLDS)
    steps = (Step("x", Verdict.WRONG_VALUE), Step("y", Verdict.HOLDS))
    result = Result(Verdict.WRONG_VALUE, evidence, Repair("a = c", "c for b"), steps, name="a")
    back = json.loads(json.dumps(result.to_dict()))
    assert back["verdict"] == "wrong value"
    assert back["steps"] == [
        {"step": "x", "verdict": "wrong value"},
        {"step": "y", "verdict": "holds"},
    ]
    assert back["repair"] == {"formula": "a = c", "changes": "c for b"}
    assert result.why == "step 1 departs; the last step holds again"


def test_an_error_is_told_with_its_entry_and_sizes() -> None:
    evidence = Evidence(
        largest_relative_error=0.5, worst_entry=(2, 3), claimed=1.0, right=2.0, sizes={"n": 3}
    )
    why = evidence.explain(Verdict.WRONG_VALUE)
    assert why == "largest relative error 0.5 at entry (2, 3): claimed 1, right 2 (n=3)"
    assert evidence.explain(Verdict.HOLDS) == "relative error 5e-01"
    with pytest.raises(AttributeError):
        evidence.claimed = 3.0  # type: ignore[misc]
