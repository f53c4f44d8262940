"""Every way to combine the same factors: matrix and elementwise products, orders, transposes.

Bottom-up over subsets of the factors. Candidates that are numerically equal (up to a transpose
and a constant) are one candidate, kept in its plainest form; so there are few, and a subset's
are made once for all the larger ones that contain it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import torch
from torch import Tensor

from workings.claims.repair.plain import elementwise, product
from workings.formula import nodes as f

MOST_OF_A_SUBSET = 300


@dataclass(frozen=True)
class Candidate:
    """A product of some of the factors, and its value at the draw that is searched at."""

    node: f.Node
    value: Tensor
    cost: int
    """how far it is from a plain product in the order given"""

    def transposed(self) -> "Candidate":
        """Its transpose."""
        return Candidate(transposed(self.node), self.value.t(), self.cost)


Print = tuple[object, ...]


def fingerprint(x: Tensor) -> Print:
    """The same for a matrix, its transpose and its multiples; else different, as good as surely."""
    norm = float(x.norm())
    if norm == 0 or norm != norm or norm == float("inf"):
        return ("zero", *sorted(x.shape))
    y = x / norm
    odd = (float(y.sum()), float((y * y * y).sum()))
    sign = -1 if (odd[0] if abs(odd[0]) > 1e-9 else odd[1]) < 0 else 1
    even = float((y * y * y * y).sum())
    return (*sorted(x.shape), *(round(sign * each, 7) for each in odd), round(even, 7))


@dataclass
class Table:
    """Candidates by the set of factors (as bits) that they are made of."""

    deadline: float = field(default_factory=lambda: time.thread_time() + 1.0)
    diagonals: bool = False
    """whether a vector may also stand on a diagonal"""
    subsets: dict[int, dict[Print, Candidate]] = field(default_factory=dict)
    count: int = 0
    singles: int = 0

    def add(self, node: f.Node, value: Tensor) -> None:
        """One more factor, and every subset with it."""
        bit = 1 << self.singles
        self.singles += 1
        self.subsets[bit] = {}
        self.keep(bit, Candidate(node, value, 0))
        for rest in range(1, bit):
            self.fill(rest | bit)

    def fill(self, subset: int) -> None:
        """All products of a candidate of one part of a subset with one of the rest."""
        self.subsets[subset] = {}
        part = (subset - 1) & subset
        while part:
            other = subset ^ part
            if part < other:
                for a in self.subsets.get(part, {}).values():
                    for b in self.subsets.get(other, {}).values():
                        if time.thread_time() > self.deadline:
                            return
                        for candidate in combinations(a, b):
                            self.keep(subset, candidate)
            part = (part - 1) & subset

    def keep(self, subset: int, candidate: Candidate) -> None:
        """The candidate, unless a plainer one has the same value."""
        self.count += 1
        candidates = self.subsets[subset]
        mark = fingerprint(candidate.value)
        known = candidates.get(mark)
        if known is None and len(candidates) >= MOST_OF_A_SUBSET:
            return
        if known is None or candidate.cost < known.cost:
            candidates[mark] = candidate
        if self.diagonals and candidate.value.ndim == 2 and 1 in candidate.value.shape:
            value = torch.diag(candidate.value.reshape(-1))
            diagonal = Candidate(f.Call("diag", (candidate.node,)), value, candidate.cost + 1)
            candidates.setdefault(fingerprint(value), diagonal)

    def matching(self, target: Tensor) -> Iterator[tuple[int, Candidate]]:
        """Candidates equal to the target up to a transpose and a constant, most factors first."""
        mark = fingerprint(target)
        hits = [(subset, each[mark]) for subset, each in self.subsets.items() if mark in each]
        yield from sorted(hits, key=lambda hit: (-hit[0].bit_count(), hit[1].cost))


def combinations(a: Candidate, b: Candidate) -> Iterator[Candidate]:
    """All products of two candidates, up to a transpose of the result; a's factors stand first."""
    cost = a.cost + b.cost
    if a.value.numel() == 1 or b.value.numel() == 1:
        value = (
            a.value.reshape(()) * b.value if a.value.numel() == 1 else a.value * b.value.reshape(())
        )
        yield Candidate(product((a.node, b.node)), value, cost)
        return
    for left, left_cost in ((a, 0), (a.transposed(), 1)):
        for right, right_cost in ((b, 0), (b.transposed(), 1)):
            if left.value.shape[1] == right.value.shape[0]:
                node = product((left.node, right.node))
                value = left.value @ right.value
                yield Candidate(node, value, cost + left_cost + right_cost)
    for right, right_cost in ((b, 0), (b.transposed(), 1)):
        if a.value.shape == right.value.shape:
            node = elementwise((a.node, right.node))
            yield Candidate(node, a.value * right.value, cost + right_cost)


def transposed(node: f.Node) -> f.Node:
    """The transpose, pushed down to where it reads best."""
    match node:
        case f.Transpose(body):
            return body
        case f.Product(factors):
            return product([transposed(factor) for factor in reversed(factors)])
        case f.Elementwise(factors):
            return elementwise([transposed(factor) for factor in factors])
        case f.Number() | f.Size() | f.Variable():
            return node
        case f.Call(function, _) if function in ("diag", "Diag"):
            return node
        case f.Negative(body):
            return f.Negative(transposed(body))
    return f.Transpose(node)


def factors_of(node: f.Node, is_scalar: Callable[[f.Node], bool]) -> list[f.Node]:
    """What a product is made of, without transposes, signs and numbers."""
    match node:
        case f.Product(parts) | f.Elementwise(parts):
            return [factor for part in parts for factor in factors_of(part, is_scalar)]
        case f.Dot(left, right):
            return factors_of(left, is_scalar) + factors_of(right, is_scalar)
        case f.Transpose(body) | f.Negative(body):
            return factors_of(body, is_scalar)
        case f.Call(function, (body,)) if function in ("diag", "Diag"):
            return factors_of(body, is_scalar)
        case f.Number():
            return []
        case f.Quotient(top, bottom) if isinstance(bottom, f.Number) or is_scalar(bottom):
            return factors_of(top, is_scalar) + (
                [] if isinstance(bottom, f.Number) else [f.Quotient(f.Number(Fraction(1)), bottom)]
            )
    return [node]
