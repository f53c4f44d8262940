"""The mathematics people write in papers and notes, with values from numpy, torch and by hand."""

# ruff: noqa: E501 (formulas as they are written)

import math
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor

import workings
from tests.claims.sets import assert_same
from workings.formula import nodes as f
from workings.formula.errors import NotRead, Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex
from workings.formula.printing.mathml import mathml
from workings.formula.printing.text import text as plain
from workings.formula.resolution.declared import Function
from workings.formula.resolution.names import Names
from workings.formula.resolution.readings import readings

_random = torch.Generator().manual_seed(7)


def draw(*sides: int) -> Tensor:
    return torch.randn(sides, generator=_random, dtype=torch.float64)


SIZES = {"n": 3, "m": 2, "d": 5, "T": 4, "N": 3}
SHAPES: dict[str, tuple[str, ...]] = {
    "x": ("n", "1"), "y": ("n", "1"), "u": ("n", "1"), "p": ("n", "1"), "r": ("1", "m"),
    "A": ("n", "n"), "B": ("n", "n"), "S": ("n", "n"), "X": ("N", "n"), "W": ("m", "n"),
    "a": (), "b": (), "c": (), "\\gamma": (), "\\sigma": (), "\\mu": (), "\\lambda": (), "z": (),
    "w": ("n", "1"), "\\Sigma": ("n", "n"), "W_hx": ("m", "n"), "loss": (), "dV": ("n", "1"), "L": (),
}  # fmt: skip
V: dict[str, Tensor] = {
    name: draw(*(SIZES.get(side, 1) for side in shape)) for name, shape in SHAPES.items()
}
V["S"] = V["S"] @ V["S"].t() + torch.eye(3).double()
V["\\Sigma"] = V["\\Sigma"] @ V["\\Sigma"].t() + torch.eye(3).double()
V["p"] = torch.softmax(V["p"], 0)
V["c"] = V["c"].abs() + 0.5
V["\\sigma"] = V["\\sigma"].abs() + 0.5
x, y, A, B, S, X, W, p, w = (V[name] for name in ("x", "y", "A", "B", "S", "X", "W", "p", "w"))
a, b, c = V["a"], V["b"], V["c"]
WORDS = [*V, *SIZES, "W_hx"]


def names(**more: object) -> Names:
    return Names(symbols=list(V), sizes=list(SIZES), shapes=SHAPES, defined=["L"], **more)  # type: ignore[arg-type]


FUNCTIONS = {
    "f": Function(("x",), names().resolve(parse_expression("x^T A x + a", WORDS))),
    "g": Function(("a",), names().resolve(parse_expression("a^3 + c a", WORDS))),
}


def scope(values: Mapping[str, Tensor] = V) -> Scope:
    return Scope(SIZES, dict(values), FUNCTIONS, independent=True)


def value(text: str, **more: object) -> Tensor:
    node = parse_expression(text, WORDS, FUNCTIONS)
    return scope().value(names(functions=FUNCTIONS, **more).resolve(node, text))


def number(value: float) -> Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


