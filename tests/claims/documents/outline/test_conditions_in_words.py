"""What sentences ask of names: a claim that may rest on it is not called wrong, nor to hold."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked

SQUARE = r"\in \mathbb{R}^{n \times n}"


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        (rf"If $A$ and $B {SQUARE}$ commute, then", "(A + B)^2 = A^2 + 2AB + B^2"),
        (rf"Let $A, B {SQUARE}$ with $AB = BA$. Then", "(A - B)(A + B) = A^2 - B^2"),
        (rf"Let $P {SQUARE}$ be a projection.", "P^2 = P"),
        (rf"Suppose that $N {SQUARE}$ has $N^2 = 0$.", "(I - N)^{-1} = I + N"),
        (rf"The matrix $T {SQUARE}$ is upper triangular.", r"\det(T) = \prod_i T_{ii}"),
        (r"Let $u, v \in \mathbb{R}^n$ be perpendicular.", r"\|u + v\|^2 = \|u\|^2 + \|v\|^2"),
        (r"Let $x \in \mathbb{R}^n$ and $x_i \ge 0$ for all $i$.", r"\mathrm{relu}(x) = x"),
        (r"The label $y$ is either $0$ or $1$.", "p^y (1 - p)^{1 - y} = y p + (1 - y)(1 - p)"),
        (r"Here $s$ takes the values $\pm 1$.", "(1 - s z)^2 = (s - z)^2"),
        ("Neglecting terms of second order,", r"(1 + a)^2 = 1 + 2a"),
        ("Up to an additive constant we have", r"(x - m)^2 = x^2 - 2mx"),
        ("All products in this section are elementwise.", "AB = BA"),
        ("Modulo 5,", "3 + 4 = 2"),
        (rf"Let $A, B {SQUARE}$. In one dimension,", "AB = BA"),
        (rf"Let $A, B {SQUARE}$. With tied weights $B = A^T$,", "AB = AA^T"),
        (rf"Let $A {SQUARE}$ and $B$ be the pseudo-inverse of $A$.", "ABA = A"),
        ("Exercise: find the error in", "(a + b)^2 = a^2 + b^2"),
        ("Which of the following is true? (a)", "(a + b)^2 = a^2 + b^2"),
    ],
)
def test_a_claim_under_words_is_not_called_wrong(words: str, claim: str, tmp_path: Path) -> None:
    assert checked(tmp_path, f"{words}\n\n$${claim}$$\n").wrong == []


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        (rf"Let $A, B {SQUARE}$.", "(A + B)^2 = A^2 + 2AB + B^2"),
        (rf"Let $A {SQUARE}$. The matrix $C$ is triangular.", r"(AA^T)^T = A^T A"),
        ("The learning rate $\\eta$ is positive.", r"(a + b)^2 = a^2 + b^2"),
        ("We expand the square.", r"(1 + a)^2 = 1 + 2a"),
        ("This is a positive result.", "3 + 4 = 2"),
        ("A short calculation shows that", r"\frac{d}{dt} \tanh(t) = 1 - \tanh(t)"),
        ("For the second factor we get", "(a - b)^2 = a^2 - 2ab - b^2"),
        ("When we differentiate, we find", r"\frac{d}{dt} t^3 = 2t^2"),
    ],
)
def test_words_about_something_else_leave_it_wrong(words: str, claim: str, tmp_path: Path) -> None:
    assert len(checked(tmp_path, f"{words}\n\n$${claim}$$\n").wrong) == 1


def test_words_of_another_section_do_not_count(tmp_path: Path) -> None:
    page = rf"""# First
Let $A, B {SQUARE}$ commute.

# Second
Let $A, B {SQUARE}$.

$$(A + B)^2 = A^2 + 2AB + B^2$$
"""
    assert len(checked(tmp_path, page).wrong) == 1


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("Let $a$ and $b$ be square matrices.", "(a - b)(a + b) = a^2 - b^2"),
        (r"Let $\alpha, \beta$ be matrices.", r"(\alpha\beta)^2 = \alpha^2 \beta^2"),
        ("Let $z$ be a complex number.", "|z|^2 = z^2"),
        (r"With $x \in \mathbb{C}^n$,", r"\|x\|^2 = x^T x"),
        (r"Let $\|\cdot\|$ be the spectral norm.", r"\|A\|^2 = \mathrm{tr}(A^T A)"),
        (r"For every real $x \ne 0$,", r"\log(x^2) = 2 \log x"),
        ("Let $a$ and $b$ be vectors.", "(a + b)^2 = a^2 + 2ab + b^2"),
        (r"For permutations $\pi$ and $\rho$,", r"\pi\rho = \rho\pi"),
        ("Let $u$ and $v$ be elements of a noncommutative ring.", "(u + v)(u - v) = u^2 - v^2"),
        ("For $x$ in degrees,", r"\frac{d}{dx} \sin(x) = \cos(x)"),
        ("In floating-point arithmetic,", "(a + b) - a = b"),
    ],
)
def test_what_holds_of_numbers_is_not_said_of_something_else(
    words: str, claim: str, tmp_path: Path
) -> None:
    result = checked(tmp_path, f"{words}\n\n$${claim}$$\n")
    assert not any(each.result and each.result.holds for each in result.claims)


@pytest.mark.parametrize(
    "claim", ["(a - b)(a + b) = a^2 - b^2", r"\log(x^2) = 2 \log x", r"\|x\|^2 = x^T x"]
)
def test_without_such_words_it_holds(claim: str, tmp_path: Path) -> None:
    page = rf"Let $x \in \mathbb{{R}}^n$ and $M$ be a matrix.\n\n$${claim}$$\n".replace(r"\n", "\n")
    page = page if "x^T" in claim else page.replace(r"$x \in \mathbb{R}^n$ and ", "")
    assert [str(each.verdict) for each in checked(tmp_path, page).claims] == ["holds"]


def test_a_matrix_is_symmetric_in_the_section_that_says_so(tmp_path: Path) -> None:
    page = rf"""# General
Let $A {SQUARE}$ be any square matrix and $x \in \mathbb{{R}}^n$.
$$\nabla_x (x^T A x) = 2Ax$$

# Symmetric
In this section $A$ is symmetric.
$$\nabla_x (x^T A x) = 2Ax$$
"""
    found = [str(each.verdict) for each in checked(tmp_path, page).claims]
    assert found == ["not read", "holds"]


def test_an_if_leads_to_the_next_display_alone(tmp_path: Path) -> None:
    page = r"""If $j \neq k$:

$$a b = b a$$

$$(a + b)^2 = a^2 + b^2$$
"""
    assert [each.position.line for each in checked(tmp_path, page).wrong] == [5]


def test_what_a_comment_calls_a_claim_is_one_whatever_the_words(tmp_path: Path) -> None:
    page = "A projection $P$, it is said:\n\n<!-- workings: claim, P n x n -->\n\n$$P^2 = P$$\n"
    page = page.replace("claim, P n x n", "P n x n -->\n<!-- workings: claim")
    assert len(checked(tmp_path, page).wrong) == 1


def test_a_shape_in_words_counts_where_another_was_declared_before(tmp_path: Path) -> None:
    page = r"""Let $A \in \mathbb{R}^{m \times n}$ in this part.

$$A^T A = (A^T A)^T$$

## Second part

Now let $A$ be an $n \times n$ matrix.

$$|A A^T| = |A|^2$$
"""
    assert checked(tmp_path, page).wrong == []
    plain = "Let $A$ be an $m \\times n$ matrix.\n\n$$(A B)^T = A^T B^T$$\n"
    assert len(checked(tmp_path, plain).wrong) == 1
