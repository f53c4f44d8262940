"""Parsing: LaTeX, ASCII and Unicode forms of one formula have one value; errors have a place."""

# ruff: noqa: E501 (formulas of the documents stand as they are there)

import pytest
import torch

from tests.claims.sets import SIZES, VALUES, assert_same, check, value
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.parsing.parse import DEEPEST, parse, parse_expression

v = VALUES

# The first of each is computed by torch below, the others must equal it.
SPELLINGS = {
    "product": [
        "x u", "xu", r"x\,u", "x · u", r"x \cdot u", r"\left(x\right)\left(u\right)", "{x}{u}",
        r"\bigl(x\bigr) \Bigl(u\Bigr)", "(u)^T(x)^T", "u^Tx^T", "uᵀxᵀ", r"u^\top x^\top", r"u^{\top}x^{T}",
        r"u^{\mathsf{T}} x^\intercal", r"\mathbf{x}\mathbf{u}", r"\boldsymbol{x} \bm{u}",
        r"\sum_i x_i u_i", r"\sum_{i=1}^d x_i u_i", "∑_i x_i u_i", r"x^T \cdot u",
        r"\sum_{i} x_{i}u_{i}", r"\sum\limits_{i=1}^{d} x_iu_i", r"[x] [u]", r"\{x\} \{u\}",
    ],
    "elementwise": [
        r"p \odot y", "p * y", r"p \circ y", "p⊙y", "p∘y", r"p \ast y", r"(p) \odot (y)",
        r"y \, \mathrm{diag}(p)", "y diag(p)", r"y\operatorname{diag}(p)", r"y \text{Diag}(p)",
    ],
    "softmax": [
        "softmax(y)", r"\mathrm{softmax}(y)", r"\operatorname{softmax}\left(y\right)", "Softmax(y)",
        r"\text{softmax}(y)", r"\frac{\exp(y)}{\sum_j \exp(y_j)}", r"\exp(y)/\sum_j e^{y_j}",
        r"\frac{e^y}{\sum_{j=1}^{n} e^{y_j}}",
    ],
    "sigmoid": [
        r"\sigma(y)", "σ(y)", "sigmoid(y)", r"\text{sigmoid}(y)", r"\mathrm{sigmoid}\left(y\right)",
        r"\frac{1}{1 + e^{-y}}", r"1/(1 + \exp(-y))", r"\sigma[y]", r"(1 + e^{-y})^{-1}",
    ],
    "norm": [
        r"\|y\|^2", "||y||^2", "‖y‖²", r"\lVert y \rVert^2", r"\left\| y \right\|_2^2", "y y^T",
        r"||y||_2^2", r"\sum_j y_j^2", "tr(y^T y)", r"\sum_j |y_j|^2", r"\sum_j y_{j}^{2}", "norm(y)^2",
        r"\Vert y^T \Vert^{2}",
    ],
    "half": [
        r"\frac{1}{2} a", "a/2", "1/2 a", r"\frac12 a", "0.5a", ".5 a", r"\tfrac{1}{2}a", r"\frac a2",
        "2^{-1} a", "2^-1 a", r"\dfrac{a}{2}", r"a \div 2", "a ⋅ 0.5",
    ],
    "root": [
        "sqrt(c)", r"\sqrt{c}", r"\sqrt c", "√c", "c^{1/2}", r"c^{\frac12}", "c^{0.5}", "c^(1/2)",
        r"\sqrt[2]{c}", r"e^{\frac{1}{2} \log c}",
    ],
    "cube": [
        "a^3", "a³", "a^{3}", "a a a", "aaa", "a^2a", "a*a*a", r"a \times a \times a", "a · a · a",
    ],
    "minus": ["a - b - c", "a−b−c", "a-(b+c)", "-c - b + a", "a – b – c", "-(c + b - a)"],
    "slope": [
        "tanh'(y)", r"\tanh'(y)", r"\tanh^\prime(y)", "1 - tanh(y) * tanh(y)", r"1 - \tanh(y)^2",
        r"1 - \tanh^2(y)", r"1 - \tanh^2 y",
    ],
    "log": [r"\log p", "log(p)", r"\ln p", "ln p", r"\log(p)", r"\log_2(p) \log(2)", r"\log{p}"],
    "inverse": [
        "G^{-1}", "G^-1", "inv(G)", r"G^{-\frac{1}{2}} G^{-\frac12}", "G^{-1/2}G^{-1/2}", "G^{-T}",
    ],
    "sum of all": [
        "sum(W)", r"\sum W", r"\sum_{i,j} W_{ij}", r"\sum_i \sum_j W_{i,j}", r"\sum_{ij} W_{ij}",
        r"\sum_{i=1}^{d}\sum_{j=1}^{n} W_{ij}", r"1_{1 \times d} W 1_{n \times 1}",
        r"\mathbf{1}_d^T W \mathbf{1}_n", r"\mathbf{1}_{1\times d} W \mathbf{1}_n",
    ],
    "without": [
        r"\sum_{i=1, i \neq 2}^{n} y_i", r"\sum_{\substack{i=1 \\ i \neq 2}}^n y_i", r"y_1 + y_3",
        r"\sum_{i \neq 2} y_i", r"\sum_i y_i - y_2", r"\sum_{i=1;i\ne 2}^n y_i",
    ],
    "names": [
        r"b_1 + \hat{y} + \hat{y}^{(t)} + h^{(t-1)} + \alpha", "b1 + ŷ + ŷ^{(t)} + h^{(t-1)} + α",
        r"b₁ + \hat y + \hat y^{(t)} + h^{( t - 1 )} + \alpha",
        r"\mathbf{b}_1 + \hat{\mathbf{y}} + \widehat{y}^{(t)} + \mathbf{h}^{(t-1)} + \boldsymbol{\alpha}",
    ],
    "labels": [r"x W^Q", "xW^Q", "x W^{Q}", r"x\mathbf{W}^Q", r"x(W^Q)"],
    "matrix": [
        r"\begin{bmatrix} 1 & a \\ b & 4 \end{bmatrix}", r"\begin{pmatrix}1&a\\b&4\end{pmatrix}",
        "[1, a; b, 4]", r"\left[\begin{array}{cc} 1 & a \\ b & 4 \\ \end{array}\right]",
    ],
    "beside": [
        "[x, y]", r"\begin{bmatrix} x & y \end{bmatrix}", "[x ‖ y]", r"[x \| y]", "[x || y]",
        "concat(x, y)", r"\text{Concat}(x, y)",
    ],
    "binomial": [r"\binom{5}{2}", "binom(5, 2)", "5!/(2! 3!)", r"\frac{5!}{2!\,3!}", "10"],
    "wrapped": [
        "a", "$a$", "a.", r"\boxed{a}", r"\begin{aligned} a \end{aligned}", r"a \quad (7)",
        r"\left. a \right.", "{a}", "((a))", "+a", "--a",
    ],
}  # fmt: skip
VALUE_OF = {
    "product": v["x"] @ v["u"],
    "elementwise": v["p"] * v["y"],
    "softmax": torch.softmax(v["y"], 1),
    "sigmoid": torch.sigmoid(v["y"]),
    "norm": (v["y"] ** 2).sum(),
    "half": v["a"] / 2,
    "root": v["c"].sqrt(),
    "cube": v["a"] ** 3,
    "minus": v["a"] - v["b"] - v["c"],
    "slope": 1 - torch.tanh(v["y"]) ** 2,
    "log": v["p"].log(),
    "inverse": torch.linalg.inv(v["G"]),
    "sum of all": v["W"].sum(),
    "without": v["y"][0, 0] + v["y"][0, 2],
    "names": v["b_1"] + v["hat y"] + v["hat y^(t)"] + v["h^(t-1)"] + v["\\alpha"],
    "labels": v["x"] @ v["W^Q"],
    "matrix": torch.tensor([[1, float(v["a"])], [float(v["b"]), 4]], dtype=torch.float64),
    "beside": torch.cat([v["x"], v["y"]], 1),
    "binomial": torch.tensor(10.0, dtype=torch.float64),
    "wrapped": v["a"],
}


