"""Which indices are bound where: the ranges of sums, and how far a sum without brackets reaches."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.resolution.distributions import Distributions

LAST = "T"  # the last step, where there are several and no T is declared
OVER_ALL_STEPS = " over all steps"  # behind the name of L = Σ L^{(t)}, where both are used


class Scopes(Distributions):
    """Resolves the ranges of sums and products."""

    def reaching(self, node: f.Sum, bound: frozenset[str]) -> f.Node | None:
        r"""\sum_i x_i + y_i as a sum over both, where i means nothing outside of it; else none."""
        for at, total in enumerate(node.terms):
            if not isinstance(total, f.Total):
                continue
            names = frozenset(each.variable for each in total.ranges) - bound
            count = 0
            for term in node.terms[at + 1 :]:
                if not any(self.is_bound_by(names, part, bound) for part in _outside(term, names)):
                    break
                count += 1
            if names and count:
                inside = f.Sum((total.body, *node.terms[at + 1 : at + 1 + count]))
                self.choose(
                    "sum", f"the sum over {', '.join(sorted(names))} as of all that it indexes"
                )
                terms = (
                    *node.terms[:at],
                    replace(total, body=inside),
                    *node.terms[at + 1 + count :],
                )
                return terms[0] if len(terms) == 1 else f.Sum(terms)
        return None

    def is_bound_by(self, names: frozenset[str], part: f.Node, bound: frozenset[str]) -> bool:
        """Whether a name means something only where these indices have a value."""
        if not isinstance(part, f.Symbol) or self.lookup(part, bound) is not None:
            return False
        return self.lookup(part, bound | names) is not None

    def ranges(
        self, given: tuple[f.Range, ...], body: f.Node, bound: frozenset[str]
    ) -> tuple[tuple[f.Range, ...], frozenset[str]]:
        """The ranges of a sum with their bounds looked up, and the indices bound inside it."""
        ranges: list[f.Range] = []
        for each in self.with_both(given, body, bound):
            if each.variable in self.names.symbols:
                message = f"the index {each.variable} is also a symbol"
                raise NotRead(self.text, each.position, message, "rename one of them")
            low = each.low and self.visit(each.low, bound)
            high = each.high and self.visit(each.high, bound)
            if low is None and high is None and each.variable == self.names.time:
                low, high = f.Number(Fraction(1)), f.Variable(LAST)
            without = tuple(self.visit(value, bound) for value in each.without)
            members = tuple(self.visit(value, bound) for value in each.members)
            ranges.append(replace(each, low=low, high=high, without=without, members=members))
            bound = bound | {each.variable}
        return tuple(ranges), bound

    def with_both(
        self, given: tuple[f.Range, ...], body: f.Node, bound: frozenset[str]
    ) -> list[f.Range]:
        r"""\sum_{i<j} and \sum_{i \ne j} are over both, where j is no index outside."""
        ranges: list[f.Range] = []
        names = {each.variable for each in given}
        inside = {sign for part in body.walk() if isinstance(part, f.Symbol) for sign in part.sub}
        for each in given:
            for bound_node in (each.low, each.high, *each.without):
                for part in bound_node.walk() if bound_node is not None else ():
                    if not isinstance(part, f.Symbol) or part.name not in inside - names:
                        continue
                    if self.lookup(part, bound) is None:
                        names.add(part.name)
                        ranges.append(f.Range(part.name, position=part.position))
            ranges.append(each)
        return ranges


def _outside(node: f.Node, names: frozenset[str]) -> Iterator[f.Node]:
    """The parts of a formula, without what sums over one of these names themselves."""
    ranges = (
        node.ranges
        if isinstance(node, f.Total | f.Extreme)
        else (node.range,)
        if isinstance(node, f.Chain)
        else ()
    )
    if any(each.variable in names for each in ranges):
        return
    yield node
    for child in node.children():
        yield from _outside(child, names)
