"""A place in the tokens of a formula, and how it moves."""

from collections.abc import Collection, Sequence

from workings.formula.functions import FUNCTIONS
from workings.formula.tokens import WORDS, FormulaError, Token, tokenize


class Cursor:
    def __init__(self, text: str, words: Collection[str], functions: Collection[str]) -> None:
        self.text = text
        self.words = frozenset(words) | FUNCTIONS.keys() | frozenset(functions)
        self.functions = FUNCTIONS.keys() | frozenset(functions)
        self.tokens: Sequence[Token] = tokenize(text)
        self.place = 0
        self.depth = 0
        self.boxes = 0  # \\boxed{ that are open around the side that is read
        self.bars = 0  # |…| that are open: the next bar closes
        self.matrices = 0  # \\begin{matrix} that are open: & and \\\\ separate

    @property
    def now(self) -> Token:
        return self.tokens[self.place]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.now
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def accept(self, *kinds: str) -> Token | None:
        return self.take() if self.now.kind in kinds else None

    def expect(self, kind: str, what: str = "") -> Token:
        if self.now.kind != kind:
            raise self.wrong(what or f"{kind!r}")
        return self.take()

    def wrong(self, expected: str) -> FormulaError:
        found = "the formula ends" if self.now.kind == "end" else f"found {self.now.text!r}"
        return FormulaError(self.text, self.now.at, f"{expected} was expected, {found}")

    def is_command(self, *names: str) -> bool:
        return self.now.kind == "command" and self.now.text in names

    def split_first(self) -> None:
        """x_iy_j is x_i y_j: without braces an index or a power is one sign."""
        token = self.now
        if token.kind == "word" and len(token.text) > 1 and token.text[0] != "\\":
            first = Token("word", token.text[0], token.at, token.spaced)
            rest = Token("word", token.text[1:], token.at + 1)
            self.tokens = [*self.tokens[: self.place], first, rest, *self.tokens[self.place + 1 :]]

    def longest(self, run: str) -> str:
        if run.startswith("\\") or run in self.words:
            return run
        known = (run[:end] for end in range(len(run), 1, -1))
        return next((name for name in known if name in self.words), run[0])

    def group_text(self) -> str:
        """The text of {…} or of the next sign, without spaces: a label or a name."""
        if not self.accept("{"):
            return self.take().text
        depth = 1
        parts: list[str] = []
        while True:
            token = self.now
            if token.kind == "end":
                raise self.wrong("'}'")
            self.take()
            depth += (token.kind == "{") - (token.kind == "}")
            if depth == 0:
                return "".join(parts)
            if token.kind not in "{}" and not (token.kind == "command" and token.text in WORDS):
                parts.append(token.text)