@pytest.mark.parametrize(
    ("what", "text"), [(what, text) for what, texts in SPELLINGS.items() for text in texts]
)
def test_every_spelling_has_the_same_value(what: str, text: str) -> None:
    assert_same(value(text), VALUE_OF[what])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b c", v["a"] + v["b"] * v["c"]),
        ("a - b c^2", v["a"] - v["b"] * v["c"] ** 2),
        ("-a^2", -(v["a"] ** 2)),
        ("a/b c", v["a"] / v["b"] * v["c"]),
        ("a/b/c", v["a"] / v["b"] / v["c"]),
        ("2^{3^2}", torch.tensor(512.0).double()),
        ("y * x W", v["y"] * (v["x"] @ v["W"])),
        (r"x W \odot y", (v["x"] @ v["W"]) * v["y"]),
        (r"y \odot p M", v["y"] * (v["p"] @ v["M"])),
        ("W y^T", v["W"] @ v["y"].t()),
        ("x W M^T", v["x"] @ v["W"] @ v["M"].t()),
        ("-y M + p", -(v["y"] @ v["M"]) + v["p"]),
        (r"\sum_j y_j + p_1", v["y"].sum() + v["p"][0, 0]),
        (r"\sum_j y_j p_j", (v["y"] * v["p"]).sum()),
        (r"-\sum_j y_j \log p_j", -(v["y"] * v["p"].log()).sum()),
        (r"2 \sum_j y_j / n", 2 * v["y"].sum() / 3),
        (r"\prod_{j=1}^{n} p_j + 1", v["p"].prod() + 1),
        (r"\log(p_1) p_2", v["p"][0, 0].log() * v["p"][0, 1]),
        ("a(b + c)", v["a"] * (v["b"] + v["c"])),
        ("M^2", v["M"] @ v["M"]),
        ("y^2", v["y"] ** 2),
        ("W_{2,3}", v["W"][1, 2]),
        ("y_{2}", v["y"][0, 1]),
        ("(x W)_2", (v["x"] @ v["W"])[0, 1]),
        (r"W_{ph} u", v["W_ph"] @ v["u"]),
        ("1 - p", 1 - v["p"]),
        (r"\mathbf{1}_{1 \times n} - p", 1 - v["p"]),
        ("I_n M", v["M"]),
        (r"I_{n \times n} + M", torch.eye(3).double() + v["M"]),
        (r"y \otimes x", v["y"].t() @ v["x"]),
        ("loss a", v["loss"] * v["a"]),
        (r"\mathrm{loss} + 1", v["loss"] + 1),
        ("n(n+1)/2", torch.tensor(6.0).double()),
        (r"|a| + \left|b\right|", v["a"].abs() + v["b"].abs()),
        (r"\frac{\|y\|}{\|p\|}", v["y"].norm() / v["p"].norm()),
        ("LeakyReLU(y)", torch.nn.functional.leaky_relu(v["y"], 0.2)),
    ],
)  # fmt: skip
def test_precedence(text: str, expected: torch.Tensor) -> None:
    assert_same(value(text), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            r"\sum y \odot \log p", (v["y"] * v["p"].log()).sum(), id="sum of elementwise"
        ),
        pytest.param("2^10", torch.tensor(1024.0).double(), id="a power of two digits"),
        pytest.param(r"\sum_{i=1,\dots,n} i", torch.tensor(6.0).double(), id="an index listed"),
        pytest.param(r"\tanh^{2}(a)", v["a"].tanh() ** 2, id="a power in braces"),
        pytest.param(r"\|W\|_F", v["W"].norm(), id="a Frobenius norm"),
        pytest.param(
            r"\|y\|_1 + \|y\|_\infty", v["y"].abs().sum() + v["y"].abs().max(), id="norms"
        ),
        pytest.param(r"a \sum_jy_j - b", v["a"] * v["y"].sum() - v["b"], id="an index of one sign"),
        pytest.param("2**3", torch.tensor(8.0).double(), id="a power as programs write it"),
    ],
)
def test_silent_misreadings(text: str, expected: torch.Tensor) -> None:
    """What could be read in another way than it is meant."""
    assert_same(value(text), expected)


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{\partial E}{\partial W}", r"\dfrac{\partial E}{\partial W}", "dE/dW", "∂E/∂W",
        r"\partial E/\partial W", r"\frac{dE}{dW}", r"\frac{\mathrm{d} E}{\mathrm{d} W}",
        r"\frac{\delta E}{\delta W}", r"\frac{\partial}{\partial W} E", r"\nabla_W E", "∇_W E",
        r"\nabla_{W} E", r"\frac{\partial E}{\partial \mathbf{W}}", r"\frac{\partial(E)}{\partial W}",
        r"\frac{\partial\, E}{\partial \; W}", r"{\frac{\partial E}{\partial W}}",
        r"\left(\frac{\partial E}{\partial W}\right)", r"\frac{\text{d}E}{\text{d}W}",
        r"\frac{d E}{d W}",
    ],
)  # fmt: skip
def test_every_spelling_of_a_derivative(text: str) -> None:
    node = parse_expression(text)
    assert isinstance(node, f.Derivative)
    assert isinstance(node.of, f.Symbol)
    assert isinstance(node.wrt, f.Symbol)
    assert (node.of.name, node.wrt.name, node.only) == ("E", "W", False)


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{\partial E^{(t)}}{\partial W} \Big|_{(t)}",
        r"\left. \frac{\partial E^{(t)}}{\partial W} \right|_{(t)}",
        r"\frac{\partial E^{(t)}}{\partial W}\bigg|_{(t)}",
    ],
)
def test_a_derivative_at_one_step(text: str) -> None:
    node = parse_expression(text)
    assert isinstance(node, f.Derivative)
    assert node.only


