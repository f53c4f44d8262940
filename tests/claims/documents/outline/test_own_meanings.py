"""Known names with another meaning: the document's own equation says what its σ is."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.outline.own_meanings import as_written, own_meanings

SOFTMAX = r"""Let $z \in \mathbb{R}^k$ and
$$LEFT = \frac{e^{z_i}}{\sum_{j=1}^k e^{z_j}}$$
With $p = \sigma(z)$,
$$\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j)$$
$$\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} + p_j)$$
"""


def verdicts(folder: Path, page: str) -> list[str]:
    return [str(each.verdict) for each in checked(folder, page).claims]


@pytest.mark.parametrize("left", [r"\sigma(z)_i", r"\sigma_i(z)", r"\sigma(z_i)", r"\sigma(z)_{i}"])
def test_sigma_is_the_softmax_where_its_equation_says_so(left: str, tmp_path: Path) -> None:
    found = verdicts(tmp_path, SOFTMAX.replace("LEFT", left))
    assert found == ["holds", "holds", "wrong value"]


def test_sigma_is_another_function_where_its_equation_says_so(tmp_path: Path) -> None:
    page = r"""As activation we take $\sigma(x) = \tanh(x)$.
$$\sigma'(x) = 1 - \sigma(x)^2$$
$$\sigma'(x) = \sigma(x)(1 - \sigma(x))$$
"""
    result = checked(tmp_path, page)
    assert str(result.claims[0].verdict) == "holds"
    assert not result.claims[1].result.holds


def test_such_a_name_is_shown_as_the_author_wrote_it() -> None:
    assert as_written(r"\mathrm{sigmaOwnMeaning}'(x)") == r"\sigma'(x)"
    assert as_written(r"\mathrm{GELUOwnMeaning}(x)") == r"\mathrm{GELU}(x)"


def test_sigma_is_the_logistic_function_where_its_equation_says_so(tmp_path: Path) -> None:
    page = r"""$$\sigma(x) = \frac{e^x}{1 + e^x}$$
$$\sigma'(x) = \sigma(x)(1 + \sigma(x))$$
$$\sigma(x) = \frac{1}{1 + e^x}$$
"""
    result = checked(tmp_path, page)
    assert [each.wrong for each in result.claims] == [False, True, True]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (r"\mathrm{GELU}(x)", r"0.5 x (1 + \tanh(\sqrt{2/\pi}(x + 0.044715 x^3)))"),
        (r"\text{LeakyReLU}(x)", r"\max(0.01 x, x)"),
        (r"\mathrm{Swish}(x)", r"x \sigma(\beta x)"),
    ],
)
def test_a_function_with_several_meanings_is_what_is_written(
    left: str, right: str, tmp_path: Path
) -> None:
    result = checked(tmp_path, f"$${left} = {right}$$\n")
    assert not result.claims
    assert len(result.defined) == 1


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (r"\mathrm{GELU}(x)", r"\frac{x}{2}(1 + \mathrm{erf}(x / \sqrt{2}))"),
        (r"\sigma(x)", r"\frac{1}{1 + e^{-x}}"),
        (r"\mathrm{softplus}(x)", r"\log(1 + e^x)"),
        (r"\mathrm{relu}(x)", r"\max(0, x)"),
    ],
)
def test_what_a_name_means_everywhere_is_no_meaning_of_its_own(left: str, right: str) -> None:
    assert own_meanings([(left, right)]).functions == frozenset()


@pytest.mark.parametrize(
    ("claim", "is_wrong"),
    [
        (r"\tanh'(x) = 1 - \tanh(x)^2", False),
        (r"\tanh'(x) = 1 - \tanh(x)", True),
        (r"\sin^{\prime}(x) = -\cos(x)", True),
        (r"\log'(x) = \frac{1}{x}", False),
    ],
)
def test_a_prime_on_a_known_function_is_its_derivative(
    claim: str, is_wrong: bool, tmp_path: Path
) -> None:
    (finding,) = checked(tmp_path, f"$${claim}$$\n").claims
    assert finding.wrong == is_wrong
    assert not finding.not_read


def test_a_circle_between_functions_composes_them(tmp_path: Path) -> None:
    page = r"""Let $f(x) = x^2$ and $g(x) = 3x + 1$.
$$(f \circ g)(x) = (3x + 1)^2$$
$$(f \circ g)'(x) = 6(3x + 1)$$
$$(f \circ g)'(x) = 2(3x + 1)$$
$$f \circ g = g \circ f$$
"""
    result = checked(tmp_path, page)
    assert [each.wrong for each in result.claims] == [False, False, True, False]
    assert [each.not_read for each in result.claims] == [False, False, False, True]


def test_a_circle_between_others_is_their_product_by_entries(tmp_path: Path) -> None:
    assert verdicts(tmp_path, r"$$h \circ (1 - h) = h - h \circ h$$") == ["holds"]


def test_a_prime_is_a_transpose_where_a_document_writes_so(tmp_path: Path) -> None:
    page = r"""Let $X \in \mathbb{R}^{n \times d}$; we solve $X'X\beta = X'y$.
$$L(\beta) = (y - X\beta)'(y - X\beta)$$
$$\frac{\partial L}{\partial \beta} = -2X'(y - X\beta)$$
$$(AB)' = A'B'$$
"""
    assert verdicts(tmp_path, page) == ["holds", "wrong value"]


def test_a_bracket_behind_a_weight_is_a_factor(tmp_path: Path) -> None:
    page = r"""With $\pi_k = \frac{e^{a_k}}{\sum_j e^{a_j}}$ and a policy $\pi(a \mid s)$
