"""What notes write and must be read: each as a right and as a wrong claim."""

from pathlib import Path

import pytest

from workings.claims.documents import read_document
from workings.claims.documents.check import check_document

LEAD = (
    r"$A \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$, $b \in \mathbb{R}^m$, "
    r"$M \in \mathbb{R}^{n \times n}$, $Y \in \mathbb{R}^{m \times n}$."
)


def verdicts(tmp_path: Path, text: str, name: str = "notes.md") -> list[str]:
    path = tmp_path / name
    path.write_text(text)
    checked = check_document(read_document(path))
    return [f"{f.verdict}: {f.result.why}" if f.not_read and f.result else str(f.verdict)
            for f in checked.claims]  # fmt: skip


PAIRS = [
    ("a gradient of f(x)", r"f(x) = \|A x - b\|^2$$ $$\nabla f(x) = {}",
     r"2 A^T A x - 2 A^T b", r"2 A^T A x + 2 A^T b"),
    ("a gradient of a bare f", r"f(x) = \|A x - b\|^2$$ $$\nabla f = {}",
     r"2 A^T (A x - b)", r"A^T (A x - b)"),
    ("names that only the body of a function has",
     r"J(w) = \frac1{{2m}} \|A w - b\|^2 + \frac\lambda2 \|w\|^2$$ $$\nabla_w J(w) = {}",
     r"\frac1m A^T (A w - b) + \lambda w", r"\frac1m A^T (A w - b) + 2 \lambda w"),
    ("a Hessian of f(x)", r"f(x) = \|A x - b\|^2$$ $$\nabla^2 f(x) = {}",
     r"2 A^T A", r"2 A^T A + M"),
    ("Kronecker's delta",
     r"r = \sqrt{{\sum_{{i=1}}^n x_i^2}}, \quad z_i = \frac{{x_i}}{{r}}$$"
     r" $$\frac{{\partial z_i}}{{\partial x_j}} = {}",
     r"\frac{1}{r} (\delta_{ij} - z_i z_j)", r"\frac{1}{r} (\delta_{ij} + z_i z_j)"),
    ("an index that a sum binds",
     r"L = \sum_{{i=1}}^m \sum_{{j=1}}^n Y_{{ij}} A_{{ij}} x_j$$"
     r" $$\frac{{\partial L}}{{\partial x_j}} = {}",
     r"\sum_{i=1}^m Y_{ij} A_{ij}", r"\sum_{i=1}^m Y_{ij} Y_{ij}"),
    ("a square that is a name",
     r"\bar{{x}} = \frac1n \sum_{{i=1}}^n x_i, \quad "
     r"S^2 = \frac1n \sum_{{i=1}}^n (x_i - \bar{{x}})^2$$"
     r" $$\frac{{\partial S^2}}{{\partial x_k}} = {}",
     r"\frac{2}{n} (x_k - \bar{x})", r"\frac{2}{n-1} (x_k - \bar{x})"),
    ("a variance, though sigma alone is a function",
     r"\mu = \frac1n \sum_{{i=1}}^n x_i, \quad \sigma^2 = \frac1n \sum_{{i=1}}^n (x_i - \mu)^2, "
     r"\quad \hat{{x}}_i = \frac{{x_i - \mu}}{{\sqrt{{\sigma^2 + 1}}}}$$"
     r" $$\frac{{\partial \hat{{x}}_i}}{{\partial x_j}} = \frac{{1}}{{\sqrt{{\sigma^2 + 1}}}} {}",
     r"(\delta_{ij} - \frac1n - \frac1n \hat{x}_i \hat{x}_j)",
     r"(\delta_{ij} - \frac1n + \frac1n \hat{x}_i \hat{x}_j)"),
    ("names with a capital as their label beside entries",
     r"\mu_B = \frac1n \sum_{{i=1}}^n x_i, \quad v_B = \frac1n \sum_{{i=1}}^n (x_i - \mu_B)^2, "
     r"\quad z_i = \frac{{x_i - \mu_B}}{{\sqrt{{v_B + 1}}}}$$"
     r" $$\frac{{\partial L}}{{\partial v_B}} = {} \sum_{{i=1}}^n "
     r"\frac{{\partial L}}{{\partial z_i}} \cdot (x_i - \mu_B) \cdot (v_B + 1)^{{-3/2}}",
     r"-\frac12", r"\frac12"),
    ("a part that gets its name later",
     r"p = \sigma(c^T x + a), \quad L = -s \log p - (1 - s) \log(1 - p), \quad z = c^T x + a$$"
     r" $$\frac{{\partial L}}{{\partial z}} = {}", "p - s", "p + s"),
    ("a derivative that a sentence names",
     r"h = \tanh(A x), \quad L = \|h - b\|^2$$ Let $\delta = \frac{{\partial L}}{{\partial h}}$."
     r" Then $$\delta = {}", "2 (h - b)", "h - b"),
    ("a square said twice",
     r"\bar{{x}} = \frac1n \sum_{{i=1}}^n x_i, \quad "
     r"S^2 = \frac1n \sum_{{i=1}}^n (x_i - \bar{{x}})^2$$"
     r" Then $$S^2 + 1 = {}",
     r"\frac{1}{n} \sum_{i=1}^n x_i^2 - \bar{x}^2 + 1", r"\frac{1}{n} \sum_{i=1}^n x_i^2 + 1"),
    ("a sum over pairs", r"S = \sum_{{i=1}}^n x_i$$ $$S^2 = {}",
     r"\sum_{i=1}^n x_i^2 + 2 \sum_{i<j} x_i x_j", r"\sum_{i=1}^n x_i^2 + \sum_{i<j} x_i x_j"),
    ("classes by the letter c, primed under the sum",
     r"\pi_c = \frac{{e^{{x_c}}}}{{\sum_{{c'=1}}^n e^{{x_{{c'}}}}}}, \quad "
     r"H = -\sum_c \pi_c \log \pi_c$$"
     r" $$\frac{{\partial H}}{{\partial x_c}} = {}",
     r"-\pi_c (\log \pi_c + H)", r"-\pi_c (\log \pi_c - H)"),
    ("a rectified layer",
     r"a = \max(0, M x), \quad L = \|A a - b\|^2$$ $$\frac{{\partial L}}{{\partial A}} = {}",
     r"2 (A a - b) a^\top", r"2 (A a - b) x^\top"),
    ("the optimum with a star", r"w^\star = M^{{-1}} x$$ $$M w^\star = {}", "x", "2 x"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "right", "wrong"), [each[1:] for each in PAIRS], ids=[each[0] for each in PAIRS]
)
def test_right_holds_and_wrong_is_wrong(
    tmp_path: Path, formula: str, right: str, wrong: str
) -> None:
    (verdict,) = verdicts(tmp_path, f"{LEAD}\n$${formula.format(right)}$$\n")
    assert verdict == "holds"
    (verdict,) = verdicts(tmp_path, f"{LEAD}\n$${formula.format(wrong)}$$\n")
    assert not verdict.startswith(("holds:", "not read", "trivial", "undecided"))
    assert verdict != "holds"