def test_a_size_d_over_another_is_no_derivative() -> None:
    assert isinstance(parse_expression(r"\frac{d}{h}"), f.Quotient)
    assert isinstance(parse_expression(r"\frac{d^2}{h}"), f.Quotient)
    assert isinstance(parse_expression("d/h"), f.Quotient)


@pytest.mark.parametrize(
    "left",
    [
        r"\frac{dL}{dW}",
        r"\frac{d L}{d W}",
        "dL/dW",
        "d L / d W",
    ],
)
def test_a_d_that_is_also_a_size_still_makes_a_derivative(left: str) -> None:
    """In a set that declares x = "1 x d"."""
    found = check({"x": "1 x d", "W": "d x n"}, ["z = x W", "L = z z^T"], f"{left} = 2 x^T z")
    assert found.verdict == "holds"


def test_names_keep_all_their_decorations() -> None:
    node = parse_expression(r"\hat{y}_j^{(t)}")
    assert isinstance(node, f.Symbol)
    assert (node.base, node.marks, node.sub, node.label) == ("y", ("hat",), "j", "(t)")
    other = parse_expression(r"\hat{y}^{(t)}_j")
    assert isinstance(other, f.Symbol)
    assert other.name == node.name


def test_a_statement_has_sides_and_relations() -> None:
    found = parse(r"a = b \le c \approx d")
    assert found.relations == ("=", "≤", "≈")
    assert len(found.sides) == 4
    aligned = parse(r"\begin{aligned} a &= b + c \\ &= d \\ &\quad + e \end{aligned}")
    assert aligned.relations == ("=", "=")
    assert isinstance(aligned.sides[2], f.Sum)


