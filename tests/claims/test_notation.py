"""Formulas as notes write them: each is read, and gets the right verdict."""

# ruff: noqa: E501

import pytest

import workings
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.declare import Reader
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError

Row = tuple[dict[str, str], list[str], str]
VECTORS = {"x": "n x 1", "y": "n x 1", "A": "n x n", "b": "n x 1", "B": "n x n", "X": "n x m"}
NUMBERS = {"x": "scalar", "y": "scalar", "z": "scalar", "a": "scalar"}
GAUSSIAN = {"x": "n x 1", "A": "n x n", "b": "n x 1", r"\mu": "n x 1", r"\Sigma": "definite n x n"}

RIGHT: list[Row] = [
    (VECTORS, [],
     "A A^{-1} = I"),
    (VECTORS, [],
     "(I + A)^{-1} A = I - (I + A)^{-1}"),
    (VECTORS, [],
     r"\det(I + A B) = \det(I + B A)"),
    (VECTORS, [],
     "A I x = A x"),
    (VECTORS, [],
     r"\frac{\partial \mathrm{tr}(A)}{\partial A} = I"),
    (VECTORS, [],
     r"\frac{\partial x}{\partial x} = I"),
    ({"A": "n x n", "a": "scalar", "b": "scalar", "x": "n x 1"}, [r"\Lambda = aA^TA + bI"],
     r"\Lambda x = a A^T A x + b x"),
    ({"Q": "orthogonal n x n"}, [],
     "Q^T Q = I = Q Q^T"),
    ({"P": "stochastic n x n"}, [],
     r"P\mathbf{1} = \mathbf{1}"),
    ({"P": "stochastic n x n", "c": "scalar"}, [],
     r"c P\mathbf{1} = c\mathbf{1}"),
    ({"x": "1 x n"}, [],
     r"\frac{\partial}{\partial x} \sum_i x_i = \mathbf{1}"),
    (VECTORS, [],
     r"\nabla (x^T A x) = (A + A^T) x"),
    ({"X": "n x n", "A": "n x n", "B": "n x n"}, [],
     r"\nabla \mathrm{tr}(XAX^TB) = B^T X A^T + B X A"),
    ({"X": "n x m", "A": "p x m", "B": "n x p"}, [],
     r"\nabla||XA^T-B||_F^2 = 2(XA^T - B)A"),
    ({"X": "n x m", "a": "n x 1", "b": "m x 1"}, [],
     r"\nabla\boldsymbol{a}^TX\boldsymbol{b} = ab^T"),
    (VECTORS, ["f = x^T A x"],
     r"\nabla f = (A + A^T) x"),
    (VECTORS, ["f = x^T A x"],
     r"\nabla f(x) = (A + A^T) x"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\frac{\partial f}{\partial x} = 2 x y"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\nabla f = [2xy, x^2]"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\nabla f(x, y) = \begin{bmatrix} 2xy \\ x^2 \end{bmatrix}"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\frac{\partial^2 f}{\partial x \partial y} = 2 x"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\nabla^2 f = \begin{bmatrix} 2y & 2x \\ 2x & 0 \end{bmatrix}"),
    (NUMBERS, ["f(x) = x^3"],
     "f'(x) = 3x^2"),
    (NUMBERS, ["f(x) = x^3"],
     "f''(x) = 6x"),
    (NUMBERS, ["f(x) = x^3"],
     r"\frac{df}{dx} = 3x^2"),
    (NUMBERS, ["f(x) = x^3"],
     r"\frac{d f(x)}{dx} = 3x^2"),
    (NUMBERS, [r"g_{\text{logistic}}(z) = \frac{1}{1 + e^{-z}}"],
     r"g'_{\text{logistic}}(z) = g_{\text{logistic}}(z)(1 - g_{\text{logistic}}(z))"),
    ({"z": "n x 1"}, [r"g(z) = \frac{1}{1 + e^{-z}}"],
     r"g'(z) = g(z) \odot (1 - g(z))"),
    ({"w": "n x 1", "A": "n x n"}, [r"\mathcal{L}(w) = w^T A w"],
     r"\nabla \mathcal{L}(w) = (A + A^T) w"),
    ({r"\mathbf{z}": "C x 1"}, [r"y_c = \frac{e^{z_c}}{\sum_{d=1}^C e^{z_d}}"],
     r"\frac{\partial y_i}{\partial z_j} = y_i(\delta_{ij} - y_j)"),
    ({r"\mathbf{z}": "C x 1"}, [r"y_c = \frac{e^{z_c}}{\sum_{d=1}^C e^{z_d}}"],
     r"\sum_c y_c = 1"),
    ({"a": "1 x J", "w": "J x K", "b": "1 x K", "t": "1 x K"}, [r"z_k = b_k + \sum_j a_jw_{jk}", r"E = \frac12 \sum_k (z_k - t_k)^2"],
     r"\frac{\partial E}{\partial w_{jk}} = (z_k - t_k) a_j"),
    ({"a": "1 x J", "w": "J x K", "b": "1 x K", "t": "1 x K"}, [r"z_k = b_k + \sum_j a_jw_{jk}"],
     "z = a w + b"),
    ({"A": "n x m", "B": "m x p"}, [r"C_{ij} = \sum_k A_{ik} B_{kj}"],
     "C = A B"),
    ({"U": "n x k", "V": "k x m"}, [],
     r"\sum_k u_{ik}v_{kb} = [\mathbf{U}\mathbf{V}]_{ib}"),
    ({"X": "n x m", "U": "n x k", "V": "k x m"}, [],
     r"\frac{d}{dv_{ab}} \|\mathbf{X} - \mathbf{U}\mathbf{V}\|_F^2 = -2 [U^T(X - UV)]_{ab}"),
    (VECTORS, [],
     r"||A||^2_F = \mathrm{tr}(A^T A)"),
    ({"A": "n x n", "F": "n x n"}, [],
     r"||A||_F^2 = \mathrm{tr}(A^T A)"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[x^T A x] = \mathrm{tr}(A\Sigma) + \mu^T A \mu"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[A x + b] = A\mu + b"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[x x^T] = \Sigma + \mu\mu^T"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(0, I)}[\|x\|^2] = n"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(0, \Sigma)}[(x^T A x)^2] = \mathrm{tr}(A\Sigma)^2 + \mathrm{tr}(A \Sigma (A + A^T) \Sigma)"),
    ({r"\mu": "scalar", "s": "positive scalar"}, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, s^2)}[x^2] = \mu^2 + s^2"),
    ({r"\mu": "n x 1", r"\Sigma": "definite n x n", "m": "n x 1", "S": "definite n x n"}, [],
     r"\mathrm{KL}(\mathcal{N}(\mu, \Sigma) \| \mathcal{N}(m, S)) = \frac12\left(\mathrm{tr}(S^{-1}\Sigma) + (m - \mu)^T S^{-1}(m - \mu) - n + \log\frac{\det S}{\det\Sigma}\right)"),
    ({r"\mu": "n x 1", r"\sigma": "positive n x 1"}, [],
     r"D_{KL}(\mathcal{N}(\mu, \mathrm{diag}(\sigma^2)) \| \mathcal{N}(0, I)) = \frac12\sum_j (\mu_j^2 + \sigma_j^2 - \log\sigma_j^2 - 1)"),
    ({"p": "probability n x 1", "q": "probability n x 1"}, [],
     r"D_{\mathrm{KL}}(p \| q) = \sum_i p_i \log\frac{p_i}{q_i}"),
    ({"p": "probability n x 1", "q": "probability n x 1"}, [],
     r"\mathrm{KL}(p \,\|\, q) \ge 0"),
    (VECTORS, [],
     r"\max_i x_i = -\min_i (-x_i)"),
    (VECTORS, [],
     r"\|x\|_\infty = \max_i |x_i|"),
    (VECTORS, [],
     r"\arg\max_i x_i = \arg\min_i (-x_i)"),
    (NUMBERS, [],
     r"\max(0, x) = x \mathbb{1}[x > 0]"),
    (VECTORS, [],
     r"\frac{\partial}{\partial x_i} \max_j x_j = \mathbb{1}[i = \arg\max_j x_j]"),
    (VECTORS, [],
     r"\mathbb{1}^T x = \sum_i x_i"),
]  # fmt: skip

