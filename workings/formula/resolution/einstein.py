"""Einstein's sums: an index that stands twice in a product, and not on the other side, is summed.

x_i A_{ij} x_j = x^T A x has no free index. Where the index stands on every side it is a free one:
x_i x_i = x_i^2 is a claim about every entry.
"""

from collections import Counter
from collections.abc import Collection

from workings.formula import nodes as f
from workings.formula.errors import NotRead

_MULTIPLIED = (f.Product, f.Dot, f.Elementwise, f.Symbol, f.Index)


def with_repeated_summed(statement: f.Statement, free: Collection[str], text: str) -> f.Statement:
    """The statement with sums over its repeated indices; `free` are those that no sum binds."""
    used = [set(_count(side, free)) for side in statement.sides]
    partly = {name for name in free if not all(name in letters for letters in used)}
    if not partly:
        return statement
    if any(not any(isinstance(node, f.Symbol) for node in side.walk()) for side in statement.sides):
        _refuse_diagonals(statement, partly, text)
    sides = tuple(_summed(side, partly, text) for side in statement.sides)
    if all(side is before for side, before in zip(sides, statement.sides, strict=True)):
        return statement
    left = {name for side in sides for name in _count(side, partly)}
    if left:
        message = f"the index {min(left)} stands on one side only"
        raise NotRead(text, 0, message, "write all sides by entries, or none")
    return f.Statement(sides, statement.relations)


def _refuse_diagonals(statement: f.Statement, indices: Collection[str], text: str) -> None:
    """K_{ii} = 1 may be said of each entry of the diagonal, or of their sum."""
    for side in statement.sides:
        for node in side.walk():
            if isinstance(node, f.Symbol) and any(node.sub.count(name) > 1 for name in indices):
                message = "each entry of the diagonal may be meant, or their sum"
                hint = "write the sum, or the index on both sides"
                raise NotRead(text, node.position, message, hint)


def _summed(node: f.Node, indices: Collection[str], text: str) -> f.Node:
    """Sums around the products in which one of these indices stands twice, the innermost first."""
    node = node.rebuilt(
        lambda child: child if isinstance(child, _MULTIPLIED) and isinstance(node, _MULTIPLIED)
        else _summed(child, indices, text)
    )  # fmt: skip
    if not isinstance(node, _MULTIPLIED):
        return node
    counts = _count(node, indices)
    for name, count in counts.items():
        if count > 2:
            message = f"the index {name} stands on one side only, and there more than twice"
            raise NotRead(text, 0, message, "write the sum")
    twice = tuple(f.Range(name) for name, count in counts.items() if count == 2)
    return f.Total(twice, node) if twice else node


def _count(node: f.Node, indices: Collection[str]) -> Counter[str]:
    """How often each index stands in a product; of a sum in it, in the term that has it most."""
    if isinstance(node, f.Symbol):
        if node.name in indices:
            return Counter([node.name])
        return Counter(letter for letter in node.sub if letter in indices)
    total: Counter[str] = Counter()
    for child in node.children():
        part = _count(child, indices)
        total = total | part if isinstance(node, f.Sum) else total + part
    if isinstance(node, f.Total):
        for each in node.ranges:
            del total[each.variable]
    if isinstance(node, f.Power | f.Quotient):  # x_i x_i^{-1} is no sum
        return Counter({name: max(count, 3) for name, count in total.items()})
    return total