# Formulas of the documents, as they stand there, where a value can be had

DOCUMENT_000 = r"""\begin{aligned}
\frac{\partial y_k^{(t)} \log(\hat{y}_k^{(t)})}{\partial \alpha_k^{(t)}} &= \frac{y_k^{(t)}}{\hat{y}_k^{(t)}} \frac{e^{\alpha_k^{(t)}} \sum_{s=1}^{|V|} e^{\alpha_s^{(t)}} - e^{\alpha_k^{(t)}} e^{\alpha_k^{(t)}}}{(\sum_{s=1}^{|V|} e^{\alpha_s^{(t)}})^2} \\
&= \frac{y_k^{(t)}}{\hat{y}_k^{(t)}} \left(\frac{e^{\alpha_k^{(t)}}}{\sum_{s=1}^{|V|} e^{\alpha_s^{(t)}}} - \left(\frac{e^{\alpha_k^{(t)}}}{\sum_{s=1}^{|V|} e^{\alpha_s^{(t)}}} \right)^2 \right) = \frac{y_k^{(t)}}{\hat{y}_k^{(t)}} \left(\hat{y}_k^{(t)} - (\hat{y}_k^{(t)})^2 \right) \\
&= y_k^{(t)} \left(1 - \hat{y}_k^{(t)} \right)
\end{aligned}"""
OUTPUT = {"\\alpha^{(t)}": "1 x V", "y^{(t)}": "onehot 1 x V"}
SOFTMAX = [r"\hat{y}^{(t)} = softmax(\alpha^{(t)})"]


