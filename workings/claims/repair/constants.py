"""A formula without a constant that it has too much, as the comparison of values names it."""

from fractions import Fraction

from workings.claims.repair.plain import product
from workings.formula import nodes as f
from workings.formula.printing.latex import latex


def scaled_by(node: f.Node, name: str) -> tuple[f.Node, list[str]]:
    """The node divided by a constant that it has too much: 2, -1, 1/2, n, 2/n, √n or n/2."""
    if name == "1":
        return node, []
    if name == "-1":
        body = node.body if isinstance(node, f.Negative) else f.Negative(node)
        return body, ["the sign"]
    try:
        number = f.Number(1 / Fraction(name))
        return product((number, node)), [f"times {latex(number)}"]
    except ValueError:
        pass
    top, _, bottom = name.partition("/")
    inverse = f"{bottom or '1'}/{top}" if bottom else f"1/{top}"
    factor_ = _in_sizes(bottom, top.strip("()")) if bottom else _in_sizes("1", top)
    return product((factor_, node)), [f"times {inverse}"]


def _in_sizes(top: str, bottom: str) -> f.Node:
    """A quotient of products of numbers and sizes, as in 2 n over 3."""

    def read(text: str) -> f.Node:
        words = text.strip("()").replace("-", "-1 ").split()
        return product([_part(word) for word in words])

    if bottom == "1":
        return read(top)
    return f.Quotient(read(top), read(bottom))


def _part(word: str) -> f.Node:
    """A number, a size, or the root of one."""
    if word.lstrip("-").isdigit():
        return f.Number(Fraction(word))
    return f.Call("sqrt", (f.Size(word[1:]),)) if word.startswith("√") else f.Size(word)