ENTRIES = torch.arange(1, 4, dtype=torch.float64)
MATHEMATICS: dict[str, tuple[Tensor, list[str]]] = {
    "trace": (torch.trace(A), [r"\mathrm{Tr}(A)", r"\operatorname{tr}(A)", r"\text{tr}(A)", r"\mathrm{tr} A", r"\mathrm{trace}(A)", r"\sum_i A_{ii}", r"\mathrm{Tr}\left[A\right]", r"\mathrm{Tr}\{A\}"]),
    "Kronecker": (torch.kron(A, W), [r"A \otimes W", "A ⊗ W"]),
    "vec": (torch.from_numpy(W.numpy().flatten("F")).reshape(-1, 1), [r"\mathrm{vec}(W)", r"\operatorname{vec} W"]),
    "vec of a product": (torch.kron(B.t().contiguous(), W) @ torch.from_numpy(A.numpy().flatten("F")).reshape(-1, 1), [r"\mathrm{vec}(W A B)", r"(B^T \otimes W) \mathrm{vec}(A)"]),
    "pseudo-inverse": (torch.from_numpy(np.linalg.pinv(W.numpy())), ["W^+", "W^{+}", r"W^\dagger", r"W^{\dagger}", "W^T (W W^T)^{-1}"]),
    "inverse transposed": (torch.linalg.inv(A).t(), ["A^{-T}", r"A^{-\top}", "(A^{-1})^T", "(A^T)^{-1}"]),
    "log det": (torch.logdet(S), [r"\log\det S", r"\log \det(S)", r"\log|S|", r"\ln|S|", r"\log |\det S|"]),
    "determinant": (torch.linalg.det(A), ["|A|", r"\det A", r"\det(A)", r"\left|A\right|", r"\lvert A \rvert"]),
    "norm of a vector": (x.norm(), ["|x|", r"\|x\|", r"\|x\|_2", r"\sqrt{x^T x}", r"\left\lVert x \right\rVert_2", r"\sqrt{\langle x, x \rangle}", r"\|x\|_F"]),
    "1-norm": (x.abs().sum(), [r"\|x\|_1", r"\sum_i |x_i|"]),
    "3-norm": ((x.abs() ** 3).sum() ** (1 / 3), [r"\|x\|_3", r"\|x\|_{3}"]),
    "largest entry": (x.abs().max(), [r"\|x\|_\infty", r"\|x\|_{\infty}", r"\max_i |x_i|"]),
    "Frobenius": (torch.linalg.matrix_norm(W), [r"\|W\|_F", r"\|W\|_\mathrm{F}", r"\|W\|_{\text{F}}", r"\sqrt{\mathrm{tr}(W^T W)}", r"\|W\|"]),
    "spectral": (number(np.linalg.norm(W.numpy(), 2)), [r"\|W\|_2", r"\|W\|_{2}"]),
    "nuclear": (number(np.linalg.norm(W.numpy(), "nuc")), [r"\|W\|_*", r"\|W\|_{*}", r"\|W\|_{\ast}"]),
    "induced": (number(np.linalg.norm(W.numpy(), 1)), [r"\|W\|_1"]),
    "induced rows": (number(np.linalg.norm(W.numpy(), np.inf)), [r"\|W\|_\infty"]),
    "norm by a matrix": ((x.t() @ S @ x).sqrt(), [r"\|x\|_S", r"\|x\|_{S}"]),
    "absolute value": (a.abs(), ["|a|", r"\left|a\right|", r"\mathrm{abs}(a)", r"\sqrt{a^2}", r"a \, \mathrm{sign}(a)", r"a\operatorname{sgn}(a)"]),
    "inner product": ((x * y).sum(), [r"\langle x, y\rangle", r"\left\langle x, y \right\rangle", "x^T y", r"x \cdot y", r"\langle x, y^T \rangle"]),
    "inner product of matrices": ((A * B).sum(), [r"\langle A, B\rangle", r"\mathrm{tr}(A^T B)"]),
    "indicator": (number(float(a > 0)), [r"\mathbb{1}[a > 0]", r"\mathbf{1}\{a > 0\}", r"\mathbb{1}_{a > 0}", r"\mathbb{1}_{\{a > 0\}}", r"1[a > 0]", r"\mathbf{1}(a > 0)", r"\mathbb{I}(a > 0)", r"\mathbb{1}\left\{ a > 0 \right\}", "[a > 0]", r"\mathbb{1}(0 < a)"]),
    "indicator by entries": ((x > 0).double(), [r"\mathbb{1}[x > 0]", r"\mathbf{1}\{0 < x\}"]),
    "delta": (torch.trace(A), [r"\sum_{i,j} \delta_{ij} A_{ij}", r"\sum_i \sum_j \delta_{i,j} A_{ij}", r"\sum_{ij} \mathbb{1}[i = j] A_{ij}"]),
    "cases": (torch.where(x > 0, x, 0.1 * x), [r"\begin{cases} x & x > 0 \\ 0.1 x & \text{otherwise} \end{cases}", r"\begin{cases} x, & \text{if } x > 0, \\ 0.1x, & \text{otherwise.} \end{cases}", r"\begin{cases} 0.1x & x \le 0 \\ x & x > 0 \end{cases}", r"\mathrm{LeakyReLU}_{0.1}(x)", r"\mathrm{LeakyReLU}(x, 0.1)", r"\max(x, 0.1x)", r"\max\{0, x\} + 0.1 \min(0, x)"]),
    "one case": (a * a, [r"\begin{cases} a^2 & a = a \\ 0 & a \neq a \end{cases}"]),
    "argmax": ((x.argmax() + 1).double(), [r"\arg\max_i x_i", r"\operatorname{argmax}_i x_i", r"\operatorname*{argmax}_{i} x_i", r"\underset{i}{\operatorname{argmax}}\, x_i", r"\mathrm{argmax}(x)", r"\arg\max(x)"]),
    "argmin": ((x.argmin() + 1).double(), [r"\arg\min_i x_i", r"\mathrm{argmin}(x)"]),
    "max": (x.max(), [r"\max_i x_i", r"\max(x)", r"-\min_i (-x_i)", r"\max_{1 \le i \le n} x_i"]),
    "rows": (X[1:2], ["X_2", "X_{2,:}", r"X_{2\cdot}", "X_{2*}"]),
    "columns": (X[:, 1:2], ["X_{:,2}", r"X_{\cdot 2}", "X_{:2}", "(X)_{:,2}"]),
    "row as a column": (X[1:2].t(), ["X_{2,:}^T", "(X_2)^T"]),
    "entries": (A[1, 2], ["A_{23}", "A_{2,3}", "[A]_{23}", "(A)_{2,3}"]),
    "entry of a product": ((A @ B)[1, 0], ["(AB)_{21}", "[AB]_{2,1}", r"\sum_k A_{2k} B_{k1}"]),
    "entry of a vector": ((A @ x)[1, 0], ["[Ax]_2", "(Ax)_2", r"\sum_j A_{2j} x_j"]),
    "fonts": (A @ x, [r"\mathbf{A}\mathbf{x}", r"{\bf A} {\bf x}", r"\boldsymbol{A}\bm{x}", r"\mathsf{A} \vec{x}", r"\mathcal{A} {\rm x}"]),
    "transposed in fonts": (x.t() @ y, [r"x^{\rm T} y", r"x^{\mathrm{T}} y", r"x^{\mathsf T} y", r"\mathbf{x}^\mathsf{T}\mathbf{y}", r"x^\intercal y", "x' y", r"x^\prime y"]),
    "text below": (V["W_hx"] @ x, [r"W_\textrm{hx} x", r"W_{\textrm{hx}} x", r"W_\mathrm{hx} x", r"W_{hx} x", r"\mathbf{W}_{\text{hx}} \mathbf{x}"]),
    "standard deviation": (torch.exp(-((a - V["\\mu"]) ** 2) / (2 * V["\\sigma"] ** 2)) / (V["\\sigma"] * math.sqrt(2 * math.pi)), [r"\frac{1}{\sigma\sqrt{2\pi}} e^{-\frac{(a-\mu)^2}{2\sigma^2}}", r"\frac{1}{\sqrt{2 \pi \sigma^2}} \exp\left(-\frac{(a-\mu)^2}{2 \sigma^2}\right)", r"\frac{1}{\sqrt{2 \pi \sigma^2}} \exp\left\{-\frac{1}{2}\left(\frac{a-\mu}{\sigma}\right)^2\right\}"]),
    "covariance": (x.t() @ torch.linalg.inv(V["\\Sigma"]) @ x, [r"x^T \Sigma^{-1} x", r"\|x\|_{\Sigma^{-1}}^2"]),
    "words": (V["loss"] * 2, [r"2\,\mathrm{loss}", r"2 \text{loss}", "2 loss"]),
    "sums over sets": (x[0, 0] + x[2, 0], [r"\sum_{i \in \{1, 3\}} x_i", r"\sum_{i \ne 2} x_i", r"\sum_{i \in [n], i \neq 2} x_i", r"\sum_{\substack{i \in \{1,\dots,n\} \\ i \ne 2}} x_i"]),
    "sum below an index": (x[0, 0] + x[1, 0], [r"\sum_{i<3} x_i", r"\sum_{i \le 2} x_i", r"\sum_{1 \le i < 3} x_i", r"\sum_{i=1}^{n-1} x_i"]),
    "pairs": ((x @ x.t()).triu(1).sum(), [r"\sum_{i<j} x_i x_j", r"\sum_j \sum_{i<j} x_i x_j", r"\sum_{1 \le i < j \le n} x_i x_j", r"\frac12 \sum_{i \ne j} x_i x_j", r"\sum_{i=1}^n \sum_{j>i} x_i x_j"]),
    "primed index": (torch.softmax(x, 0)[1, 0], [r"\frac{\exp(x_2)}{\sum_{j'} \exp(x_{j'})}", r"\frac{e^{x_2}}{\sum_{j'=1}^{n} e^{x_{j'}}}", r"\mathrm{softmax}(x)_2"]),
    "expectation": ((p * x).sum(), [r"\mathbb{E}_{i \sim p}[x_i]", r"\mathbb{E}_p[x]", r"\mathrm{E}_{i \sim p}[x_i]", r"\sum_i p_i x_i"]),
    "entropy": (-(p * p.log()).sum(), [r"-\mathbb{E}_p[\log p]", r"\mathbb{E}_{i\sim p}\left[-\log p_i\right]", r"-\sum_i p_i \log p_i"]),
    "braces": (a + b, [r"\underbrace{a}_{\text{first}} + \overbrace{b}^{second}", r"\underbrace{a + b}_{c}", r"a + b \nonumber", r"a + b \label{eq:1}", r"\displaystyle a\!+\!b \tag{3}", r"a + b \qquad \text{by definition}", r"\big(a + b\big)"]),
    "activations": (torch.nn.functional.silu(x), [r"\mathrm{SiLU}(x)", r"\mathrm{Swish}(x)", r"x \odot \mathrm{sigmoid}(x)"]),
    "gelu": (torch.nn.functional.gelu(x), [r"\mathrm{GELU}(x)", r"\frac{1}{2} x \odot (1 + \mathrm{erf}(x / \sqrt{2}))"]),
    "softplus": (torch.nn.functional.softplus(x), [r"\mathrm{softplus}(x)", r"\log(1 + e^x)"]),
    "log-sum-exp": (torch.logsumexp(x, 0), [r"\mathrm{logsumexp}(x)", r"\log \sum_i e^{x_i}", r"\mathrm{LSE}(x)"]),
    "discount": (V["\\gamma"] ** 4, [r"\gamma^T", r"\gamma^{T}", r"\gamma^4"]),
    "transposed beside a size T": (x.t() @ A @ x, ["x^T A x", "x^{T} A x"]),
    "a name with d": (V["dV"] + x, ["dV + x"]),
    "functions side by side": (torch.sin(a) * torch.cos(b), [r"\sin a \cos b", r"\sin(a)\cos(b)"]),
    "a value with its arguments": (V["L"] * 2, [r"2 L(w)", r"2\mathcal{L}(w)", r"2 \mathcal{L}(\mathbf{w})", "2 L(w, x)"]),
    "a product with brackets": (a * b, ["a(b)", "(a)(b)"]),
    "own function": (x.t() @ A @ x + a, ["f(x)", r"f\left(x\right)"]),
    "its derivative": (3 * b**2 + c, ["g'(b)", r"g^\prime(b)"]),
    "its second derivative": (6 * b, ["g''(b)"]),
    "gradient": ((A + A.t()) @ x, [r"\nabla_x x^T A x", r"\nabla_x (x^T A x)", r"\nabla_x f(x)", r"\nabla f(x)", r"\nabla f", r"\frac{\partial}{\partial x} x^T A x", r"\partial_x (x^T A x)", r"\partial_x f(x)", r"\frac{d}{dx} x^T A x", r"\frac{\partial x^T A x}{\partial x}", r"\frac{\mathrm{d}}{\mathrm{d}x} f(x)", "(A + A^T) x"]),
    "gradient of a norm": (2 / 3 * X.t() @ (X @ w - y), [r"\nabla_w \frac1N\|Xw - y\|^2", r"\nabla_w \frac{1}{N} \|X w - y\|_2^2", r"\frac{2}{N} X^T(Xw - y)"]),
    "gradient with a factor": (V["\\lambda"] * w, [r"\nabla_w\frac\lambda2\|w\|^2", r"\lambda w"]),
    "gradient by a matrix": (x @ y.t(), [r"\nabla_A x^T A y", r"\partial_A (x^T A y)", "x y^T"]),
    "derivative by a number": (3 * a**2 * c, [r"\frac{d}{da} c a^3", r"\frac{d (c a^3)}{d a}", r"\partial_a (c a^3)"]),
    "Hessian": (A + A.t(), [r"\nabla^2 f", r"\nabla^2 f(x)", r"\nabla_x^2 f(x)", r"\nabla^2_x (x^T A x)", r"\frac{\partial^2 f(x)}{\partial x\,\partial x^T}", r"\frac{\partial^2 (x^T A x)}{\partial x \partial x^\top}", r"\frac{\partial^2 f(x)}{\partial x^2}"]),
    "second derivative of a number": (6 * a * c, [r"\frac{d^2 (c a^3)}{d a^2}", r"\frac{\partial^2}{\partial a^2} (c a^3)", r"\frac{d^2}{da^2} (c a^3)"]),
    "mixed second derivative": (A, [r"\frac{\partial^2 (x^T A y)}{\partial x \partial y^T}"]),
    "Hadamard square": (A * A, [r"A^{\circ 2}", r"A^{\odot 2}", r"A \odot A"]),
    "dots": (x.sum(), [r"x_1 + x_2 + x_3", r"x_1 + \dots + x_n", r"x_1 + x_2 + \cdots + x_n", "x_1 + ... + x_3", r"\sum_{i=1,\dots,n} x_i"]),
    "dots with a term ahead": (a + (x[1:] ** 2).sum(), [r"a + x_2^2 + x_3^2", r"(x_2^2 + \dots + x_n^2) + a", r"x_2^2 + \dots + x_n^2 + a"]),
    "dots of numbers": (number(30), [r"1^2 + 2^2 + \dots + T^2", r"1 + 4 + 9 + 16"]),
    "dots of factors": (x.prod(), [r"x_1 x_2 \cdots x_n", r"x_1 \cdots x_n", r"\prod_{i=1}^n x_i"]),
    "rounded down": (number(-2), [r"\lfloor -3/2 \rfloor", r"\left\lfloor -\frac{3}{2} \right\rfloor", r"-\lceil 3/2 \rceil", r"\lfloor -2 \rfloor"]),
    "rounded up": (number(4), [r"\lceil 7/2 \rceil", r"2\lceil 3/2 \rceil", r"\lceil 0.4/0.1 \rceil", r"\lfloor 31/2 \rfloor - 11"]),
    "geometric sum": ((1 - c**4) / (1 - c), [r"\sum_{k=0}^{T-1} c^k", r"\frac{1 - c^4}{1 - c}"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "text"), [(what, text) for what, (_, texts) in MATHEMATICS.items() for text in texts]
)
def test_what_people_write_has_its_value(what: str, text: str) -> None:
    expected, _ = MATHEMATICS[what]
    assert_same(value(text), expected)


@pytest.mark.parametrize(
    ("what", "text"), [(what, text) for what, (_, texts) in MATHEMATICS.items() for text in texts]
)
def test_what_people_write_is_written_back_with_its_value(what: str, text: str) -> None:
    node = names(functions=FUNCTIONS).resolve(parse_expression(text, WORDS, FUNCTIONS), text)
    again = latex(node)
    assert_same(value(again), MATHEMATICS[what][0])
    assert mathml(node).startswith("<math")
    assert plain(node)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a'", "a'"),
        ("a' + a", "a'"),
        ("q + a", "q"),
        (r"\langle a \rangle", "inner product"),
        (r"\mathbb{E}[x]", "expectation"),
        (r"\nabla (A + B)", "taken by"),
        (r"\frac{\partial^3 f(x)}{\partial x^3}", ""),
        (r"\nabla^3 f", "∇"),
        (r"\det(I)", "I_n"),
        (r"x_1 + \dots + y_n", "dots"),
        (r"a + x_1 + \dots + x_n", "dots"),
        (r"\sum_{i \in S_1} x_i", ""),
        (r"a \text{ if } b > 0", "words"),
        (r"\lim_{n \to \infty} a", "lim"),
        (r"\int_0^1 a", "int"),
        (r"\lfloor a \rceil", "closing ⌋"),
        (r"h(a, b)", "no function"),
        (r"a(b, c)", "no function"),
        (r"\begin{cases} a & \text{if it rains} \end{cases}", "condition"),
    ],
)
def test_what_is_not_understood_is_not_read(text: str, part: str) -> None:
    with pytest.raises(NotRead) as caught:
        value(text)
    assert part in str(caught.value).partition("\n")[0]
    assert 0 <= caught.value.position <= len(text)
    assert caught.value.message