def test_document_000_the_derivative_of_a_softmax() -> None:
    found = check(OUTPUT, SOFTMAX, DOCUMENT_000)
    assert found.verdict == "holds"
    assert [step.verdict for step in found.steps] == ["holds"] * 4


def test_document_000_perplexity_and_its_base() -> None:
    text = r"b^{-\sum_{j=1}^{|V|} y_j^{(t)} \log_b(\hat{y}_j^{(t)})} = \frac{1}{\sum_{j=1}^{|V|} y_j^{(t)} \hat{y}_j^{(t)}}"
    assert check({**OUTPUT, "b": "positive scalar"}, SOFTMAX, text).verdict == "holds"


def test_document_003_the_square_of_a_dot_product() -> None:
    """Its last line; the ones with dots cannot be computed."""
    text = r"\begin{aligned} (x^T z)^2 &= \sum_{i=1}^n (x_i)^2 (z_i)^2 + 2 \sum_{i=1}^{n-1} \sum_{j=i+1}^n x_i z_i x_j z_j \end{aligned}"
    assert check({"x": "n x 1", "z": "n x 1"}, [], text).verdict == "holds"


def test_document_003_softmax_by_entries() -> None:
    text = r"\text{softmax}(QK^T)_{ij} = \frac{\exp(q_i^T k_j)}{\sum_{l=1}^L \exp(q_i^T k_l)}"
    by_rows = text.replace("q_i^T k_j", "Q_i K_j^T").replace("q_i^T k_l", "Q_i K_l^T")
    assert check({"Q": "L x D", "K": "L x D"}, [], by_rows).verdict == "holds"


def test_document_003_scaled_attention_and_feature_counts() -> None:
    text = r"Z = \text{softmax} \left( \frac{QK^T}{\sqrt{d_k}} \right) V \quad (1)"
    shapes = {"Q": "L x d_k", "K": "L x d_k", "V": "L x D"}
    equations = [r"A = \exp(Q K^T / \sqrt{d_k})", r"Z = \mathrm{diag}(A \mathbf{1}_L)^{-1} A V"]
    assert check(shapes, equations, text).verdict == "holds"
    assert check(shapes, [], r"\sum_{i=1}^D i = \frac{D(D+1)}{2}").verdict == "holds"


def test_document_004_self_loops() -> None:
    text = r"\tilde{A} = \begin{pmatrix} 0 & 1 & 0 & 0 & 1 & 1 \\ 1 & 0 & 0 & 1 & 0 & 0 \\ 0 & 0 & 0 & 1 & 0 & 0 \\ 0 & 1 & 1 & 0 & 0 & 1 \\ 1 & 0 & 0 & 0 & 0 & 0 \\ 1 & 0 & 0 & 1 & 0 & 0 \end{pmatrix} + I_n"
    right = r"\begin{pmatrix} 1 & 1 & 0 & 0 & 1 & 1 \\ 1 & 1 & 0 & 1 & 0 & 0 \\ 0 & 0 & 1 & 1 & 0 & 0 \\ 0 & 1 & 1 & 1 & 0 & 1 \\ 1 & 0 & 0 & 0 & 1 & 0 \\ 1 & 0 & 0 & 1 & 0 & 1 \end{pmatrix}"
    found = check({}, [rf"\tilde{{A}} = {right}"], text, sizes={"n": 6})
    assert found.verdict == "holds"


