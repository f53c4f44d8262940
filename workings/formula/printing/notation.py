"""How the parts of a formula look: what a way of writing says, and how tightly a part holds.

The walk over the tree is `writer`; `latex`, `mathml` and `text` are the ways of writing.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from workings.formula import nodes as f

# How tightly a piece holds together; what is looser than its surroundings ask gets brackets.
SUM, ELEMENTWISE, PRODUCT, FACTOR, LABELLED, INDEXED, ATOM = range(7)


class Piece(NamedTuple):
    """A part of a formula as it is written, and how tightly it holds together."""

    text: str
    hold: int


def symbol_of(name: str) -> f.Symbol:
    """A declared name taken apart: "hat y_j^(t)" has the base y."""
    *marks, rest = name.split(" ")
    rest, _, label = rest.partition("^")
    base, _, sub = rest.partition("_")
    return f.Symbol(base, tuple(marks), sub, label)


def plain_function(name: str) -> str:
    """A function as it is written, whichever of its meanings is meant."""
    return "diag" if name == "diagonal" else name.removeprefix("matrix ")


def hold_of_name(below: bool, above: bool) -> int:
    """x_1 can be raised and h^{(t)} indexed, but neither once more."""
    return FACTOR if below and above else LABELLED if above else INDEXED if below else ATOM


class Notation(ABC):
    """What each part looks like, given its own parts as they are written."""

    @abstractmethod
    def number(self, value: Fraction) -> Piece:
        """A number, exact."""

    @abstractmethod
    def name(self, symbol: f.Symbol) -> str:
        """A name with its decorations."""

    @abstractmethod
    def reference(self, node: f.Reference) -> Piece:
        """A declared name, at its step."""

    @abstractmethod
    def function(self, name: str) -> str:
        """The name of a function."""

    @abstractmethod
    def sign(self, sign: str) -> str:
        """A sign alone."""

    @abstractmethod
    def signed(self, sign: str, text: str) -> str:
        """A sign in front of a formula."""

    @abstractmethod
    def joined(self, sign: str, parts: Sequence[str]) -> str:
        """Formulas with a sign between them."""

    @abstractmethod
    def listed(self, parts: Sequence[str]) -> str:
        """Formulas with commas between them."""

    @abstractmethod
    def stacked(self, lines: Sequence[str]) -> str:
        """Lines below each other, under a sum."""

    @abstractmethod
    def beside(self, parts: Sequence[str]) -> str:
        """Sums with their ranges, and what is summed."""

    @abstractmethod
    def multiplied(self, parts: Sequence[str]) -> str:
        """Factors without a sign."""

    @abstractmethod
    def bracket(self, text: str) -> str:
        """In round brackets."""

    @abstractmethod
    def bars(self, sign: str, text: str) -> str:
        """Between two bars of a kind."""

    @abstractmethod
    def rounded(self, name: str, text: str) -> str:
        """Between the brackets of floor or ceil."""

    @abstractmethod
    def quotient(self, top: f.Node, bottom: f.Node) -> Piece:
        """A fraction."""

    @abstractmethod
    def raised(self, base: str, exponent: f.Node) -> str:
        """With an exponent."""

    @abstractmethod
    def transposed(self, base: str) -> str:
        """With the sign of the transpose."""

    @abstractmethod
    def below(self, base: str, text: str) -> str:
        """With an index below."""

    @abstractmethod
    def raised_sign(self, text: str) -> str:
        """Behind the ∂² of a second derivative."""

    @abstractmethod
    def fenced(self, left: str, text: str, right: str) -> str:
        """Between two brackets of another kind."""

    @abstractmethod
    def cases(self, lines: Sequence[tuple[str, str]]) -> str:
        """Values with their conditions, a line for each."""

    @abstractmethod
    def root(self, text: str) -> str:
        """Under a square root."""

    @abstractmethod
    def binomial(self, top: str, bottom: str) -> str:
        """A binomial coefficient."""

    @abstractmethod
    def derivative(self, over: str, under: str, only: bool) -> str:
        """A derivative, at one step only if it is so."""

    @abstractmethod
    def big(self, sign: str, under: str, over: str) -> str:
        """A large sign with what stands under and over it."""

    @abstractmethod
    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        """Rows of entries in brackets."""

    @abstractmethod
    def ones(self) -> str:
        """The sign of ones, and of an indicator."""

    @abstractmethod
    def space(self, sides: str) -> str:
        """Real matrices with these sides."""

    @abstractmethod
    def unsaid(self, text: str) -> str:
        """What is written but not computed."""
