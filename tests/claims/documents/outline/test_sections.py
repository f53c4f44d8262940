"""What is said in one section is not put upon another, and a product is not taken for a name."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document


def verdicts(text: str, folder: Path) -> list[str]:
    """The verdict on every claim of a page, in order."""
    page = folder / "page.md"
    page.write_text(text)
    rows = check_document(read_document(page)).findings
    return [row.result.verdict.value for row in rows if row.result]


LOGISTIC = r"""## Logistic regression

For an example $x \in \mathbb{R}^d$ let $z = w^\top x + b$ and

$$\hat{y} = \sigma(z), \qquad L = -t \log \hat{y} - (1-t)\log(1-\hat{y}).$$

$$\frac{d \hat y}{d z} = \hat y (1 - \hat y)$$

$$\frac{\partial L}{\partial w} = (\hat y - t) x$$

"""


def test_a_vector_of_a_later_section_is_not_the_number_of_this_one(tmp_path: Path) -> None:
    later = "## Softmax\n\nLet $z \\in \\mathbb{R}^K$.\n"
    assert verdicts(LOGISTIC + later, tmp_path) == ["holds", "holds"]


def test_a_matrix_and_a_vector_are_no_new_name(tmp_path: Path) -> None:
    r"""Su = λu behind a claim had made Su of it a name that nothing else depends on."""
    page = r"""Let $S = \frac{1}{N}X^TX$ with $X \in \mathbb{R}^{N \times D}$.

$$\mathcal{L}(u, \lambda) = u^T S u + \lambda(1 - u^T u)$$

$$\nabla_u \mathcal{L} = 2Su - 2\lambda u$$

so that $Su = \lambda u$.
"""
    assert verdicts(page, tmp_path) == ["holds"]


def test_an_identity_of_a_number_is_read_so_though_its_name_is_a_vector(tmp_path: Path) -> None:
    page = r"""Let $z = W x$ with $W \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$.

## Activations

$$\sigma'(x) = \sigma(x)(1 - \sigma(x))$$

$$\frac{d}{dx} x\sigma(x) = \sigma(x) + x\sigma(x)(1-\sigma(x))$$

$$\tanh(x) = 2\sigma(x) - 1$$
"""
    assert verdicts(page, tmp_path) == ["holds", "holds", "wrong value"]


@pytest.mark.parametrize("said", [r"$A \succ 0$ is given", r"$A \succeq 0$", r"$A = A^\top$"])
def test_signs_say_what_a_matrix_is(said: str, tmp_path: Path) -> None:
    page = rf"""Consider $f(x) = \frac{{1}}{{2}}x^\top A x - b^\top x$ where {said}.
Here $x \in \mathbb{{R}}^n$ and $A \in \mathbb{{R}}^{{n \times n}}$.

$$\nabla f(x) = Ax - b$$

The minimizer satisfies $Ax^\star = b$.
"""
    assert verdicts(page, tmp_path) == ["holds"]


def test_a_likelihood_of_a_variance_has_a_deviation(tmp_path: Path) -> None:
    page = r"""$$\ell(\mu,\sigma^2) = -\frac{N}{2}\log 2\pi\sigma^2
- \frac{1}{2\sigma^2}\sum_{i=1}^N (x_i-\mu)^2$$

$$\frac{\partial \ell}{\partial \mu} = \frac{1}{\sigma^2}\sum_{i=1}^N (x_i - \mu)$$

$$\frac{\partial \ell}{\partial \sigma}
= -\frac{N}{\sigma} + \frac{1}{\sigma^2}\sum_{i=1}^N (x_i-\mu)^2$$
"""
    assert verdicts(page, tmp_path) == ["holds", "wrong value"]


def test_a_section_may_use_the_letters_of_another_for_something_else(tmp_path: Path) -> None:
    page = r"""## Regression

$X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$.

## Network

Let $o = W_2 \tanh(W_1 x + b_1) + b_2$ and $E = \frac12 \|o - y\|^2$ with
$W_1 \in \mathbb{R}^{m \times d}$, $W_2 \in \mathbb{R}^{k \times m}$.

$$\frac{\partial E}{\partial b_2} = o - y$$
"""
    assert verdicts(page, tmp_path) == ["holds"]


FITTING = r"""# Fitting

Let $E(m, b) = \sum_{i=1}^{n} (y_i - m x_i - b)^2$.

$$\frac{\partial E}{\partial b} = \sum_{i=1}^{n} (-2)(y_i - m x_i - b)$$

"""
OTHERS = r"""# Maps

With $\mathbf{x} \in \mathbb{R}^n$ and $\mathbf{b} \in \mathbb{R}^k$ let

$$\mathbf{m} = A \mathbf{x} + \mathbf{b}$$

$$\mathbf{y} = \tanh(\mathbf{m})$$

$$\frac{\partial \mathbf{y}}{\partial \mathbf{m}} = \mathrm{diag}(1 - \mathbf{y}^2)$$

"""


def test_letters_of_other_sections_do_not_keep_a_claim_from_being_read(tmp_path: Path) -> None:
    assert verdicts(OTHERS + FITTING, tmp_path)[-1] == "holds"
    wrong = FITTING.replace("(-2)", "(-3)")
    assert verdicts(OTHERS + wrong, tmp_path)[-1] != "holds"


def test_what_a_letter_is_declared_to_be_stays_so_in_other_sections(tmp_path: Path) -> None:
    r"""By a number x, the slope would be right; by the vector that x is, it is a matrix."""
    declared = "# Names\n\nLet $x \\in \\mathbb{R}^n$ and $A \\in \\mathbb{R}^{n \\times n}$.\n\n"
    claim = "# Slope\n\n$$\\frac{\\partial}{\\partial x} (x^T A x) = 2 A x$$\n"
    assert verdicts(declared + claim, tmp_path)[-1] != "holds"
