"""A formula written back: reading it again gives the same value."""

from fractions import Fraction

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import assume, given, settings

from tests.claims.sets import NAMES, SIZES, VALUES, assert_same
from workings.formula import nodes as f
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import is_written, latex, plain_latex
from workings.formula.printing.mathml import mathml
from workings.formula.printing.text import text

S = f.Symbol
LEAVES: dict[tuple[str, str], list[f.Node]] = {
    ("1", "1"): [S("a"), S("b"), S("c"), f.Number(Fraction(2)), f.Number(Fraction(1, 3))],
    ("1", "n"): [S("y"), S("p"), S("b", sub="1"), S("y", ("hat",)), S("y", ("hat",), "", "(t)"),
                 S("h", label="(t-1)"), S("\\alpha"), f.Ones(f.Number(Fraction(1)), S("n"))],
    ("1", "d"): [S("x")],
    ("d", "1"): [S("u")],
    ("d", "n"): [S("W"), S("K"), S("W", label="Q")],
    ("n", "d"): [S("W", sub="ph")],
    ("n", "n"): [S("M"), S("G"), f.Identity(S("n"))],
}  # fmt: skip
SIDES = ("1", "n", "d")


@st.composite
def trees(draw: st.DrawFn, rows: str, columns: str, depth: int) -> f.Node:
    """A random formula of this shape."""

    def inner(*shape: str) -> f.Node:
        return draw(trees(shape[0], shape[1], depth - 1))

    leaves = LEAVES.get((rows, columns), [])
    ways = ["leaf"] * bool(leaves)
    if depth > 0:
        ways += ["sum", "negative", "product", "elementwise", "transpose", "quotient", "call"]
        ways += ["power", "total", "index", "norm", "dot"] if rows == columns == "1" else []
        ways += ["softmax"] if rows == "1" and columns != "1" else []
        ways += ["diag", "matrix power"] if rows == columns == "n" else []
    elif not leaves:
        ways = ["transpose"] if (columns, rows) in LEAVES else ["ones"]
    way = draw(st.sampled_from(ways))
    if way == "leaf":
        return draw(st.sampled_from(leaves))
    if way == "ones":
        side = {"1": f.Number(Fraction(1))}
        return f.Ones(side.get(rows, S(rows)), side.get(columns, S(columns)))
    if way == "sum":
        terms = [inner(rows, columns) for _ in range(draw(st.integers(2, 3)))]
        return f.Sum(tuple(f.Negative(x) if draw(st.booleans()) else x for x in terms))
    if way == "negative":
        return f.Negative(inner(rows, columns))
    if way == "product":
        middle = draw(st.sampled_from(SIDES))
        return f.Product((inner(rows, middle), inner(middle, columns)))
    if way == "elementwise":
        count = draw(st.integers(2, 3))
        return f.Elementwise(tuple(inner(rows, columns) for _ in range(count)))
    if way == "transpose":
        body = inner(columns, rows) if depth > 0 else draw(st.sampled_from(LEAVES[columns, rows]))
        return f.Transpose(body)
    if way == "quotient":
        return f.Quotient(inner(rows, columns), f.Call("exp", (inner("1", "1"),)))
    if way == "call":
        name = draw(st.sampled_from(["tanh", "sigmoid", "exp", "relu", "\\sigma", "softplus"]))
        primes = draw(st.integers(0, 1))
        return f.Call(name, (inner(rows, columns),), primes)
    if way == "softmax":
        return f.Call("softmax", (inner(rows, columns),))
    if way == "norm":
        return f.Call("norm", (inner("1", "n"), f.Number(Fraction(2))))
    if way == "dot":
        side = draw(st.sampled_from(("n", "d")))
        return f.Dot(inner("1", side), inner("1", side))
    if way == "power":
        return f.Power(f.Call("abs", (inner("1", "1"),)), draw(st.sampled_from(EXPONENTS)))
    if way == "matrix power":
        return f.Power(inner("n", "n"), f.Number(Fraction(2)))
    if way == "diag":
        return f.Call("diag", (inner("1", "n"),))
    if way == "index":
        return f.Index(f.Transpose(inner("n", "1")), (f.Number(Fraction(2)),))
    assert way == "total"
    low = f.Number(Fraction(draw(st.integers(1, 2))))
    without = (f.Number(Fraction(2)),) if draw(st.booleans()) else ()
    bound = f.Range("j", low, S("n"), without)
    entry = f.Index(f.Transpose(inner("n", "1")), (S("j"),))
    return f.Total((bound,), f.Product((entry, inner("1", "1"))))


