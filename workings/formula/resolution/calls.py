r"""What is ambiguous in a formula and decided by what is declared: powers, calls, norms.

|A| of a matrix is its determinant, e^A may be a matrix's exponential, L(w) the value of L. What
stays open is read in the likelier way and noted; `readings` gives the others.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction

from workings.errors import nearest
from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.evaluation.matrices import MATRIX_FUNCTIONS
from workings.formula.printing.latex import latex
from workings.formula.resolution.declared import Declared
from workings.formula.resolution.shapes import Shape, is_matrix, is_vector, shape_of

_FROBENIUS = re.compile(r"_\W*(math|text)?(rm)?\W*F")  # of \|A\|_F, \|A\|_\mathrm{F}
BY_SHAPE = frozenset({"bars", "exp", "norm", "outer", "diag", "Diag"}) | MATRIX_FUNCTIONS
"""functions that mean one thing of a matrix and another of a number or vector"""


class Calls(ABC):
    """Resolves what is called or raised."""

    def __init__(self, names: Declared, text: str = "") -> None:
        self.names = names
        self.text = text
        self.notes: dict[str, str] = {}
        """how each ambiguity that was met has been read"""
        self.alternatives: set[str] = set()
        """those that can be read in another way"""
        self.in_a_sum = False
        """whether the entries of what is read are added up: of |z| there are several, then"""

    @abstractmethod
    def visit(self, node: f.Node, bound: frozenset[str]) -> f.Node:
        """A node with its names looked up."""

    @abstractmethod
    def symbol(self, node: f.Symbol, bound: frozenset[str]) -> f.Node:
        """What a name stands for."""

    @abstractmethod
    def lookup(self, node: f.Symbol, bound: frozenset[str]) -> f.Node | None:
        """The declared name that is meant, or none."""

    def choose(self, key: str, note: str, other: str = "") -> bool:
        """Whether an ambiguity is read in the other way; how it was read is noted."""
        flipped = bool(other) and key in self.names.flipped
        self.notes.setdefault(key, other if flipped else note)
        if other:
            self.alternatives.add(key)
        return flipped

    def with_brackets(self, node: f.Elementwise) -> f.Node:
        """a ⊙ b x^T is a ⊙ (b x^T), or (a ⊙ b) x^T."""
        *first, last = node.factors
        head, *rest = last.children()
        if self.choose("⊙", "⊙ after the matrix product", "⊙ before the matrix product"):
            return f.Product((f.Elementwise((*first, head)), *rest))
        return f.Elementwise(node.factors)

    def shape(self, node: f.Node) -> Shape | None:
        """The shape of a node that was looked up, where it follows from the declarations."""
        return shape_of(node, self.names.shapes)

    # Powers

    def power(self, node: f.Power, bound: frozenset[str]) -> f.Node:
        """A name such as W^Q, the exponential function e^x, X^+, or a power."""
        base = node.base
        if isinstance(base, f.Symbol) and node.text and not base.label:
            labelled = replace(base, label=node.text)
            whole = replace(labelled, sub="")
            if labelled.name in self.names.symbols or whole.name in self.names.symbols:
                return self.symbol(labelled, bound)
        if isinstance(node.exponent, f.Unsaid) and node.exponent.text == "+":
            return f.Call("pinv", (self.visit(base, bound),))
        exponent = self.visit(node.exponent, bound)
        if isinstance(base, f.Symbol) and base.name == "e" and self.is_exponential(exponent):
            return self.exponential(f.Call("exp", (exponent,), position=base.position), raised=True)
        return f.Power(self.visit(base, bound), exponent)

    def is_exponential(self, exponent: f.Node) -> bool:
        """Whether e is Euler's number: where it is a declared symbol too, e^2 is its square."""
        if "e" not in self.names.symbols:
            return True
        if isinstance(exponent, f.Number):
            return False
        return not self.choose("e", "e as Euler's number", "e as the symbol")

    def exponential(self, node: f.Call, raised: bool = False) -> f.Node:
        """exp of a square matrix may be entry by entry; e^A is rather the matrix exponential."""
        shape = self.shape(node.arguments[0])
        if not _may_be_square(shape):
            return node
        ways = ("exp entry by entry", "exp as the matrix exponential")
        if raised and shape is not None:
            other = self.choose("e^", *ways[::-1])
            return node if other else replace(node, function="expm")
        return replace(node, function="expm") if self.choose("exp", *ways) else node

    def of_square_matrix(self, node: f.Call) -> f.Call:
        """log A may be entry by entry or the matrix logarithm; diag(A) a matrix or a vector."""
        shape, name = self.shape(node.arguments[0]), node.function
        if not _may_be_square(shape):
            return node
        if name in MATRIX_FUNCTIONS:
            ways = f"{name} entry by entry", f"{name} as the function of a matrix"
            return replace(node, function=f"matrix {name}") if self.choose(name, *ways) else node
        if name in ("diag", "Diag"):
            ways = "diag of a matrix as a matrix", "diag of a matrix as the column of its diagonal"
            return replace(node, function="diagonal") if self.choose("diag", *ways) else node
        return node

    def transpose(self, node: f.Transpose, bound: frozenset[str]) -> f.Node:
        r"""The transposed; of a number by its name, \gamma^T, it is more likely a power."""
        body = self.visit(node.body, bound)
        if isinstance(body, f.Reference) and self.shape(body) == () and body.name:
            message = f"{latex(body)} is a number: a power may be meant, and T is not declared"
            position = node.body.position if isinstance(node.body, f.Symbol) else 0
            raise NotRead(self.text, position, message, "give T as one of the sizes")
        return f.Transpose(body)

    def transpose_or_power(self, node: f.TransposeOrPower, bound: frozenset[str]) -> f.Node:
        """x^T: the transposed, unless T is declared and x a number."""
        body = self.visit(node.body, bound)
        exponent = node.exponent
        number = self.lookup(exponent, bound) if isinstance(exponent, f.Symbol) else None
        if number is None or self.shape(number) not in ((), None):
            return f.Transpose(body)
        shape = self.shape(body)
        if isinstance(number, f.Variable) and not (isinstance(body, f.Reference) and shape == ()):
            return f.Transpose(body)  # T is the last step: of a number alone it is a power
        if shape is None:
            return f.TransposeOrPower(body, number)
        what = "last step" if isinstance(number, f.Variable) else "size"
        note = f"T as the {what}, a power" if shape == () else "T as the transposed"
        self.choose("T", note)
        return f.Power(body, number) if shape == () else f.Transpose(body)

    # Calls

    def call(self, node: f.Call, bound: frozenset[str]) -> f.Node:
        """A call of a known function, with what depends on the shapes decided."""
        name, first = node.function, node.arguments[0]
        if name in ("abs", "bars") and self.is_size(first):
            return self.visit(first, bound)  # |V|
        known = FUNCTIONS.keys() | self.names.functions.keys()
        if name in self.names.symbols and name not in self.names.functions:
            return self.value_or_product(node, bound)
        if name not in known:
            message = f"no function {name!r}{nearest(name, known)}"
            raise NotRead(self.text, node.position, message)
        own = self.names.functions.get(name)
        if own is not None and isinstance(own.body, f.Unsaid) and own.body.text:
            message = f"the equation of {name} was not read: {own.body.text.splitlines()[0]}"
            raise NotRead(self.text, node.position, message)
        if name == "norm" and _is_largest(*node.arguments[1:]):
            entries = f.Call("abs", (first,), position=node.position)
            return self.visit(f.Call("max", (entries,), position=node.position), bound)
        outside, self.in_a_sum = self.in_a_sum, name in ("sum", "mean")
        called = node.rebuilt(lambda child: self.visit(child, bound))
        self.in_a_sum = outside
        assert isinstance(called, f.Call)
        if name == "bars":
            return self.bars(called)
        if name == "exp" and not node.primes:
            return self.exponential(called)
        if not node.primes and len(called.arguments) == 1:
            called = self.of_square_matrix(called)
        if name == "outer":
            return self.outer(called)
        if name == "norm":
            return self.norm(called)
        return called

    def is_size(self, node: f.Node) -> bool:
        """Whether a name stands for a size and for nothing else."""
        if not isinstance(node, f.Symbol):
            return False
        return node.name in self.names.sizes and node.name not in self.names.symbols

    def value_or_product(self, node: f.Call, bound: frozenset[str]) -> f.Node:
        """L(w) of an L that an equation defines is its value; of another name, a product."""
        symbol = self.symbol(f.Symbol(node.function, position=node.position), bound)
        plain = all(isinstance(argument, f.Symbol) for argument in node.arguments)
        arguments = [self.visit(argument, bound) for argument in node.arguments]
        if node.primes:
            message = f"{node.function}' is no function that an equation defines"
            raise NotRead(self.text, node.position, message, "define it by f(x) = …")
        if plain and node.function in self.names.defined:
            self.choose("value", f"{latex(symbol)}(…) as the value of {latex(symbol)}")
            return symbol
        if len(arguments) == 1:
            return f.Product((symbol, arguments[0]))
        message = f"{node.function} is no function, and is called with {len(arguments)} arguments"
        raise NotRead(self.text, node.position, message, "define it by f(x, y) = …")

    def bars(self, node: f.Call) -> f.Node:
        """|x|: absolute value, norm or determinant, by its shape; where that is open, by value."""
        (body,) = node.arguments
        shape = self.shape(body)
        if shape == ():
            return replace(node, function="abs")
        if shape and self.in_a_sum:
            return replace(node, function="abs")
        shown = f"|{latex(body)}|"
        if is_vector(shape):
            entries = self.choose("bars", f"{shown} as a norm", f"{shown} entry by entry")
            return replace(node, function="abs" if entries else "norm")
        if is_matrix(shape):
            entries = self.choose("bars", f"{shown} as a determinant", f"{shown} entry by entry")
            return replace(node, function="abs" if entries else "det")
        return node

    def outer(self, node: f.Call) -> f.Node:
        """⊗ of two vectors: their outer product, or Kronecker's."""
        shapes = [self.shape(argument) for argument in node.arguments]
        if any(is_matrix(shape) for shape in shapes):
            return replace(node, function="kronecker")
        if self.choose("outer", "⊗ as the outer product", "⊗ as the Kronecker product"):
            return replace(node, function="kronecker")
        return node

    def norm(self, node: f.Call) -> f.Node:
        """‖A‖ of a matrix without its order: Frobenius's, or the spectral one.

        ‖A‖_2 is the spectral one, but some write it for Frobenius's: where they have no ‖A‖_F.
        """
        body, *order = node.arguments
        if order and isinstance(order[0], f.Reference) and order[0].name == "F":
            return replace(node, function="frobenius", arguments=(body,))  # F is a matrix too
        shape = self.shape(body)
        if shape is not None and not is_matrix(shape):
            return node
        shown = f"‖{latex(body)}‖"
        if not order:
            if self.choose("norm", f"{shown} as Frobenius's norm", f"{shown} as the spectral norm"):
                return replace(node, arguments=(body, f.Number(Fraction(2))))
            return node
        is_two = isinstance(order[0], f.Number) and order[0].value == 2
        notes = f"{shown}_2 as the spectral norm", f"{shown}_2 as Frobenius's norm"
        if is_two and not _FROBENIUS.search(self.text) and self.choose("norm2", *notes):
            return replace(node, arguments=(body,))
        return node


def _may_be_square(shape: Shape | None) -> bool:
    """Whether it is a square matrix, or nothing says that it is none."""
    return shape is None or (is_matrix(shape) and shape[0] == shape[1])


def _is_largest(order: f.Node | None = None) -> bool:
    r"""Whether the order of a norm is max: \|A\|_{\max} is the largest entry."""
    return isinstance(order, f.Symbol) and order.base in ("max", "\\mathrm{max}")
