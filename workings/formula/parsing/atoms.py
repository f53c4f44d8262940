"""The tightest level of the grammar: names, numbers, functions with their arguments, brackets."""

from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.parsing.commands import COMMANDS
from workings.formula.parsing.derivatives import ascii_derivative, inline_derivative
from workings.formula.parsing.grammar import Grammar
from workings.formula.parsing.ranges import extreme_over
from workings.formula.parsing.rounding import ROUNDING, rounded
from workings.formula.parsing.tokens import RELATIONS, Token

_EXTREMES = ("max", "min", "argmax", "argmin")
_NAMED_NORMS = {"F": "frobenius", "*": "nuclear", "⊙": "nuclear"}
_OF_MULTIPLES = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "ln"})
_CLOSING = {"(": ")", "[": "]", "{": "}", "\\{": "\\}"}


class Atoms(Grammar):
    """Reads what stands between operators."""

    def atom(self) -> f.Node:
        """A number, a name, a function with its arguments, a bracket, a command."""
        token = self.now
        if token.kind == "number":
            self.take()
            return f.Number(Fraction(token.text))
        if token.kind == "word":
            return self.word()
        if token.kind == "name":
            base, _, sub = self.take().text.partition("_")
            return f.Symbol(base, sub=sub, position=token.position)
        if token.kind in ("(", "{", "\\{"):
            return self.bracket()
        if token.kind == "⟨":
            return self.inner_product()
        if token.kind == "[":
            return self.row()
        if token.kind in ("|", "‖"):
            return self.between_bars(token.kind)
        if token.kind in ROUNDING:
            return rounded(self)
        if token.kind in ("∂", "∇"):
            return inline_derivative(self)
        if token.kind in ("…", "∞"):
            self.take()
            return f.Unsaid(token.text)
        if token.kind == "command":
            return self.command()
        raise self.expected("a formula")

    def command(self) -> f.Node:
        """One of the table, or the name of a function."""
        token = self.take()
        if token.text in COMMANDS:
            return COMMANDS[token.text](self, token)
        if token.text in self.words:
            return self.named(token.text, token.position)
        raise self.not_read(f"\\{token.text} is not known here", token.position)

    def word(self) -> f.Node:
        """A function, a declared name, or the first letter of a run: QK is Q times K."""
        if (derivative := ascii_derivative(self)) is not None:
            return derivative
        letters = self.now.text
        self.split(len(self._longest_known(letters)))
        token = self.take()
        if token.text == letters and self.now.kind == "number" and not self.now.spaced:
            joined = token.text + self.now.text  # b1 is a name if it was declared
            if joined in self.words:
                self.take()
                return f.Symbol(joined, position=token.position)
            if f"{token.text}_{self.now.text}" in self.words:
                return f.Symbol(token.text, sub=self.take().text, position=token.position)
        return self.named(token.text, token.position)

    def _longest_known(self, letters: str) -> str:
        if letters.startswith("\\") or letters in self.words:
            return letters
        known = (letters[:end] for end in range(len(letters), 1, -1))
        return next((name for name in known if name in self.words), letters[0])

    def named(self, name: str, position: int) -> f.Node:
        """A function of the table with its arguments, or a name; a declared name is no function."""
        if name in FUNCTIONS and name not in self.declared:
            return self.function(name, position)
        return f.Symbol(name, position=position)

    def function(self, name: str, position: int) -> f.Node:
        r"""σ(x), softmax(x), \log p, \log_b(x), σ'(x), \tanh^2(x)."""
        if name in _EXTREMES and self.now.kind == "_":
            return extreme_over(self, name, position)
        primes, power, base = 0, None, None
        while True:
            if self.accept("'"):
                primes += 1
            elif self.now.kind == "_" and (name == "log" or name.lower() == "leakyrelu"):
                self.take()
                base = self.group_or_atom()
            elif self.now.kind == "^" and self.ahead().kind == "'":
                self.take()
            elif self.now.kind == "^" and self._is_number_ahead():
                self.take()
                power = f.Number(Fraction(self.group_text()))
            else:
                break
        if self.now.kind in ("(", "[", "\\{"):
            arguments = self.arguments()
        elif self.now.kind in ("{", "word", "name", "number", "|", "‖", "command"):
            is_multiple = name in _OF_MULTIPLES and self.now.kind == "number"
            arguments = (self.factor(),)
            if is_multiple and self.starts_factor() and not self._starts_function():
                factors = [arguments[0], self.factor()]  # \cos 2\theta
                if isinstance(factors[1], f.Symbol) and factors[1].name == "\\pi":
                    while self.starts_factor() and not self._starts_function():
                        factors.append(self.factor())  # \log 2\pi\sigma^2
                arguments = (f.product_of(factors),)
            if self.starts_factor() and not self._starts_function():
                raise self.expected(f"an operator (write {name}(…) to say what belongs to it)")
        else:
            alone = f.Symbol(name + "'" * primes, position=position)  # σ, as in "apply σ"
            return alone if power is None else f.Power(alone, power, str(power.value))
        if base is not None:
            arguments = (*arguments, base)
        node: f.Node = f.Call(name, arguments, primes, position)
        return node if power is None else f.Power(node, power)

    def _starts_function(self) -> bool:
        r"""Whether another function follows, which ends the argument: \sin x \cos x."""
        token = self.now
        named = token.kind in ("word", "command") and token.text in FUNCTIONS
        return (named and token.text not in self.declared) or token.kind in ("(", "|", "‖")

    def _is_number_ahead(self) -> bool:
        kinds = [self.ahead(count).kind for count in (1, 2, 3)]
        return kinds[0] == "number" or kinds == ["{", "number", "}"]

    def arguments(self) -> tuple[f.Node, ...]:
        """(x, y) or [x, y] behind a function."""
        closing = _CLOSING[self.take().kind]
        bars, self.open_bars = self.open_bars, 0
        arguments = [self._argument()]
        while self.accept(",", ";"):
            arguments.append(self._argument())
        self.expect(closing, f"{closing!r} or ','")
        self.open_bars = bars
        return tuple(arguments)

    def is_divergence(self, node: f.Symbol) -> bool:
        r"""Whether it is KL or D_{KL} before its arguments."""
        named = (node.base, node.sub) in (("D", "KL"), ("KL", ""))
        return named and self.now.kind in ("(", "[", "\\{") and node.name not in self.declared

    def divergence(self) -> tuple[f.Node, ...]:
        r"""(p \| q) or (p, q) behind KL."""
        closing = _CLOSING[self.take().kind]
        bars, self.open_bars = self.open_bars, 1
        first = self.sum()
        if not self.accept("‖", ",") and not (self.accept("|") and self.accept("|")):
            raise self.expected("'\\|' or ','")
        second = self.sum()
        self.expect(closing)
        self.open_bars = bars
        return first, second

    def _argument(self) -> f.Node:
        """An argument; what stands behind a relation in it (i = 1, …, h) only says where."""
        node = self.sum()
        while self.accept(*RELATIONS):
            self.sum()
        return node

    def bracket(self) -> f.Node:
        r"""(…), {…} or \{…\}; (a, b) is a row."""
        closing = _CLOSING[self.take().kind]
        bars, self.open_bars = self.open_bars, 0
        entries = [self.sum()]
        while self.accept(","):
            entries.append(self.sum())
        self.expect(closing)
        self.open_bars = bars
        return entries[0] if len(entries) == 1 else f.Matrix((f.Row(tuple(entries)),))

    def row(self) -> f.Node:
        r"""[a, b], [a ‖ b], [a; b] (below each other); [a] is a bracket."""
        self.take()
        bars, self.open_bars = self.open_bars, 1
        rows, entries = [], [self.sum()]
        if self.now.kind in RELATIONS:  # [x > 0], as Iverson writes it
            node = self.condition(entries[0])
            self.expect("]")
            self.open_bars = bars
            return node
        several = joined = False
        while sign := self.accept(",", "‖", "|", ";"):
            several = True
            joined = joined or sign.kind in "‖|"
            if sign.kind == ";":
                rows.append(f.Row(tuple(entries)))
                entries = []
            entries.append(self.sum())
        self.expect("]", "']' or ','")
        self.open_bars = bars
        if joined:
            return f.Call("concat", tuple(entries))
        rows.append(f.Row(tuple(entries)))
        return f.Matrix(tuple(rows), listed=True) if several else entries[0]

    def between_bars(self, kind: str) -> f.Node:
        """|a|, or a norm ‖a‖_p."""
        position = self.take().position
        self.open_bars += 1
        node = self.sum()
        if kind == "|" and self.now.kind == "‖" and self.open_bars == 1:
            self.part_bars()  # |A||B|
        self.expect(kind, f"a closing {kind}")
        self.open_bars -= 1
        if kind == "|":
            return f.Call("bars", (node,), position=position)
        power = self._power_before_order()
        if self.accept("_"):
            norm = self._norm_of_order(node, position)
        else:
            norm = f.Call("norm", (node,), position=position)
        return norm if power is None else f.Power(norm, power)

    def part_bars(self) -> None:
        """Take || as two bars."""
        token = self.now
        bars = [Token("|", "|", token.position + at) for at in range(2)]
        self.tokens = [*self.tokens[: self.index], *bars, *self.tokens[self.index + 1 :]]

    def _power_before_order(self) -> f.Node | None:
        """2 of ‖A‖^2_F, where the order stands behind the power."""
        if self.now.kind != "^" or not self._is_number_ahead():
            return None
        start = self.index
        self.take()
        power = f.Number(Fraction(self.group_text()))
        if self.now.kind == "_":
            return power
        self.index = start
        return None

    def _norm_of_order(self, node: f.Node, position: int) -> f.Node:
        start = self.index
        text = self.group_text()
        if text in _NAMED_NORMS and text not in self.declared:
            return f.Call(_NAMED_NORMS[text], (node,), position=position)
        self.index = start
        return f.Call("norm", (node, self.group_or_atom()), position=position)

    def inner_product(self) -> f.Node:
        r"""\langle x, y \rangle."""
        position = self.take().position
        bars, self.open_bars = self.open_bars, 0
        left = self.sum()
        if not self.accept(","):
            hint = "an inner product is \\langle x, y \\rangle"
            raise self.not_read("⟨…⟩ of one part is not read", position, hint)
        node = f.Call("inner", (left, self.sum()), position=position)
        self.expect("⟩", "'⟩'")
        self.open_bars = bars
        if self.now.kind == "_" and self.ahead().text in ("F", "2") and "F" not in self.declared:
            self.take()
            self.take()
        return node

    def condition(self, first: f.Node | None = None) -> f.Node:
        """x > 0, or 0 < x ≤ 1; several with a comma, ∧ or "and" between them must all hold."""
        parts: list[f.Node] = []
        while True:
            sides = [first if first is not None else self.sum()]
            first, relations = None, []
            while self.now.kind in RELATIONS:
                relations.append(self.take().kind)
                sides.append(self.sum())
            if not relations:
                raise self.expected("a relation such as > or =")
            parts.append(f.Condition(tuple(sides), tuple(relations)))
            goes_on = self.accept(",", "∧") or (self.now.text == "and" and self.take())
            if not goes_on or not (self.starts_factor() or self.now.kind == "-"):
                return f.product_of(parts)

    def group_or_atom(self) -> f.Node:
        r"""What a command takes: {…}, or the next single sign (\frac12, \hat y)."""
        if self.now.kind == "{":
            return self.bracket()
        if self.now.kind == "number" and self.now.text.isdigit():
            self.split(1)
        return self.atom()

    def side_of_shape(self) -> f.Node:
        """One side of `4 d × k`: factors, but no ×."""
        factors = [self.factor()]
        while self.starts_factor():
            factors.append(self.factor())
        return f.product_of(factors)
