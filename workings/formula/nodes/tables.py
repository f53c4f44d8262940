"""Vectors and matrices by their entries, ones and identities, and their shapes."""

from collections.abc import Iterator
from dataclasses import dataclass

from workings.formula.nodes.leaves import Unsaid
from workings.formula.nodes.node import Node
from workings.formula.nodes.operations import Transpose, TransposeOrPower


@dataclass(frozen=True, eq=False, slots=True)
class Index(Node):
    """An entry of a vector or matrix, or a row of a matrix."""

    body: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Entries(Node):
    """A vector or matrix by its entries: y_c = …, C_{ij} = …"""

    variables: tuple[str, ...]
    body: Node


@dataclass(frozen=True, eq=False, slots=True)
class Row(Node):
    """One row of a Matrix."""

    entries: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Matrix(Node):
    """Rows of entries; blocks side by side and below each other."""

    rows: tuple[Row, ...]
    listed: bool = False
    """written as [A, B], which may be the commutator of two matrices"""


@dataclass(frozen=True, eq=False, slots=True)
class Ones(Node):
    """A matrix of ones."""

    rows: Node
    columns: Node


@dataclass(frozen=True, eq=False, slots=True)
class Identity(Node):
    """The identity matrix I_size."""

    size: Node


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


@dataclass(frozen=True, eq=False, slots=True)
class Space(Node):
    r"""\mathbb{R}^{rows × columns}: what a shape is claimed with."""

    sides: tuple[Node, ...]


def is_bare_ones(node: Node) -> bool:
    r"""Whether it is \mathbf{1} without its size, or that transposed."""
    if isinstance(node, Transpose | TransposeOrPower):
        return is_bare_ones(node.body)
    return isinstance(node, Ones) and isinstance(node.rows, Unsaid)
