"""What course notes write: examples x^{(i)}, functions h_θ(x), cases, probabilities, chain rules.

Every class has a claim that is right, and one that differs from it by a slip and must not hold.
"""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked, last_holds
from workings.claims.documents.formats import as_text, message

REGRESSION = r"""$$h_\theta(x) = \theta^T x$$
$$J(\theta) = \frac{1}{2m} \sum_{i=1}^{m} (h_\theta(x^{(i)}) - y^{(i)})^2$$
"""
SUMMED = r"$$J(w) = \frac{1}{n}\sum_{i=1}^{n} (w^T x_i - y_i)^2 + \lambda \|w\|^2$$" + "\n"
SOFTMAX = r"$$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$$" + "\n"
BAYES = r"$$p(\theta \mid D) = \frac{p(D|\theta)\,p(\theta)}{p(D)}$$" + "\n"
NAMED = r"""$$h(x) = \sigma(W^{(1)} x + b^{(1)})$$
$$z = W^{(1)} x + b^{(1)}$$
$$h = \sigma(z)$$
"""
LAYOUT = r"""With $K = n_y$ classes and $W \in \mathbb{R}^{n_y \times d}$, $x \in \mathbb{R}^{d}$:
$$\hat{y} = \mathrm{softmax}(W x), \quad L = -\sum_{k=1}^{K} y_k \log \hat{y}_k$$
"""
RIGHT_AND_WRONG = {
    "examples with labels": (
        REGRESSION,
        r"\frac{\partial J}{\partial \theta_j}"
        r" = \frac1m \sum_{i=1}^{m} (h_\theta(x^{(i)}) - y^{(i)}) x_j^{(i)}",
        r"\frac{\partial J}{\partial \theta_j}"
        r" = \frac2m \sum_{i=1}^{m} (h_\theta(x^{(i)}) - y^{(i)}) x_j^{(i)}",
    ),
    "examples with an index": (
        SUMMED,
        r"\nabla J(w) = \frac2n \sum_{i=1}^{n} (w^T x_i - y_i) x_i + 2 \lambda w",
        r"\nabla J(w) = \frac2n \sum_{i=1}^{n} (w^T x_i - y_i) x_i + \lambda w",
    ),
    "a case behind the claim": (
        SOFTMAX,
        r"\frac{\partial a_j}{\partial z_i} = -a_i a_j, \quad i \neq j",
        r"\frac{\partial a_j}{\partial z_i} = a_i a_j, \quad i \neq j",
    ),
    "equal indices": (
        SOFTMAX,
        r"\frac{\partial a_j}{\partial z_i} = a_i (1 - a_i) \quad \text{if } i = j",
        r"\frac{\partial a_j}{\partial z_i} = a_i (1 + a_i) \quad \text{if } i = j",
    ),
    "a case that is not said": (
        SOFTMAX,
        r"\frac{\partial a_j}{\partial z_i} = -a_i a_j",
        r"\frac{\partial a_j}{\partial z_i} = -2 a_i a_j",
    ),
    "dollars in a condition": (
        SOFTMAX,
        r"\frac{\partial a_j}{\partial z_i} = \begin{cases} a_i (1 - a_i) & \text{if $i = j$}"
        r" \\ -a_i a_j & \text{if $i \neq j$} \end{cases}",
        r"\frac{\partial a_j}{\partial z_i} = \begin{cases} a_i (1 - a_i) & \text{if $i = j$}"
        r" \\ a_i a_j & \text{if $i \neq j$} \end{cases}",
    ),
    "an indicator": (
        SOFTMAX,
        r"\frac{\partial a_j}{\partial z_i} = a_j (1(i == j) - a_i)",
        r"\frac{\partial a_j}{\partial z_i} = a_j (1(i == j) + a_i)",
    ),
    "probabilities": (
        BAYES,
        r"\log p(\theta \mid D) = \log p(D \mid \theta) + \log p(\theta) - \log p(D)",
        r"\log p(\theta \mid D) = \log p(D \mid \theta) - \log p(\theta) - \log p(D)",
    ),
    "a name said anew": (
        NAMED,
        r"\frac{\partial h_j}{\partial z_j} = h_j (1 - h_j)",
        r"\frac{\partial h_j}{\partial z_j} = h_j (1 + h_j)",
    ),
    "one length with two names": (
        LAYOUT,
        r"\frac{\partial L}{\partial \hat{y}_k} = -\frac{y_k}{\hat{y}_k}",
        r"\frac{\partial L}{\partial \hat{y}_k} = \frac{y_k}{\hat{y}_k}",
    ),
    "a total derivative": (
        "",
        r"\frac{df}{dt} = \frac{\partial f}{\partial x} \frac{dx}{dt}"
        r" + \frac{\partial f}{\partial y} \frac{dy}{dt}",
        r"\frac{df}{dt} = \frac{\partial f}{\partial x} \frac{dx}{dt}"
        r" - \frac{\partial f}{\partial y} \frac{dy}{dt}",
    ),
    "a package's commands": (
        r"$$z = W x, \quad L = \frac12 \|z\|^2$$" + "\n",
        r"\pdv{L}{W} = z x^T",
        r"\pdv{L}{W} = 2 z x^T",
    ),
    "bold by a macro of another file": (
        r"$$\bz = \bW \bx, \quad L = \frac12 \|\bz\|^2$$" + "\n",
        r"\frac{\partial L}{\partial \bW} = \bz \bx^T",
        r"\frac{\partial L}{\partial \bW} = 2 \bz \bx^T",
    ),
}


