r"""Derivatives written out: \nabla f, f_{xy}, \frac{\partial z}{\partial x}, J_F, div F, D_u f."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from workings.claims.documents.calculus.differentiate import (
    added,
    depends,
    differentiated,
    negative,
)
from workings.claims.documents.calculus.vectors import TURNS, column, dot, entries_of
from workings.claims.documents.calculus.written import Written, split_names
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import plain_latex

MATRICES = ("D", "J", "H")
"""signs of the matrix of a function's derivatives: J_F, Df; H_f is that of the second ones"""
OPERATORS = (*MATRICES, "div", "curl", "rot", "\\Delta")
"""what stands before a function and makes another one of its derivatives"""
Arguments = Sequence[f.Node] | None
"""of a function; None where it stands for itself at its own"""


class NotOrdinary(WorkingsError):
    """A formula that is none of ordinary calculus, or says too little."""


@dataclass
class Slopes(ABC):
    """Writes derivatives out, with what the document has written out before them."""

    known: Mapping[str, Written]
    dimension: int = 2
    """of the space that unit vectors i, j and k are of"""
    used: set[str] = field(default_factory=set)
    """what was written out"""
    by: set[str] = field(default_factory=set)
    """names that derivatives are taken by"""
    depth: int = 0

    @abstractmethod
    def __call__(self, node: f.Node) -> f.Node:
        """A formula written out."""

    @abstractmethod
    def body(self, name: str) -> f.Node:
        """What a name stands for, written out."""

    @abstractmethod
    def at_arguments(self, body: f.Node, name: str, arguments: Arguments) -> f.Node:
        """A formula in a function's own arguments, with others in their places."""

    @abstractmethod
    def factors(self, nodes: Sequence[f.Node]) -> list[f.Node]:
        """The factors of a product, each written out."""

    @abstractmethod
    def at(self, point: f.At) -> f.Node:
        """A formula at a point."""

    def knowing(self, known: Mapping[str, Written]) -> Self:
        """The same with other names written out."""
        return replace(self, known=known)

    def is_function(self, name: str) -> bool:
        """Whether a name is a function that is written out."""
        return name in self.known and bool(self.known[name].parameters)

    def slope(self, body: f.Node, *names: str) -> f.Node:
        """The derivative of what is written out, by one name after the other."""
        for name in names:
            self.by.add(name)
            body = differentiated(body, name)
        return body

    # Names of derivatives: f_x, f', J_f

    def named(self, node: f.Symbol) -> tuple[str, f.Node] | None:
        """A function and its derivative of f_x, f_{xy}, f', J_f or H_f; None of another name."""
        if node.name in self.known or node.label:
            return None
        plain = node.base.rstrip("'")
        primes = len(node.base) - len(plain)
        if primes:
            name = f.Symbol(plain, node.marks, node.sub).name
            return (name, self.primed(name, primes)) if self.is_function(name) else None
        if node.base in MATRICES and self.is_function(node.sub):
            return node.sub, self._matrix(node.base, node.sub)
        name = f.Symbol(plain, node.marks).name
        if not node.sub or not self.is_function(name):
            return None
        names = split_names(node.sub, self.known[name].parameters)
        return (name, self.slope(self.body(name), *names)) if names else None

    def primed(self, name: str, primes: int) -> f.Node:
        """f'' of a function with one argument."""
        parameters = self.known[name].parameters
        if primes and len(parameters) != 1:
            raise NotOrdinary(f"a prime of {plain_latex(name)}, which has several arguments")
        return self.slope(self.body(name), *parameters * primes)

    # Derivatives by a name

    def derivative(self, node: f.Derivative) -> f.Node:
        """∂f/∂x, ∇f, ∂_{xy} f, ∂(x, y)/∂(r, θ)."""
        if node.only:
            raise NotOrdinary("a derivative at one step")
        if isinstance(node.of, f.At):
            return self.at(replace(node.of, body=replace(node, of=node.of.body)))
        if isinstance(node.wrt, f.Unsaid):
            return self._of_first(node.of, self._gradient)
        if isinstance(node.wrt, f.Matrix):
            return self._jacobian_determinant(node.of, node.wrt)
        names = node.wrt.factors if isinstance(node.wrt, f.Product) else (node.wrt,)
        return self._by(node.of, [_name(each) for each in names])

    def second(self, node: f.Hessian) -> f.Node:
        """∂²f/∂x∂y, ∇²f."""
        if isinstance(node.of, f.At):
            return self.at(replace(node.of, body=replace(node, of=node.of.body)))
        if isinstance(node.first, f.Unsaid):
            return self._of_first(node.of, self._hessian)
        return self._by(node.of, [_name(node.second), _name(node.first)])

    def _by(self, of: f.Node, names: Sequence[str]) -> f.Node:
        """The derivative by names, through what is defined on the way where it must be."""
        if isinstance(of, f.Derivative) and isinstance(of.wrt, f.Symbol):
            return self._by(of.of, [of.wrt.name, *names])
        if isinstance(of, f.Hessian) and isinstance(of.first, f.Symbol):
            return self._by(of.of, [_name(of.second), of.first.name, *names])
        function = of.function if isinstance(of, f.Call) else getattr(of, "name", "")
        own = self.known[function].parameters if self.is_function(function) else ()
        if isinstance(of, f.Call) and {*names} <= {*own} and _is_closed(of):
            whole = self.slope(self.body(function), *names)
            return self.at_arguments(whole, function, of.arguments)  # ∂f(1, 2)/∂x
        functions = {name: each for name, each in self.known.items() if each.parameters}
        first = self.known[function].body if function in self.known and not own else of
        if first is not of:
            self.used.add(function)
        written = self.knowing(functions)(first)
        for at, name in enumerate(names):
            self.by.add(name)
            if not own and depends(written, name) and self._goes_through(written, name):
                raise NotOrdinary(f"what is held while {plain_latex(name)} moves is not said")
            if not depends(written, name) and name not in own:
                others = {each: self.known[each] for each in self.known if each != name}
                written = self.knowing(others)(written)
            if not depends(written, name) and not {*names} <= {*own} and at == 0:
                raise NotOrdinary(f"how it depends on {plain_latex(name)} is not said")
            written = differentiated(written, name)
        return self(written)

    def _goes_through(self, written: f.Node, name: str) -> bool:
        """Whether another name in a formula depends on the one that it is differentiated by."""
        inside = {part.name for part in written.walk() if isinstance(part, f.Symbol)} - {name}
        bodies = [self.known[each].body for each in inside if each in self.known]
        return any(depends(body, name) for body in bodies)

    # Vectors and matrices of derivatives

    def _of_first(self, of: f.Node, slope: Callable[[f.Node], f.Node]) -> f.Node:
        """∇f of ∇f · u: it is taken of the first factor."""
        match of:
            case f.Product((first, *rest)):
                return f.product_of([slope(first), *self.factors(rest)])
            case f.Dot(left, right):
                return dot(self._of_first(left, slope), self(right))
            case f.Quotient(top, bottom):
                return f.Quotient(self._of_first(top, slope), self(bottom))
        return slope(of)

    def _function_of(self, of: f.Node) -> tuple[str, Arguments]:
        """The function that is differentiated, and its arguments if they are given."""
        if isinstance(of, f.Call) and not of.primes and self.is_function(of.function):
            return of.function, of.arguments
        if isinstance(of, f.Symbol) and self.is_function(of.name):
            return of.name, None
        raise NotOrdinary("what the gradient is of is not written out")

    def _gradient(self, of: f.Node) -> f.Node:
        name, arguments = self._function_of(of)
        body = self.body(name)
        if isinstance(body, f.Matrix):
            raise NotOrdinary("the gradient of a vector")
        slopes = [self.slope(body, each) for each in self.known[name].parameters]
        return self.at_arguments(column(slopes), name, arguments)

    def _hessian(self, of: f.Node) -> f.Node:
        name, arguments = self._function_of(of)
        return self.at_arguments(self._matrix("H", name), name, arguments)

    def _matrix(self, kind: str, name: str) -> f.Node:
        """The Hessian of a function that is a number, the Jacobian matrix of a vector."""
        body, parameters = self.body(name), self.known[name].parameters
        entries = entries_of(body)
        if entries is not None and kind == "H":
            raise NotOrdinary("the Hessian of a vector")
        if kind == "H":
            entries = [self.slope(body, each) for each in parameters]
        rows = [[self.slope(each, by) for by in parameters] for each in entries or [body]]
        return f.Matrix(tuple(f.Row(tuple(row)) for row in rows))

    def _jacobian_determinant(self, of: f.Node, wrt: f.Matrix) -> f.Node:
        r"""\frac{\partial(x, y)}{\partial(r, \theta)}."""
        tops, names = entries_of(of), [_name(each) for each in entries_of(wrt) or ()]
        if tops is None or len(tops) != len(names):
            raise NotOrdinary("a derivative of several by several")
        others = {each: self.known[each] for each in self.known if each not in names}
        written = [self.knowing(others)(top) for top in tops]
        rows = [f.Row(tuple(self.slope(each, name) for name in names)) for each in written]
        return f.Call("det", (f.Matrix(tuple(rows)),))

    # Operators before a function: D, D_u, div, curl, Δ

    def is_operator(self, node: f.Node, after: f.Node | None) -> bool:
        """Whether it is the D of Df, of D_u f, the div or the Δ before a function."""
        if not isinstance(node, f.Symbol) or node.name in self.known:
            return False
        along = node.base == "D" and node.sub in self.known
        name = after.function if isinstance(after, f.Call) else getattr(after, "name", "")
        return (node.name in OPERATORS or along) and self.is_function(name)

    def operated(self, operator: f.Symbol, of: f.Node) -> f.Node:
        """A function's derivatives, put together as an operator before it says."""
        name, arguments = self._function_of(of)
        body, parameters = self.body(name), self.known[name].parameters
        entries = entries_of(body)
        whole: f.Node
        if operator.sub:
            whole = dot(self._gradient(f.Symbol(name)), self.body(operator.sub))
        elif operator.name in MATRICES:
            whole = self._matrix(operator.base, name)
        elif operator.name == "\\Delta" and entries is None:
            whole = added([self.slope(body, each, each) for each in parameters])
        elif entries is None or len(entries) != len(parameters):
            raise NotOrdinary(f"{operator.name} of such a function")
        elif operator.name == "div":
            pairs = zip(entries, parameters, strict=True)
            whole = added([self.slope(entry, each) for entry, each in pairs])
        elif operator.name in ("curl", "rot") and len(parameters) == 3:
            whole = column([self._turn(entries, parameters, i, j) for i, j in TURNS])
        else:
            raise NotOrdinary(f"{operator.name} of such a function")
        return self.at_arguments(whole, name, arguments)

    def _turn(self, entries: Sequence[f.Node], names: Sequence[str], i: int, j: int) -> f.Node:
        """An entry of the curl: ∂F_j/∂x_i - ∂F_i/∂x_j."""
        return added([self.slope(entries[j], names[i]), negative(self.slope(entries[i], names[j]))])


def _is_closed(of: f.Call) -> bool:
    """Whether a function is taken at a point in numbers."""
    return not any(isinstance(part, f.Symbol) for each in of.arguments for part in each.walk())


def _name(node: f.Node) -> str:
    if isinstance(node, f.Symbol):
        return node.name
    raise NotOrdinary("a derivative by what is no name")


def with_laplacian(node: f.Node) -> f.Node:
    """A formula with Δf for ∇²f."""
    if isinstance(node, f.Hessian) and isinstance(node.first, f.Unsaid):
        return f.Product((f.Symbol("\\Delta"), node.of))
    return node.rebuilt(with_laplacian)
