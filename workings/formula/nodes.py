"""The tree of a formula: what the parser makes, and every visitor (value, LaTeX, …) walks.

Sums and products are flat, so that a formula's depth is that of its brackets. A node is data:
nothing in it can be called, and no attribute of a Python object is reachable from it.
`position` is the offset in the text, for the caret under an error.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """Two nodes are equal only if they are one object: trees share their unchanged parts."""

    def children(self) -> Iterator["Node"]:
        """The nodes right below this one, from left to right."""
        for attribute in fields(self):
            value = getattr(self, attribute.name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Node):
                    yield part

    def walk(self) -> Iterator["Node"]:
        """This node and all below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children())

    def depth(self) -> int:
        """How many nodes stand below each other, counted without recursion."""
        deepest, level = 0, [self]
        while level:
            deepest += 1
            level = [child for node in level for child in node.children()]
        return deepest

    def rebuilt(self, change: Callable[["Node"], "Node"]) -> "Node":
        """The same node over changed children; itself if none changed."""
        changed: dict[str, object] = {}
        for attribute in fields(self):
            value = getattr(self, attribute.name)
            if isinstance(value, Node):
                after: object = change(value)
                same = after is value
            elif isinstance(value, tuple):
                after = tuple(change(part) if isinstance(part, Node) else part for part in value)
                same = all(new is old for new, old in zip(after, value, strict=True))
            else:
                continue
            if not same:
                changed[attribute.name] = after
        return replace(self, **changed) if changed else self


@dataclass(frozen=True, eq=False, slots=True)
class Number(Node):
    """An exact number."""

    value: Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Symbol(Node):
    r"""A name with its decorations: \hat{y}_j^{(t)} has base y, marks (hat), sub j, label (t)."""

    base: str
    marks: tuple[str, ...] = ()
    sub: str = ""
    label: str = ""
    position: int = 0
    font: str = ""
    """as in \\mathcal{L}: kept for writing, no part of the name"""

    @property
    def name(self) -> str:
        """The one spelling under which it is declared, used and looked up."""
        text = "".join(f"{mark} " for mark in self.marks) + self.base
        return (
            text + (f"_{self.sub}" if self.sub else "") + (f"^{self.label}" if self.label else "")
        )


@dataclass(frozen=True, eq=False, slots=True)
class Sum(Node):
    """Terms added; one that is taken off is a Negative."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Negative(Node):
    """-body."""

    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Product(Node):
    """Matrix products, left to right; a single number scales."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Dot(Node):
    r"""a \cdot b: the inner product of two vectors of one shape, otherwise as juxtaposition."""

    left: Node
    right: Node


@dataclass(frozen=True, eq=False, slots=True)
class Elementwise(Node):
    """Products entry by entry, a ⊙ b."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Quotient(Node):
    """top / bottom, entry by entry where both are matrices."""

    top: Node
    bottom: Node


@dataclass(frozen=True, eq=False, slots=True)
class Floor(Node):
    """top // bottom, rounded down: in sizes only."""

    top: Node
    bottom: Node


@dataclass(frozen=True, eq=False, slots=True)
class Power(Node):
    """base^exponent: of a square matrix its power, of another one entry by entry."""

    base: Node
    exponent: Node
    text: str = ""
    """The exponent as written: W^Q may be a name."""


@dataclass(frozen=True, eq=False, slots=True)
class Transpose(Node):
    """The transposed body."""

    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Call(Node):
    """A function of the table, or one defined by an equation, with primes for its derivative."""

    function: str
    arguments: tuple[Node, ...]
    primes: int = 0
    position: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Index(Node):
    """An entry of a vector or matrix, or a row of a matrix."""

    body: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Range(Node):
    """The values of a bound index: from low to high (the whole axis if not given), without some."""

    variable: str
    low: Node | None = None
    high: Node | None = None
    without: tuple[Node, ...] = ()
    descending: bool = False
    position: int = 0
    members: tuple[Node, ...] = ()
    """the values one by one, where they are listed"""


@dataclass(frozen=True, eq=False, slots=True)
class Total(Node):
    """A sum over ranges; over all entries if there is none."""

    ranges: tuple[Range, ...]
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Chain(Node):
    """A product over a range, in its order from left to right."""

    range: Range
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Extreme(Node):
    """max, min, argmax or argmin of the body over ranges."""

    function: str
    ranges: tuple[Range, ...]
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Entries(Node):
    """A vector or matrix by its entries: y_c = …, C_{ij} = …"""

    variables: tuple[str, ...]
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Expectation(Node):
    """The mean of the body over a Gaussian variable."""

    variable: str
    mean: Node
    covariance: Node
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Condition(Node):
    """0 < x ≤ 1 as a number: 1 where every relation holds, 0 elsewhere."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Cases(Node):
    """The value of the first condition that holds; the last condition may be missing."""

    values: tuple[Node, ...]
    conditions: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class TransposeOrPower(Node):
    """x^T where T is also a number: the transposed of a matrix, the power of a number."""

    body: Node
    exponent: Node


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


@dataclass(frozen=True, eq=False, slots=True)
class Hessian(Node):
    """∂² of / ∂ first ∂ second: a row for each entry of the first, a column for each second."""

    of: Node
    first: Node
    second: Node
    position: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Ones(Node):
    """A matrix of ones."""

    rows: Node
    columns: Node


@dataclass(frozen=True, eq=False, slots=True)
class SideOf(Node):
    """How many rows (axis 0) or columns (1) the first of these has that is no number.

    They stand elsewhere in the formula, so that a walk does not meet them here.
    """

    bodies: tuple[Node, ...]
    axis: int

    def children(self) -> Iterator[Node]:
        """None: what only gives its size is no part of the formula."""
        return iter(())


def is_bare_ones(node: Node) -> bool:
    r"""Whether it is \mathbf{1} without its size, or that transposed."""
    if isinstance(node, Transpose | TransposeOrPower):
        return is_bare_ones(node.body)
    return isinstance(node, Ones) and isinstance(node.rows, Unsaid)


@dataclass(frozen=True, eq=False, slots=True)
class Identity(Node):
    """The identity matrix I_size."""

    size: Node


@dataclass(frozen=True, eq=False, slots=True)
class Matrix(Node):
    """Rows of entries; blocks side by side and below each other."""

    rows: tuple["Row", ...]


@dataclass(frozen=True, eq=False, slots=True)
class Row(Node):
    """One row of a Matrix."""

    entries: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Space(Node):
    r"""\mathbb{R}^{rows × columns}: what a shape is claimed with."""

    sides: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Unsaid(Node):
    """An ellipsis, a dash in a matrix, infinity: it can be read, not computed."""

    text: str


# After names are looked up, a Symbol is one of these or a declared name.


@dataclass(frozen=True, eq=False, slots=True)
class Variable(Node):
    """A bound or free index."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Constant(Node):
    """π or e, where no such name was declared."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Size(Node):
    """A named size, a whole number."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Reference(Node):
    """A declared symbol or the left side of an equation; `step` where it lives in time."""

    name: str
    latex: str
    step: Node | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Statement:
    """Formulas with relations between them: a = b ≤ c has three sides and two relations."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]


def product_of(factors: Sequence[Node]) -> Node:
    """The product of these factors; one alone is itself."""
    return factors[0] if len(factors) == 1 else Product(tuple(factors))
