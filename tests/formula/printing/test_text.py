"""Plain text reads back as the same formula, and looks as one writes it by hand."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests.formula.test_polynomial import SYMBOLS, polynomials
from workings.formula.parsing.parse import parse_expression
from workings.formula.polynomial import Polynomial
from workings.formula.printing.text import text
from workings.formula.sizes import parse_sizes


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\frac{n d^2}{2h}", "n·d²/(2·h)"),
        (r"\alpha \odot W^\top x", "α ⊙ Wᵀ·x"),
        (r"\sum_{i=1}^{n} x_i", "∑_(i=1)^(n) x_i"),
        (r"e^{-x}", "e^(-x)"),
        ("(a + b)(c - 1/2)", "(a + b)·(c - 1/2)"),
        (r"\hat{y} - 1000", "ŷ - 1,000"),
        (r"\frac{\partial E}{\partial W}", "∂E/∂W"),
        ("[1, a; b, 4]", "[1, a; b, 4]"),
        (r"\sqrt{x} \|x\| \binom{n}{k}", "√(x)·‖x‖·C(n, k)"),
    ],
)
def test_as_one_writes_it(formula: str, shown: str) -> None:
    assert text(parse_expression(formula)) == shown


@given(polynomials)
def test_a_polynomial_reads_back_from_text_and_latex(p: Polynomial) -> None:
    for written in (str(p).replace(",", ""), p.latex()):
        assert parse_sizes(written, SYMBOLS).polynomial() == p


@given(st.integers(0, 10**9))
def test_numbers_have_their_thousands_apart(number: int) -> None:
    assert text(parse_expression(str(number))) == f"{number:,}"
