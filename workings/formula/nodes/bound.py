"""What binds an index or a variable: sums, products, extremes and means over a range; cases."""

from dataclasses import dataclass

from workings.formula.nodes.node import Node


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
