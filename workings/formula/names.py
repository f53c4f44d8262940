"""What a name in a formula stands for: a declared symbol, an index, a size, an entry."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from workings.errors import WorkingsError, nearest
from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.functions import FUNCTIONS
from workings.formula.latex import symbol_latex
from workings.formula.parse import parse_expression


@dataclass(frozen=True)
class Function:
    """A function that an equation defines: f(x, y) = body."""

    parameters: tuple[str, ...]
    body: f.Node


@dataclass(frozen=True)
class Names:
    """All that formulas of one set may use."""

    symbols: Collection[str] = ()
    """declared symbols and left sides of equations; those that live in time without their step"""
    timed: Collection[str] = ()
    """of these, the ones that have a value at every step"""
    sizes: Collection[str] = ()
    functions: Mapping[str, Function] = field(default_factory=dict)
    indices: Collection[str] = ()
    """free indices: a claim with them is checked at every value"""
    time: str = ""
    """the index of steps, where there are several"""

    def resolve(self, node: f.Node, text: str = "", bound: frozenset[str] = frozenset()) -> f.Node:
        """The tree with every name looked up; an unknown one is an error with its position."""
        return Resolver(self, text).visit(node, bound | frozenset(self.indices))


class Resolver:
    """Looks up the names of one formula; `bound` are the indices of the sums around a node."""

    def __init__(self, names: Names, text: str) -> None:
        self.names = names
        self.text = text

    def visit(self, node: f.Node, bound: frozenset[str]) -> f.Node:
        """The node with every name in it looked up."""
        if isinstance(node, f.Symbol):
            return self.symbol(node, bound)
        if isinstance(node, f.Power):
            return self.power(node, bound)
        if isinstance(node, f.Call):
            return self.call(node, bound)
        if isinstance(node, f.Total):
            ranges, inner = self.ranges(node.ranges, bound)
            return f.Total(ranges, self.visit(node.body, inner))
        if isinstance(node, f.Chain):
            (inner_range,), inner = self.ranges((node.range,), bound)
            return f.Chain(inner_range, self.visit(node.body, inner))
        if isinstance(node, f.Derivative):
            return self.derivative(node, bound)
        return node.rebuilt(lambda child: self.visit(child, bound))

    def symbol(self, node: f.Symbol, bound: frozenset[str]) -> f.Node:
        """What a name stands for; one that stands for nothing is an error."""
        meaning = self.lookup(node, bound)
        if meaning is None:
            raise self.unknown(node, bound)
        return meaning

    def lookup(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """The first reading that was declared, the most literal first."""
        names = self.names
        if node.name in bound or (names.time and node.name == names.time):
            return f.Variable(node.name)
        if names.time and node.name == "T" and "T" not in {*names.symbols, *names.sizes}:
            return f.Variable(names.time)  # the last step, which is the one that is looked at
        if node.name in names.symbols and node.name not in names.timed:
            return f.Reference(node.name, symbol_latex(node))
        if names.time and (timed := self.at_a_step(node, bound)):
            return timed
        if node.sub and (entry := self.entry(node, bound)):
            return entry
        if node.label == "(t)":  # the one step that is looked at
            return self.lookup(f.Symbol(node.base, node.marks, node.sub, "", node.position), bound)
        return f.Size(node.name) if node.name in names.sizes else None

    def entry(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """y_j of a declared y; I_n."""
        names = self.names
        whole = f.Symbol(node.base, node.marks, "", node.label, node.position)
        if whole.name in names.symbols or (names.time and self.at_a_step(whole, bound)):
            indices = self.indices(node, bound)
            return f.Index(self.symbol(whole, bound), indices) if indices else None
        if node.base == "I" and node.sub in names.sizes:
            return f.Identity(f.Size(node.sub))
        return None

    def at_a_step(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """h^{(t-1)} or h_{t-1} of a symbol that has a value at every step."""
        plain = f.Symbol(node.base, node.marks, node.sub).name
        if node.label.startswith("(") and plain in self.names.timed:
            return f.Reference(plain, symbol_latex(node), self.expression(node.label, node, bound))
        plain = f.Symbol(node.base, node.marks).name
        if node.sub and not node.label and plain in self.names.timed:
            return f.Reference(plain, symbol_latex(node), self.expression(node.sub, node, bound))
        return None

    def expression(self, text: str, node: f.Symbol, bound: frozenset[str]) -> f.Node:
        """The step in a label or an index, itself a small formula."""
        try:
            return self.visit(parse_expression(text), bound)
        except WorkingsError:
            raise NotRead(self.text, node.position, f"{text} is no step of {node.base}") from None

    def indices(self, node: f.Symbol, bound: frozenset[str]) -> tuple[f.Node, ...]:
        """j, (i, j) or ij, if all of them are indices or whole numbers."""
        sub = node.sub.strip("()")
        parts = sub.split(",") if "," in sub else [sub]
        if len(parts) == 1 and len(sub) == 2 and all(letter in bound for letter in sub):
            parts = list(sub)
        indices = []
        for part in parts:
            try:
                indices.append(self.visit(parse_expression(part), bound))
            except WorkingsError:
                return ()
        return tuple(indices)

    def power(self, node: f.Power, bound: frozenset[str]) -> f.Node:
        """A name such as W^Q, the exponential function e^x, or a power."""
        base = node.base
        if isinstance(base, f.Symbol) and node.text and not base.label:
            labelled = f.Symbol(base.base, base.marks, base.sub, node.text, base.position)
            whole = f.Symbol(base.base, base.marks, "", node.text, base.position)
            if labelled.name in self.names.symbols or whole.name in self.names.symbols:
                return self.symbol(labelled, bound)
        if isinstance(base, f.Symbol) and base.name == "e" and "e" not in self.names.symbols:
            return f.Call("exp", (self.visit(node.exponent, bound),), position=base.position)
        return f.Power(self.visit(base, bound), self.visit(node.exponent, bound))

    def call(self, node: f.Call, bound: frozenset[str]) -> f.Node:
        """A call of a known function; |V| of a size is that size."""
        first = node.arguments[0]
        sizes = self.names.sizes
        if node.function == "abs" and isinstance(first, f.Symbol) and first.name in sizes:
            return f.Size(first.name)
        known = FUNCTIONS.keys() | self.names.functions.keys()
        if node.function not in known:
            hint = nearest(node.function, known)
            raise NotRead(self.text, node.position, f"no function {node.function!r}{hint}")
        return node.rebuilt(lambda child: self.visit(child, bound))

    def ranges(
        self, given: tuple[f.Range, ...], bound: frozenset[str]
    ) -> tuple[tuple[f.Range, ...], frozenset[str]]:
        """The ranges of a sum with their bounds looked up, and the indices bound inside it."""
        ranges = []
        for each in given:
            if each.variable in self.names.symbols:
                message = f"the index {each.variable} is also a symbol"
                raise NotRead(self.text, each.position, message, "rename one of them")
            low = each.low and self.visit(each.low, bound)
            high = each.high and self.visit(each.high, bound)
            without = tuple(self.visit(value, bound) for value in each.without)
            ranges.append(replace(each, low=low, high=high, without=without))
            bound = bound | {each.variable}
        return tuple(ranges), bound

    def derivative(self, node: f.Derivative, bound: frozenset[str]) -> f.Node:
        """A derivative by a declared name, or by an entry of one."""
        wrt = self.visit(node.wrt, bound)
        whole = wrt.body if isinstance(wrt, f.Index) else wrt
        if not isinstance(whole, f.Reference):
            raise NotRead(self.text, node.position, "a derivative is taken by a declared name")
        of = self.visit(node.of, bound)
        if any(isinstance(part, f.Derivative) for part in of.walk()):
            raise NotRead(self.text, node.position, "a derivative of a derivative is not computed")
        return replace(node, of=of, wrt=wrt)

    def unknown(self, node: f.Symbol, bound: frozenset[str]) -> NotRead:
        """The error for a name that was not declared, with the nearest one that was."""
        known = [*self.names.symbols, *self.names.sizes, *bound]
        spelt = symbol_latex(node)
        hint = nearest(node.name, known) or nearest(node.base, known)
        return NotRead(self.text, node.position, f"{spelt} is not declared{hint}")
