"""The search of candidate repairs, nearest first, for the formula that gives the right values.

Nearest first: one edit; the same factors in any combination; with factors left out, or one added
from what the equations name; a sum term by term; two edits. Nothing is shown that was not verified
at fresh values and other sizes.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from torch import Tensor

from workings.claims.compare import equal, factor, name_factor
from workings.claims.repair.changes import describe
from workings.claims.repair.constants import scaled_by
from workings.claims.repair.edits import edits, less
from workings.claims.repair.plain import elementwise, product, simplified
from workings.claims.repair.recombine import Candidate, Table, factors_of, transposed
from workings.claims.system.gradient import Point
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.budget import at_most
from workings.formula.printing.latex import latex

CHAIN_RULE = "worked out by the chain rule"  # what a derived repair says of itself
MOST_TERMS = 12  # of a sum that is repaired term by term
Whole = Callable[[f.Node], f.Node]  # puts a repaired part back into its formula
SECONDS = 1.5  # of this thread's work, so that a busy machine finds the same


@dataclass(frozen=True)
class Proposal:
    """A formula that is right at the draws that were searched at."""

    formula: f.Node
    changes: str
    candidates: int
    """how many formulas were tried"""


@dataclass
class Search:
    """One wrong formula, and the right value at each point; the first point is searched at."""

    wrong: f.Node
    points: Sequence[Point]
    right: Sequence[Tensor]
    pool: Sequence[f.Node]
    tried: int = 0

    def __post_init__(self) -> None:
        self.deadline = at_most(time.thread_time() + SECONDS)

    def value(self, node: f.Node, at: int = 0) -> Tensor | None:
        """What a candidate is worth at a point; nothing if its shapes do not fit."""
        try:
            return self.points[at].value(node)
        except (Undefined, WorkingsError, RuntimeError):  # torch.linalg raises RuntimeErrors
            return None  # a candidate without a value is no candidate

    def proven(self, node: f.Node) -> bool:
        """Right at every point, that is at other sizes too."""
        return all(
            (value := self.value(node, at)) is not None and equal(value, right)
            for at, right in enumerate(self.right)
        )

    def in_time(self) -> bool:
        """Whether there is time left."""
        return time.thread_time() < self.deadline

    def run(self) -> Proposal | None:
        """The first formula that is right at every point, the nearest ways first."""
        ways: list[Callable[[], Iterator[tuple[f.Node, str]]]] = [
            self.constant,
            self.one_edit,
            self.other_combination,
            self.term_by_term,
            self.missing_term,
            self.two_edits,
        ]
        for way in ways:
            if not self.in_time():
                return None
            for node, changes in way():
                if self.proven(node):
                    return Proposal(self.plainest(node), changes, self.tried)
                if not self.in_time():
                    break
        return None

    def constant(self) -> Iterator[tuple[f.Node, str]]:
        """The formula itself, transposed or times a constant."""
        if any(isinstance(node, f.Reference) for node in self.wrong.walk()):
            yield from self.fitted(self.wrong, self.right, "", _itself)

    def one_edit(self) -> Iterator[tuple[f.Node, str]]:
        """Formulas one edit away."""
        for node, what in edits(self.wrong, self.pool):
            if not self.in_time():
                return
            self.tried += 1
            value = self.value(node)
            if value is not None and equal(value, self.right[0]):
                yield node, what

    def fitted(
        self, node: f.Node, targets: Sequence[Tensor], what: str, whole: Whole
    ) -> Iterator[tuple[f.Node, str]]:
        """The node transposed or scaled so that it equals its targets, if that is all it needs."""
        for is_transposed in (False,) if self.is_scalar(node) else (False, True):
            oriented = transposed(node) if is_transposed else node
            name = self.factor_of(oriented, targets)
            if not name or (is_transposed and latex(oriented) == latex(node)):
                continue
            if name not in ("1", "-1"):  # rather take it away than multiply it away
                yield from ((whole(small), said) for small, said in less(oriented))
            words = [what] if what else []
            words += ["transposed"] if is_transposed and not what else []
            scaled, said = scaled_by(oriented, name)
            yield whole(scaled), "; ".join([*words, *said]) or "written in another order"

    def factor_of(self, node: f.Node, targets: Sequence[Tensor]) -> str:
        """The constant between a formula and its targets, the same at every point; or nothing."""
        numbers = []
        for at, target in enumerate(targets):
            value = self.value(node, at)
            number = factor(value, target) if value is not None and _fits(value, target) else None
            if number is None:
                return ""
            numbers.append(number)
        return name_factor(numbers, [dict(point.draw.sizes) for point in self.points])

    def other_combination(self) -> Iterator[tuple[f.Node, str]]:
        """The same factors; fewer; one more from the pool."""
        yield from self.combined(self.wrong, self.right, _itself)

    def combined(
        self, wrong: f.Node, targets: Sequence[Tensor], whole: Whole
    ) -> Iterator[tuple[f.Node, str]]:
        """Combinations of the factors, then with one more from the pool."""
        parts = [(part, self.value(part)) for part in factors_of(wrong, self.is_scalar)]
        known = [(part, value) for part, value in parts if value is not None][:7]
        if not known:
            return
        for diagonals in (False, True):
            table = Table(self.deadline, diagonals)
            for part, value in known:
                table.add(part, value if value.ndim == 2 else value.reshape(1, 1))
            yield from self.matches(table, wrong, targets, whole)
        for extra in self.pool:
            added = self.value(extra)
            if added is None or not self.in_time():
                continue
            wider = Table(self.deadline, False, dict(table.subsets), singles=table.singles)
            wider.add(extra, added if added.ndim == 2 else added.reshape(1, 1))
            yield from self.matches(wider, wrong, targets, whole)

    def matches(
        self, table: Table, wrong: f.Node, targets: Sequence[Tensor], whole: Whole
    ) -> Iterator[tuple[f.Node, str]]:
        """Those of a table that are the target, up to a constant or transposed."""
        self.tried += table.count
        for _, candidate in table.matching(targets[0]):
            for node in _oriented(candidate, targets[0]):
                what = describe(wrong, node, self.is_scalar)
                yield from self.fitted(node, targets, what, whole)

    def term_by_term(self) -> Iterator[tuple[f.Node, str]]:
        """Each term of a sum against what the others leave over."""
        if not isinstance(self.wrong, f.Sum) or len(self.wrong.terms) > MOST_TERMS:
            return
        terms = self.wrong.terms
        for position, term in enumerate(terms):
            left_over = self.left_over(position)
            if left_over is None or not self.in_time():
                continue

            def whole(node: f.Node, position: int = position) -> f.Node:
                return f.Sum((*terms[:position], node, *terms[position + 1 :]))

            yield from self.fitted(term, left_over, "", whole)
            yield from self.combined(term, left_over, whole)

    def left_over(self, position: int) -> list[Tensor] | None:
        """What a term would have to be, the others being right, at every point."""
        assert isinstance(self.wrong, f.Sum)
        remainders = []
        for at, right in enumerate(self.right):
            rest = right
            for other, term in enumerate(self.wrong.terms):
                value = self.value(term, at) if other != position else rest.new_zeros(())
                if value is None or not _is_spread_over(value, rest):
                    return None
                rest = rest - (value if value.numel() > 1 else value.reshape(()))
            remainders.append(rest)
        return remainders

    def missing_term(self) -> Iterator[tuple[f.Node, str]]:
        """What is left over as one more term: + λ W, or another product of the same factors."""
        missing = [self.missing(at) for at in range(len(self.right))]
        targets = [each for each in missing if each is not None]
        if len(targets) < len(missing) or all(float(each.abs().max()) == 0 for each in targets):
            return

        def whole(node: f.Node) -> f.Node:
            terms = self.wrong.terms if isinstance(self.wrong, f.Sum) else (self.wrong,)
            return f.Sum((*terms, node))

        numbers = [node for node in self.pool if self.is_scalar(node)]
        for node in self.pool:
            if not self.in_time():
                return
            for candidate in (node, *(product((number, node)) for number in numbers)):
                self.tried += 1
                what = f"with the term {latex(candidate)}"
                for fitted, _ in self.fitted(candidate, targets, what, _itself):
                    yield whole(fitted), f"with the term {latex(fitted)}"
        for fitted, _ in self.combined(self.wrong, targets, _itself):
            yield whole(fitted), f"with the term {latex(fitted)}"

    def missing(self, at: int) -> Tensor | None:
        """What the wrong formula lacks at a point, if it has the right shape."""
        value, right = self.value(self.wrong, at), self.right[at]
        return (
            right - value.reshape(right.shape)
            if value is not None and _fits(value, right)
            else None
        )

    def two_edits(self) -> Iterator[tuple[f.Node, str]]:
        """Formulas two edits away."""
        for once, first in edits(self.wrong):
            for node, second in edits(once):
                if not self.in_time():
                    return
                self.tried += 1
                value = self.value(node)
                if value is not None and equal(value, self.right[0]):
                    yield node, f"{first}; {second}"

    def plainest(self, node: f.Node) -> f.Node:
        """A right formula in its plainest form, if that is right too."""
        plain = simplified(self.with_plain_scalars(node))
        return plain if self.proven(plain) else node

    def with_plain_scalars(self, node: f.Node) -> f.Node:
        """λ w, not w ⊙ λ; det X, not its transpose; v^2 of a vector, not v ⊙ v."""
        node = node.rebuilt(self.with_plain_scalars)
        if isinstance(node, f.Transpose) and self.is_scalar(node.body):
            return node.body
        if not isinstance(node, f.Elementwise):
            return node
        scalars = [part for part in node.factors if self.is_scalar(part)]
        others = [part for part in node.factors if not self.is_scalar(part)]
        if len(others) == 2 and latex(others[0]) == latex(others[1]) and self.is_vector(others[0]):
            others = [f.Power(others[0], f.Number(Fraction(2)))]
        return product((*scalars, elementwise(others)) if others else scalars)

    def is_vector(self, node: f.Node) -> bool:
        """Whether it is one row or one column, at every point, under a name of its own."""
        values = [self.value(node, at) for at in range(len(self.points))]
        named = isinstance(node, f.Reference)
        return named and all(each is not None and 1 in each.shape for each in values)

    def is_scalar(self, node: f.Node) -> bool:
        """Whether it is a single number."""
        value = self.value(node)
        return value is not None and value.numel() == 1


def _itself(node: f.Node) -> f.Node:
    return node


def _fits(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape or a.numel() == b.numel() == 1


def _is_spread_over(term: Tensor, whole: Tensor) -> bool:
    """Whether it can be a term of a sum of this shape: a row is added to every row."""
    sides = zip(term.shape, whole.shape, strict=False)
    return term.numel() == 1 or (term.ndim == whole.ndim and all(a in (1, b) for a, b in sides))


def _oriented(candidate: Candidate, target: Tensor) -> list[f.Node]:
    value = candidate.value
    ways = [candidate.node] if _fits(value, target) else []
    if value.ndim == 2 and _fits(value.t(), target):
        ways.append(transposed(candidate.node))
    return ways
