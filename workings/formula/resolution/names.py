"""What a name stands for, by what is declared: a symbol, an index, a size, y_j an entry of y."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from workings.errors import WorkingsError, nearest
from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import symbol_latex
from workings.formula.resolution.declared import Declared
from workings.formula.resolution.scopes import LAST, OVER_ALL_STEPS, Scopes
from workings.formula.resolution.shapes import is_matrix

_SUM_OVER = r"(?:\\sum|∑)(?:\s*\\limits)?\s*_\s*\{?\s*%s(?![A-Za-z])"
_NOT_COMPUTED = {"…": "dots", "-": "a dash", "|": "a bar", "": "an empty entry", "set": "a set"}


@dataclass(frozen=True)
class Names(Declared):
    """All that formulas of one set may use, and how their names are looked up."""

    def resolve(self, node: f.Node, text: str = "", bound: frozenset[str] = frozenset()) -> f.Node:
        """The tree with every name looked up; an unknown one is an error with its position."""
        return Resolver(self, text).visit(node, bound | frozenset(self.indices))


class Resolver(Scopes):
    """Looks up the names of one formula; `bound` are the indices of the sums around a node."""

    def visit(self, node: f.Node, bound: frozenset[str]) -> f.Node:
        """The node with every name in it looked up."""
        if isinstance(node, f.Symbol):
            return self.symbol(node, bound)
        if isinstance(node, f.Power):
            return self.power(node, bound)
        if isinstance(node, f.TransposeOrPower):
            return self.transpose_or_power(node, bound)
        if isinstance(node, f.Transpose):
            return self.transpose(node, bound)
        if isinstance(node, f.Call):
            is_divergence = node.function == "divergence"
            return self.divergence(node, bound) if is_divergence else self.call(node, bound)
        if isinstance(node, f.Expectation):
            return self.expectation(node, bound)
        if isinstance(node, f.Total | f.Extreme):
            ranges, inner = self.ranges(node.ranges, node.body, bound)
            return replace(node, ranges=ranges, body=self.visit(node.body, inner))
        if isinstance(node, f.Chain):
            (inner_range, *more), inner = self.ranges((node.range,), node.body, bound)
            if more:
                raise NotRead(self.text, node.range.position, "a product over several indices")
            return f.Chain(inner_range, self.visit(node.body, inner))
        if isinstance(node, f.Index):
            return self.index(node, bound)
        if isinstance(node, f.Unsaid) and node.text in _NOT_COMPUTED:
            message = f"{_NOT_COMPUTED[node.text]} cannot be computed"
            raise NotRead(self.text, max(0, self.text.find(node.text)), message, "write it out")
        if isinstance(node, f.At):
            return self.at_point(node, bound)
        if isinstance(node, f.Derivative):
            return self.derivative(node, bound)
        if isinstance(node, f.Hessian):
            return self.hessian(node, bound)
        if isinstance(node, f.Matrix):
            return self.matrix(node, bound)
        if f.is_bare_ones(node):
            raise self.unknown_size(node, bound)
        if isinstance(node, f.Elementwise) and node.last_is_bare:
            return self.visit(self.with_brackets(node), bound)
        if isinstance(node, f.Sum | f.Product | f.Elementwise) and any(
            self.is_unsized(part, bound) for part in node.children()
        ):
            return self.fitted(node, bound)
        return node.rebuilt(lambda child: self.visit(child, bound))

    def at_point(self, node: f.At, bound: frozenset[str]) -> f.Node:
        """A formula where some of its names have a given value."""
        if not node.names or any(name not in self.names.symbols for name in node.names):
            message, way_out = "which names have these values is not said", "write |_{x = 1}"
            raise NotRead(self.text, max(0, self.text.find("|_")), message, way_out)
        return node.rebuilt(lambda child: self.visit(child, bound))

    # Names

    def symbol(self, node: f.Symbol, bound: frozenset[str]) -> f.Node:
        """What a name stands for; one that stands for nothing is an error."""
        meaning = self.lookup(node, bound)
        if meaning is None and node.name == "I":
            raise self.unknown_size(node, bound)
        if meaning is None:
            raise self.unknown(node, bound)
        return meaning

    def lookup(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """The first reading that was declared, the most literal first."""
        names = self.names
        if node.name in bound or (names.time and node.name == names.time):
            return f.Variable(node.name)
        if names.time and node.name == "T" and "T" not in {*names.symbols, *names.sizes}:
            return f.Variable(LAST)
        if node.name in names.symbols and node.name not in names.timed:
            return f.Reference(node.name, symbol_latex(node))
        if node.name in names.totals:
            return f.Reference(node.name + OVER_ALL_STEPS, symbol_latex(node))
        if names.time and (timed := self.at_a_step(node, bound)):
            return timed
        if node.sub and (entry := self.entry(node, bound)):
            return entry
        if node.label == "(t)":  # the one step that is looked at
            return self.lookup(replace(node, label=""), bound)
        if node.name in names.sizes:
            return f.Size(node.name)
        return self.less_literal(node, bound)

    def less_literal(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        r"""\vec{x} for x, x' for the transposed, a_{ij} of A, δ_{ij}, π."""
        if "vec" in node.marks:
            plain = tuple(mark for mark in node.marks if mark != "vec")
            return self.lookup(replace(node, marks=plain), bound)
        if node.base.endswith("'"):
            return self.primed(node, bound)
        if node.name in self.names.functions:
            return self.bare_function(node, 0, bound)
        if node.base == "\\delta" and (indices := self.indices(node, bound)) and len(indices) == 2:
            own = replace(node, sub=node.sub[0]).name in self.names.symbols  # a row of δ_h
            return None if own else f.Call("delta", indices, position=node.position)
        if node.name in ("\\pi", "e"):
            return f.Constant(node.name)
        square = replace(node, label="2")
        if node.base == "\\sigma" and not node.label and square.name in self.names.symbols:
            return f.Call("sqrt", (self.symbol(square, bound),), position=node.position)
        return self.of_capital(node, bound)

    def bare_function(self, node: f.Symbol, primes: int, bound: frozenset[str]) -> f.Node | None:
        """f of f(x, y) = … is f at its own arguments, where they are declared."""
        parameters = self.names.functions[node.name].parameters
        if not all(name in self.names.symbols for name in parameters):
            return None
        arguments = tuple(f.Symbol(name, position=node.position) for name in parameters)
        return self.call(f.Call(node.name, arguments, primes, node.position), bound)

    def primed(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """X' is the transposed of a matrix or vector; of a number it means nothing known."""
        plain = replace(node, base=node.base[:-1])
        if plain.name in self.names.functions:
            return self.bare_function(plain, 1, bound)
        shape = self.names.shapes.get(plain.name)
        if node.base.endswith("''") or not shape:
            return None
        self.choose("prime", f"{symbol_latex(node)} as the transposed")
        return f.Transpose(self.symbol(plain, bound))

    def of_capital(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """a_{ij} is an entry of A, x_i and x^{(i)} are rows of X as columns, where no a or x is."""
        names, capital = self.names, f.capital(node.base)
        known = f.Symbol(capital, node.marks, position=node.position)
        if capital == node.base or known.name not in names.symbols or node.base in names.symbols:
            return None
        label = node.label.strip("()") if node.label.startswith("(") else ""
        indices = self.indices(replace(known, sub=node.sub or label), bound)
        body = self.symbol(known, bound)
        if len(indices) == 2 and not node.label:
            return f.Index(body, indices)
        if len(indices) != 1 or not is_matrix(names.shapes.get(known.name)):
            return None
        shown = (
            f"{symbol_latex(node)} as row {symbol_latex(f.Symbol(node.sub or label))} of {capital}"
        )
        row = f.Index(body, (*indices, f.Unsaid(":")))
        self.alternatives.add("columns")
        if "columns" in names.flipped:
            self.notes["columns"] = shown.replace(" as row ", " as column ")
            return f.Transpose(f.Index(f.Transpose(body), (*indices, f.Unsaid(":"))))
        if self.choose("rows", f"{shown}, a column", f"{shown}, a row"):
            return row
        return f.Transpose(row)

    def entry(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """y_j of a declared y; I_n."""
        names = self.names
        whole = replace(node, sub="")
        if whole.name in names.symbols or (names.time and self.at_a_step(whole, bound)):
            indices = self.indices(node, bound)
            shape = names.shapes.get(whole.name)
            if len(indices) == 2 and shape is not None and not is_matrix(shape):
                capital = f.Symbol(f.capital(node.base), node.marks, "", node.label, node.position)
                if is_matrix(names.shapes.get(capital.name)):
                    return f.Index(self.symbol(capital, bound), indices)  # a_{ij} beside a vector a
            if shape == ():
                return None  # a number has no entries: δ_{ij} beside a number δ
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
            message = f"{text} is no step of {node.base}"
            raise NotRead(self.text, node.position, message) from None

    def indices(self, node: f.Symbol, bound: frozenset[str]) -> tuple[f.Node, ...]:
        """j, (i, j), ij or 12, if all of them are indices or whole numbers; : is a whole axis."""
        sub = node.sub.strip("()")
        parts = sub.split(",") if "," in sub else [sub]
        if len(parts) == 1 and len(sub) == 2 and self.are_two(node, bound):
            parts = list(sub)
        indices: list[f.Node] = []
        for part in parts:
            if part in (":", "·", "*"):
                indices.append(f.Unsaid(":"))
                continue
            try:
                indices.append(self.visit(parse_expression(part), bound))
            except WorkingsError:
                return ()
        return tuple(indices)

    def are_two(self, node: f.Symbol, bound: frozenset[str]) -> bool:
        """Whether ij, 12 or 2j are two indices: of a vector, 12 and 2j are one."""
        first, second = node.sub[0], node.sub[1]
        if (first in bound and second in bound) or {first, second} & {":", "·", "*"}:
            return True
        shape = self.names.shapes.get(f.Symbol(node.base, node.marks, "", node.label).name)
        plain = all(sign.isdigit() or sign in bound for sign in node.sub) or (
            {first, second} & bound and {first, second} <= bound | set(self.names.sizes)
        )  # C_{ik} with the last k
        return bool(plain) and (is_matrix(shape) or node.base == "\\delta")

    def index(self, node: f.Index, bound: frozenset[str]) -> f.Node:
        """An entry of a formula; (AB)_{21} of a matrix is that in row 2 and column 1."""
        body = self.visit(node.body, bound)
        indices = tuple(self.visit(index, bound) for index in node.indices)
        (first, *more) = indices
        if isinstance(body, f.Call) and body.function == "eig" and not self.is_summed(first):
            message = "which eigenvalue is meant, is not said: they have no order of their own"
            raise NotRead(self.text, body.position, message, "write \\lambda_{\\max} or a sum")
        if isinstance(first, f.Number) and not more and is_matrix(self.shape(body)):
            digits = str(first.value)
            if len(digits) == 2 and digits.isdigit():
                indices = tuple(f.Number(Fraction(digit)) for digit in digits)
        return f.Index(body, indices)

    def is_summed(self, index: f.Node) -> bool:
        """Whether it is the index of a sum or a product, not one that stands for every value."""
        return isinstance(index, f.Variable) and index.name not in self.names.indices

    def unknown(self, node: f.Symbol, bound: frozenset[str]) -> NotRead:
        """The error for a name that was not declared, with the nearest one that was."""
        known = [*self.names.symbols, *self.names.sizes, *bound]
        spelt = symbol_latex(node)
        whole, summed = replace(node, sub="").name, _SUM_OVER % re.escape(node.sub)
        if node.sub and whole in self.names.symbols and re.search(summed, self.text):
            message = f"{spelt} stands outside of the sum over {node.sub}"
            return NotRead(self.text, node.position, message, "bracket all that is summed")
        similar = nearest(node.name, known) or nearest(node.base, known)
        hint = f"write {spelt.rstrip(chr(39))}^T for a transposed" if "'" in node.base else ""
        return NotRead(self.text, node.position, f"{spelt} is not declared{similar}", hint)
