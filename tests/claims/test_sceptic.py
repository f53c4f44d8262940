r"""Right and wrong twins of what once misled the checker: rounding, names, orders, far kinks.

Each is decided by mathematics, not by the package: the second of a pair differs by one slip.
"""

import pytest

import workings
from workings.claims.verdict import Verdict

VARIANCE = [
    r"\mu = \frac1n\sum_{i=1}^n x_i",
    r"\sigma^2 = \frac1n\sum_{i=1}^n (x_i - \mu)^2",
    r"u = (x - \mu) / \sigma",
]
BLOCKS = {"A": "definite n x n", "B": "definite m x m", "D": "m x n"}
LOGISTIC = [
    "z = Xw",
    r"p = \sigma(z)",
    r"L = -\sum_i [y_i\log p_i + (1 - y_i)\log(1 - p_i)]",
]
STEPS = [r"h^{(t)} = \tanh(V h^{(t-1)})", r"L^{(t)} = g^T h^{(t)}", r"L = \sum_t L^{(t)}"]
SQUARE = {"A": "n x n", "B": "n x n", "X": "n x n", "D": "m x m", "E": "m x m", "c": "scalar"}
FORMS = {"A": "n x n", "x": "n x 1", "V": "n x k", "W": "m x n", "b": "m x 1"}
DEFINITE = {"S": "definite n x n", "G": "n x n", "x": "n x 1", "M": "symmetric n x n"}
NUMBERS = {"x": "scalar", "y": "scalar"}
STEPWISE = {"V": "m x m", "g": "m x 1", "h^{(0)}": "m x 1"}

PAIRS: list[tuple[dict[str, str], list[str], str, str]] = [
    ({"x": "n x 1"}, VARIANCE,
     r"\frac{\partial \sigma^2}{\partial x_i} = \frac2n(x_i - \mu)",
     r"\frac{\partial \sigma^2}{\partial x_i} = \frac1n(x_i - \mu)"),
    ({"x": "n x 1"}, VARIANCE, r"\sum_i u_i^2 = n", r"\sum_i u_i = n"),
    (BLOCKS, [],
     r"\begin{pmatrix} A & 0 \\ D & B \end{pmatrix}^{-1} = "
     r"\begin{pmatrix} A^{-1} & 0 \\ -B^{-1} D A^{-1} & B^{-1} \end{pmatrix}",
     r"\begin{pmatrix} A & 0 \\ D & B \end{pmatrix}^{-1} = "
     r"\begin{pmatrix} A^{-1} & 0 \\ B^{-1} D A^{-1} & B^{-1} \end{pmatrix}"),
    ({"X": "N x d", "w": "d x 1", "y": "binary N x 1"}, LOGISTIC,
     r"L = \sum_i (\log(1 + e^{z_i}) - y_i z_i)", r"L = \sum_i (\log(1 + e^{z_i}) + y_i z_i)"),
    (FORMS, [],
     r"\frac{\partial}{\partial x_k}\sum_{i,j} A_{ij}x_ix_j = \sum_j A_{kj}x_j + \sum_i A_{ik}x_i",
     r"\frac{\partial}{\partial x_k}\sum_{i,j} A_{ij}x_ix_j = 2\sum_j A_{kj}x_j"),
    (FORMS, [r"h = \tanh(Wx + b)"],
     r"\frac{\partial h_i}{\partial W_{jk}} = \delta_{ij}(1 - h_i^2)x_k",
     r"\frac{\partial h_i}{\partial W_{jk}} = (1 - h_i^2)x_k"),
    (SQUARE, [],
     r"\frac{\partial (XA)_{ij}}{\partial X_{mn}} = \delta_{im}A_{nj}",
     r"\frac{\partial (XA)_{ij}}{\partial X_{mn}} = \delta_{in}A_{mj}"),
    (SQUARE, [], r"(A \otimes D)(B \otimes E) = AB \otimes DE",
     r"(A \otimes D)(B \otimes E) = BA \otimes DE"),
    (SQUARE, ["Y = A + c^2 B"], r"\frac{\partial^2 Y}{\partial c^2} = 2B",
     r"\frac{\partial^2 Y}{\partial c^2} = B"),
    (SQUARE, [], r"\frac{\partial \mathrm{vec}(AXB)}{\partial \mathrm{vec}(X)} = B^T \otimes A",
     r"\frac{\partial \mathrm{vec}(AXB)}{\partial \mathrm{vec}(X)} = A \otimes B^T"),
    ({"X": "n x m", "a": "n x 1", "b": "m x 1"}, [],
     r"\frac{\partial a^T X b}{\partial X^T} = b a^T",
     r"\frac{\partial a^T X b}{\partial X^T} = a b^T"),
    ({"w": "n x 1", "c": "scalar"}, [], r"w - c\nabla_w \|w\|^2 = (1 - 2c)w",
     r"w - c\nabla_w \|w\|^2 = (1 - c)w"),
    (DEFINITE, [], r"x^T S x \ge 0", r"x^T M x \ge 0"),
    ({"u": "positive scalar"}, [], r"\tanh(u) < u", r"\tanh(u) < 0.99 u"),
    (DEFINITE, [], r"\det S > 0", r"\det M > 0"),
    (DEFINITE, [], r"\|G^{-1}\|_2 \ge 1 / \|G\|_2", r"\|G^{-1}\|_2 \ge \|G\|_2"),
    (DEFINITE, [], r"\mathrm{tr}(M) = \sum_i \lambda_i(M)", r"\det(M) = \sum_i \lambda_i(M)"),
    (DEFINITE, [], r"x^T M x \le \lambda_{\max}(M) x^T x", r"x^T M x \le \lambda_{\min}(M) x^T x"),
    (DEFINITE, [], r"\|G\|_F^2 = \sum_i \sigma_i(G)^2", r"\|G\|_F = \sum_i \sigma_i(G)"),
    (NUMBERS, [], r"\frac{d}{dx}\mathrm{clip}(x, -1, 1) = \mathbb{1}[|x| < 1]",
     r"\frac{d}{dx}\mathrm{clip}(x, -1, 1) = \mathbb{1}[x < 1]"),
    (NUMBERS, [], r"\frac{d}{dx}\max(0, x - 5000) = \mathbb{1}[x > 5000]",
     r"\frac{d}{dx}\max(0, x - 5000) = 0"),
    (NUMBERS, [], r"\mathrm{ReLU6}'(x) = \mathbb{1}[0 < x < 6]", r"\mathrm{ReLU6}'(x) = 1"),
    (NUMBERS, [], r"\mathrm{ELU}'(x) = \min(1, e^x)", r"\mathrm{ELU}'(x) = e^x"),
    (NUMBERS, [], r"\frac{d}{dx} (1 - xy)_+ = -y \mathbb{1}[xy < 1]",
     r"\frac{d}{dx} (1 - xy)_+ = -y"),
]  # fmt: skip


