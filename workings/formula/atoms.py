"""What stands between operators: names, numbers, functions with their arguments, brackets."""

from abc import abstractmethod
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.cursor import Cursor
from workings.formula.functions import FUNCTIONS
from workings.formula.tokens import RELATIONS, FormulaError, Token

_BRACED = ["{", "number", "}"]


class Atoms(Cursor):
    @abstractmethod
    def sum(self) -> f.Node: ...

    @abstractmethod
    def factor(self) -> f.Node: ...

    @abstractmethod
    def command(self) -> f.Node: ...

    @abstractmethod
    def starts_factor(self) -> bool: ...

    def atom(self) -> f.Node:
        token = self.now
        if token.kind == "number":
            self.take()
            return f.Number(Fraction(token.text))
        if token.kind == "word":
            return self.word()
        if token.kind in ("(", "{"):
            return self.bracket()
        if token.kind == "[":
            return self.row()
        if token.kind in ("|", "‖"):
            return self.bars_around(token.kind)
        if token.kind == "∂" or token.kind == "∇":
            return self.inline_derivative()
        if token.kind in ("…", "∞"):
            self.take()
            return f.Unsaid(token.text)
        if token.kind == "command":
            return self.command()
        raise self.wrong("a formula")

    def word(self) -> f.Node:
        """A function, a declared name, or the first letter of a run: QK is Q times K."""
        token = self.now
        if (found := self.ascii_derivative()) is not None:
            return found
        name = self.longest(token.text)
        if name == token.text:
            self.take()
        else:
            rest = Token("word", token.text[len(name) :], token.at + len(name))
            self.tokens = [*self.tokens[: self.place], rest, *self.tokens[self.place + 1 :]]
        if name == token.text and self.now.kind == "number" and not self.now.spaced:
            joined = name + self.now.text  # b1 is a name if it was declared
            if joined in self.words or f"{name}_{self.now.text}" in self.words:
                sub = "" if joined in self.words else self.now.text
                self.take()
                return f.Symbol(name if sub else joined, sub=sub, at=token.at)
        if name in FUNCTIONS:
            return self.function(name, token.at)
        return f.Symbol(name, at=token.at)

    def function(self, name: str, at: int) -> f.Node:
        r"""σ(x), softmax(x), \log p, \log_b(x), σ'(x), \tanh^2(x)."""
        primes, power, base = 0, None, None
        while True:
            if self.accept("'"):
                primes += 1
            elif self.now.kind == "_" and name == "log":
                self.take()
                base = self.group_or_factor()
            elif self.now.kind == "^" and self.ahead().kind == "'":
                self.take()
            elif self.now.kind == "^" and self.ahead().kind == "number":
                self.take()
                power = f.Number(Fraction(self.take().text))
            elif self.now.kind == "^" and [self.ahead(n).kind for n in (1, 2, 3)] == _BRACED:
                self.take()
                power = f.Number(Fraction(self.group_text()))
            else:
                break
        if self.now.kind in ("(", "["):
            arguments = self.arguments()
        elif self.now.kind in ("{", "word", "number", "|") or self.now.kind == "command":
            arguments = (self.factor(),)
            if self.starts_factor() and self.now.kind not in ("(", "|"):
                raise self.wrong(f"an operator (write {name}(…) to say what belongs to it)")
        elif name in ("sigma",):
            return f.Symbol("\\sigma", at=at)
        else:
            # A name of a function that is used as a name: σ alone, as in "apply σ".
            return f.Symbol(name, at=at)
        if base is not None:
            arguments = (*arguments, base)
        node: f.Node = f.Call(name, arguments, primes, at)
        return node if power is None else f.Power(node, power)

    def arguments(self) -> tuple[f.Node, ...]:
        closing = ")" if self.take().kind == "(" else "]"
        bars, self.bars = self.bars, 0
        found = [self.argument()]
        while self.accept(",", ";"):
            found.append(self.argument())
        self.expect(closing, f"{closing!r} or ','")
        self.bars = bars
        return tuple(found)

    def argument(self) -> f.Node:
        """An argument; what stands behind a relation in it (i = 1, …, h) only says where."""
        node = self.sum()
        while self.accept(*RELATIONS):
            self.sum()
        return node

    def bracket(self) -> f.Node:
        closing = ")" if self.take().kind == "(" else "}"
        bars, self.bars = self.bars, 0
        entries = [self.sum()]
        while self.accept(","):
            entries.append(self.sum())
        self.expect(closing)
        self.bars = bars
        return entries[0] if len(entries) == 1 else f.Matrix((f.Row(tuple(entries)),))

    def row(self) -> f.Node:
        r"""[a, b], [a ‖ b], [a; b] (below each other); [a] is a bracket."""
        self.take()
        bars, self.bars = self.bars, 1
        rows, entries = [], [self.sum()]
        several = joined = False
        while sign := self.accept(",", "‖", "|", ";"):
            several = True
            joined = joined or sign.kind in "‖|"
            if sign.kind == ";":
                rows.append(f.Row(tuple(entries)))
                entries = []
            entries.append(self.sum())
        self.expect("]", "']' or ','")
        self.bars = bars
        if joined:
            return f.Call("concat", tuple(entries))
        rows.append(f.Row(tuple(entries)))
        return f.Matrix(tuple(rows)) if several else entries[0]

    def bars_around(self, kind: str) -> f.Node:
        at = self.take().at
        self.bars += 1
        node = self.sum()
        self.expect(kind, f"a closing {kind}")
        self.bars -= 1
        if kind == "|":
            return f.Call("abs", (node,), at=at)
        order: f.Node = f.Number(Fraction(2))
        if self.accept("_"):
            text = self.group_text()
            if text not in ("1", "2", "F", "∞"):
                raise FormulaError(self.text, at, f"a norm ‖…‖_{text} is not known (1, 2, F, ∞)")
            order = f.Unsaid(text) if text == "∞" else f.Number(Fraction(1 if text == "1" else 2))
        return f.Call("norm", (node, order), at=at)

    def named(self, name: str, at: int) -> f.Node:
        return self.function(name, at) if name in FUNCTIONS else f.Symbol(name, at=at)

    def marked(self, mark: str) -> f.Node:
        at = self.now.at
        node = self.group_or_factor()
        if not isinstance(node, f.Symbol):
            raise FormulaError(self.text, at, f"a name under \\{mark} was expected")
        return f.Symbol(node.base, (mark, *node.marks), node.sub, node.label, node.at)

    def group(self) -> f.Node:
        if self.now.kind != "{":
            raise self.wrong("'{'")
        return self.bracket()

    def group_or_factor(self) -> f.Node:
        """What a command takes: {…}, or the next single sign (\frac12, \\hat y)."""
        if self.now.kind == "{":
            return self.bracket()
        if self.now.kind == "number" and len(self.now.text) > 1 and self.now.text.isdigit():
            token = self.now
            rest = Token("number", token.text[1:], token.at + 1)
            self.tokens = [*self.tokens[: self.place], rest, *self.tokens[self.place + 1 :]]
            return f.Number(Fraction(token.text[0]))
        return self.atom()

    def ascii_derivative(self) -> f.Node | None:
        """dE/dI, where no such name was declared."""
        token = self.now
        spread = token.text == "d" and self.ahead().kind in ("word", "command")
        if token.text[0] != "d" or (token.text in self.words and not spread):
            return None
        saved = self.tokens, self.place, self.depth
        try:
            self.differential(spread)
            of = self.factor()
            if self.accept("/") and self.now.text[:1] == "d":
                joined = len(self.now.text) > 1
                if joined != spread and self.differential(spread) and self.starts_factor():
                    return f.Derivative(of, self.factor())
        except FormulaError:
            pass
        self.tokens, self.place, self.depth = saved
        return None

    def inline_derivative(self) -> f.Node:
        r"""∂E/∂I, or \nabla_I E."""
        if self.accept("∇"):
            self.expect("_", "'_' and what the gradient is taken by")
            wrt = self.group_or_factor()
            return f.Derivative(self.factor(), wrt)
        self.take()
        of = self.factor()
        self.expect("/", "'/' of a derivative")
        self.expect("∂", "'∂' of a derivative")
        return f.Derivative(of, self.factor())

    def differential(self, of_fraction: bool = False) -> str | None:
        """∂, δ or d, if one stands here; above and below a line d is one even if it is a size."""
        if self.accept("∂"):
            return "∂"
        if self.is_command("mathrm", "text") and self.ahead(2).text == "d":
            for _ in range(4):
                self.take()
            return "d"
        token = self.now
        if token.kind == "word" and token.text == "\\delta":
            self.take()
            return "δ"
        known = token.text in self.words and not (of_fraction and token.text == "d")
        if token.kind == "word" and token.text[0] == "d" and not known:
            if token.text == "d":
                self.take()
            else:
                rest = Token("word", token.text[1:], token.at + 1)
                self.tokens = [*self.tokens[: self.place], rest, *self.tokens[self.place + 1 :]]
            return "d"
        return None
