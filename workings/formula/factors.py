"""The tight levels of the grammar: an atom with its indices, powers, transposes and primes."""

from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.atoms import Atoms

_TRANSPOSE = ("T", "top", "intercal")


class Factors(Atoms):
    """Reads factors; `parse` puts them together."""

    def starts_factor(self) -> bool:
        """Whether the next token can begin a factor, so that a product goes on."""
        token = self.now
        if token.kind == "command":
            return token.text not in ("\\", "end", "right")
        if token.kind == "|":
            return self.open_bars == 0 and self.ahead().kind != "_"
        if token.kind == "‖":
            return self.open_bars == 0
        return token.kind in ("number", "word", "name", "(", "[", "{", "∂", "∇", "…", "∞")

    def factor(self) -> f.Node:
        """An atom with what is hung on it: indices, powers, transposes, primes, factorials."""
        start = self.now.position
        node = self.atom()
        while True:
            if self.accept("_"):
                node = self.subscript(node)
            elif self.accept("^"):
                node = self.superscript(node)
            elif self.accept("'"):
                node = f.Transpose(node)
            elif self.accept("!"):
                node = f.Call("factorial", (node,), position=start)
            elif isinstance(node, f.Derivative) and self._is_at_one_step():
                node = f.Derivative(node.of, node.wrt, only=True, position=start)
            elif isinstance(node, f.Symbol) and self._is_called(node):
                node = f.Call(node.name, self.arguments(), position=start)
            else:
                return node

    def _is_at_one_step(self) -> bool:
        r"""Take \Big|_{(t)} behind a derivative."""
        if self.now.kind != "|" or self.ahead().kind != "_":
            return False
        self.take()
        self.take()
        self.group_text()
        return True

    def _is_called(self, node: f.Symbol) -> bool:
        """Whether a bracket behind a name holds its arguments and is not a factor."""
        if self.now.kind not in ("(", "["):
            return False
        if node.base in self.functions:
            return True
        if self.now.kind == "[":
            return False
        depth = 0
        for token in self.tokens[self.index :]:
            depth += (token.kind in "([{") - (token.kind in ")]}")
            if depth == 0:
                return False
            if depth == 1 and token.kind == ",":
                return True  # f(x, y) is no product
        return False

    # Below

    def subscript(self, node: f.Node) -> f.Node:
        """What stands below: a part of a name, entries of a value, the shape of 1 and I."""
        if isinstance(node, f.Symbol) and f"{node.base}_{self.now.text}" not in self.words:
            self.split_first_letter()
        start = self.index
        text = self.group_text()
        if isinstance(node, f.Symbol) and not node.sub:
            if "×" in text and node.base in ("I", "1"):
                self.index = start
                return self.shaped(node)
            return f.Symbol(node.base, node.marks, text, node.label, node.position)
        self.index = start
        if isinstance(node, f.Number):
            return self.shaped(node)
        indices = [self.group_or_atom()] if self.now.kind != "{" else self.index_list()
        return f.Index(node, tuple(indices))

    def index_list(self) -> list[f.Node]:
        """{i, j} or {ij}."""
        self.take()
        if self.now.kind == "word" and len(self.now.text) == 2 and self.ahead().kind == "}":
            letters = self.take()  # ij
            self.take()
            return [f.Symbol(letter, position=letters.position) for letter in letters.text]
        indices = [self.sum()]
        while self.accept(","):
            indices.append(self.sum())
        self.expect("}")
        return indices

    def shaped(self, node: f.Node) -> f.Node:
        r"""1_{1×D}, \mathbf{1}_L (a column), I_{V×V}."""
        position = self.now.position
        braced = self.accept("{")
        sides = [self.side_of_shape() if braced else self.group_or_atom()]
        if braced:
            while self.accept("×"):
                sides.append(self.side_of_shape())
            self.expect("}")
        if isinstance(node, f.Number):
            if node.value != 1:
                raise self.not_read("only 1 can be a vector of ones", position)
            column: f.Node = f.Number(Fraction(1))
            return f.Ones(sides[0], sides[1] if len(sides) > 1 else column)
        return f.Identity(sides[0])

    # Above

    def superscript(self, node: f.Node) -> f.Node:
        """What stands above: a transpose, a label, a power."""
        self.split_first_letter()
        token = self.now
        if token.text in _TRANSPOSE and token.kind in ("word", "command"):
            self.take()
            return f.Transpose(node)
        braced = token.kind == "{"
        start = self.index
        text = self.group_text()
        if text in (*_TRANSPOSE, "mathsfT", "'"):
            return f.Transpose(node)
        if text in ("-T", "-top"):
            return f.Transpose(f.Power(node, f.Number(Fraction(-1))))
        is_label = text in ("*", "⊙") or (braced and text.startswith("(") and text.endswith(")"))
        if is_label and isinstance(node, f.Symbol) and not node.label:
            return f.Symbol(node.base, node.marks, node.sub, text, node.position)
        if text in ("*", "⊙"):
            raise self.not_read("a power was expected", token.position)
        self.index = start
        exponent = self.bracket() if braced else self._signed_power()
        return f.Power(node, exponent, text)

    def _signed_power(self) -> f.Node:
        if self.accept("-"):
            return f.Negative(self._signed_power())
        if self.now.kind == "number":
            return f.Number(Fraction(self.take().text))
        return self.group_or_atom()
