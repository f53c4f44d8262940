"""Sums, products, powers, functions and derivatives."""

from collections.abc import Sequence
from dataclasses import dataclass

from workings.formula.nodes.node import Node


@dataclass(frozen=True, eq=False, slots=True)
class Sum(Node):
    """Terms added; one that is taken off is a Negative."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class _Around(Node):
    """An operation on one formula."""

    body: Node


class Negative(_Around):
    """-body."""


class Transpose(_Around):
    """The transposed body."""


@dataclass(frozen=True, eq=False, slots=True)
class _OfFactors(Node):
    """Factors, from left to right."""

    factors: tuple[Node, ...]


class Product(_OfFactors):
    """Matrix products; a single number scales."""


@dataclass(frozen=True, eq=False, slots=True)
class Elementwise(_OfFactors):
    """Products entry by entry, a ⊙ b."""

    last_is_bare: bool = False
    """whether the last factor is a product without brackets, as in a ⊙ b x^T"""


@dataclass(frozen=True, eq=False, slots=True)
class _Division(Node):
    """One formula over another."""

    top: Node
    bottom: Node


class Quotient(_Division):
    """top / bottom, entry by entry where both are matrices."""


class Floor(_Division):
    """top // bottom, rounded down: in sizes only."""


@dataclass(frozen=True, eq=False, slots=True)
class Dot(Node):
    r"""a \cdot b: the inner product of two vectors of one shape, otherwise as juxtaposition."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, slots=True)
class Power(Node):
    """base^exponent: of a square matrix its power, of another one entry by entry."""

    base: Node
    exponent: Node
    text: str = ""
    """The exponent as written: W^Q may be a name."""


@dataclass(frozen=True, eq=False, slots=True)
class TransposeOrPower(Node):
    """x^T where T is also a number: the transposed of a matrix, the power of a number."""

    body: Node
    exponent: Node


@dataclass(frozen=True, eq=False, slots=True)
class Call(Node):
    """A function of the table, or one defined by an equation, with primes for its derivative."""

    function: str
    arguments: tuple[Node, ...]
    primes: int = 0
    position: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Derivative(Node):
    """∂ of / ∂ wrt; `only` where it is taken at one step, earlier states held constant."""

    of: Node
    wrt: Node
    """Unsaid of ∇f: by the one argument of the function"""
    only: bool = False
    position: int = 0
    open: bool = False
    """of the product behind ∇_x or d/dx, of which the first factors may be all that is meant"""
    crossed: bool = False
    """a × stands behind its first factor, where the derivative may end"""


@dataclass(frozen=True, eq=False, slots=True)
class Hessian(Node):
    """∂² of / ∂ first ∂ second: a row for each entry of the first, a column for each second."""

    of: Node
    first: Node
    second: Node
    position: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class At(Node):
    r"""A formula at a point, \frac{\partial f}{\partial x}\Big|_{(1, 2)}, \dots|_{x = 1}."""

    body: Node
    names: tuple[str, ...]
    """none where only the values are written, as in (1, 2)"""
    values: tuple[Node, ...]


def product_of(factors: Sequence[Node]) -> Node:
    """The product of these factors; one alone is itself."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors))
