"""Values: strict shapes, sums and products over indices, and limits on what may be computed."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings

from tests.claims.sets import NAMES, SIZES, VALUES, assert_same, fence, value
from workings.errors import WorkingsError
from workings.formula.errors import NotRead, Undefined
from workings.formula.evaluation.arithmetic import add, matmul, times
from workings.formula.evaluation.budget import Budget
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression

v = VALUES
sides = st.integers(1, 4)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64)


@given(sides, sides, sides, sides)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_shapes_are_strict(a: int, b: int, c: int, d: int) -> None:
    """A product needs equal inner sides, an elementwise one equal shapes; only a number scales."""
    left, right = random(a, b), random(c, d)
    number = a == b == 1 or c == d == 1
    if b == c or number:
        expected = left * right if number else left @ right
        assert_same(matmul(left, right), expected)
    else:
        with pytest.raises(Undefined, match=f"the product of {a}×{b} and {c}×{d}"):
            matmul(left, right)
    if (a, b) == (c, d) or number:
        assert_same(times(left, right), left * right)
    else:
        with pytest.raises(Undefined, match=f"elementwise product of {a}×{b} and {c}×{d}"):
            times(left, right)
    row = (a == c and 1 in (b, d)) or (b == d and 1 in (a, c))
    if (a, b) == (c, d) or number or row:
        assert_same(add(left, right), left + right)
    else:
        with pytest.raises(Undefined, match=f"the sum of {a}×{b} and {c}×{d}"):
            add(left, right)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x x", ["1×5", "x with x"]),
        ("x W W", ["1×3", "5×3", "x W with W"]),
        (r"x \odot y", ["elementwise", "1×5", "1×3", "x with y"]),
        ("x + y", ["sum", "1×5", "1×3"]),
        ("a + x W y", ["1×3", "x W with y"]),
        ("W^2", []),
        (r"\det(W)", ["5×3", "not square"]),
        ("tr(x)", ["1×5"]),
        ("W_{6,1}", ["outside 5×3"]),
        ("y_0", ["outside 1×3"]),
        ("y_4", ["outside 1×3"]),
        (r"\sum_{i=1}^{\infty} i", ["infinity"]),
        (r"\sum_{i} i", ["no bounds"]),
        (r"\frac{x}{y}", ["quotient", "1×5", "1×3"]),
        ("2^y", ["exponent"]),
        ("M^{1/2}", ["not symmetric"]),
        ("tanh(a, b)", ["tanh", "2 arguments"]),
        ("softmax'(y)", ["softmax'"]),
        ("y_{a}", ["whole number"]),
        (r"\langle x, y \rangle", ["inner product", "1×5", "1×3"]),
    ],
)
def test_what_has_no_value_is_named(text: str, parts: list[str]) -> None:
    if text == "W^2":
        assert_same(value(text), v["W"] ** 2)  # of what is not square, by entries
        return
    with pytest.raises(Undefined) as caught:
        value(text)
    for part in parts:
        assert part in str(caught.value)


def test_sums_and_products_over_indices() -> None:
    W, M = v["W"], v["M"]
    assert_same(value(r"\sum_{i=1}^{d} W_{i,2}"), W[:, 1].sum())
    assert_same(value(r"\sum_i W_i"), W.sum(0, keepdim=True))
    assert_same(value(r"\sum_{i=2}^{4} \sum_{j=1}^{2} W_{ij}"), W[1:4, :2].sum())
    assert_same(value(r"\prod_{i=1}^{3} (M + i I_n)"), _chain(M, [1, 2, 3]))
    assert_same(value(r"\prod_{i=3,\dots,1} (M + i I_n)"), _chain(M, [3, 2, 1]))
    assert_same(value(r"\sum_{i=4}^{3} y_1"), torch.tensor(0.0).double())
    assert_same(value(r"a \prod_{i=4}^{3} y_1"), v["a"])
    assert_same(value(r"\sum_{i=1}^{3} i^2"), torch.tensor(14.0).double())


def _chain(m: torch.Tensor, numbers: list[int]) -> torch.Tensor:
    product = torch.eye(3, dtype=torch.float64)
    for number in numbers:
        product = product @ (m + number * torch.eye(3))
    return product


def test_powers() -> None:
    M, G = v["M"], v["G"]
    assert_same(value("M^{-1}"), torch.linalg.inv(M))
    assert_same(value("M^3"), M @ M @ M)
    assert_same(value("G^{-1/2}"), torch.diag(torch.diagonal(G) ** -0.5))
    assert_same(value("p^{-1}"), 1 / v["p"])


def test_an_index_may_be_used_again() -> None:
    text = r"\sum_{i=1}^{2} (y_i + \sum_{i=1}^{3} p_i)"
    assert_same(value(text), v["y"][0, :2].sum() + 2 * v["p"].sum())


HOSTILE = {
    "sum to 10^9": r"\sum_{i=1}^{1000000000} a",
    "sum to 10^12": r"\sum_{i=1}^{10^{12}} i",
    "sum to 10^300": r"\sum_{i=1}^{10^{300}} i",
    "product to 10^9": r"\prod_{i=1}^{1000000000} a",
    "nested sums": r"\sum_{i=1}^{1000}\sum_{j=1}^{1000}\sum_{k=1}^{1000} i j k",
    "ones": r"\mathbf{1}_{100000 \times 100000}",
    "outer": r"\mathbf{1}_{100000 \times 1} \mathbf{1}_{1 \times 100000}",
    "outer sign": r"\mathbf{1}_{100000} \otimes \mathbf{1}_{100000}",
    "identity": r"I_{100000 \times 100000}",
    "diagonal": r"\mathrm{diag}(\mathbf{1}_{100000})",
    "many blocks": "[" + ",".join([r"\mathbf{1}_{1000 \times 3000}"] * 60) + "]",
    "large products": r"\mathbf{1}_{2000 \times 2000}" * 60,
    "factorial": "1000000000!",
    "factorial of a factorial": "170!!!",
    "factorial of nothing": "(0/0)!",
    "factorial of infinity": "(1/0)!",
    "binomial": r"\binom{1000000000}{500000000}",
    "binomial of infinity": r"\binom{\infty}{2}",
    "binomial of one": "binom(5)",
    "singular": r"(\mathbf{1}_{n \times n})^{-1}",
    "singular by name": r"\mathrm{inv}(\mathbf{1}_{n \times n})",
    "many primes": "σ" + "'" * 60 + "(a)",
    "norm of an order": "norm(x, x)",
    "features of no end": "maclaurin(x, 1000000000)",
    "features of many": "maclaurin(x, 60)",
    "features of a vector": "maclaurin(x, x)",
    "features of a fraction": "maclaurin(x, 1/2)",
    "index of 10^9": "y_{1000000000}",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_no_formula_takes_a_gigabyte_or_more_than_seconds(what: str) -> None:
    """It has no value, or it is refused; it does not hang, fill the memory or crash."""
    with fence(), pytest.raises((Undefined, WorkingsError)) as caught:
        value(HOSTILE[what])
    assert len(str(caught.value).split("\n")[0]) < 300


@pytest.mark.parametrize("text", ["10^{10^{10^{10}}}", "9^{9^{9^9}}", "a^{1000000000}", "1/0"])
def test_huge_powers_are_infinite_or_zero_at_once(text: str) -> None:
    with fence():
        result = value(text)
    assert not torch.isfinite(result).all() or float(result.abs().max()) == 0


def test_a_budget_ends() -> None:
    node = NAMES.resolve(parse_expression(r"\sum_{i=1}^{100} i"))
    with pytest.raises(WorkingsError, match="too long"):
        Scope(SIZES, dict(VALUES), budget=Budget(steps=50)).value(node)
    assert float(Scope(SIZES, dict(VALUES)).value(node)) == 5050


@pytest.mark.parametrize("text", ["h1e400", "1e400", "2e-400"])
def test_a_number_with_a_long_exponent_is_no_number(text: str) -> None:
    with pytest.raises(NotRead, match="exponent"):
        parse_expression(text)