def test_document_001_symmetric_normalisation() -> None:
    equations = [r"\tilde{A} = A + I_n", r"\tilde{D} = \mathrm{diag}(\tilde{A} \mathbf{1}_n)"]
    text = r"\hat{A} = \tilde{D}^{-\frac{1}{2}} \tilde{A} \tilde{D}^{-\frac{1}{2}}"
    entry = r"\hat{A}_{ij} = \frac{\tilde{A}_{ij}}{\sqrt{\tilde{D}_{ii} \tilde{D}_{jj}}}"
    assert check({"A": "adjacency n x n"}, [*equations, text], entry).verdict == "holds"


# The same, where only reading them can be asked for

DOCUMENTS = [
    # 001
    r"\begin{array}{c|c} \mathbf{L} & |V| \times d \\ \mathbf{H} & D \times D \\ b_1 & 1 \times D \\ b_2 & 1 \times |V| \end{array}",
    r"A = \operatorname{concat}(\operatorname{softmax}(QW_i^Q(KW_i^K)^T)VW_i^V, i = 1, ..., h)",
    # 002
    r"\phi(q)^T = \left[1, q_1, \dots, q_D, \frac{1}{\sqrt{2}} q_1^2, \dots, \frac{1}{\sqrt{2}} q_D^2 \right]",
    r"Z \approx D^{-1} \Phi(Q) \Phi(K)^T V \approx \text{Diag}(v)^{-1} \exp(QK^T) V",
    # 003
    r"\exp(t) = \sum_{n=0}^{\infty} \frac{t^n}{n!}",
    r"(x_1 + x_2 + \dots + x_D)^K = \sum_{k_1+k_2+\dots+k_D=K, k_1, k_2, \dots, k_D \geq 0} \binom{n}{k_1, k_2, \dots, k_D} \prod_{t=1}^D x_t^{k_t},",
    r"\binom{n}{k_1, k_2, \dots, k_D} = \frac{n!}{k_1! k_2! \dots k_D!}",
    r"\Phi(Q) \Phi(K)^T = \begin{bmatrix} - & - & \phi(q_1) & - & - \\ & & \vdots & & \\ - & - & \phi(q_L) & - & - \end{bmatrix} \begin{bmatrix} | & | & \dots & | \\ \phi(k_1) & \phi(k_2) & \dots & \phi(k_L) \\ | & | & \dots & | \end{bmatrix}",
    r"(\Phi(Q)\Phi(K)^T)_{i,j} = \phi(q_i)^T \phi(k_j)",
    r"\phi(q_i)_1 \phi(k_j)_1 + \phi(q_i)_2 \phi(k_j)_2 + \dots + \phi(q_i)_M \phi(k_j)_M = \phi(q_i)^T \phi(k_j)",
    # 004
    r"\frac{\delta L^{(t)}}{\delta \mathbf{W}_{ph}} : \boxed{\begin{aligned} \frac{\delta L^{(t)}}{\delta \mathbf{W}_{ph}} &= \frac{\delta L^{(t)}}{\delta \hat{\mathbf{y}}^{(t)}} \frac{\delta \hat{\mathbf{y}}^{(t)}}{\delta \mathbf{p}^{(t)}} \frac{\delta \mathbf{p}^{(t)}}{\delta \mathbf{W}_{ph}} \\ &= \frac{\delta L^{(t)}}{\delta \hat{\mathbf{y}}^{(t)}} \frac{\delta \hat{\mathbf{y}}^{(t)}}{\delta \mathbf{p}^{(t)}} \frac{\delta}{\delta \mathbf{W}_{ph}} \mathbf{W}_{ph} * h^{(t)} + b_p = \frac{\delta L^{(t)}}{\delta \hat{\mathbf{y}}^{(t)}} \frac{\delta \hat{\mathbf{y}}^{(t)}}{\delta \mathbf{p}^{(t)}} h^{(t)} \end{aligned}}",
    r"h_i^{(l+1)} = \sigma \left(\sum_{j \in N(i)} \frac{\exp(\text{LeakyRelu}(a * [Wh_i || Wh_j]))}{\sum_{k \in N_i} \exp(\text{LeakyRelu}(a * [Wh_i || Wh_k]))} * W^{(l)} h_j^{(l)} \right)",
    r"4 * ((N_{hidden} * N_{hidden}) + (N_{hidden} * N_{input}) + N_{hidden}) + (N_{hidden} * N_{output})",
]  # fmt: skip


