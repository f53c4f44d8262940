"""Derivatives as texts on optimisation write them: ∇f(x)ᵀd, ∇²f(x)d, d/dt of a matrix."""

import pytest

import workings

SYMBOLS = {
    "A": "n x n", "B": "n x n", "Q": "definite n x n", "x": "n x 1", "y": "n x 1", "z": "n x 1",
    "c": "n x 1", "d": "n x 1", "t": "scalar",
}  # fmt: skip
EQUATIONS = [r"g(x) = x^T A x + y^T x", r"f(x) = \frac12 x^T Q x + c^T x"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"g(x + z) = g(x) + \nabla g(x)^T z + \frac12 z^T \nabla^2 g(x) z", "holds"),
        (r"g(x + z) = g(x) + \nabla g(x)^T z", "wrong value"),
        (r"f(y) \ge f(x) + \nabla f(x)^T (y - x)", "holds"),
        (r"f(y) \le f(x) + \nabla f(x)^T (y - x)", "wrong value"),
        (r"d^T \nabla^2 f(x) d \ge 0", "holds"),
        (r"(\nabla f(x) - \nabla f(y))^T (x - y) \ge 0", "holds"),
        (r"\nabla g(y) = (A + A^T) y + y", "not read"),
        (r"\frac{d}{dt} e^{tB} = B e^{tB}", "holds"),
        (r"\frac{d}{dt} (A + tB)^{-1} = -(A+tB)^{-1} B (A+tB)^{-1}", "holds"),
        (r"\frac{d}{dt} (tA) = A^T", "holds transposed"),
        (r"\frac{d}{dt} \|x + ty\|^2 \Big|_{t=0} = 2y^Tx", "holds"),
        (r"\frac{d}{dt} \|x + ty\|^2 \Big|_{t=0} = 2y^Ty", "wrong value"),
        (r"\sum_i x_i = 1^T x", "not read"),
        ("t + 1e-5 = t", "wrong value"),
        (r"\mathrm{tr}(A) \ge A", "undecided"),
        ("1 = 2", "wrong value"),
        (r"\frac{df}{dx} = \frac{\partial f}{\partial x} \frac{dx}{dx}", "not read"),
    ],
)
def test_what_such_texts_claim(claim: str, verdict: str) -> None:
    (result,) = workings.check(symbols=SYMBOLS, equations=EQUATIONS, claims=[claim], seed=1)
    assert result.verdict == verdict


OF_TWO = ["g(v, w) = v^T w + w^T w", "L(w, b) = (w^T y + b)^2", "q(v, u) = v^T M u"]
VECTORS = {
    "v": "n x 1", "w": "n x 1", "y": "n x 1", "M": "n x m", "u": "m x 1", "b": "scalar",
}  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\nabla g(v, w) = \begin{pmatrix} w \\ v + 2w \end{pmatrix}", "holds"),
        (r"\nabla g(v, w) = \begin{pmatrix} w \\ v + w \end{pmatrix}", "wrong value"),
        (r"\nabla g(v, w) = v + 2w", "holds"),
        (r"\nabla g(v, w) = v + w", "wrong value"),
        (r"\nabla L(w, b) = 2(w^T y + b)\begin{pmatrix} y \\ 1 \end{pmatrix}", "holds"),
        (r"\nabla L(w, b) = 2(w^T y + b)\begin{pmatrix} y \\ b \end{pmatrix}", "wrong value"),
        (r"\nabla q = \begin{pmatrix} M u \\ M^T v \end{pmatrix}", "holds"),
        (r"\nabla q = \begin{pmatrix} M^T v \\ M u \end{pmatrix}", "wrong value"),
    ],
)
def test_a_gradient_by_several_vectors_is_by_all_of_them_or_by_the_customary_one(
    claim: str, verdict: str
) -> None:
    (result,) = workings.check(symbols=VECTORS, equations=OF_TWO, claims=[claim], seed=3)
    assert result.verdict == verdict
    if result.repair:
        assert result.repair.formula.startswith(r"\nabla") or "partial" in result.repair.formula