def notes_of(text: str) -> list[tuple[Tensor, tuple[str, ...]]]:
    found = readings(text, names(functions=FUNCTIONS), WORDS)
    return [(scope().value(each.statement.sides[0]), each.notes) for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\exp(A)", [(A.exp(), "exp entry by entry"), (torch.matrix_exp(A), "exp as the matrix exponential")]),
        ("e^A", [(torch.matrix_exp(A), "exp as the matrix exponential"), (A.exp(), "exp entry by entry")]),
        ("|A|", [(torch.linalg.det(A), "|A| as a determinant"), (A.abs(), "|A| entry by entry")]),
        ("|x|", [(x.norm(), "|x| as a norm"), (x.abs(), "|x| entry by entry")]),
        (r"\|W\|", [(torch.linalg.matrix_norm(W), "‖W‖ as Frobenius's norm"), (torch.linalg.matrix_norm(W, 2), "‖W‖ as the spectral norm")]),
        (r"\|W\|_2", [(torch.linalg.matrix_norm(W, 2), "‖W‖_2 as the spectral norm"), (torch.linalg.matrix_norm(W), "‖W‖_2 as Frobenius's norm")]),
        (r"x \otimes y", [(x @ y.t(), "⊗ as the outer product"), (torch.kron(x, y), "⊗ as the Kronecker product")]),
        (r"\gamma^T", [(V["\\gamma"] ** 4, "T as the size, a power")]),
        ("x^T y", [(x.t() @ y, "T as the transposed")]),
        ("x' y", [(x.t() @ y, "x' as the transposed")]),
        (r"\nabla_w L \, y^\top", [(V["L"] * 0, "the gradient of L, times what follows"), (V["L"] * 0, r"the gradient of L y^\top")]),
        ("L(w)", [(V["L"], "L(…) as the value of L")]),
    ],
)  # fmt: skip
def test_every_reading_of_an_ambiguous_text_says_how_it_was_read(
    text: str, expected: list[tuple[Tensor, str]]
) -> None:
    found = notes_of(text)
    assert [notes for _, notes in found] == [(note,) for _, note in expected]
    for (actual, _), (right, note) in zip(found, expected, strict=True):
        if "gradient" not in note:
            assert_same(actual, right)


