"""Problems that are stated: optima that are looked for, and constraints, claim nothing."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.outline.problems import CONSTRAINT, OPTIMUM


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"$$w^{*} = \underset{w}{\mathrm{argmin}} \, \|w\|$$", OPTIMUM),
        (r"$$w^* = \operatornamewithlimits{arg\, min}_{w} \|w\|$$", OPTIMUM),
        (r"$$\min_w \|w\| \\ \text{subject to } y_i (w^T x_i + b) \geq 1$$", CONSTRAINT),
        ("subject to the constraints:\n$$\\sum_i a_i y_i = b$$", CONSTRAINT),
    ],
)
def test_a_problem_claims_nothing(tmp_path: Path, text: str, why: str) -> None:
    found = checked(tmp_path, text + "\n")
    assert found.claims == []
    assert why in [each.statement.why for each in found.not_checked]


@pytest.mark.parametrize("words", ["we write it with", "such that", "which we derive under"])
def test_other_words_before_a_claim_ask_for_nothing(tmp_path: Path, words: str) -> None:
    (finding,) = checked(tmp_path, f"{words}\n$$(a + b)^2 = a^2 + 2ab + b^2$$\n").claims
    assert str(finding.verdict) == "holds"


def test_what_stands_before_the_constraints_is_checked(tmp_path: Path) -> None:
    line = "$$(a + b)^2 = a^2 {} 2ab + b^2 \\\\ \\text{{s.t. }} a b = c$$\n"
    for sign, holds in (("+", True), ("-", False)):
        (finding,) = checked(tmp_path, line.format(sign)).claims
        assert finding.result is not None
        assert finding.result.holds == holds