@pytest.mark.parametrize(("symbols", "equations", "right", "wrong"), PAIRS)
def test_the_right_one_holds_and_the_wrong_one_does_not(
    symbols: dict[str, str], equations: list[str], right: str, wrong: str
) -> None:
    report = workings.check(symbols=symbols, equations=equations, claims=[right, wrong], seed=7)
    held, refuted = (result.verdict for result in report.results)
    assert held is Verdict.HOLDS
    undone = (Verdict.HOLDS, Verdict.NOT_READ, Verdict.UNDECIDED, Verdict.TRIVIAL)
    assert refuted not in undone


def test_a_name_may_have_a_value_at_every_step_and_one_over_all_steps() -> None:
    right = r"\frac{\partial L}{\partial g} = \sum_t h^{(t)}"
    claims = [right, right.replace(r"\sum_t ", "")]
    report = workings.check(symbols=STEPWISE, equations=STEPS, claims=claims, steps=3, seed=7)
    held, refuted = (result.verdict for result in report.results)
    assert held is Verdict.HOLDS
    assert refuted is Verdict.WRONG_VALUE


def test_which_of_the_eigenvalues_is_meant_must_be_said() -> None:
    claim = r"\lambda_i(M^2) = \lambda_i(M)^2"  # in which order?
    (result,) = workings.check(symbols=DEFINITE, claims=[claim], seed=7).results
    assert result.verdict is Verdict.NOT_READ


@pytest.mark.parametrize("claim", ["x^T S x > 0", r"\|x\| > 0"])
def test_a_strict_inequality_that_fails_at_zero_alone_is_not_decided(claim: str) -> None:
    (result,) = workings.check(symbols=DEFINITE, claims=[claim], seed=7).results
    assert result.verdict is Verdict.UNDECIDED
    assert "where x is 0" in result.evidence.why


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (r"\frac{\partial}{\partial X}\mathrm{Tr}(X^TBX) = BX", r"B X + B^\top X"),
        (r"\frac{\partial}{\partial c}\mathrm{clip}(c, -1, 1) = 1", r"\mathbf{1}(-1 < c < 1)"),
        (r"\frac{\partial}{\partial X}\sum_{i,j} A_{ij} (XB)_{ij} = X", r"A B^\top"),
    ],
)
def test_a_gradient_is_worked_out_where_no_edit_repairs_it(wrong: str, right: str) -> None:
    (result,) = workings.check(symbols=SQUARE, claims=[wrong], seed=7).results
    assert result.repair is not None
    assert result.repair.formula.partition(" = ")[2] == right