def test_det_of_the_matrix_exponential_is_e_to_the_trace() -> None:
    found = readings(r"\det(e^A) = e^{\mathrm{tr}A}", names(), WORDS)
    sides = [[scope().value(side) for side in each.statement.sides] for each in found]
    equal = [torch.allclose(left, right) for left, right in sides]
    assert equal == [True, False]
    assert found[0].notes == ("exp as the matrix exponential",)


def test_readings_without_an_ambiguity_are_one() -> None:
    (only,) = readings("a + b = c", names(), WORDS)
    assert only.notes == ()
    assert only.statement.relations == ("=",)


def test_lower_case_entries_and_rows_of_a_declared_matrix() -> None:
    own = Names(symbols=["X", "A"], sizes=["n", "N"], shapes={"X": ("N", "n"), "A": ("n", "n")})
    at = Scope(SIZES, {"X": X, "A": A})
    for text in ("a_{23}", r"\sum_{i=1}^n a_{2i} \delta_{i3}"):
        node = own.resolve(parse_expression(text.replace("a_{23}", "a_{2,3}")), text)
        assert_same(at.value(node), A[1, 2])
    for text in (r"\sum_i x_i x_i^T", r"\sum_{i=1}^N x^{(i)} (x^{(i)})^T"):
        assert_same(at.value(own.resolve(parse_expression(text), text)), X.t() @ X)
    found = readings("x_2", replace_indices(own))
    notes = {each.notes: at.value(each.statement.sides[0]) for each in found}
    assert_same(notes["x_2 as row 2 of X, a column",], X[1:2].t())
    assert_same(notes["x_2 as row 2 of X, a row",], X[1:2])
    assert_same(notes["x_2 as column 2 of X",], X[:, 1:2])


