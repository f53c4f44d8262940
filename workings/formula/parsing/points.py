r"""Formulas at a point, \frac{\partial f}{\partial x}\Big|_{(1, 2)}, f\big|_{x = 1}."""

from workings.formula import nodes as f
from workings.formula.parsing.grammar import Grammar


def at_point(parser: Grammar, node: f.Node) -> f.Node:
    """A formula with the point behind its bar; a derivative at one step of time."""
    position = parser.take().position
    parser.take()
    start = parser.index
    text = parser.group_text()
    if "=" not in text and "," not in text:
        if isinstance(node, f.Derivative):
            return f.Derivative(node.of, node.wrt, only=True, position=position)
        raise parser.not_read("what stands below the bar is not read", position)
    parser.index = start
    parser.expect("{", "'{' below the bar")
    names: list[str] = []
    values: list[f.Node] = []
    while True:
        left = _parts(parser.sum())
        if parser.accept("="):
            names += [_name(parser, each, position) for each in left]
            left = _parts(parser.sum())
        values += left
        if not parser.accept(","):
            break
    parser.expect("}")
    if names and len(names) != len(values):
        raise parser.not_read("a point with other names than values", position)
    return f.At(node, tuple(names), tuple(values))


def _parts(node: f.Node) -> list[f.Node]:
    """x and y of (x, y)."""
    if isinstance(node, f.Matrix) and len(node.rows) == 1:
        return list(node.rows[0].entries)
    return [node]


def _name(parser: Grammar, node: f.Node, position: int) -> str:
    if isinstance(node, f.Symbol):
        return node.name
    raise parser.not_read("a name at a point was expected", position)