WRONG: list[Row] = [
    (VECTORS, [],
     "(I + A)^{-1} = I - A"),
    (VECTORS, [],
     r"\frac{\partial \mathrm{tr}(A)}{\partial A} = 2I"),
    ({"P": "stochastic n x n"}, [],
     r"P^T\mathbf{1} = \mathbf{1}"),
    (NUMBERS, ["f(x, y) = x^2 y"],
     r"\frac{\partial f}{\partial x} = 2 x"),
    ({r"\mathbf{z}": "C x 1"}, [r"y_c = \frac{e^{z_c}}{\sum_{d=1}^C e^{z_d}}"],
     r"\frac{\partial y_i}{\partial z_j} = y_i(1 - y_j)"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[x^T A x] = \mu^T A \mu"),
    ({r"\mu": "n x 1", r"\Sigma": "definite n x n", "m": "n x 1", "S": "definite n x n"}, [],
     r"\mathrm{KL}(\mathcal{N}(\mu, \Sigma) \| \mathcal{N}(m, S)) = \frac12\left(\mathrm{tr}(S^{-1}\Sigma) + (m - \mu)^T S^{-1}(m - \mu) + \log\frac{\det S}{\det\Sigma}\right)"),
    ({"p": "probability n x 1", "q": "probability n x 1"}, [],
     r"\mathrm{KL}(p \| q) = \mathrm{KL}(q \| p)"),
    (VECTORS, [],
     r"\max_i x_i = \max_i |x_i|"),
    (NUMBERS, ["f(x)=|x|"],
     "f'(x) = 1"),
]  # fmt: skip

NOT_READ: list[Row] = [
    (NUMBERS, [],
     r"\frac{\partial}{\partial z} z \sinh(z) \times \cosh(z) = \sinh(z) \cosh(z)"),
    (VECTORS, [],
     r"\mathrm{tr}(I) = n"),
    (GAUSSIAN, [],
     r"\mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[e^{b^T x}] = e^{b^T\mu + \frac12 b^T\Sigma b}"),
    (NUMBERS, [],
     "9^9^9 = 9^{9^9}"),
]  # fmt: skip


def checked(row: Row, seed: int = 5, steps: int = 0) -> Result:
    """The verdict on a formula, without a repair."""
    symbols, equations, claim = row
    reader = Reader(ClaimSet(symbols=symbols, equations=tuple(equations), steps=steps))
    return check_formula(reader, reader.system(), Claim(claim=claim), seed, repair=False)


@pytest.mark.parametrize("row", RIGHT, ids=[row[2] for row in RIGHT])
def test_what_is_right_holds(row: Row) -> None:
    result = checked(row)
    assert result.verdict is Verdict.HOLDS, result.why


@pytest.mark.parametrize("row", WRONG, ids=[row[2] for row in WRONG])
def test_what_is_wrong_is_called_wrong(row: Row) -> None:
    assert checked(row).verdict.is_wrong


@pytest.mark.parametrize("row", NOT_READ, ids=[row[2] for row in NOT_READ])
def test_what_is_not_understood_is_not_read(row: Row) -> None:
    with pytest.raises(WorkingsError):
        checked(row)


def test_what_a_gradient_without_a_subscript_is_taken_by_is_said() -> None:
    notes = checked((VECTORS, [], r"\nabla (x^T A x) = (A + A^T) x")).reading
    assert "∇ as taken by x" in notes


STEPS = {
    r"\mathbf{x}_t": "d x 1", r"\mathbf{h}_0": "k x 1", r"\mathbf{y}_t": "q x 1",
    "W_{hx}": "k x d", "W_{hh}": "k x k", "W_{qh}": "q x k",
}  # fmt: skip
OVER_STEPS = [
    r"h_t = W_{hx} x_t + W_{hh} h_{t-1}",
    "o_t = W_{qh} h_t",
    r"L = \frac{1}{T}\sum_{t=1}^T \frac12 \|o_t - y_t\|^2",
]


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (r"\frac{\partial L}{\partial h_t} = W_{hh}^T \frac{\partial L}{\partial h_{t+1}}"
         r" + W_{qh}^T \frac{\partial L}{\partial o_t}", True),
        (r"\frac{\partial L}{\partial h_t} = W_{hh} \frac{\partial L}{\partial h_{t+1}}"
         r" + W_{qh}^T \frac{\partial L}{\partial o_t}", False),
        (r"\frac{\partial L}{\partial h_T} = W_{qh}^T \frac{\partial L}{\partial o_T}", True),
        (r"\frac{\partial L}{\partial W_{qh}} = \sum_t \frac{1}{T} (o_t - y_t) h_t^T", True),
        (r"\frac{\partial L}{\partial W_{qh}} = \sum_t (o_t - y_t) h_t^T", False),
    ],
)  # fmt: skip
def test_a_loss_over_steps(claim: str, holds: bool) -> None:
    verdict = checked((STEPS, OVER_STEPS, claim), steps=2).verdict
    assert verdict is Verdict.HOLDS if holds else verdict.is_wrong


