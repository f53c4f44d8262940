"""The symbols of a claim and its equations: which are new, and the shape that each has so far."""

from abc import ABC
from collections.abc import Iterator, Mapping

from workings.claims.documents.inference.shape_rules import Rules
from workings.claims.documents.inference.unify import Shape, Unifier, Unknown
from workings.claims.documents.inference.uses import is_kronecker, symbols_in, use_of
from workings.formula import nodes as f

IDENTITY = "I"  # of the size that fits, where nothing else has that name
PI = "\\pi"  # 3.14…, where nothing else has that name
Functions = Mapping[str, tuple[tuple[str, ...], f.Node]]


class Symbols(ABC):
    """What the search for shapes knows of the symbols at one moment."""

    functions: Functions
    known: dict[str, object]
    """names that are declared or defined, or of which entries may be written"""
    free: frozenset[str]
    """letters that the claim leaves open as indices"""
    sizes: frozenset[str]
    shapes: dict[str, Shape]
    kinds: dict[str, str]
    unifier: Unifier
    rules: Rules

    def _new(self, *nodes: f.Node, outside: frozenset[str] = frozenset()) -> list[str]:
        """The symbols in formulas that have no shape yet, in their order."""
        names: dict[str, None] = {}
        for node in nodes:
            for symbol, bound in self._symbols(node, outside):
                use = use_of(symbol, self.known, bound | self.free)
                if self._is_index(symbol, bound) or use.name in self.shapes:
                    continue
                if self._is_identity(symbol):
                    continue
                names[use.name] = None
        return list(names)

    def _symbols(
        self, node: f.Node, outside: frozenset[str], called: frozenset[str] = frozenset()
    ) -> Iterator[tuple[f.Symbol, frozenset[str]]]:
        """The symbols of a formula, and those in the functions it calls that are no arguments."""
        for symbol, bound in symbols_in(node, outside):
            if symbol.name not in self.functions:
                yield symbol, bound
        for part in node.walk():
            name = part.function if isinstance(part, f.Call) else ""
            name = part.name if isinstance(part, f.Symbol) else name
            if name not in self.functions or name in called:
                continue
            parameters, body = self.functions[name]
            given = parameters if isinstance(part, f.Call) else ()  # f alone is f of its own x
            for symbol, bound in self._symbols(body, outside, called | {name}):
                if symbol.name not in given:
                    yield symbol, bound

    def _is_identity(self, symbol: f.Symbol) -> bool:
        return symbol.name == IDENTITY and IDENTITY not in self.known

    def _is_index(self, symbol: f.Symbol, bound: frozenset[str]) -> bool:
        name = symbol.name
        if is_kronecker(symbol, self.known):
            return True  # a number, as an index is
        if name in self.known:
            return False
        return name in bound or name in self.free or name in self.sizes or name == PI

    def _lookup(self, symbol: f.Symbol, bound: frozenset[str]) -> Shape:
        if self._is_index(symbol, bound):
            return ()
        if self._is_identity(symbol):
            side = Unknown()
            return (side, side)
        use = use_of(symbol, self.known, bound | self.free)
        shape = self.shapes.get(use.name)
        if not use.indices or not shape:
            return shape
        sizes = [self.unifier.find(size) for size in shape]
        if len(use.indices) == 1 and 1 in sizes:
            lengths = [shape[1] if sizes[0] == 1 else shape[0]]
        else:
            lengths = list(shape)
        for index, length in zip(use.indices, lengths, strict=False):
            if index in self.rules.spans:
                self.unifier.unify(length, self.rules.spans[index])
        if len(use.indices) > 1 or 1 in sizes:
            return ()
        return (shape[1], 1) if self.kinds.get(use.name) == "examples" else (1, shape[1])