EXPONENTS: list[f.Node] = [
    f.Number(Fraction(2)), f.Number(Fraction(1, 2)), S("c"), f.Negative(S("c")),
]  # fmt: skip


def computed(node: f.Node) -> torch.Tensor:
    return Scope(SIZES, dict(VALUES)).value(NAMES.resolve(node))


@given(st.sampled_from([("1", "1"), ("1", "n"), ("d", "n"), ("n", "n")]), st.data())
@settings(max_examples=250, deadline=None, derandomize=True)
def test_what_is_written_reads_back_with_the_same_value(
    shape: tuple[str, str], data: st.DataObject
) -> None:
    node = data.draw(trees(*shape, depth=3))
    before = computed(node)
    assume(bool(torch.isfinite(before).all()) and float(before.abs().max()) < 1e8)
    text = latex(node)
    again = parse_expression(text)
    assert_same(computed(again), before)
    assert latex(again) == latex(parse_expression(latex(again)))  # it has settled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"(x W) \odot y", r"x W \odot y"),
        (r"x (W \odot K)", r"x (W \odot K)"),
        ("((a))", "a"),
        ("(a + b) c", "(a + b) c"),
        ("(W^T)^T", r"(W^\top)^\top"),
        (r"(h^{(t)})^T", r"(h^{(t)})^\top"),
        ("-(a + b)", "-(a + b)"),
        ("a - (b - c)", "a - (b - c)"),
        (r"sigmoid(y)", r"\mathrm{sigmoid}(y)"),
        ("σ(y)", r"\sigma(y)"),
        (r"\sum_{j=1}^{n} y_j", r"\sum_{j=1}^n y_j"),
        ("dE/dW", r"\frac{\partial E}{\partial W}"),
    ],
)
def test_no_more_brackets_than_needed(text: str, expected: str) -> None:
    assert latex(parse_expression(text)) == expected


@pytest.mark.parametrize("opening", ["norm(", "abs(", "sqrt(", "binom(5, ", "tanh(", "-(", "["])
def test_what_is_nested_deep_is_written_at_once(opening: str) -> None:
    """Every part is written once: twice at each level would take 2^45 steps."""
    closing = {"(": ")", " ": ")", "[": "; 2]"}[opening[-1]]
    node = parse_expression(opening * 45 + "a" + closing * 45)
    for write in (latex, mathml, text):
        assert "a" in write(node)


@pytest.mark.parametrize(
    "written", [r"\|y\|_1", r"\|y\|_{\infty}", "|(|a|)|", r"|(a |b| c)|", r"\|(|a| y)\|", "(b_1)_2"]
)
def test_norms_and_bars_read_back_as_they_are(written: str) -> None:
    node = parse_expression(written, ["b_1"])
    assert latex(node) == written
    assert_same(computed(parse_expression(latex(node), ["b_1"])), computed(node))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("y", "y"),
        ("hat y_j^(t)", r"\hat{y}_j^{(t)}"),
        ("W_ph", "W_{ph}"),
        ("\\alpha", r"\alpha"),
        ("loss", r"\mathrm{loss}"),
        ("b1", "b1"),
        ("W^Q", "W^Q"),
    ],
)
def test_a_declared_name_as_latex(name: str, written: str) -> None:
    assert plain_latex(name) == written
    node = parse_expression(written, [name, "b1", "loss"])
    if isinstance(node, f.Symbol):
        assert node.name == name


def test_a_row_of_one_entry_is_not_taken_for_that_entry() -> None:
    entry = f.Negative(S("x"))
    row = f.Row((entry,))
    assert latex(row) == latex(entry)
    assert is_written(entry, "-x")
    assert not is_written(row, "-x")
