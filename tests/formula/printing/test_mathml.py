"""MathML: well-formed XML whose elements have as many children as they take."""

from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tests.claims.sets import NAMES
from tests.formula.printing.test_latex import trees
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.mathml import mathml

CHILDREN = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3, "munder": 2, "mover": 2}
CHILDREN |= {"munderover": 3, "math": 1}
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


def elements(written: str) -> ElementTree.Element:
    root = ElementTree.fromstring(written)
    for element in root.iter():
        tag = element.tag.removeprefix(NAMESPACE)
        assert len(element) == CHILDREN.get(tag, len(element)), written
        assert tag not in ("mi", "mn", "mo", "mtext") or not len(element)
    return root


def shown(written: str) -> str:
    """All signs in their order, as a reader sees them."""
    return "".join(elements(written).itertext()).replace("\u2062", " ")


@given(st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_tree_is_well_formed_before_and_after_names_are_looked_up(
    data: st.DataObject,
) -> None:
    node = data.draw(trees("1", "n", depth=3))
    elements(mathml(node))
    elements(mathml(NAMES.resolve(node)))


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("x W + b_1", "x W+b1"),
        (r"\frac{a + b}{2}", "a+b2"),
        (r"\hat{y}_j^{(t)}", "y^j(t)"),
        (r"\sigma(W^\top x)", "σ(W⊤ x)"),
        (r"\sum_{j=1, j \ne k}^{n} y_j", "∑j=1j≠knyj"),
        (r"\mathbf{1}_{n \times 1} (a - b)", "1n×1 (a−b)"),
        (r"\begin{bmatrix} 1 & a \\ b & 4 \end{bmatrix}", "[1ab4]"),
        (r"\frac{\partial E}{\partial W}", "∂E∂W"),
        (r"\|x\|_1 \odot \binom{n}{k}", "‖x‖1⊙(nk)"),
        (r"\tanh'(x)^2", "(tanh′(x))2"),
        (r"\prod_{i=3,\dots,1} M", "∏i=3,…,1M"),
        (r"\mathbb{R}^{n \times d}", "ℝn×d"),
    ],
)
def test_what_a_reader_sees(text: str, signs: str) -> None:
    assert shown(mathml(parse_expression(text))) == signs


def test_structure_and_escaping() -> None:
    fraction = elements(mathml(parse_expression(r"\frac{a}{b}"), display=True))
    assert fraction.get("display") == "block"
    top, bottom = fraction.find(f".//{NAMESPACE}mfrac") or []
    assert ("".join(top.itertext()), "".join(bottom.itertext())) == ("a", "b")
    assert "<b>" not in mathml(parse_expression(r"W_{<b>}"))


def test_brackets_grow_only_around_what_is_tall() -> None:
    assert 'stretchy="false"' in mathml(parse_expression("W (a - b)"))
    assert "stretchy" not in mathml(parse_expression(r"W (\frac{a}{b} + c)"))