RECURRENT = r"""<!-- workings: steps 3, h_0 k x 1 -->
Inputs $x_t \in \mathbb{R}^d$, states $h_t \in \mathbb{R}^k$, $W \in \mathbb{R}^{k \times k}$,
$U \in \mathbb{R}^{k \times d}$ and $c \in \mathbb{R}^k$.
$$h_t = \tanh(W h_{t-1} + U x_t)$$
$$L = \sum_{t=1}^T c^\top h_t$$
$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W$$
$$\frac{\partial h_t}{\partial h_{t-1}} = W \mathrm{diag}(1 - h_t^2)$$
"""


def test_what_is_declared_may_be_defined_afterwards(tmp_path: Path) -> None:
    assert verdicts(tmp_path, RECURRENT) == ["holds", "wrong value"]


LAYOUTS = r"""$Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$ and
$Y \in \mathbb{R}^{n \times m}$.
$$S = Q K^\top, \quad L = \frac12 \| S - Y \|_F^2$$
$$\frac{\partial L}{\partial Q} = \frac{\partial L}{\partial S} K$$
"""


def test_one_claim_shows_the_convention_by_which_another_is_wrong(tmp_path: Path) -> None:
    wrong = r"$$\frac{\partial L}{\partial K} = \frac{\partial L}{\partial S} Q$$"
    assert verdicts(tmp_path, LAYOUTS + wrong) == ["holds", "undefined"]
    right = r"$$\frac{\partial L}{\partial K} = \left(\frac{\partial L}{\partial S}\right)^\top Q$$"
    assert verdicts(tmp_path, LAYOUTS + right) == ["holds", "holds"]
    alone = LAYOUTS.replace(r"\frac{\partial L}{\partial S} K", "(S - Y) K")
    assert "convention" in verdicts(tmp_path, alone + wrong)[1]


def test_what_a_gradient_without_a_subscript_is_of_must_be_said(tmp_path: Path) -> None:
    text = r"$$f = x^T M b$$ $$\nabla f = M^T x$$"
    lead = LEAD.replace(r"b \in \mathbb{R}^m", r"b \in \mathbb{R}^n")
    (verdict,) = verdicts(tmp_path, f"{lead}\n{text}\n")
    assert verdict == "holds" or verdict.startswith("not read")


def test_a_gradient_as_a_row_is_a_matter_of_convention(tmp_path: Path) -> None:
    text = r"$$E = \|A x - b\|^2$$ $$\frac{\partial E}{\partial x} = 2 (A x - b)^T A$$"
    (verdict,) = verdicts(tmp_path, f"{LEAD}\n{text}\n")
    assert verdict.startswith(("not read: whether gradients by a vector are rows", "holds"))
    assert verdict != "holds transposed"


def test_a_step_of_newton_s_method_for_any_function_is_not_read(tmp_path: Path) -> None:
    text = r"$$x^{t+1} = x^t - [\nabla^2 f(x^t)]^{-1} \nabla f(x^t)$$"
    for verdict in verdicts(tmp_path, text):
        assert verdict.startswith("not read")


ROWS = r"""$x \in \mathbb{R}^{1 \times d}$, $W \in \mathbb{R}^{d \times k}$,
$b \in \mathbb{R}^{1 \times k}$
$$z = x W + b, \quad p = \mathrm{softmax}(z), \quad J = -\sum_i y_i \log p_i$$
"""


def test_labels_that_nobody_declared_are_a_row_where_only_a_row_fits(tmp_path: Path) -> None:
    claims = [
        r"\frac{\partial J}{\partial z} = p - y",
        r"\frac{\partial J}{\partial W} = x^T (y - p)",
    ]
    text = ROWS + "\n".join(f"$${claim}$$" for claim in claims)
    assert verdicts(tmp_path, text) == ["holds", "holds with the sign flipped"]
