r"""Labels before a logarithm, scalars and sets that sentences name: what homework leaves unsaid."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document
from workings.claims.documents.outline.declarations import read_member
from workings.claims.documents.outline.hypotheses import read_scalars
from workings.claims.verdict import Verdict

SOFTMAX = r"""
$$P = \mathrm{softmax}(X W)$$
$$J = -\frac{1}{n} \sum_{i=1}^{n} \sum_{j=1}^{k} Y_{ij} \log P_{ij}$$
"""
LABELS = [
    r"and $Y \in \mathbb{R}^{n \times k}$ are one-hot labels.",
    r"and $Y \in \{0, 1\}^{n \times k}$.",
    "and labels.",
]


def verdicts(tmp_path: Path, text: str) -> list[Verdict]:
    path = tmp_path / "notes.md"
    path.write_text(text)
    results = [finding.result for finding in check_document(read_document(path)).findings]
    return [result.verdict for result in results if result is not None]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(
    ("gradient", "verdict"),
    [
        (r"\frac{1}{n} X^\top (P - Y)", Verdict.HOLDS),
        (r"X^\top (P - Y)", Verdict.SCALED),
        (r"\frac{1}{n} X^\top (P + Y)", Verdict.WRONG_VALUE),
    ],
)
def test_every_row_of_labels_adds_up_to_one(
    tmp_path: Path, labels: str, gradient: str, verdict: Verdict
) -> None:
    spaces = r"Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times k}$ " + labels
    claim = rf"$$\frac{{\partial J}}{{\partial W}} = {gradient}$$"
    (given,) = verdicts(tmp_path, f"{spaces}\n{SOFTMAX}\n{claim}\n")
    # Of labels that nobody declares a wrong gradient may be left open, and never holds.
    is_open = labels == "and labels." and verdict is not Verdict.HOLDS
    assert given in ({verdict, Verdict.NOT_READ} if is_open else {verdict})


@pytest.mark.parametrize(
    ("gradient", "verdict"),
    [
        (r"\hat y - y", Verdict.HOLDS),
        (r"y - \hat y", Verdict.FLIPPED),
        (r"(\hat y - y) \hat y (1 - \hat y)", Verdict.WRONG_VALUE),
    ],
)
def test_what_sentences_call_a_scalar_is_a_number(
    tmp_path: Path, gradient: str, verdict: Verdict
) -> None:
    text = r"""Let $b$ be a scalar, $x, w \in \mathbb{R}^d$, and $y \in \{0, 1\}$.
$$z = w^\top x + b$$
$$\hat y = \sigma(z)$$
$$L = -y \log \hat{y} - (1 - y) \log (1 - \hat{y})$$
"""
    claim = rf"$$\frac{{\partial L}}{{\partial b}} = {gradient}$$"
    assert verdicts(tmp_path, text + claim) == [verdict]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where $b$ is a scalar", ["b"]),
        ("with $w$, $b$ a scalar", ["b"]),
        (r"for any scalar $\lambda$", [r"\lambda"]),
        ("scalars $a, b$", ["a", "b"]),
        ("$f$ is a scalar function", []),
        ("the scalar product of $x$ and $y$", []),
    ],
)
def test_names_beside_the_word_scalar(text: str, names: list[str]) -> None:
    assert list(read_scalars([text])) == names


@pytest.mark.parametrize(
    ("text", "sides", "kinds"),
    [
        (r"y \in \{0, 1\}", (), ("binary",)),
        (r"Y \in \{0,1\}^{n \times k}", ("n", "k"), ("binary",)),
        (r"y \in \{-1, +1\}", (), ("sign",)),
        (r"p \in [0, 1]", (), ("probability",)),
        (r"p \in (0,1)^n", ("n",), ()),
    ],
)
def test_sets_of_numbers(text: str, sides: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    (declared,) = read_member(text).values()
    assert (declared.sides, declared.kinds) == (sides, kinds)
