r"""A formula with its functions and derivatives written out: \nabla f(1, 1) as a column of numbers.

Every name is a number here, or stands for a function, a vector or a matrix that the document writes
out. What cannot be written out in this way is none of ordinary calculus.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workings.claims.documents.calculus.differentiate import substituted
from workings.claims.documents.calculus.slopes import Arguments, NotOrdinary, Slopes
from workings.claims.documents.calculus.vectors import dot, entries_of, product, unit_vector
from workings.formula import nodes as f
from workings.formula.evaluation.activations import ELEMENTWISE
from workings.formula.evaluation.functions import ROUNDS
from workings.formula.printing.latex import plain_latex

DEEPEST = 12  # functions within functions
OF_MATRICES = {"det", "tr", "Tr", "trace", "norm", "bars", "rank", "inv", "transpose", "frobenius"}
OF_NUMBERS = {*ELEMENTWISE, "log", "ln", "\\sigma", "max", "min", "factorial", "binom", *ROUNDS}
PLAIN = (f.Number, f.Sum, f.Negative, f.Quotient, f.Power, f.Row, f.Elementwise)


@dataclass
class Expansion(Slopes):
    """Writes formulas out, with what the document has written out before them."""

    def __call__(self, node: f.Node) -> f.Node:
        """A formula written out; NotOrdinary where it cannot be."""
        match node:
            case f.Symbol():
                return self._symbol(node)
            case f.Call():
                return self._call(node)
            case f.Derivative():
                return self.derivative(node)
            case f.Hessian():
                return self.second(node)
            case f.At():
                return self.at(node)
            case f.Product(factors):
                return product(self.factors(factors))
            case f.Dot(left, right):
                return dot(self(left), self(right))
            case f.Matrix():
                if any(isinstance(part, f.Unsaid) for part in node.walk()):
                    raise NotOrdinary("dots cannot be computed")
                return node.rebuilt(self)
            case f.TransposeOrPower(body) | f.Transpose(body):
                written = self(body)
                if not any(isinstance(part, f.Matrix) for part in written.walk()):
                    raise NotOrdinary("a prime, or the transposed of a number")  # (\\sin x)'
                return f.Transpose(written)
        if isinstance(node, PLAIN):
            return node.rebuilt(self)
        raise NotOrdinary(f"{type(node).__name__} is none of ordinary calculus")

    def _symbol(self, node: f.Symbol) -> f.Node:
        if slope := self.named(node):
            return slope[1]
        if node.name in self.known:
            return self.body(node.name)
        if unit := unit_vector(node, self.dimension):
            return unit
        if node.label or "'" in node.base:
            raise NotOrdinary(f"what {plain_latex(node.name)} is is not written out")
        return node

    def body(self, name: str) -> f.Node:
        """What a name stands for, written out; of a function, at its own arguments."""
        self.used.add(name)
        if self.depth > DEEPEST:
            raise NotOrdinary(f"{plain_latex(name)} goes in a circle")
        hidden = {name, *self.known[name].parameters}
        inner = {key: each for key, each in self.known.items() if key not in hidden}
        return replace(self, known=inner, depth=self.depth + 1)(self.known[name].body)

    def _call(self, node: f.Call) -> f.Node:
        name = node.function
        if self.is_function(name):
            return self.at_arguments(self.primed(name, node.primes), name, node.arguments)
        if not node.primes and (slope := self.named(_symbol_of(name))) is not None:
            return self.at_arguments(slope[1], slope[0], node.arguments)
        if not node.primes and name in OF_MATRICES | OF_NUMBERS:
            return node.rebuilt(self)
        raise NotOrdinary(f"what the function {plain_latex(name)} is is not written out")

    def at_arguments(self, body: f.Node, name: str, arguments: Arguments) -> f.Node:
        """A formula in a function's own arguments, with others in their places."""
        if arguments is None:
            return body
        written = self.known[name]
        only = arguments[0] if len(arguments) == 1 < len(written.parameters) else None
        if isinstance(only, f.Symbol) and only.name == written.whole:
            return body
        values = [self(each) for each in arguments]
        if only is not None:
            values = entries_of(values[0]) or []
        if len(values) != len(written.parameters):
            raise NotOrdinary(f"{plain_latex(name)} has other arguments")
        return substituted(body, dict(zip(written.parameters, values, strict=True)))

    def at(self, point: f.At) -> f.Node:
        """A formula at a point, whose names may go without saying."""
        written, values = self(point.body), [self(each) for each in point.values]
        names = point.names or self._arguments_in(point.body)
        if len(names) != len(values):
            raise NotOrdinary("at which point it is taken is not clear")
        return substituted(written, dict(zip(names, values, strict=True)))

    def _arguments_in(self, body: f.Node) -> Sequence[str]:
        """The arguments of the function in a formula, or of the one that was written out last."""
        names = {
            part.function if isinstance(part, f.Call) else part.name
            for part in body.walk()
            if isinstance(part, f.Call | f.Symbol)
        }
        names |= {re.split("[_']", name)[0] for name in names}
        inside = {self.known[name].parameters for name in names if self.is_function(name)}
        last = [each.parameters for each in self.known.values() if each.parameters][-1:]
        return inside.pop() if len(inside) == 1 else last[0] if last and not inside else ()

    def factors(self, nodes: Sequence[f.Node]) -> list[f.Node]:
        """The factors of a product, each written out; an operator with the function behind it."""
        parts: list[f.Node] = []
        for at, node in enumerate(nodes):
            before = nodes[at - 1] if at else None
            after = nodes[at + 1] if at + 1 < len(nodes) else None
            if isinstance(before, f.Symbol) and self.is_operator(before, node):
                parts.append(self.operated(before, node))
            elif self.is_operator(node, after):
                continue
            elif point := _point(before, node):
                parts[-1] = self.at(point)
            elif self._may_be_argument(before, node):
                raise NotOrdinary("what stands behind may be an argument")
            else:
                parts.append(self(node))
        return parts

    def _may_be_argument(self, before: f.Node | None, node: f.Node) -> bool:
        r"""Whether (\nabla f)(x) or f\begin{pmatrix}…: an argument, and no factor."""
        if isinstance(before, f.Symbol) and self.is_function(before.name):
            return isinstance(node, f.Matrix)
        is_slope = isinstance(before, f.Derivative | f.Hessian)
        return is_slope and isinstance(node, f.Symbol | f.Number)


def _point(before: f.Node | None, node: f.Node) -> f.At | None:
    r"""(\nabla f)(1, 2): a row behind a derivative is the point that it is taken at."""
    is_slope = isinstance(before, f.Derivative | f.Hessian)
    if before is None or not is_slope or not isinstance(node, f.Matrix) or len(node.rows) != 1:
        return None
    return f.At(before, (), node.rows[0].entries)


def _symbol_of(name: str) -> f.Symbol:
    """The symbol of a function's name: f with x below of f_x."""
    base, _, sub = name.partition("_")
    return f.Symbol(base, (), sub)