def test_a_set_uses_one_convention() -> None:
    layer = {"x": "n x 1", "A": "m x n", "y": "m x 1"}
    equations = ["z = A x", r"E = \frac12 (z - y)^T (z - y)"]
    both = [r"\frac{\partial z}{\partial x} = A", r"\frac{\partial z}{\partial x} = A^T"]
    for claims in (both, both[::-1]):
        first, second = workings.check(symbols=layer, equations=equations, claims=claims, seed=3)
        assert first.verdict is Verdict.HOLDS
        assert second.verdict is Verdict.TRANSPOSED
    by_e, by_z, jacobian = (
        rf"\frac{{\partial {a}}}{{\partial {b}}}" for a, b in ("Ex", "Ez", "zx")
    )
    chains = [f"{by_e} = A^T {by_z}", f"{by_e} = {by_z} {jacobian}", f"{by_e} = {by_z} A"]
    said = workings.check(symbols=layer, equations=equations, claims=chains, seed=3)
    assert [str(each.verdict) for each in said] == ["holds", "undecided", "undecided"]


@pytest.mark.parametrize(
    "claim",
    [
        r"M^+ = (M^T M)^{-1} M^T",
        r"\frac{\partial \log\det(M^T M)}{\partial M} = 2 (M^+)^T",
    ],
)
def test_what_needs_an_inverse_is_judged_where_it_exists(claim: str) -> None:
    assert checked(({"M": "n x m"}, [], claim)).verdict is Verdict.HOLDS


