"""What a formula is: a tree of these nodes.

Sums and products are flat, so that a formula's depth is that of its brackets. A node is data:
nothing in it can be called, and no attribute of a Python object is reachable from it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """Two nodes are equal only if they are one object: trees share their unchanged parts."""

    def children(self) -> Iterator["Node"]:
        for spot in fields(self):
            value = getattr(self, spot.name)
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
        for spot in fields(self):
            value = getattr(self, spot.name)
            if isinstance(value, Node):
                after: object = change(value)
                same = after is value
            elif isinstance(value, tuple):
                after = tuple(change(part) if isinstance(part, Node) else part for part in value)
                same = all(new is old for new, old in zip(after, value, strict=True))
            else:
                continue
            if not same:
                changed[spot.name] = after
        return replace(self, **changed) if changed else self


@dataclass(frozen=True, eq=False, slots=True)
class Number(Node):
    value: Fraction


@dataclass(frozen=True, eq=False, slots=True)
class Symbol(Node):
    r"""A name with its decorations: \hat{y}_j^{(t)} has base y, marks (hat), sub j, label (t)."""

    base: str
    marks: tuple[str, ...] = ()
    sub: str = ""
    label: str = ""
    at: int = field(default=0)

    @property
    def name(self) -> str:
        """The one spelling under which it is declared, used and looked up."""
        text = "".join(f"{mark} " for mark in self.marks) + self.base
        return (
            text + (f"_{self.sub}" if self.sub else "") + (f"^{self.label}" if self.label else "")
        )


@dataclass(frozen=True, eq=False, slots=True)
class Sum(Node):
    terms: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Negative(Node):
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
    factors: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Quotient(Node):
    top: Node
    bottom: Node


@dataclass(frozen=True, eq=False, slots=True)
class Power(Node):
    base: Node
    exponent: Node
    text: str = ""
    """The exponent as written: W^Q may be a name."""


@dataclass(frozen=True, eq=False, slots=True)
class Transpose(Node):
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Call(Node):
    """A function of the table, or one defined by an equation, with primes for its derivative."""

    function: str
    arguments: tuple[Node, ...]
    primes: int = 0
    at: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Index(Node):
    """An entry of a vector or matrix, or a row of a matrix."""

    body: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Range(Node):
    """Where a bound index goes: from low to high, the whole axis if not given, and not there."""

    variable: str
    low: Node | None = None
    high: Node | None = None
    without: tuple[Node, ...] = ()
    descending: bool = False


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
class Derivative(Node):
    """∂ of / ∂ wrt; `only` where it is taken at one step, earlier states held constant."""

    of: Node
    wrt: Node
    only: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Ones(Node):
    rows: Node
    columns: Node


@dataclass(frozen=True, eq=False, slots=True)
class Identity(Node):
    size: Node


@dataclass(frozen=True, eq=False, slots=True)
class Matrix(Node):
    """Rows of entries; blocks side by side and below each other."""

    rows: tuple["Row", ...]


@dataclass(frozen=True, eq=False, slots=True)
class Row(Node):
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
class Size(Node):
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
