"""Left sides of equations: a name, a function with parameters, a vector by its entries."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import FormulaError
from workings.formula.parsing.parse import parse_expression
from workings.formula.resolution.names import Names
from workings.formula.resolution.scopes import LAST
from workings.formula.resolution.shapes import is_matrix

_CALLED = re.compile(r"^\s*(.+?)\s*\(([^()]*)\)\s*$", re.DOTALL)


@dataclass(frozen=True)
class Left:
    """What an equation defines."""

    text: str
    name: f.Symbol
    parameters: tuple[str, ...] | None = None
    """of a function: f(x, y) = …"""
    entries: tuple[str, ...] = ()
    """the indices of an equation by entries: y_c = …, where no y_c but y is declared by it"""


def left_of(text: str, symbols: Collection[str]) -> Left:
    """A left side as it is written; one that is a declared symbol defines no function."""
    match = _CALLED.match(text)
    if match and text.strip() not in symbols:
        try:
            parameters = tuple(name_of(part).name for part in match[2].split(","))
            return Left(text, name_of(match[1]), parameters)
        except FormulaError:
            pass  # no function after all
    return Left(text, name_of(text))


def by_entries(left: Left, body: f.Node, names: Names) -> Left:
    """The left side with its indices, if they are all that the right side's entries are free in."""
    name = left.name
    if left.parameters is not None or not name.sub or name.name in names.symbols:
        return left
    letters = tuple(name.sub.replace(",", ""))
    free = {*free_indices(f.Statement((body,), ()), names), *(_shifted(body, names) & {*letters})}
    if len(letters) > 2 or free != set(letters) or len(set(letters)) != len(letters):
        return left
    return replace(left, name=replace(name, sub=""), entries=letters)


def has_its_indices(left: Left, body: f.Node, names: Names) -> bool:
    """Whether the right side has all indices of the left one, so that they may be open."""
    free = {*free_indices(f.Statement((body,), ()), names), *_shifted(body, names)}
    return set(left.name.sub.replace(",", "")) <= free


def _shifted(body: f.Node, names: Names) -> set[str]:
    """The letters of indices with a shift, i and j of x_{i+j-1}, that no sum binds."""
    bound = {node.variable for node in body.walk() if isinstance(node, f.Range)}
    letters: set[str] = set()
    for node in body.walk():
        if isinstance(node, f.Symbol) and re.search(r"[+-]", node.sub):
            if node.name in names.symbols:
                continue  # a name of its own, as a state of the step before
            whole = f.Symbol(node.base, node.marks, "", node.label).name
            known = whole in names.symbols and whole not in names.timed
            letters |= set(re.findall(r"[^\W\d_]", node.sub)) if known else set()
    return letters - bound - set(names.sizes)


def without_step(name: f.Symbol) -> tuple[str, str]:
    """h and t of h^{(t)} or h_t; h_1 may be a name of its own, or a state at step 1."""
    if name.label.startswith("("):
        return f.Symbol(name.base, name.marks, name.sub).name, name.label.strip("()")
    if name.sub and not name.label:
        return f.Symbol(name.base, name.marks).name, name.sub
    return name.name, ""


def name_of(text: str) -> f.Symbol:
    """A name as it is declared, however many letters it has."""
    if len(text) > 200:
        raise WorkingsError(f"a name of {len(text):,} characters; 200 are the most")
    words = re.findall(r"[^\W\d_]+\d*", text) + re.findall(r"[^\W\d_]+_[^\W_]+", text)
    node = parse_expression(text, words)
    if isinstance(node, f.Power) and isinstance(node.base, f.Symbol):
        return replace(node.base, label=node.text)  # W^Q
    if isinstance(node, f.Call) and node.function in ("abs", "bars"):  # |V|
        node = node.arguments[0]
    if not isinstance(node, f.Symbol):
        raise FormulaError(text, 0, "a name was expected")
    return node


def free_indices(statement: f.Statement, names: Names) -> list[str]:
    """Letters that index a declared vector or matrix and are bound by no sum."""
    bound = {
        node.variable
        for side in statement.sides
        for node in side.walk()
        if isinstance(node, f.Range)
    } | _bound_with_others(statement)
    bound -= {letter for side in statement.sides for letter in _taken_by(side, frozenset())}
    indices: dict[str, None] = {}
    for side in statement.sides:
        for node in side.walk():
            if isinstance(node, f.Index):  # (A^{-1})_{ij}
                indices |= dict.fromkeys(_letters(node, names))
            if not isinstance(node, f.Symbol) or not node.sub or node.name in names.symbols:
                continue
            whole = f.Symbol(node.base, node.marks, "", node.label).name
            bare = f.Symbol(node.base, node.marks).name
            timed = bare in names.timed and node.label.startswith("(")
            fixed = bare in names.symbols and bare not in names.timed
            letters = re.sub("[,:]", "", node.sub).strip("()")
            capital = f.Symbol(f.capital(node.base), node.marks).name
            of_capital = capital in names.symbols and (
                len(letters) == 2 or (not node.label and is_matrix(names.shapes.get(capital)))
            )  # a_{ij} of A, x_i as a row of X
            known = whole in names.symbols or timed or fixed or of_capital
            if known and letters.isalpha() and len(letters) <= 2:
                indices |= dict.fromkeys(letters)
    sizes = set(names.sizes) - _sizes_as_indices(statement, names)
    taken = {*bound, *sizes, *([names.time, LAST] if names.time else [])}
    return [name for name in indices if name not in taken]