def verdicts(folder: Path, text: str) -> list[str]:
    return [message(each) for each in checked(folder, text).claims]


@pytest.mark.parametrize("name", RIGHT_AND_WRONG)
def test_a_claim_holds_and_one_with_a_slip_does_not(tmp_path: Path, name: str) -> None:
    before, right, wrong = RIGHT_AND_WRONG[name]
    assert last_holds(tmp_path, f"{before}$${right}$$\n")
    assert not last_holds(tmp_path, f"{before}$${wrong}$$\n")


def test_a_case_that_is_not_said_is_shown_with_the_verdict(tmp_path: Path) -> None:
    claim = r"$$\frac{\partial a_j}{\partial z_i} = -a_i a_j$$"
    assert "for i ≠ j" in verdicts(tmp_path, SOFTMAX + claim)[-1]


def test_what_sets_a_free_name_is_not_called_wrong(tmp_path: Path) -> None:
    text = r"""Let $g \in \mathbb{R}^d$, $x \in \mathbb{R}^d$.
$$s(x) = \begin{cases} 1 & x > 0 \\ -1 & \text{otherwise} \end{cases}$$
$$g_i = s(x_i)$$"""
    assert verdicts(tmp_path, text) == []


SET_BEFORE = r"$$g^T d = 0$$" + "\n"


@pytest.mark.parametrize(
    "text",
    [
        SET_BEFORE + r"$$d^T (g - h) = -d^T h$$",
        r"$$d^T (g - h) = 0 - d^T h$$",
        r"""$$a = \log \frac{p(C_1 \mid x)}{p(C_2 \mid x)}$$
$$a = \log \frac{p(x \mid C_1) p(C_1)}{p(x \mid C_2) p(C_2)}$$
$$p(C_1 \mid x) = \frac{1}{1 + e^{-a}}$$""",
        r"""$$\Omega = \|w\|_1$$ For $f = |w|$:
$$\frac{\partial f}{\partial w} = \begin{cases} 1, & w > 0 \\ -1, & w < 0 \end{cases}$$""",
    ],
    ids=[
        "what was set before",
        "a term that vanishes",
        "probabilities",
        "a number beside a vector of its name",
    ],
)
def test_what_may_rest_on_something_unsaid_is_not_called_wrong(tmp_path: Path, text: str) -> None:
    assert not checked(tmp_path, text).wrong


def test_the_steps_of_a_chain_that_is_not_read_as_a_whole_are_checked_apart(tmp_path: Path) -> None:
    text = r"$$\frac{\partial E}{\partial q} = \lim_{h \to 0} q = a (b + c) = a b + a c$$"
    first, second, third = verdicts(tmp_path, text)
    assert first.startswith("not read")
    assert second.startswith("not read")
    assert third.startswith("holds")


def test_a_definition_far_behind_in_another_section_is_not_meant(tmp_path: Path) -> None:
    """With z = 1/w from another section, y would have the slope 0."""
    far = "".join(f"$$u_{n} = {n} v$$\n" for n in range(1, 9))
    claim = r"$$\frac{\partial y}{\partial w} = z$$"
    text = f"# One\n$$y = w z$$\n{claim}\n# Two\n{far}$$z = \\frac{{1}}{{w}}$$\n"
    assert checked(tmp_path, text).claims[0].result.holds


def test_probabilities_are_shown_as_they_were_written(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, BAYES).defined
    assert r"p(\theta|D) = " in as_text(finding, explain=True)


def test_a_divergence_of_probabilities_is_not_read_as_one_of_numbers(tmp_path: Path) -> None:
    divergence = r"\mathrm{KL}(q(z|x) \| p(z|x))"
    (right,) = verdicts(tmp_path, rf"$${divergence} \geq 0$$")
    assert right.startswith("holds: for distributions over finitely many values")
    for wrong in (r"\leq 0", r"\geq 1", r"= q(z|x) - p(z|x)"):
        (verdict,) = verdicts(tmp_path, rf"$${divergence} {wrong}$$") or ["not read"]
        assert verdict.startswith("not read"), wrong