def replace_indices(own: Names) -> Names:
    return Names(own.symbols, sizes=own.sizes, shapes=own.shapes)


def test_e_is_eulers_number_unless_it_is_squared() -> None:
    own = Names(symbols=["e", "z"], shapes={"e": (), "z": ()})
    at = Scope({}, {"e": number(3), "z": number(0.5)})
    assert_same(at.value(own.resolve(parse_expression("e^{-z}"))), number(math.exp(-0.5)))
    assert_same(at.value(own.resolve(parse_expression("e^2"))), number(9))
    found = readings("e^{-z}", own)
    assert [each.notes for each in found] == [("e as Euler's number",), ("e as the symbol",)]
    assert_same(at.value(found[1].statement.sides[0]), number(3**-0.5))


def test_a_prime_is_a_name_of_its_own_where_it_is_declared() -> None:
    own = Names(symbols=["x", "x'"], shapes={"x": ("n", "1"), "x'": ("n", "1")})
    node = own.resolve(parse_expression("x' - x", ["x'"]))
    assert_same(Scope({}, {"x": x, "x'": y}).value(node), y - x)


def test_sigma_is_a_function_where_it_is_not_declared() -> None:
    own = Names(symbols=["x"])
    node = own.resolve(parse_expression(r"\sigma(x)"))
    assert_same(Scope({}, {"x": x}).value(node), torch.sigmoid(x))
    assert isinstance(names().resolve(parse_expression(r"\sigma(x)", WORDS)), f.Product)


