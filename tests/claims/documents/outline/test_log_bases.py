r"""The base of \log where a text says it: rounded values too, and what holds by another base."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("All logarithms are to base 2.", r"-\frac14 \log \frac14 - \frac34 \log \frac34 = 0.811"),
        ("In base 2", r"\log 3 = 1.585"),
        (r"The entropy of a fair die is $\log 6 = 2.585$ bits.", r"\log 6 = 2.585"),
        (r"Let $\log$ denote the logarithm to base 10.", r"\log 2 = 0.301"),
        (r"In decibels, $10 \log 2 = 3.01$.", r"10 \log 4 = 6.02"),
    ],
)
def test_rounded_values_are_not_wrong(words: str, claim: str, tmp_path: Path) -> None:
    assert checked(tmp_path, f"{words}\n\n$${claim}$$\n").wrong == []


def test_a_wrong_value_is_wrong_in_the_base_that_is_said(tmp_path: Path) -> None:
    (found,) = checked(tmp_path, "All logarithms are to base 2.\n\n$$\\log 3 = 1.785$$\n").wrong
    assert found.result is not None
    assert "right 1.585" in found.result.why


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("All logarithms are to base 2.", r"\frac{d}{dx} \log x = \frac{1}{x}"),
        ("All logarithms are to base 2.", r"\log e = 1"),
        (r"Here $\log$ is the binary logarithm.", r"\frac{d}{dp} (-p \log p) = -\log p - 1"),
    ],
)
def test_what_holds_by_the_natural_one_alone_does_not_count(
    words: str, claim: str, tmp_path: Path
) -> None:
    (found,) = checked(tmp_path, f"{words}\n\n$${claim}$$\n").claims
    assert found.not_read


def test_laws_of_every_base_hold(tmp_path: Path) -> None:
    page = "All logarithms are to base 2. Let $a, b > 0$.\n\n$$\\log(ab) = \\log a + \\log b$$\n"
    (found,) = checked(tmp_path, page).claims
    assert str(found.verdict) == "holds"