def _taken_by(node: f.Node, bound: frozenset[str]) -> set[str]:
    r"""The indices of what derivatives are taken by: i of ∂/∂x_i, also where Σ_i stands behind."""
    if isinstance(node, f.Total | f.Chain | f.Extreme):
        ranges = (node.range,) if isinstance(node, f.Chain) else node.ranges
        bound = bound | {each.variable for each in ranges}
    by: tuple[f.Node, ...] = ()
    if isinstance(node, f.Derivative):
        by = (node.wrt,)
    elif isinstance(node, f.Hessian):
        by = (node.first, node.second)
    letters = {sign for each in by if isinstance(each, f.Symbol) for sign in each.sub}
    inside = (_taken_by(child, bound) for child in node.children())
    return (letters - bound).union(*inside)


def _sizes_as_indices(statement: f.Statement, names: Names) -> set[str]:
    """Names of sizes that index what has another length, and stand nowhere by themselves.

    k of x_k is an index, though a k × m matrix was declared, where x has n entries; so is n of
    ∂X_{mn}, whatever X is, and k of (AB)_{ik} and B_{jk} beside another letter.
    """
    indices: set[str] = set()
    last: set[str] = set()
    """that may stand for the last entry of what has that length"""
    alone: set[str] = set()
    by: set[str] = set()
    nodes = [node for side in statement.sides for node in side.walk()]
    at = {id(index) for node in nodes if isinstance(node, f.Index) for index in node.indices}
    for node in nodes:
        entries = (node.of, node.wrt) if isinstance(node, f.Derivative) else ()
        for entry in entries:
            letters = entry.sub.replace(",", "") if isinstance(entry, f.Symbol) else ""
            by |= set(letters) if len(letters) == 2 and letters.isalpha() else set()
        by |= _beside_another_letter(node, names)
        if not isinstance(node, f.Symbol) or id(node) in at:
            continue
        if not node.sub:
            alone.add(node.name)
            continue
        sides = names.shapes.get(f.Symbol(node.base, node.marks, "", node.label).name) or ()
        letters = node.sub.replace(",", "").strip("()")
        if len(letters) == 1 and len(sides) == 2:
            sides = tuple(side for side in sides if side != "1")[:1]
        if letters.isalpha() and len(letters) == len(sides):
            own = [letter for letter, side in zip(letters, sides, strict=True) if letter == side]
            indices |= set(letters).difference(own)
            last |= set(own)
    return ((indices - last) | by) - alone


def _beside_another_letter(node: f.Node, names: Names) -> set[str]:
    """The size among the two indices of an entry whose other index is none."""
    letters: list[str] = []
    if isinstance(node, f.Index):
        letters = [index.name for index in node.indices if isinstance(index, f.Symbol)]
    elif isinstance(node, f.Symbol) and node.name not in names.symbols:
        letters = list(node.sub.replace(",", ""))
    if len(letters) != 2 or not all(len(each) == 1 and each.isalpha() for each in letters):
        return set()
    sizes = {each for each in letters if each in names.sizes}
    return sizes if len(sizes) == 1 and letters[0] != letters[1] else set()


def _letters(node: f.Index, names: Names) -> list[str]:
    """The letters among the indices of a bracket."""
    return [
        index.name
        for index in node.indices
        if isinstance(index, f.Symbol)
        and len(index.name) == 1
        and index.name.isalpha()
        and index.name not in names.symbols
    ]


def _bound_with_others(statement: f.Statement) -> set[str]:
    r"""Letters that a sum binds beside its own: j of \sum_{i<j}, where it stands nowhere else."""
    mentioned: set[str] = set()
    outside: set[str] = set()
    for side in statement.sides:
        outside |= _used_outside(side, mentioned)
    return mentioned - outside


def _used_outside(node: f.Node, mentioned: set[str]) -> set[str]:
    """The letters of a formula but for those under sums whose bounds mention them."""
    if isinstance(node, f.Symbol):
        return {node.name, *node.sub}
    if isinstance(node, f.Total | f.Chain | f.Extreme):
        ranges = (node.range,) if isinstance(node, f.Chain) else node.ranges
        bounds = {
            part.name
            for each in ranges
            for bound in (each.low, each.high, *each.without)
            if bound is not None
            for part in bound.walk()
            if isinstance(part, f.Symbol) and len(part.name) == 1
        }
        mentioned |= bounds
        return _used_outside(node.body, mentioned) - bounds
    return {letter for child in node.children() for letter in _used_outside(child, mentioned)}
