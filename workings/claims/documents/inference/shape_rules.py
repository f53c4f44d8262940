"""The shape of a formula from the shapes of its symbols: one rule for each kind of node.

A rule that is not sure gives None, and asks nothing of the parts.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import reduce

from workings.claims.documents.inference.unify import Mismatch, Shape, Size, Unifier, Unknown
from workings.formula import nodes as f
from workings.formula.evaluation.functions import POINTWISE

SAME_SHAPE = POINTWISE | {"softmax", "Softmax", "sign", "abs"}
NUMBERS = frozenset(["norm", "tr", "trace", "Tr", "det", "sum", "mean", "binom", "factorial"])
SQUARE = frozenset(["tr", "trace", "Tr", "det", "inv"])

Lookup = Callable[[f.Symbol, frozenset[str]], Shape]


@dataclass
class Rules:
    """Finds shapes, unifying the sizes that must be equal on the way."""

    unifier: Unifier
    lookup: Lookup
    """the shape of a symbol, given the indices that sums around it bind"""
    functions: Mapping[str, tuple[tuple[str, ...], f.Node]] = field(default_factory=dict)
    """functions that the document defines: their arguments and bodies"""
    given: dict[str, Shape] = field(default_factory=dict)
    """the shapes of a function's arguments, inside its body"""
    depth: int = 0
    spans: dict[str, Size] = field(default_factory=dict)
    """how far the bound indices go, from 1"""
    declared: Container[str] = ()
    """names whose shapes the document says"""
    open_sizes: Mapping[str, Size] = field(default_factory=dict)
    """bounds of sums that were not declared as sizes: each may be another size"""

    def shape(self, node: f.Node, bound: frozenset[str] = frozenset()) -> Shape:
        """The shape of a formula; Mismatch where it has none."""

        def part(inner: f.Node) -> Shape:
            return self.shape(inner, bound)

        unifier = self.unifier
        match node:
            case f.Number() | f.Unsaid():
                return ()
            case f.Symbol():
                return (
                    self.given[node.name] if node.name in self.given else self.lookup(node, bound)
                )
            case f.Negative(body):
                return part(body)
            case f.Sum(terms):
                shapes = [part(term) for term in terms]
                self._no_vector_beside_a_number(terms, shapes, bound)
                return reduce(unifier.added, shapes)
            case f.Product(factors):
                return reduce(unifier.multiplied, map(part, factors))
            case f.Elementwise(factors):
                return reduce(self._elementwise, map(part, factors))
            case f.Dot(left, right):
                return self._dot(part(left), part(right))
            case f.Quotient(top, bottom):
                return self._quotient(part(top), part(bottom))
            case f.Power(base, exponent):
                return self._power(part(base), exponent, bound)
            case f.Transpose(body):
                shape = part(body)
                return (shape[1], shape[0]) if shape else shape
            case f.Call():
                return self._call(node, bound)
            case f.Total(ranges, body):
                return self._total(ranges, body, bound)
            case f.Chain(each, body):
                self.shape(body, bound | {each.variable})
                return None
            case f.Derivative(of, wrt):
                return self._derivative(part(of), part(wrt))
            case f.Ones(rows, columns):
                return (size_of(rows), size_of(columns))
            case f.Identity(size):
                return (size_of(size), size_of(size))
            case f.Matrix(rows):
                return self._blocks([[part(entry) for entry in row.entries] for row in rows])
        for child in node.children():
            part(child)
        return None

    def _no_vector_beside_a_number(
        self, terms: tuple[f.Node, ...], shapes: list[Shape], bound: frozenset[str]
    ) -> None:
        """Nobody adds a vector to an inner product: b of w^T x + b is a number, if not declared."""
        pairs = list(zip(terms, shapes, strict=True))
        if any(shape == () and self._is_inner_product(term, bound) for term, shape in pairs):
            for term, shape in pairs:
                if shape and isinstance(term, f.Symbol) and term.name not in self.declared:
                    raise Mismatch(term.name)

    def _is_inner_product(self, node: f.Node, bound: frozenset[str]) -> bool:
        """Whether a number is a product of vectors."""
        factors = node.children() if isinstance(node, f.Product | f.Dot) else ()
        return any(self.shape(factor, bound) for factor in factors)

    def _total(self, ranges: tuple[f.Range, ...], body: f.Node, bound: frozenset[str]) -> Shape:
        before = dict(self.spans)
        for each in ranges:
            low = each.low
            starts = low is None or (isinstance(low, f.Number) and low.value == 1)
            if starts and isinstance(each.high, f.Symbol | f.Number | f.Call):
                size = size_of(each.high)
                if isinstance(size, str):
                    size = self.open_sizes.get(size, size)
                self.spans[each.variable] = size
            elif each.low is None and each.high is None:
                self.spans[each.variable] = Unknown()  # to the end of all that it indexes
            else:
                self.spans.pop(each.variable, None)
        found = self.shape(body, bound | {each.variable for each in ranges})
        self.spans.clear()
        self.spans.update(before)
        return found if ranges else ()

    def _elementwise(self, a: Shape, b: Shape) -> Shape:
        if a is None or b is None:
            return b if a is None else a
        return self.unifier.same(a, b) if a and b else a or b

    def _dot(self, a: Shape, b: Shape) -> Shape:
        """Two vectors of one shape give a number; else as a matrix product."""
        mark = self.unifier.mark()
        if a and b and any(self.unifier.find(size) == 1 for size in a):
            try:
                self.unifier.same(a, b)
                return ()
            except Mismatch:
                self.unifier.undo(mark)
        return self.unifier.multiplied(a, b)

    def _quotient(self, top: Shape, bottom: Shape) -> Shape:
        if top and bottom:
            return self.unifier.added(top, bottom)
        return top if not bottom else bottom if top == () else None

    def _power(self, base: Shape, exponent: f.Node, bound: frozenset[str]) -> Shape:
        shape = self.shape(exponent, bound)
        if shape:
            raise Mismatch("a power of a matrix")
        is_matrix = base and all(self.unifier.find(size) != 1 for size in base)
        if base and is_matrix:
            self.unifier.unify(base[0], base[1])
        return base

    def _call(self, node: f.Call, bound: frozenset[str]) -> Shape:
        arguments = [self.shape(argument, bound) for argument in node.arguments]
        name = node.function
        if name in self.functions and self.depth < 4:
            parameters, body = self.functions[name]
            if len(parameters) != len(arguments):
                return None
            inner = dict(zip(parameters, arguments, strict=True))
            rules = Rules(
                self.unifier, self.lookup, self.functions, inner, self.depth + 1, self.spans,
                self.declared, self.open_sizes,
            )  # fmt: skip
            return rules.shape(body)
        if name in SQUARE and arguments[0]:
            self.unifier.unify(*arguments[0])
        if name in NUMBERS:
            return ()
        if name in SAME_SHAPE or name == "inv":
            return arguments[0]
        if name in ("max", "min") and len(arguments) > 1:
            return reduce(self._elementwise, arguments)
        if name in ("diag", "Diag"):
            return self._diagonal(arguments[0])
        if name in ("concat", "Concat"):
            return self._joined(arguments)
        if name == "transpose" and arguments[0]:
            return (arguments[0][1], arguments[0][0])
        return None

    def _diagonal(self, shape: Shape) -> Shape:
        if not shape:
            return shape
        first, second = (self.unifier.find(size) for size in shape)
        if first == 1 or second == 1:
            long = second if first == 1 else first
            return (long, long)
        return shape

    def _joined(self, parts: list[Shape]) -> Shape:
        """Columns below each other, the rest side by side; their lengths add up."""
        known = [part for part in parts if part]
        if len(known) < len(parts):
            return None
        columns = all(self.unifier.find(part[1]) == 1 for part in known)
        across, along = (1, 0) if columns else (0, 1)
        for part in known[1:]:
            self.unifier.unify(known[0][across], part[across])
        sizes = [self.unifier.find(part[along]) for part in known]
        if any(isinstance(size, Unknown) for size in sizes):
            return None
        total = " + ".join(map(str, sizes))
        return (total, known[0][1]) if columns else (known[0][0], total)

    def _blocks(self, rows: list[list[Shape]]) -> Shape:
        if all(shape == () for row in rows for shape in row):
            return (len(rows), len(rows[0]))
        return self._joined(rows[0]) if len(rows) == 1 else None

    def _derivative(self, of: Shape, wrt: Shape) -> Shape:
        """Of a number, the shape of what it is taken by; of a vector by one, the Jacobian."""
        if of == ():
            return wrt
        if not of or not wrt:
            return of if wrt == () else None
        lengths = [self._length(of), self._length(wrt)]
        return None if None in lengths else (lengths[0] or 1, lengths[1] or 1)

    def _length(self, shape: tuple[Size, ...]) -> Size | None:
        first, second = (self.unifier.find(size) for size in shape)
        return second if first == 1 else first if second == 1 else None


def size_of(node: f.Node) -> Size:
    """A side that is written in a formula, as in 1_{1×D}."""
    if isinstance(node, f.Number) and node.value.denominator == 1:
        return int(node.value)
    if isinstance(node, f.Call) and node.function == "abs":
        node = node.arguments[0]
    return node.name if isinstance(node, f.Symbol) else Unknown()