@pytest.mark.parametrize("text", DOCUMENTS)
def test_formulas_of_the_documents_are_read(text: str) -> None:
    found = parse(text)
    assert len(found.sides) == len(found.relations) + 1


# Errors


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("a +", 3, "a formula"),
        ("(a + b", 6, "')'"),
        ("a + b)", 5, "the end"),
        ("a + * b", 4, "a formula"),
        (r"\frac{a}", 8, "a formula"),
        (r"a \foo b", 2, r"\foo"),
        (r"\sum^{3} a", 0, "index"),
        ("[a, b", 5, "']'"),
        ("softmax(a", 9, "')'"),
        (r"\hat{a + b}", 4, "name"),
        ("", 0, "a formula"),
        ("a = ", 3, "a formula"),
        ("__import__('os')", 0, "a formula"),
        (r"\begin{bmatrix} 1 & 2", 21, ""),
        (r"\langle a \rangle", 0, "inner product"),
        ("2_{3}", 2, "1"),
    ],
)
def test_an_error_says_the_place_and_what_was_expected(text: str, at: int, expected: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    message, line, caret = str(caught.value).split("\n")
    assert expected in message
    assert caught.value.position == at
    assert caret.index("^") == 4 + at
    assert line[4:] == text.rstrip()


@pytest.mark.parametrize("pair", ["()", "{}", "[]", ("\\sqrt{", "}"), ("tanh(", ")"), ("-(", ")")])
def test_nesting_has_a_limit(pair: tuple[str, str]) -> None:
    opening, closing = pair
    assert parse(opening * 20 + "a" + closing * 20).sides
    with pytest.raises(FormulaError, match=f"more than {DEEPEST} deep"):
        parse(opening * 1000 + "a" + closing * 1000)


CHAINS = {
    "minus": "-" * 10_000 + "a",
    "plus": "+" * 10_000 + "a",
    "power": "a" + "^a" * 5000,
    "transpose": "M" + "^T" * 5000,
    "prime": "M" + "'" * 10_000,
    "factorial": "n" + "!" * 10_000,
    "index": "M M" + "_1" * 5000,
    "function": "σ" * 10_000 + "a",
    "log": r"\log " * 3000 + "a",
    "hat": r"\hat" * 4000 + "a",
    "sum": r"\sum_i" * 3000 + " x_i",
    "differential": "d" * 10_000 + "x",
    "derivative": "da/" * 3000 + "a",
}


@pytest.mark.parametrize("what", CHAINS)
def test_ten_thousand_deep_without_brackets_is_an_error_too(what: str) -> None:
    with pytest.raises(WorkingsError) as caught:
        value(CHAINS[what])
    assert len(str(caught.value).split("\n")[0]) < 200


@pytest.mark.parametrize("digits", ["9" * 5000, "0." + "1" * 5000, "1" + "0" * 400])
def test_a_number_of_thousands_of_digits_is_an_error(digits: str) -> None:
    with pytest.raises(WorkingsError):
        value(digits)


def test_long_flat_sums_and_products_are_no_nesting() -> None:
    many = 2000
    assert_same(value(" + ".join(["a"] * many)), many * v["a"])
    assert_same(value("(1) " * many + "a"), v["a"])
    assert SIZES["n"] == 3