def test_derivatives_are_not_computed_where_values_depend_on_each_other() -> None:
    node = names().resolve(parse_expression(r"\nabla_x (x^T A x)", WORDS))
    for formula in (node, names().resolve(parse_expression(r"\nabla^2_x (x^T A x)", WORDS))):
        with pytest.raises(Undefined, match="derivative"):
            Scope(SIZES, dict(V)).value(formula)


@pytest.mark.parametrize(
    "text",
    [
        r"\sum_i (x_i - c)^2",
        r"\frac{\partial}{\partial x} \sum_i i x_i",
        r"\sum_{i} (x_i - a)^2 / n",
    ],
)
def test_sums_over_a_bare_index(text: str) -> None:
    expected = {
        r"\sum_i (x_i - c)^2": ((x - c) ** 2).sum(),
        r"\frac{\partial}{\partial x} \sum_i i x_i": ENTRIES.reshape(-1, 1),
        r"\sum_{i} (x_i - a)^2 / n": ((x - a) ** 2).sum() / 3,
    }  # fmt: skip
    assert_same(value(text), expected[text])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\nabla_x y^T x", y),
        (r"\nabla_x x^T A x", (A + A.t()) @ x),
        (r"\nabla_x 2 y^T A x + x", 2 * A.t() @ y + x),
        (r"\frac{d}{da} a^3 (1 - a)^2", 3 * a**2 * (1 - a) ** 2 - 2 * a**3 * (1 - a)),
        (r"\frac{d}{da} a \sin(a) - a", a.sin() + a * a.cos() - a),
        (r"\partial_a a e^a", a.exp() + a * a.exp()),
        (r"\frac{d}{da}(a b a)", 2 * a * b),
        (r"\frac{da}{da} b a", a * b),
        (r"\frac{da^2}{da} a", 2 * a * a),
    ],
)
def test_an_operator_reaches_over_the_product_behind_it_and_a_fraction_does_not(
    text: str, expected: Tensor
) -> None:
    assert_same(value(text), expected)


