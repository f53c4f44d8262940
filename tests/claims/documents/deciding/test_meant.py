"""What is wrong as it is read and not as it is meant."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked


@pytest.mark.parametrize(
    "page",
    [
        "A common mistake is to write\n\n$$(a+b)^2 = a^2 + b^2$$\n",
        "It is not true that $$(a+b)^2 = a^2 + b^2.$$\n",
        "Students write\n$$(a+b)^2 = a^2 + b^2,$$\nwhich is wrong.\n",
        "One might think that\n$$(a+b)^2 = a^2 + b^2.$$\nBut this does not hold.\n",
        "The following is false.\n\n$$(a+b)^2 = a^2 + b^2$$\n",
    ],
)
def test_what_the_text_denies_is_not_claimed(page: str, tmp_path: Path) -> None:
    result = checked(tmp_path, page)
    assert not result.claims
    assert [each.statement.why for each in result.not_checked] == [
        "the text itself says that it is not so"
    ]


@pytest.mark.parametrize(
    "page",
    [
        "We expand the square:\n\n$$(a+b)^2 = a^2 + b^2$$\n",
        "That was a mistake. We now expand:\n\n$$(a+b)^2 = a^2 + b^2$$\n",
        "$$(a+b)^2 = a^2 + b^2$$\nThis is not surprising.\n",
        "For the naive Bayes classifier and its false positives\n$$(a+b)^2 = a^2 + b^2$$\n",
        "<!-- this is wrong -->\n$$(a+b)^2 = a^2 + b^2$$\n<!-- wrong. -->\n",
    ],
)
def test_other_sentences_deny_nothing(page: str, tmp_path: Path) -> None:
    assert len(checked(tmp_path, page).wrong) == 1


@pytest.mark.parametrize(
    ("words", "claim", "verdict"),
    [
        ("In bits,", r"-\frac12 \log \frac12 - \frac12 \log \frac12 = 1", "holds"),
        ("So", r"-\frac12 \log \frac12 - \frac12 \log \frac12 = 1", "not read"),
        ("In bits,", r"-\frac12 \log \frac12 - \frac12 \log \frac12 = 2", "wrong value"),
        ("Here", r"\log 1000 = 3", "not read"),
        ("To base 10", r"\log 1000 = 3", "holds"),
        ("Here", r"\ln 8 = 3", "wrong value"),
        ("Here", r"\log 8 = 3 \log 2", "holds"),
    ],
)
def test_the_base_of_a_logarithm_may_be_another(
    words: str, claim: str, verdict: str, tmp_path: Path
) -> None:
    (finding,) = checked(tmp_path, f"{words}\n\n$${claim}$$\n").claims
    assert str(finding.verdict) == verdict


def test_the_base_counts_in_what_is_defined_too(tmp_path: Path) -> None:
    page = r"""The entropy of a coin, in bits, is $H(p) = -p \log p - (1-p) \log(1-p)$.
$$H(1/2) = 1$$
$$H'(p) = \log \frac{1-p}{p}$$
"""
    result = checked(tmp_path, page)
    assert [str(each.verdict) for each in result.claims] == ["holds", "holds"]
    assert r"\log to base 2" in result.claims[0].result.why
