r"""How far a sum reaches: -\sum_i y_i \log p_i + (1 - y_i) \log(1 - p_i) takes both terms.

A \sum takes the product behind it. Where the terms that follow have its index too, and nothing else
gives that index a value, they are summed as well. -\sum_i a_i - b_i stays as it is: whether the
second sign is inside or outside is not said.
"""

from dataclasses import replace

from workings.formula import nodes as f


def with_wide_sums(statement: f.Statement) -> f.Statement:
    """The statement with its sums over all terms that have their index."""
    if not any(isinstance(part, f.Total) for side in statement.sides for part in side.walk()):
        return statement
    sides = []
    for at, side in enumerate(statement.sides):
        others = [other for number, other in enumerate(statement.sides) if number != at]
        sides.append(_widened(side, others))
    return f.Statement(tuple(sides), statement.relations)


def _widened(node: f.Node, others: list[f.Node]) -> f.Node:
    """The sums in a part, where `others` stand beside and around it."""
    if not isinstance(node, f.Sum):
        inside = list(node.children())
        return node.rebuilt(
            lambda child: _widened(
                child, [*others, *(each for each in inside if each is not child)]
            )
        )
    terms: list[f.Node] = []
    for at, term in enumerate(node.terms):
        if terms and (wider := _with_term(terms[-1], term, [*others, *terms[:-1]])):
            terms[-1] = wider
            continue
        beside = [other for number, other in enumerate(node.terms) if number != at]
        terms.append(_widened(term, [*others, *beside]))
    if len(terms) == len(node.terms):
        same = all(new is old for new, old in zip(terms, node.terms, strict=True))
        return node if same else f.Sum(tuple(terms))
    return terms[0] if len(terms) == 1 else f.Sum(tuple(terms))


def _with_term(left: f.Node, term: f.Node, others: list[f.Node]) -> f.Node | None:
    """A term that ends with a sum, with the next one inside of it; None if it stands apart."""
    if isinstance(left, f.Negative):
        if isinstance(term, f.Negative):
            return None
        inner = _with_term(left.body, term, others)
        return f.Negative(inner) if inner else None
    if isinstance(left, f.Product):
        *before, last = left.factors
        inner = _with_term(last, term, [*others, *before])
        return f.Product((*before, inner)) if inner else None
    if not isinstance(left, f.Total) or not left.ranges:
        return None
    if inner := _with_term(left.body, term, others):
        return replace(left, body=inner)
    indices = [each.variable for each in left.ranges]
    if not all(_has_free(term, index) for index in indices):
        return None
    if any(_has_free(other, index) for other in others for index in indices):
        return None
    terms = left.body.terms if isinstance(left.body, f.Sum) else (left.body,)
    return replace(left, body=f.Sum((*terms, term)))


def _has_free(node: f.Node, index: str) -> bool:
    """Whether an index stands in a formula where no sum of it gives it a value."""
    if isinstance(node, f.Symbol):
        letters = node.sub if len(index) == 1 and node.sub.isalpha() else ""
        return index in (node.name, node.sub, *node.sub.split(","), *letters)
    if isinstance(node, f.Total | f.Extreme) and index in [each.variable for each in node.ranges]:
        return False
    if isinstance(node, f.Chain) and node.range.variable == index:
        return False
    return any(_has_free(child, index) for child in node.children())
