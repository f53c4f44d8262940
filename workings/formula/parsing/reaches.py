r"""How far a sum reaches: -\sum_i y_i \log p_i + (1 - y_i) \log(1 - p_i) takes both terms.

A \sum takes the product behind it. Where the terms that follow have its index too, and nothing else
gives that index a value, they are summed as well. -\sum_i a_i - b_i stays as it is: whether the
second sign is inside or outside is not said.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from workings.formula import nodes as f


def with_wide_sums(statement: f.Statement, words: Collection[str]) -> f.Statement:
    """The statement with its sums over all terms that have their index.

    words: declared names, of which x_i is one symbol and no entry.
    """
    if not any(isinstance(part, f.Total) for side in statement.sides for part in side.walk()):
        return statement
    widening = Widening(words)
    sides = [
        widening.widened(side, [*statement.sides[:at], *statement.sides[at + 1 :]])
        for at, side in enumerate(statement.sides)
    ]
    return f.Statement(tuple(sides), statement.relations)


@dataclass(frozen=True)
class Widening:
    """Puts the terms behind a sum into it, where its index means nothing else."""

    words: Collection[str]

    def widened(self, node: f.Node, others: Sequence[f.Node]) -> f.Node:
        """The sums in a part, where `others` stand beside and around it."""
        parts = tuple(node.children())
        if not isinstance(node, f.Sum):
            return node.rebuilt(
                lambda part: self.widened(part, [*others, *(p for p in parts if p is not part)])
            )
        terms: list[f.Node] = []
        for at, term in enumerate(parts):
            wider = self._with_term(terms[-1], term, [*others, *terms[:-1]]) if terms else None
            if wider is not None:
                terms[-1] = wider
            else:
                terms.append(self.widened(term, [*others, *parts[:at], *parts[at + 1 :]]))
        if all(new is old for new, old in zip(terms, parts, strict=False)):
            return node
        return terms[0] if len(terms) == 1 else f.Sum(tuple(terms))

    def _with_term(self, left: f.Node, term: f.Node, others: Sequence[f.Node]) -> f.Node | None:
        """A term that ends with a sum, with the next one inside of it; None if it stands apart."""
        match left:
            case f.Negative(body) if not isinstance(term, f.Negative):
                inner = self._with_term(body, term, others)
                return f.Negative(inner) if inner else None
            case f.Product(factors):
                inner = self._with_term(factors[-1], term, [*others, *factors[:-1]])
                return f.Product((*factors[:-1], inner)) if inner else None
            case f.Total(ranges, body) if ranges:
                inner = self._with_term(body, term, others)
                if inner is None and self._goes_on(ranges, term, others):
                    terms = body.terms if isinstance(body, f.Sum) else (body,)
                    inner = f.Sum((*terms, term))
                return replace(left, body=inner) if inner else None
        return None

    def _goes_on(self, ranges: Sequence[f.Range], term: f.Node, others: Sequence[f.Node]) -> bool:
        """Whether a term has all indices of a sum, and nothing around it has one of them."""
        indices = _variables(ranges)
        return all(self._has_free(term, index) for index in indices) and not any(
            self._has_free(other, index) for other in others for index in indices
        )

    def _has_free(self, node: f.Node, index: str) -> bool:
        """Whether an index stands in a formula where no sum of it gives it a value."""
        match node:
            case f.Symbol(base, _, sub) if sub and f"{base}_{sub}" in self.words:
                return False
            case f.Symbol(sub=sub):
                letters = sub if len(index) == 1 and sub.isalpha() else ""
                return index in (node.name, sub, *sub.split(","), *letters)
            case f.Total(ranges) | f.Extreme(_, ranges) if index in _variables(ranges):
                return False
            case f.Chain(bound) if bound.variable == index:
                return False
        return any(self._has_free(child, index) for child in node.children())


def _variables(ranges: Sequence[f.Range]) -> list[str]:
    return [each.variable for each in ranges]
