"""Notes as they are written: arrows, feature maps, indices from 0, data named as the model is.

Each page has claims that are right and twins that are wrong: a wrong one never holds, and a right
one is never called wrong.
"""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked
from workings.claims.documents.finding import Finding
from workings.claims.documents.fix import fix

FEATURES = r"""
Let $\phi(\vec{x}_n) = [\phi_0(\vec{x}_n), \dots, \phi_{M-1}(\vec{x}_n)]^T$ be the features.
$$E(\vec{w}) = \frac12 \sum_{n=1}^N \left( \vec{w}^T \phi(\vec{x}_n) - t_n \right)^2$$
"""
PAGES = [
    ("a chain behind words, with a feature map", FEATURES + r"""$$\begin{aligned}
\nabla_{\vec{w}} E(\vec{w}) &= \frac{\partial}{\partial \vec{w}} E(\vec{w}) \\
\text{By the chain rule:}
&= {} \end{aligned}$$""",
     r"\sum_{n=1}^N \left( \vec{w}^T\phi(\vec{x}_n) - t_n \right)\phi(\vec{x}_n)",
     r"2 \sum_{n=1}^N \left( \vec{w}^T\phi(\vec{x}_n) - t_n \right)\phi(\vec{x}_n)"),
    ("the matrix of a feature map", FEATURES + r"$$\nabla_{\vec{w}} E(\vec{w}) = {}$$",
     r"\Phi^T (\Phi \vec{w} - \vec{t})", r"\Phi^T (\Phi \vec{w} + \vec{t})"),
    ("a kernel", r"""$$K(x_i, x_j) = \phi(x_i)^T\phi(x_j)$$
$$\sum_i \sum_j \alpha_i \alpha_j K(x_i, x_j) = {}$$""",
     r"\left\| \sum_i \alpha_i \phi(x_i) \right\|^2",
     r"2 \left\| \sum_i \alpha_i \phi(x_i) \right\|^2"),
    ("entries from 0", r"""$$h = \sum_{j=0}^{d} \theta_j x_j$$
$$\frac{\partial h}{\partial \theta_j} = {}$$""", "x_j", "2 x_j"),
    ("a vector with and without its arrow",
     r"$$\frac{\partial}{\partial u} \vec{u}^\top \vec{u} = {}$$", r"2 \vec{u}", r"\vec{u}"),
    ("for all indices", r"""$$f(\mathbf{w}) = \frac12 \|\mathbf{w}\|^2$$
$$\frac{\partial f}{\partial w_j} = {} \quad \forall j = 1, \dots, p$$""", "w_j", "2 w_j"),
    ("an empty exponent", r"""$$q = \mathbf{x}^{\,T} A^{,}\mathbf{x}$$
$$\nabla_{\mathbf{x}} q = {}$$""", r"(A + A^T) \mathbf{x}", r"A \mathbf{x}"),
    ("a sum without braces", r"""$$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$$
$$L = -\sum_ky_k \log a_k$$
$$\frac{\partial L}{\partial z_i} = {}$$""", r"a_i \sum_ky_k - y_i", r"a_i \sum_ky_k + y_i"),
    ("entries in a set", r"""Let $a_i \in \mathbb{R}$.
$$\sum_{i=1}^m a_i b_i = {}$$""", "a^T b", r"\frac1m \sum_{i=1}^m a_i \sum_{j=1}^m b_j"),
    ("vectors in a space", r"""Let $v_i \in \mathbb{R}^d$.
$$\frac1m \sum_{i=1}^m v_i v_i^T = {}$$""", r"\frac1m V^T V",
     r"\left(\frac1m \sum_{i=1}^m v_i\right) \left(\frac1m \sum_{i=1}^m v_i\right)^T"),
    ("labels of 0 and 1", r"""Let $y_i \in \{0, 1\}$.
$$\sum_{i=1}^m (y_i - p_i)^2 = {}$$""", r"\sum_{i=1}^m (y_i - 2 y_i p_i + p_i^2)",
     r"\sum_{i=1}^m (y_i - y_i p_i + p_i^2)"),
    ("an entry between 0 and 1", r"""$$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$ Here $p_k \in (0, 1)$.
$$\frac{e^{z_k}}{\sum_j e^{z_j}} = {}$$""", "p_k", "2 p_k"),
    ("data that is named as the model is", r"""$$t = w_0 + w_1 x$$
$$L = \frac1N \sum_{n=1}^N (t_n - (w_0 + w_1 x_n))^2$$
$$\frac{\partial L}{\partial w_0} = {}$$""",
     r"-\frac2N \sum_{n=1}^N (t_n - w_0 - w_1 x_n)", r"\frac5N \sum_{n=1}^N (t_n - w_0 - w_1 x_n)"),
]  # fmt: skip