$$\frac{\partial \pi_k}{\partial a_j} = \pi_k(\delta_{kj} - \pi_j)$$
"""
    assert verdicts(tmp_path, page) == ["holds"]


@pytest.mark.parametrize(
    ("words", "claim", "verdict"),
    [
        (r"Let $\sigma$ be the hyperbolic tangent.", r"\sigma'(z) = 1 - \sigma(z)^2", "holds"),
        (r"Let $\sigma$ be the hyperbolic tangent.", r"\sigma(-z) = 1 - \sigma(z)", "wrong value"),
        (r"Write $\sigma$ for the logistic function.", r"\sigma(-z) = 1 - \sigma(z)", "holds"),
        (r"Here $\sigma$ is an activation function.", r"\sigma(-z) = 1 - \sigma(z)", "not read"),
        (
            r"Here $\sigma$ is an activation function.",
            r"2\sigma(z) - \sigma(z) = \sigma(z)",
            "holds",
        ),
        (r"Here $\sigma$ is an activation function.", r"2\sigma(z) = \sigma(z)", "wrong"),
    ],
)
def test_a_sentence_says_what_sigma_is(
    words: str, claim: str, verdict: str, tmp_path: Path
) -> None:
    (found,) = checked(tmp_path, f"{words}\n\n$${claim}$$\n").claims
    assert found.wrong if verdict == "wrong" else str(found.verdict) == verdict


def test_superscripts_that_begin_with_1_are_no_powers(tmp_path: Path) -> None:
    page = r"""The weights are the numbers $w^1$, $w^2$ and $w^3$, and $y = w^3 w^2 w^1 x$.
$$\frac{\partial y}{\partial w^2} = w^3 w^1 x$$
"""
    assert verdicts(tmp_path, page) == ["holds"]


@pytest.mark.parametrize(
    ("definition", "claim"),
    [
        ("f(x) = 2x + 1", r"f^{-1}(x) = \frac{x-1}{2}"),
        ("f(x) = 2x + 1", "f^2(x) = (2x+1)^2"),
        ("f(x) = 2x + 1", "f^2(x) = 4x + 3"),
        ("f(x) = 2x + 1", "f(f^{-1}(x)) = x"),
        ("g(x) = 1 - x", "g^2(x) = x"),
        ("h(x) = e^x", r"h^{-1}(x) = \ln x"),
    ],
)
def test_a_function_with_a_power_may_be_one_of_several(
    definition: str, claim: str, tmp_path: Path
) -> None:
    found = checked(tmp_path, f"$${definition}$$\n\n$${claim}$$\n")
    assert found.wrong == []
    assert not any(each.result and each.result.holds for each in found.claims)


def test_a_letter_with_a_power_before_a_bracket_is_a_factor(tmp_path: Path) -> None:
    page = "$$f(x) = x^2 (x + 1)$$\n\n$$f'(x) = 3x^2 + 2x$$\n\n$$f'(x) = 3x^2 + x$$\n"
    assert verdicts(tmp_path, page)[0] == "holds"
    assert len(checked(tmp_path, page).wrong) == 1


def test_a_prime_is_the_transpose_where_the_text_says_so(tmp_path: Path) -> None:
    page = r"""Let $A \in \mathbb{R}^{n \times n}$, $b, x \in \mathbb{R}^n$; the prime denotes
transposition.

$$\frac{\partial x' A x}{\partial A} = x x'$$

$$\nabla_x (x'Ax) = (A + A')x$$

$$\nabla_x (b'x) = b$$

$$\nabla_x (x'Ax) = 2Ax$$
"""
    assert verdicts(tmp_path, page) == ["holds", "holds", "holds", "wrong value"]


def test_a_prime_around_a_matrix_is_the_transpose(tmp_path: Path) -> None:
    page = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$." + "\n\n"
    assert verdicts(tmp_path, page + r"$$\nabla_x (x'Ax) = Ax + A'x$$") == ["holds"]


def test_sigma_of_a_number_is_no_activation(tmp_path: Path) -> None:
    page = "Let $\\sigma(n)$ be the sum of the divisors of $n$.\n\n$$\\sigma(6) = 12$$\n"
    assert checked(tmp_path, page).wrong == []


def test_bold_by_a_package_is_no_product(tmp_path: Path) -> None:
    page = r"""$$f(\bm x) = \bm x^T \bm A \bm x$$

$$\nabla f(\bm x) = (\bm A + \bm A^T) \bm x$$

Let $\bm{y} \in \mathbb{R}^n$.

$$\nabla_{\bm{y}} (\bm{y}^T \bm{y}) = 2 \bm{y}$$

$$\nabla_{\bm{y}} (\bm{y}^T \bm{y}) = 3 \bm{y}$$
"""
    found = checked(tmp_path, page)
    assert [each.wrong for each in found.claims] == [False, False, True]
    assert [str(each.verdict) for each in found.claims[:2]] == ["holds", "holds"]


def test_labels_of_plus_and_minus_one(tmp_path: Path) -> None:
    page = r"""Let $y \in \{-1, +1\}$ be the label and $f \in \mathbb{R}$ the score.

$$(1 - y f)^2 = (y - f)^2$$

$$(y - f)^2 = 1 - 2yf + f^2$$

$$(y - f)^2 = 1 + 2yf + f^2$$
"""
    assert verdicts(tmp_path, page) == ["holds", "holds", "wrong value"]
