"""What every piece of the parser stands on: a cursor in the tokens, and the levels of the grammar.

The parser is one class, written top-down in three files by how tightly its levels bind: `parse`
(relations, sums, products), `factors` (indices and powers), `atoms` (names, functions, brackets).
LaTeX's commands with a structure of their own are functions of the parser: `commands` is their
table. All of them call each other through the levels that are declared here.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.tokens import FONTS, TEXT_FONTS, Token, tokenize

DEEPEST = 50  # brackets within brackets


class Grammar(ABC):
    """The tokens of one formula and where the parser is; `words` are names of several letters."""

    def __init__(
        self,
        text: str,
        words: Collection[str] = (),
        functions: Collection[str] = (),
        tokens: Sequence[Token] | None = None,
    ) -> None:
        self.text = text
        self.declared = frozenset(words)
        self.words = frozenset(words) | FUNCTIONS.keys() | frozenset(functions)
        self.functions = FUNCTIONS.keys() | frozenset(functions)
        self.tokens: Sequence[Token] = tokenize(text) if tokens is None else tokens
        self.index = 0
        self.depth = 0
        self.quotients: set[int] = set()
        """positions where no derivative stands, though it looks like one"""
        self.open_boxes = 0  # \boxed{ around the side that is read
        self.open_bars = 0  # |…| and ‖…‖: the next bar closes
        self.open_matrices = 0  # \begin{matrix}: & and \\ separate entries and rows

    # The levels, loosest first

    @abstractmethod
    def sum(self) -> f.Node:
        """Terms with + and - between them."""

    @abstractmethod
    def elementwise(self) -> f.Node:
        """Products with ⊙ between them."""

    @abstractmethod
    def product(self) -> f.Node:
        """Factors beside each other, or with a sign for a product."""

    @abstractmethod
    def starts_factor(self) -> bool:
        """Whether what is read next can be a factor."""

    @abstractmethod
    def factor(self) -> f.Node:
        """An atom with its indices and powers."""

    @abstractmethod
    def atom(self) -> f.Node:
        """A number, a name, a function of something, or what is in brackets."""

    @abstractmethod
    def named(self, name: str, position: int) -> f.Node:
        """What a name at a position stands for."""

    @abstractmethod
    def bracket(self) -> f.Node:
        """What stands in brackets."""

    @abstractmethod
    def row(self) -> f.Node:
        """Entries with commas between them."""

    @abstractmethod
    def group_or_atom(self) -> f.Node:
        """What stands in braces, or the next atom."""

    @abstractmethod
    def side_of_shape(self) -> f.Node:
        """A side of a shape, as in n × d."""

    @abstractmethod
    def condition(self, first: f.Node | None = None) -> f.Node:
        """Formulas with relations between them, as a number: 1 where they hold."""

    # The cursor

    @property
    def now(self) -> Token:
        """The token that is read next."""
        return self.tokens[self.index]

    def ahead(self, count: int = 1) -> Token:
        """A token after the next one; the end, if there are no more."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The next token, and go on."""
        token = self.now
        self.index = min(self.index + 1, len(self.tokens) - 1)
        return token

    def accept(self, *kinds: str) -> Token | None:
        """The next token if it is of one of these kinds."""
        return self.take() if self.now.kind in kinds else None

    def expect(self, kind: str, what: str = "") -> Token:
        """The next token, which must be of this kind."""
        if self.now.kind != kind:
            raise self.expected(what or f"{kind!r}")
        return self.take()

    def expected(self, what: str) -> NotRead:
        """The error that something else stands where this was expected."""
        instead = "the formula ends" if self.now.kind == "end" else f"found {self.now.text!r}"
        return self.not_read(f"{what} was expected, {instead}")

    def not_read(self, message: str, position: int | None = None, hint: str = "") -> NotRead:
        """An error at a position; at the next token if none is given."""
        at = self.now.position if position is None else position
        return NotRead(self.text, at, message, hint)

    def is_command(self, *names: str) -> bool:
        """Whether the next token is one of these commands."""
        return self.now.kind == "command" and self.now.text in names

    def split(self, length: int) -> None:
        """Cut the next token in two, the first of this many letters or digits."""
        token = self.now
        if length < len(token.text):
            first = Token(token.kind, token.text[:length], token.position, token.spaced)
            rest = Token(token.kind, token.text[length:], token.position + length)
            self.tokens = [*self.tokens[: self.index], first, rest, *self.tokens[self.index + 1 :]]

    def split_first_letter(self) -> None:
        """x_iy_j is x_i y_j: without braces an index or a power is one sign."""
        if self.now.kind == "word" and not self.now.text.startswith("\\"):
            self.split(1)

    def group_text(self) -> str:
        """The text of {…} or of the next sign, without spaces: a label or a name."""
        while self.is_command(*TEXT_FONTS, *FONTS):
            self.take()  # W_\textrm{hx}
        if not self.accept("{"):
            return self.take().text
        depth = 1
        parts: list[str] = []
        while True:
            token = self.now
            if token.kind == "end":
                raise self.expected("'}'")
            self.take()
            depth += (token.kind == "{") - (token.kind == "}")
            if depth == 0:
                return "".join(parts)
            font = token.kind == "command" and token.text in (*TEXT_FONTS, *FONTS)
            if token.kind not in "{}" and not font:
                parts.append(token.text)