def test_a_condition_is_watched_like_a_kink() -> None:
    number = {"x": "scalar"}
    assert checked((number, [], r"x \mathbb{1}[x > 30] = 0")).verdict.is_wrong
    assert checked((number, [], r"x \mathbb{1}[x > 10^6] = 0")).verdict.is_wrong
    result = checked((number, [], r"x \mathbb{1}[x^2 < -1] = 0"))
    assert "with true" in result.why


@pytest.mark.parametrize(
    ("symbols", "equations", "wrong", "right"),
    [
        ({"z": "n x n"}, [r"H = \tanh(z)", r"\mathcal{L} = \sum H"],
         r"\frac{\partial \mathcal{L}}{\partial z} = 1 + H \odot H",
         r"\frac{\partial \mathcal{L}}{\partial z} = 1 - H \odot H"),
        ({"z": "n x 1"}, [r"H = \tanh(z)", r"L = \sum H"],
         r"\frac{\partial L}{\partial z} = 1 - H",
         r"\frac{\partial L}{\partial z} = 1 - H \odot H"),
    ],
)  # fmt: skip
def test_a_repair_is_written_plainly_in_the_authors_names(
    symbols: dict[str, str], equations: list[str], wrong: str, right: str
) -> None:
    (result,) = workings.check(symbols=symbols, equations=equations, claims=[wrong], seed=4)
    assert result.repair is not None
    assert result.repair.formula == right