def test_two_indices_are_of_the_matrix_even_beside_a_vector_of_its_small_letter() -> None:
    shapes = {"X": ("N", "n"), "x": ("n", "1"), "A": ("n", "n"), "a": ()}
    own = Names(symbols=list(shapes), sizes=["n", "N"], shapes=shapes)
    at = Scope(SIZES, {"X": X, "x": x, "A": A, "a": a})
    for text, expected in ((r"\sum_{ij} x_{ij}^2", (X * X).sum()), (r"\sum_i a_{ii}", A.trace())):
        assert_same(at.value(own.resolve(parse_expression(text, shapes), text)), expected)
    assert_same(at.value(own.resolve(parse_expression(r"\sum_i x_i", shapes))), x.sum())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\mathbf{xy}^T", x @ y.t()),
        (r"\mathbf{xx}^\top", x @ x.t()),
        (r"\boldsymbol{AB}x", A @ B @ x),
        (r"\mathbf{AB}^T", A @ B.t()),
        (r"(\mathbf{AB})^T", (A @ B).t()),
        (r"\boldsymbol{x1}_m^T", x.expand(3, 2)),
        (r"\mathbf{W}_{hx} x", V["W_hx"] @ x),
        (r"\mathbf{loss}^2", V["loss"] ** 2),
    ],
)
def test_a_font_over_several_names_is_a_product(text: str, expected: Tensor) -> None:
    assert_same(value(text), expected)


