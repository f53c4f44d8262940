"""Which indices are bound where: the ranges of sums and products."""

from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.resolution.distributions import Distributions

LAST = "T"  # the last step, where there are several and no T is declared
OVER_ALL_STEPS = " over all steps"  # behind the name of L = Σ L^{(t)}, where both are used


class Scopes(Distributions):
    """Resolves the ranges of sums and products."""

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
