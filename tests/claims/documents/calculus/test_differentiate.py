"""Derivatives worked out by rules, held against autograd at points."""

import pytest
import torch

from workings.claims.documents.calculus.differentiate import NotElementary, differentiated
from workings.formula import nodes as f
from workings.formula.evaluation.evaluate import Scope
from workings.formula.parsing.parse import parse_expression

FORMULAS = [
    "x^3 y - 2 x y^2 + 7", r"\frac{x}{x^2 + y^2}", r"x^y", r"y^{x}", r"e^{x y} x", r"x^{-1/2}",
    r"\sin(x y) \cos x", r"\tan x + \cot x", r"\sec(x) \csc(x)",
    r"\arcsin(x / 4)", r"\arccos(x / 4)",
    r"\arctan(x y)", r"\sinh x \cosh x", r"\tanh(x^2)", r"\ln(x^2 + y)", r"\log x", r"\sqrt{x + y}",
    r"\exp(-x)", r"\sigma(x y)", r"-(x - y)^2", r"(\sin x)^{x}",
    r"\frac{1}{\sqrt{4 \pi y}} e^{-x^2 / (4 y)}",
    r"x \cdot y \cdot x", r"2^x",
]  # fmt: skip


def value(node: f.Node, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def looked_up(part: f.Node) -> f.Node:
        if isinstance(part, f.Symbol):
            is_constant = part.name in ("e", "\\pi")
            return f.Constant(part.name) if is_constant else f.Reference(part.name, part.name)
        return part.rebuilt(looked_up)

    return Scope({}, {"x": x, "y": y}).value(looked_up(node))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_derivative_is_what_autograd_gives(text: str) -> None:
    formula = parse_expression(text)
    for at in (0.4, 1.3, 2.2):
        x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        y = torch.tensor(at / 2 + 0.3, dtype=torch.float64, requires_grad=True)
        right = torch.autograd.grad(value(formula, x, y) + 0 * (x + y), (x, y))
        for name, slope in zip("xy", right, strict=True):
            torch.testing.assert_close(value(differentiated(formula, name), x, y), slope)


def test_vectors_are_differentiated_by_entries_and_other_functions_not_at_all() -> None:
    vector = parse_expression("(x^2, y, x y)")
    (slopes,) = differentiated(vector, "x").children()
    numbers = [value(each, torch.tensor(3.0), torch.tensor(5.0)) for each in slopes.children()]
    assert [float(each) for each in numbers] == [6, 0, 5]
    with pytest.raises(NotElementary):
        differentiated(parse_expression(r"\max(x, y)"), "x")