def last(folder: Path, text: str) -> Finding:
    return checked(folder, text).claims[-1]


@pytest.mark.parametrize(("page", "right", "wrong"), [each[1:] for each in PAGES],
                         ids=[each[0] for each in PAGES])  # fmt: skip
def test_right_claims_hold_and_their_wrong_twins_do_not(
    tmp_path: Path, page: str, right: str, wrong: str
) -> None:
    assert last(tmp_path, page.replace("{}", right)).verdict == "holds"
    result = last(tmp_path, page.replace("{}", wrong)).result
    assert result is not None
    assert not result.holds


def test_a_loss_that_its_definitions_make_zero_has_no_gradient_to_be_claimed(
    tmp_path: Path,
) -> None:
    page = r"""$$t = w x$$
$$L = \sum_n (t_n - w x_n)^2$$
$$\frac{\partial L}{\partial w} = 0$$"""
    assert checked(tmp_path, page).findings[-1].statement.role == "condition"
    assert (
        last(tmp_path, "$$p = \\mathrm{softmax}(z)$$\n$$\\sum_j p_j - 1 = 0$$").verdict == "holds"
    )


@pytest.mark.parametrize(
    "page",
    [
        r"$$S_n = \sum_{k=0}^{n} a_k$$ $$S_n - S_{n-1} = 0$$",  # a part of a sum
        r"$$\sum_{j=0}^{n} c = n c$$",  # its index is no index
        r"$$a = \phi(z), \quad z = W x$$ $$\frac{\partial a}{\partial x} = 0$$",
    ],
)
def test_what_only_looks_alike_is_not_spelt_anew(tmp_path: Path, page: str) -> None:
    for finding in checked(tmp_path, page).claims:
        assert finding.result is None or not finding.result.holds


def test_a_map_of_data_and_of_another_point_is_no_list_of_rows(tmp_path: Path) -> None:
    page = r"""$$w = \sum_n \alpha_n \phi(x_n), \quad y = w^T \phi(x)$$
$$y = \sum_n \alpha_n \phi(x_n)^T \phi(x)$$"""
    assert not last(tmp_path, page).wrong


def test_a_repair_has_the_sizes_and_examples_of_its_author(tmp_path: Path) -> None:
    page = r"""$$p_i = \sigma(w^T x_i + b)$$
$$J = -\frac{1}{m} \sum_{i=1}^m \left[ y_i \log p_i + (1 - y_i) \log (1 - p_i) \right]$$
$$\nabla_w J = \frac{1}{m} \sum_{i=1}^m (y_i - p_i) x_i$$
$$\frac{\partial J}{\partial b} = \sum_{i=1}^m (p_i - y_i)$$
"""
    (text,) = fix(checked(tmp_path, page)).texts.values()
    right = page.replace(r"J = \frac{1}{m} \sum_{i=1}^m (y", r"J = -\frac{1}{m} \sum_{i=1}^m (y")
    assert text == right.replace(r"b} = \sum", r"b} = \frac{1}{m}\sum")


def test_a_repair_keeps_the_arrows_of_its_author(tmp_path: Path) -> None:
    page = "$$\\frac{\\partial}{\\partial u} \\vec{u}^\\top \\vec{u} = 3 \\vec{u}$$\n"
    (text,) = fix(checked(tmp_path, page)).texts.values()
    assert text == page.replace("3", "2")
