"""Formulas by entries that are one edit away: another index, an entry more."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from workings.claims.repair.edits import everywhere, total
from workings.claims.repair.function_edits import Edit
from workings.claims.repair.plain import product
from workings.formula import nodes as f
from workings.formula.printing.latex import latex


def with_entries(node: f.Node, entries: Sequence[f.Node]) -> Iterator[Edit]:
    """With one entry more as a factor of a term, or as a term of its own."""
    terms = node.terms if isinstance(node, f.Sum) else (node,)
    for entry in entries:
        for position, term in enumerate(terms):
            longer = product((entry, term))
            new = (*terms[:position], longer, *terms[position + 1 :])
            yield total(new), f"with the factor {latex(entry)}"
            if isinstance(term, f.Total):
                inside = f.Total(term.ranges, product((entry, term.body)))
                new = (*terms[:position], inside, *terms[position + 1 :])
                yield total(new), f"with the factor {latex(entry)}"
        for sign in (entry, f.Negative(entry)):
            yield f.Sum((*terms, sign)), f"with the term {latex(entry)}"


def with_indices_swapped(node: f.Node, free: Sequence[str]) -> Iterator[Edit]:
    """With two free indices in each other's place."""
    for first, second in combinations(free, 2):
        other = {first: second, second: first}

        def swapped(part: f.Node, other: dict[str, str] = other) -> f.Node:
            if isinstance(part, f.Variable) and part.name in other:
                return f.Variable(other[part.name])
            return part.rebuilt(swapped)

        yield swapped(node), f"{first} and {second} in each other's place"


def with_other_indices(node: f.Node, scope: Sequence[str]) -> Iterator[Edit]:
    """With another index of those in scope at one entry: e^{z_j} for e^{z_i} in a sum over j."""
    if isinstance(node, f.Total | f.Extreme):
        scope = [*scope, *(each.variable for each in node.ranges)]
    elif isinstance(node, f.Chain):
        scope = [*scope, node.range.variable]
    if isinstance(node, f.Index) or (isinstance(node, f.Call) and node.function == "delta"):
        for child in node.children():
            if isinstance(child, f.Variable):
                for name in scope:
                    if name != child.name:
                        what = f"{name} in place of {child.name}"
                        yield _with(node, child, f.Variable(name)), what
    for child in node.children():
        if not isinstance(child, f.Range):
            for changed, what in with_other_indices(child, scope):
                yield _with(node, child, changed), what


def _with(node: f.Node, child: f.Node, changed: f.Node) -> f.Node:
    return node.rebuilt(lambda each: changed if each is child else each)


def with_entry_inside(node: f.Node, entries: Sequence[f.Node]) -> Iterator[Edit]:
    """With one entry more as a factor of a part, or as a term of a sum within."""

    def local(part: f.Node) -> Iterator[Edit]:
        for entry in entries:
            if isinstance(part, f.Total | f.Product | f.Index | f.Call | f.Quotient):
                yield product((entry, part)), f"with the factor {latex(entry)}"
            elif isinstance(part, f.Sum):
                for term in (entry, f.Negative(entry)):
                    yield f.Sum((*part.terms, term)), f"with the term {latex(entry)}"

    yield from everywhere(node, local)
