"""One edit away: every edit is another formula, and the slips of a pen are among them."""

import pytest

from tests.claims.sets import NAMES, SIZES, VALUES
from workings.claims.repair.edits import edits
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex


def node(text: str) -> f.Node:
    return NAMES.resolve(parse_expression(text))


def forms(text: str, *pool: str) -> list[str]:
    return [latex(other) for other, _ in edits(node(text), [node(name) for name in pool])]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x W", r"x W^\top"),
        ("x W^T", "x W"),
        ("W x", "x W"),
        (r"y \odot p", "y p"),
        ("y p", r"y \odot p"),
        ("y p M", r"(y \odot p) M"),
        (r"y (p \odot M)", r"y p \odot M"),
        ("a + b", "a - b"),
        ("-a", "a"),
        ("a", "-a"),
        ("a b c", "a c"),
        ("a + b + c", "a + c"),
        ("2 a", "1 a"),
        ("2 a", "4 a"),
        ("tanh(y)", r"\tanh'(y)"),
        ("tanh'(y)", r"\tanh(y)"),
        (r"\sum_{i=1}^{n} y_i", r"\sum_{i=2}^n y_i"),
        (r"\sum_{i=1}^{n} y_i", r"\sum_{i=1}^{n - 1} y_i"),
        (r"\sum_{i=1, i \neq 2}^{n} y_i", r"\sum_{i=1}^n y_i"),
        ("M^2", "M"),
        (r"\frac{x W}{a}", r"\frac{x W^\top}{a}"),
        ("tanh(x W)", r"\tanh(x W^\top)"),
        ("diag(y)", "y"),
    ],
)
def test_the_slips_of_a_pen(wrong: str, right: str) -> None:
    assert right in forms(wrong)


def test_a_factor_or_a_name_comes_from_the_pool() -> None:
    edited = forms("x W", "p", "M")
    assert r"x W \odot p" in edited
    assert "x W M" in edited
    assert r"x W M^\top" in edited
    assert "x M" in edited
    assert not [form for form in forms("x W") if "M" in form]


@pytest.mark.parametrize(
    "text",
    [
        r"x (W \odot K) M^T", r"2 \tanh(y) - p \odot y", r"\sum_{i=1}^{n} y_i p_i + a^2",
        r"\frac{y M}{n} + b_1", r"\mathrm{diag}(p) M", r"-\sigma(x W) \odot (1 - \sigma(x W))",
    ],
)  # fmt: skip
def test_every_edit_differs_and_is_told(text: str) -> None:
    before = node(text)
    seen = list(edits(before, [node("p")]))
    assert len(seen) > 10
    for other, what in seen:
        assert what
        assert other is not before
    written = [latex(other) for other, _ in seen]
    assert latex(before) not in written


def test_what_a_derivative_is_of_is_not_in_question() -> None:
    for other, _ in edits(node(r"\frac{\partial a}{\partial W} M")):
        inner = [part for part in other.walk() if isinstance(part, f.Derivative)]
        assert [latex(part) for part in inner] in ([], [r"\frac{\partial a}{\partial W}"])


def test_edits_of_edits_can_be_computed_or_are_undefined() -> None:
    """Nothing but Undefined comes out of computing what is two edits away."""
    scope = Scope(SIZES, dict(VALUES))
    values = 0
    for once, _ in edits(node(r"x W \odot y")):
        for twice, _ in edits(once):
            try:
                values += bool(scope.value(twice).numel())
            except Undefined:
                continue
    assert values > 50
