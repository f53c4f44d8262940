"""A sign that the text gives another meaning: neither "holds" nor "wrong" is said of it as read."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.outline.signs_in_words import multiplies_shapes

X = r"$x \in \mathbb{R}^n$"


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        (r"Let $u, v \in \mathbb{R}^3$; $\times$ is the cross product.",
         r"u \times v = -(v \times u)"),
        ("Angles are measured in degrees.", r"\sin(x + 360) = \sin x"),
        ("Angles are measured in degrees.", r"\sin(x + 2 \pi) = \sin x"),
        ("In half precision,", "2048 + 1 = 2048"),
        ("With 32-bit saturating arithmetic and in float32,", "2^{24} + 1 = 2^{24}"),
        (r"In $\mathbb{Z}_7$ we have", r"3 \cdot 5 = 1"),
        (r"Here $\mathrm{vec}$ stacks the rows of a matrix.",
         r"\mathrm{vec}(A X B) = (A \otimes B^T) \mathrm{vec}(X)"),
        (r"Here $\mathrm{vec}$ stacks the rows of a matrix.",
         r"\mathrm{vec}(A X B) = (B^T \otimes A) \mathrm{vec}(X)"),
        (r"Let $P = \operatorname{softmax}(S)$ of a square $S$, over each column.",
         r"P \mathbf{1} = \mathbf{1}"),
        (rf"Here $\|\cdot\|$ is the 1-norm of {X}.", r"\nabla \|x\| = \frac{x}{\|x\|}"),
        (rf"We use the norm $\|x\| = \sum_i |x_i|$ for {X}.", r"\|x\|^2 = x^T x"),
        (rf"Write $\|x\| = \max_i |x_i|$ for the norm of {X}.", r"\|x\|^2 = x^T x"),
        (rf"Let {X}. Define $\|x\| = \sqrt{{x^T M x}}$.", r"\nabla_x \|x\|^2 = 2x"),
        (rf"Let $|x|$ denote the $\ell_1$ norm of {X}.", "|x|^2 = x^T x"),
        (r"Let $\Delta f(x) = f(x+1) - f(x)$ be the forward difference, and $f(x) = x^2$.",
         r"\Delta f(x) = 2"),
        (rf"Let {X}. Here $\nabla^2$ is the Laplacian.", r"\nabla^2 \|x\|^2 = 2I"),
    ],
)  # fmt: skip
def test_it_is_not_read(words: str, claim: str, tmp_path: Path) -> None:
    found = checked(tmp_path, f"{words}\n\n$${claim}$$\n")
    assert found.wrong == []
    assert not any(each.result and each.result.holds for each in found.claims)


@pytest.mark.parametrize(
    ("words", "claim", "verdict"),
    [
        ("The cross product of vectors is used below.", "2 + 2 = 5", "wrong value"),
        ("Weights are kept in half precision elsewhere. We have", "2 + 2 = 5", "wrong value"),
        (f"Let {X}; the Euclidean norm is used.", r"\|x\|^2 = x^T x", "holds"),
        ("Angles are measured in degrees.", "(a + b)^2 = a^2 + 2ab + b^2", "holds"),
        (f"Let {X}.", r"\nabla \|x\|^2 = 2x", "holds"),
    ],
)
def test_other_signs_are_judged(words: str, claim: str, verdict: str, tmp_path: Path) -> None:
    (found,) = checked(tmp_path, f"{words}\n\n$${claim}$$\n").claims
    assert str(found.verdict) == verdict


def test_sizes_of_matrices_are_no_numbers(tmp_path: Path) -> None:
    assert multiplies_shapes(r"(32 \times 784)(784 \times 10) = (32 \times 10)")
    assert multiplies_shapes(r"(3 \times 4) \cdot (4 \times 5) = 3 \times 5")
    assert not multiplies_shapes(r"(3 \times 4)(4 \times 5) = 239")
    assert not checked(tmp_path, r"Of sizes $(3 \times 4)(4 \times 5) = (3 \times 5)$.").wrong


@pytest.mark.parametrize("words", ["rounded up", "after rounding down", "to the nearest integer"])
def test_what_is_rounded_is_not_wrong(words: str, tmp_path: Path) -> None:
    assert checked(tmp_path, f"There are $60000 / 128 = 469$ steps, {words}.").wrong == []
    assert checked(tmp_path, "There are $60000 / 128 = 469$ steps.").wrong != []


LIKE_IT = r"""The log loss is the binary cross-entropy, and the log-likelihood a common objective;
matrix-vector products are cheap, gradients are clipped to a maximum norm. With fixed weights in a
single step, at round $t$ and with $n \in \mathbb{Z}_{+}$ and $8$ degrees of freedom:

"""


@pytest.mark.parametrize(
    "claim",
    [r"3 \times 4 = 13", r"\log 3 = 1.785", "|-3| = 4", r"\sin(\pi / 6) = 1",
     r"x_{1{,}2} + x_{1{,}2} = 3 x_{1{,}2}"],
)  # fmt: skip
def test_words_that_only_look_like_it_change_nothing(claim: str, tmp_path: Path) -> None:
    (found,) = checked(tmp_path, f"{LIKE_IT}$${claim}$$\n").claims
    assert found.wrong


def test_derivatives_beside_the_binary_cross_entropy_hold(tmp_path: Path) -> None:
    page = LIKE_IT + "Let $p > 0$.\n\n$$\\frac{d}{dp} (p \\log p) = \\log p + 1$$\n"
    (found,) = checked(tmp_path, page).claims
    assert str(found.verdict) == "holds"