ONES = torch.ones(3, 1, dtype=torch.float64)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"A\mathbf{1}", A @ ONES),
        (r"\mathbf{1}^T x", x.sum()),
        (r"\mathbf{1}^\top A \mathbf{1}", A.sum()),
        (r"2 A B \mathbf{1}", 2 * A @ B @ ONES),
        (r"\mathbf{1} - x", 1 - x),
        (r"x \odot (\mathbf{1} - x)", x * (1 - x)),
        (r"X - \mathbf{1} x^T", X - x.t()),
        (r"A - x \mathbf{1}^T", A - x),
        (r"\mathbf{1}_n", ONES),
        (r"\mathbf{1}[a > 0]", number(float(a > 0))),
        ("1 a", a),
    ],
)
def test_bold_one_is_a_vector_of_the_size_that_fits(text: str, expected: Tensor) -> None:
    assert_same(value(text).reshape(expected.shape), expected)


@pytest.mark.parametrize("text", [r"\mathbf{1}", r"x \mathbf{1}^T", r"a \mathbf{1}"])
def test_bold_one_of_no_size_that_follows_is_not_read(text: str) -> None:
    with pytest.raises(NotRead, match="of ones"):
        value(text)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\|M\|_* = \mathrm{tr}((M^T M)^{1/2})", "holds"),
        (r"P^{-1/2} P P^{-1/2} = I", "holds"),
        (r"P^{1/2} P = P^{1/2}", "wrong value"),
        (r"M^{1/2} M^{1/2} = M", "undecided"),
        (r"\mathrm{tr}(P) = \sum_{i=1}^n \lambda_i(P)", "not read"),
        (r"e^{M + P} = e^M e^P", "wrong value"),
        (r"\frac{\partial \mathrm{tr}(e^M)}{\partial M} = (e^M)^T", "holds"),
        (r"e^{M} \odot e^{-M} = \mathbf{1}_{n \times n}", "holds"),
    ],
)
def test_powers_and_exponentials_of_matrices(claim: str, verdict: str) -> None:
    symbols = {"M": "n x n", "P": "definite n x n", r"\lambda": "scalar"}
    for seed in (1, 21):
        assert workings.check(symbols=symbols, claims=[claim], seed=seed)[0].verdict == verdict
