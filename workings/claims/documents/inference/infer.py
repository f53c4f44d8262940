"""Shapes that follow from the equations, where none were declared.

Each symbol that was not declared may be a matrix, a column, a row or a number; which of them its
letter suggests comes first. The equations that a claim rests on rule out what does not fit, one
after the other, and what is left of the sizes keeps names of its own, so that a claim is checked
for the most general shapes. The claim itself decides nothing about what its equations say.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workings.claims.documents.inference.claim_symbols import Functions, Symbols
from workings.claims.documents.inference.kinds import UNLIKELY, Kinds, capital_of, is_capital
from workings.claims.documents.inference.shape_rules import Rules
from workings.claims.documents.inference.unify import Mismatch, Shape, Size, Unifier, Unknown
from workings.claims.documents.inference.uses import inlined, signs_of, symbols_in, use_of
from workings.claims.documents.outline.declarations import Declared
from workings.formula import nodes as f
from workings.formula.evaluation.budget import check_time

MOST_TRIES = 3_000  # combinations of kinds that are tried for one claim


@dataclass(frozen=True)
class Equation:
    """A definition that a claim rests on: the name it gives, and what that is."""

    name: str
    body: f.Node
    entries: tuple[str, ...] = ()
    """the indices of what is given by its entries: y_i = …"""


@dataclass
class Inference(Symbols):
    """Finds the shapes of the symbols of one claim."""

    declared: Mapping[str, Declared]
    equations: Sequence[Equation]
    sides: Sequence[f.Node]
    """of the claim"""
    functions: Functions = field(default_factory=dict)
    sizes: frozenset[str] = frozenset()
    """names of sizes, which are numbers"""
    free: frozenset[str] = frozenset()
    """letters that the claim leaves open as indices"""
    numbers: frozenset[str] = frozenset()
    """what is differentiated and a loss by its name, so that it is a number"""
    vectors: frozenset[str] = frozenset()
    """what the document uses as vectors or matrices anywhere"""
    families: frozenset[str] = frozenset()
    """names whose entries may be written: what has an index i is an entry of one of them"""

    matrices: frozenset[str] = frozenset()
    """what the document writes by two indices anywhere"""
    bounds: frozenset[str] = frozenset()
    """names that bound sums and are no declared sizes: each may be another size"""

    def __post_init__(self) -> None:
        self.unifier = Unifier()
        self.open_sizes = {name: Unknown() for name in sorted(self.bounds)}
        self.shapes: dict[str, Shape] = {}
        self.kinds: dict[str, str] = {}
        self.defined = {each.name for each in self.equations}
        self.known = {**dict.fromkeys([*self.families, *self.defined]), **self.declared}
        self.equations = [
            replace(each, body=inlined(each.body, self.functions)) for each in self.equations
        ]
        self.sides = [inlined(side, self.functions) for side in self.sides]
        bodies = [each.body for each in self.equations]
        inside = [body for _, body in self.functions.values()]
        self.signs = signs_of([*bodies, *self.sides], self.known)
        used = {
            use_of(symbol, self.known, bound).name
            for body in [*bodies, *inside, *self.sides]
            for symbol, bound in symbols_in(body)
        }
        self.signs.vectors |= self.vectors & used
        self.signs.entries |= dict.fromkeys(self.matrices & used - {*self.declared}, 2)
        linear = bool(self.signs.vectors or self.signs.entries or self._has_declared_shapes())
        plain = self.signs.numbers | self.defined | self.numbers
        linear = linear or any(is_capital(name) for name in used - plain)
        self.letters = Kinds(self.declared, self.signs, self.numbers, linear)
        self.tries = 0
        self.is_unlikely = False
        """whether even the likeliest shapes read a letter as nobody would"""
        self.rules = Rules(
            self.unifier, self._lookup, self.functions, declared=self.declared,
            open_sizes=self.open_sizes,
        )  # fmt: skip

    def solutions(self) -> Iterator[dict[str, tuple[str, ...]]]:
        """The shapes of all symbols that are not defined, the likeliest first.

        Each is a pair of sizes, or () for a number; one size alone is what a bound of a sum is. A
        capital letter stands for a vector only where
        no matrix fits; where nothing speaks of vectors at all, every letter may be a number.
        """
        most = None
        for shapes in self._solve(0):
            cost = self.letters.cost(list(self.kinds), list(self.kinds.values()))
            if most is None:
                most = cost + UNLIKELY - 1
                self.is_unlikely = cost >= UNLIKELY
            if cost <= most:
                yield shapes
        if not self.signs.vectors and not self.signs.entries and not self._has_declared_shapes():
            everything = [*(each.body for each in self.equations), *self.sides]
            yield {name: () for name in self._new(*everything) if name not in self.defined}

    def _has_declared_shapes(self) -> bool:
        """Whether a formula has a symbol that was declared a vector or a matrix."""
        for node in [*(each.body for each in self.equations), *self.sides]:
            for symbol, bound in symbols_in(node):
                declared = self.declared.get(use_of(symbol, self.known, bound).name)
                if declared and declared.sides:
                    return True
        return False

    def _solve(self, number: int) -> Iterator[dict[str, tuple[str, ...]]]:
        """The ways to give shapes to what equation `number` and those behind it bring."""
        if number < len(self.equations):
            equation = self.equations[number]
            for _ in self._ways(equation.body, bound=frozenset(equation.entries)):
                check_time()
                try:
                    shape = self._shape(equation)
                    if equation.name in self.numbers:
                        shape = self.unifier.same(shape, ())
                    self._define(equation.name, shape)
                except Mismatch:
                    continue
                if self._is_general():
                    yield from self._solve(number + 1)
            return
        yield from self._claimed()

    def _shape(self, equation: Equation) -> Shape:
        """What an equation's body has; by its entries, as long as its indices go."""
        if not equation.entries:
            return self.rules.shape(equation.body)
        spans: dict[str, Size] = {letter: Unknown() for letter in equation.entries}
        self.rules.spans.update(spans)
        self.unifier.same(self.rules.shape(equation.body, frozenset(spans)), ())
        for letter in spans:
            del self.rules.spans[letter]
        lengths = tuple(spans.values())
        return lengths if len(lengths) == 2 else (lengths[0], 1)

    def _define(self, name: str, shape: Shape) -> None:
        if name in self.declared:
            mark = self.unifier.mark()
            for kind in self.letters.candidates(name):
                try:
                    self.shapes[name] = self.unifier.same(self.letters.shape(name, kind), shape)
                    return
                except Mismatch:
                    self.unifier.undo(mark)
            raise Mismatch(name)
        self.shapes[name] = shape

    def _claimed(self) -> Iterator[dict[str, tuple[str, ...]]]:
        """The claim's left side decides about what only the claim has; then its right side."""
        left, *right = self.sides
        for _ in self._ways(left):
            try:
                shape = self.rules.shape(left)
            except Mismatch:
                continue
            if not self._is_general():
                continue
            fixed = self._fix_sizes()
            yield from self._right(shape, right)
            for unknown in fixed:
                unknown.value = None

    def _right(self, left: Shape, right: Sequence[f.Node]) -> Iterator[dict[str, tuple[str, ...]]]:
        news = [name for side in right for name in self._new(side)]
        if not news and not self.open_sizes:
            yield self._solution()
            return
        for strict in (True, False):  # a side of another shape is wrong, not without shapes
            fits = False
            for _ in self._ways(*right):
                try:
                    for side in right:
                        shape = self.rules.shape(side)
                        if strict:
                            self.unifier.same(left, shape)
                except Mismatch:
                    continue
                if self._is_general():
                    fits = True
                    yield self._solution()
            if fits:
                return

    def _ways(self, *nodes: f.Node, bound: frozenset[str] = frozenset()) -> Iterator[None]:
        """Every way to choose kinds for the new symbols of formulas, each tried and taken back."""
        new = self._new(*nodes, outside=bound)
        candidates = [self.letters.candidates(name) for name in new]
        ways = itertools.islice(itertools.product(*candidates), MOST_TRIES)
        for kinds in sorted(ways, key=lambda kinds: self.letters.cost(new, kinds)):
            self.tries += 1
            if self.tries > MOST_TRIES:
                return
            mark = self.unifier.mark()
            for name, kind in zip(new, kinds, strict=True):
                self.shapes[name] = self.letters.shape(name, kind)
                self.kinds[name] = kind
            yield
            self.unifier.undo(mark)
        for name in new:
            self.shapes.pop(name, None)
            self.kinds.pop(name, None)

    def _is_general(self) -> bool:
        """Whether no matrix was made a vector, and no vector a number, to fit."""
        for name, kind in self.kinds.items():
            sizes = [self.unifier.find(size) for size in self.shapes[name] or ()]
            if kind == "matrix" and 1 in sizes:
                return False
            if kind in ("column", "row") and sizes == [1, 1]:
                return False
            if kind == "examples" and not self._are_rows(name):
                return False
        return True

    def _are_rows(self, name: str) -> bool:
        """Whether x_1, x_2, … have the shapes of the rows of X, where there is one."""
        capital = capital_of(name)
        shape = self.shapes.get(capital)
        if shape is None and capital in self.declared:
            shape = self.letters.shape(capital, "declared")
        if shape is None:
            return True
        try:
            self.unifier.same(self.shapes[name], shape)
        except Mismatch:
            return False
        return True

    def _fix_sizes(self) -> list[Unknown]:
        """Give every size that is still open a name, so that the claim cannot narrow it."""
        fixed: list[Unknown] = []
        taken = {*self.sizes, *self.known, *self.shapes}
        names = (f"n{number}" for number in itertools.count(1))
        for shape in self.shapes.values():
            for size in shape or ():
                open_size = self.unifier.find(size)
                if isinstance(open_size, Unknown):
                    open_size.value = next(name for name in names if name not in taken)
                    fixed.append(open_size)
        return fixed

    def _solution(self) -> dict[str, tuple[str, ...]]:
        fixed: list[Unknown] = []
        for name, size in self.open_sizes.items():
            open_size = self.unifier.find(size)
            if isinstance(open_size, Unknown):
                open_size.value = name
                fixed.append(open_size)
        fixed += self._fix_sizes()
        solution = {
            capital_of(name) if self.kinds.get(name) == "examples" else name: tuple(
                str(self.unifier.find(size)) for size in shape
            )
            for name, shape in self.shapes.items()
            if name not in self.defined and shape is not None
        }
        solution = {name: sizes for name, sizes in solution.items() if name not in self.defined}
        for name, size in self.open_sizes.items():
            if (value := str(self.unifier.find(size))) != name:
                solution[name] = (value,)
        for unknown in fixed:
            unknown.value = None
        return solution
