r"""Vectors and matrices that are listed with dots: x = (x_1, \dots, x_n)^T says how long x is."""

import re

from workings.claims.documents.inference.uses import letters_of
from workings.claims.documents.outline.declarations import Declared
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.parsing.parse import parse
from workings.formula.printing.latex import symbol_latex

_DOTS = re.compile(r"\\[a-z]?dots|\.\.\.|…")
LONGEST = 2_000  # characters


def has_dots(node: f.Node) -> bool:
    """Whether dots are left in a formula that no sum or product has taken in."""
    return any(isinstance(part, f.Unsaid) and part.text == "…" for part in node.walk())


def lists_itself(name: str, node: f.Node) -> bool:
    r"""Whether a formula with dots lays a vector or matrix out by its own entries, rows or columns.

    X of (x_1, \dots, x_n) is as free as its columns are; of (x_1^2, \dots, x_n^2) it is not.
    """
    inner = node.body if isinstance(node, f.Transpose) else node
    if not isinstance(inner, f.Matrix) or not has_dots(inner):
        return False
    entries = [entry for row in inner.rows for entry in row.entries]
    parts = [entry.body if isinstance(entry, f.Transpose) else entry for entry in entries]
    symbols = [part for part in parts if isinstance(part, f.Symbol)]
    others = [part for part in parts if not isinstance(part, f.Symbol | f.Unsaid | f.Number)]
    bases = {symbol.base.lower() for symbol in symbols if symbol.sub or symbol.label}
    return not others and bases == {name_base(name).lower()}


def name_base(name: str) -> str:
    """The letter of a name, without marks, index and label."""
    return re.split(r"[_^]", name.split(" ")[-1])[0]


def read_list(text: str) -> dict[str, Declared]:
    """The shape of what is listed entry by entry; nothing if a text is something else."""
    if len(text) > LONGEST or not _DOTS.search(text):
        return {}
    try:
        statement = parse(text)
    except WorkingsError:
        return {}
    left, right = statement.sides[0], statement.sides[-1]
    transposed = False
    for side in (left, right):
        transposed ^= isinstance(side, f.Transpose)
    left, right = (side.body if isinstance(side, f.Transpose) else side for side in (left, right))
    if len(statement.sides) != 2 or not isinstance(left, f.Symbol) or not has_dots(right):
        return {}
    sizes = _listed_sizes(left, right)
    if transposed:
        sizes = sizes[::-1]
    return {left.name: Declared(symbol_latex(left), sizes)} if sizes else {}


def _listed_sizes(name: f.Symbol, node: f.Node) -> tuple[str, ...]:
    """The sizes of a matrix by the indices of its last entry, which has the matrix's letter."""
    if not isinstance(node, f.Matrix):
        return ()
    rows = [row.entries for row in node.rows]
    indices = _indices(name, rows[-1][-1])
    if len(rows) > 1 and len(rows[0]) > 1:
        return indices if len(indices) == 2 else ()
    if len(indices) != 1:
        return ()
    return (indices[0], "1") if len(rows) > 1 else ("1", indices[0])


def _indices(name: f.Symbol, entry: f.Node) -> tuple[str, ...]:
    """m and n of the entry a_{mn} of A, if they are names of sizes."""
    if not isinstance(entry, f.Symbol) or entry.label or name.sub:
        return ()
    if entry.base not in (name.base, name.base.lower()) or entry.marks != name.marks:
        return ()
    letters = letters_of(entry.sub)
    return letters if all(re.fullmatch("[A-Za-z]", each) for each in letters) else ()
