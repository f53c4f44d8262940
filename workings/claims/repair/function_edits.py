"""Edits of functions: a norm for its square, the least eigenvalue for the largest, a slope."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.printing.latex import latex

Edit = tuple[f.Node, str]
"""another formula, and what was changed in it"""
NORMS = frozenset({"norm", "frobenius", "nuclear"})
OPPOSITES = {
    "\\lambda_{\\max}": "\\lambda_{\\min}", "\\sigma_{\\max}": "\\sigma_{\\min}", "max": "min",
    "argmax": "argmin", "sin": "cos", "sinh": "cosh",
}  # fmt: skip
OPPOSITES |= {other: name for name, other in OPPOSITES.items()}
"""what is easily taken for each other"""


def of_functions(node: f.Node) -> Iterator[Edit]:
    """A norm for its square, and a function for its opposite."""
    if isinstance(node, f.Call) and node.function in NORMS:
        square = f.Power(node, f.Number(Fraction(2)))
        yield square, f"{latex(square)} in place of {latex(node)}"
    if isinstance(node, f.Call) and node.function in OPPOSITES and not node.primes:
        other: f.Node = f.Call(OPPOSITES[node.function], node.arguments, 0, node.position)
        yield other, f"{latex(other)} in place of {latex(node)}"
    if isinstance(node, f.Extreme) and node.function in OPPOSITES:
        other = f.Extreme(OPPOSITES[node.function], node.ranges, node.body)
        yield other, f"{latex(other)} in place of {latex(node)}"


def root_or_square(node: f.Node) -> Iterator[Edit]:
    """The root of the whole formula, or its square."""
    root, square = f.Call("sqrt", (node,)), f.Power(node, f.Number(Fraction(2)))
    yield root, f"the root of {latex(node)}"
    yield square, f"the square of {latex(node)}"


def parts(node: f.Node) -> Iterator[Edit]:
    """A derivative for a function and back, a vector for a diagonal and back, A ⊗ B for B ⊗ A."""
    if isinstance(node, f.Call) and len(node.arguments) == 2:
        first, second = node.arguments
        swapped = f.Call(node.function, (second, first), node.primes, node.position)
        yield swapped, f"{latex(first)} and {latex(second)} in the other order"
    if not isinstance(node, f.Call) or len(node.arguments) != 1:
        return
    name, arguments = node.function, node.arguments
    if name in ("diag", "Diag"):
        yield arguments[0], f"{latex(arguments[0])} itself, not a diagonal matrix of it"
    elif node.primes:
        yield (
            f.Call(name, arguments, 0, node.position),
            f"{latex(f.Call(name, arguments))}, not its slope",
        )
    else:
        yield f.Call(name, arguments, 1, node.position), f"the slope of {latex(node)}"


def within(node: f.Node, functions: Sequence[str]) -> Iterator[Edit]:
    """Inside a function that the formula uses elsewhere: exp(S) for S."""
    if isinstance(node, f.Reference | f.Index):
        for name in functions:
            wrapped = f.Call(name, (node,))
            yield wrapped, f"{latex(wrapped)} in place of {latex(node)}"
