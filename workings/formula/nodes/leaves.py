"""The leaves of a formula: numbers and names, as written and after they were looked up."""

from dataclasses import dataclass
from fractions import Fraction

from workings.formula.nodes.node import Node


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
class Unsaid(Node):
    """An ellipsis, a dash in a matrix, infinity: it can be read, not computed."""

    text: str


_CAPITALS = {r"\phi": r"\Phi", r"\varphi": r"\Phi", r"\psi": r"\Psi"}


def capital(base: str) -> str:
    r"""The letter of the matrix whose rows or entries a letter has: X of x, \Phi of \phi.

    Of other Greek letters it is the letter itself: a \sigma_i is no row of \Sigma.
    """
    return base.upper() if len(base) == 1 else _CAPITALS.get(base, base)


def is_zero(node: Node) -> bool:
    """Whether it is a 0, which fits any shape."""
    return isinstance(node, Number) and node.value == 0


# After names are looked up, a Symbol is one of these or a declared name.


@dataclass(frozen=True, eq=False, slots=True)
class _Named(Node):
    """A leaf that is known by its name alone."""

    name: str


class Variable(_Named):
    """A bound or free index."""


class Constant(_Named):
    """π or e, where no such name was declared."""


class Size(_Named):
    """A named size, a whole number."""


@dataclass(frozen=True, eq=False, slots=True)
class Reference(Node):
    """A declared symbol or the left side of an equation; `step` where it lives in time."""

    name: str
    latex: str
    step: Node | None = None
