"""What names stand for; the nearest one is offered for an unknown one."""

import pytest

from tests.claims.sets import NAMES, VALUES, WORDS, check, value
from workings.formula import nodes as f
from workings.formula.errors import FormulaError, NotRead
from workings.formula.parsing.parse import parse_expression
from workings.formula.resolution.names import Names


def resolved(text: str, names: Names = NAMES) -> f.Node:
    return names.resolve(parse_expression(text, WORDS), text)


def test_each_kind_of_name() -> None:
    assert isinstance(resolved("W"), f.Reference)
    assert isinstance(resolved("n"), f.Size)
    assert isinstance(resolved("|n|"), f.Size)
    assert isinstance(resolved("|a|"), f.Call)
    assert isinstance(resolved("y_2"), f.Index)
    assert isinstance(resolved("b_1"), f.Reference)  # declared as it stands
    assert isinstance(resolved("I_n"), f.Identity)
    assert isinstance(resolved("W^Q"), f.Reference)
    assert isinstance(resolved("M^2"), f.Power)
    assert isinstance(resolved("e^a"), f.Call)


def test_e_is_a_symbol_where_it_is_declared() -> None:
    own = Names(symbols=["e"])
    assert isinstance(own.resolve(parse_expression("e^2")), f.Power)


@pytest.mark.parametrize(
    ("text", "name", "nearest", "at"),
    [
        ("x Q", "Q", "", 2),
        (r"a + \hat{x}", r"\hat{x}", "hat y", 9),
        ("W_{pq} u", "W_{pq}", "W_ph", 0),
        ("Loss", "L", "", 0),
        (r"a \beta", r"\beta", "", 2),
        ("x + losss", "s", "", 8),
    ],
)
def test_an_unknown_name_is_an_error_with_its_place(
    text: str, name: str, nearest: str, at: int
) -> None:
    with pytest.raises(FormulaError) as caught:
        value(text)
    message, _, caret = str(caught.value).split("\n")
    assert message.startswith(name)
    assert "not declared" in message
    assert not nearest or f"did you mean {nearest}?" in message
    assert caret.index("^") == 4 + at


@pytest.mark.parametrize("text", ["x.__class__", "x.shape", "x.t()", "x.__init__.__globals__"])
def test_no_attribute_is_reachable(text: str) -> None:
    with pytest.raises(FormulaError):
        value(text)


def test_an_unknown_function_is_an_error() -> None:
    with pytest.raises(FormulaError, match="softmux"):
        check({"x": "1 x d"}, ["z = x"], r"z = \mathrm{softmux}(x)")
    with pytest.raises(FormulaError):
        check({"x": "1 x d"}, ["z = x"], "z = __import__(x)")


def test_an_index_that_is_also_a_symbol_is_refused() -> None:
    with pytest.raises(FormulaError, match="x"):
        value(r"\sum_{x=1}^{3} x")


def test_a_derivative_is_taken_by_a_name() -> None:
    with pytest.raises(FormulaError, match="declared name"):
        value(r"\frac{\partial a}{\partial (x + x)}")


def test_bound_indices_end_with_their_sum() -> None:
    assert float(value(r"\sum_{i=1}^{2} \sum_{j=i}^{2} i j")) == 1 + 2 + 4
    with pytest.raises(FormulaError, match="i is not declared"):
        value(r"i + \sum_{i=1}^{2} y_i")


def test_a_sum_reaches_as_far_as_its_index() -> None:
    y = VALUES["y"].reshape(-1)
    assert float(value(r"\sum_{i=1}^{2} y_i + i")) == pytest.approx(float(y[0] + y[1]) + 3)
    assert float(value(r"\sum_{i=1}^{2} y_i + 1")) == pytest.approx(float(y[0] + y[1]) + 1)
    apart = value(r"\sum_{i=1}^{2} y_i + \sum_{i=1}^{2} i")
    assert float(apart) == pytest.approx(float(y[0] + y[1]) + 3)


def test_steps_of_what_lives_in_time() -> None:
    timed = Names(symbols=["h", "W"], timed=["h"], time="t")
    for text in ("h^{(t-1)}", "h_{t-1}"):
        node = timed.resolve(parse_expression(text), text)
        assert isinstance(node, f.Reference)
        assert node.name == "h"
        assert isinstance(node.step, f.Sum)
    with pytest.raises(FormulaError, match="no step"):
        timed.resolve(parse_expression("h^{(q)}"), "h^{(q)}")


def test_a_row_of_a_declared_delta_is_not_kroneckers() -> None:
    shapes = {"\\delta_h": "N x h", "\\delta_1": "scalar", "x": "h x 1", "y": "h x 1"}
    with pytest.raises(NotRead, match="is not declared"):
        check(shapes, [], r"\sum_{j=1}^N \delta_{hj} = 1")
    claim = r"\sum_i \sum_j x_i \delta_{ij} y_j = x^T y"
    assert check(shapes, [], claim).verdict == "holds"
