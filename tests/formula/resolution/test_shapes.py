"""Shapes before there are values: where one follows, it is that of the value."""

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings

from tests.formula.printing.test_latex import SIZES, VALUES, computed, trees
from workings.formula import nodes as f
from workings.formula.parsing.parse import parse_expression
from workings.formula.resolution.names import Names
from workings.formula.resolution.shapes import Shape, is_matrix, is_vector, shape_of

SIDES = {1: "1", **{size: name for name, size in SIZES.items()}}
SHAPES: dict[str, Shape] = {
    name: tuple(SIDES[side] for side in value.shape) for name, value in VALUES.items()
}
NAMES = Names(symbols=list(VALUES), sizes=list(SIZES), shapes=SHAPES)


def _turns_a_number(node: f.Node) -> bool:
    body = node.body if isinstance(node, f.Transpose) else None
    return isinstance(body, f.Symbol) and body.name in SHAPES and not SHAPES[body.name]


@given(st.sampled_from([("1", "1"), ("1", "n"), ("d", "n"), ("n", "n")]), st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_shape_that_follows_is_that_of_the_value(
    shape: tuple[str, str], data: st.DataObject
) -> None:
    node = data.draw(trees(*shape, depth=3))
    assume(not any(_turns_a_number(part) for part in node.walk()))  # which is not read
    inferred = shape_of(NAMES.resolve(node), SHAPES)
    if inferred is not None:
        sides = [side for side in computed(node).shape if side != 1]
        assert [SIZES[side] for side in inferred if side != "1"] == sides


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x W", ("1", "n")),
        ("x u", ()),
        ("W^T", ("n", "d")),
        ("a W + K", ("d", "n")),
        (r"\|W\|_F", ()),
        ("W_{1,2}", ()),
        ("W_2", ("1", "n")),
        (r"\tanh(x) W", ("1", "n")),
        ("I_n", ("n", "n")),
        (r"\mathbf{1}_n", ("n", "1")),
        (r"\mathrm{diag}(x)", ("d", "d")),
        (r"W \mathrm{diag}(x W) W^T", ("d", "d")),
        (r"\mathrm{vec}(W)", ("d·n", "1")),
        (r"W^T \otimes W", ("d·n", "d·n")),
        (r"I_n \otimes W", ("d·n", "n·n")),
        ("W^+", ("n", "d")),
        ("W_{1,:}", ("1", "n")),
    ],
)
def test_shapes(text: str, expected: Shape | None) -> None:
    assert shape_of(NAMES.resolve(parse_expression(text)), SHAPES) == expected


def test_kinds_of_shapes() -> None:
    assert is_vector(("1", "n"))
    assert is_matrix(("m", "n"))
    for neither in ((), None):
        assert not is_vector(neither)
        assert not is_matrix(neither)
    assert shape_of(f.Reference("unknown", "q"), {}) is None
