"""Vectors that are written out: their entries, their products, unit vectors."""

from collections.abc import Sequence
from fractions import Fraction

from workings.formula import nodes as f

TURNS = ((1, 2), (2, 0), (0, 1))
"""of each entry of a cross product: the entries of its two factors"""


def entries_of(node: f.Node) -> list[f.Node] | None:
    """The entries of a vector that is written out; None of anything else."""
    if isinstance(node, f.Transpose):
        return entries_of(node.body)
    if not isinstance(node, f.Matrix):
        return None
    if len(node.rows) == 1:
        return list(node.rows[0].entries)
    if all(len(row.entries) == 1 for row in node.rows):
        return [row.entries[0] for row in node.rows]
    return None


def column(entries: Sequence[f.Node]) -> f.Matrix:
    """A column of entries."""
    return f.Matrix(tuple(f.Row((entry,)) for entry in entries))


def as_column(node: f.Node) -> f.Node:
    """(1, 2, 3) as a column."""
    entries = entries_of(node) if isinstance(node, f.Matrix) else None
    return column(entries) if entries and len(entries) > 1 else node


def dot(left: f.Node, right: f.Node) -> f.Node:
    """a · b: of two vectors that are written out their inner product, whatever way they stand."""
    a, b = entries_of(left), entries_of(right)
    if a is not None and b is not None and len(a) == len(b) > 1:
        return f.Sum(tuple(f.Product(pair) for pair in zip(a, b, strict=True)))
    return f.Dot(left, right)


def product(factors: Sequence[f.Node]) -> f.Node:
    """A product; of two vectors in space that stand alike, their cross product."""
    if len(factors) == 2:
        a, b = (entries_of(each) for each in factors)
        heights = {len(each.rows) for each in factors if isinstance(each, f.Matrix)}
        if a and b and len(a) == len(b) == 3 and len(heights) == 1:
            return column([_minor(a, b, i, j) for i, j in TURNS])
    return f.product_of(list(factors))


def _minor(a: Sequence[f.Node], b: Sequence[f.Node], i: int, j: int) -> f.Node:
    return f.Sum((f.Product((a[i], b[j])), f.Negative(f.Product((a[j], b[i])))))


def unit_vector(node: f.Symbol, dimension: int) -> f.Node | None:
    r"""\vec i, \mathbf{j}, \hat k and \hat{\mathbf{x}} as columns; None of another name."""
    is_bold = node.font in ("mathbf", "bm", "boldsymbol")
    is_axis = node.base in ("i", "j", "k") and (node.marks or is_bold)
    is_named = node.base in ("x", "y", "z") and is_bold and "hat" in node.marks
    if node.sub or node.label or not (is_axis or is_named):
        return None
    at = "ijk".find(node.base) if is_axis else "xyz".find(node.base)
    if at >= dimension:
        return None
    return column([f.Number(Fraction(int(each == at))) for each in range(dimension)])
