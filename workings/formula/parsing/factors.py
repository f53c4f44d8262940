"""The tight levels of the grammar: an atom with its indices, powers, transposes and primes."""

import re
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.evaluation.matrices import SPECTRAL
from workings.formula.parsing.atoms import Atoms
from workings.formula.parsing.points import at_point
from workings.formula.parsing.tokens import FONTS, RELATIONS, Token

_TRANSPOSE = ("T", "top", "intercal")
_LABEL_AND_TRANSPOSE = re.compile(r"^(\([^()]*\))(?:T|top|intercal)$")
_AMONG_MATRICES = ("^", "{", "}", "+", "-", "number", *FONTS)
_VALUES = {"\\lambda": "eig", "\\sigma": "singular"}
MOST_PRIMES = 3
_STARTS = ("number", "word", "name", "(", "[", "{", "\\{", "⟨", "⌊", "⌈", "∂", "∇", "…",
           "∞")  # fmt: skip
_NAME_PARTS = ("_", "number", "{", "}", *FONTS)
_OPENING, _CLOSING = ("(", "[", "{", "\\{", "⌊", "⌈"), (")", "]", "}", "\\}", "⌋", "⌉")


class Factors(Atoms):
    """Reads factors; `parse` puts them together."""

    def starts_factor(self) -> bool:
        """Whether the next token can begin a factor, so that a product goes on."""
        token = self.now
        if token.kind == "command":
            return token.text not in ("\\", "end", "right", "cr")
        if token.kind == "|":
            return self.open_bars == 0 and self.ahead().kind != "_"
        if token.kind == "‖":
            return self.open_bars == 0
        return token.kind in _STARTS

    def factor(self) -> f.Node:
        """An atom with what is hung on it: indices, powers, transposes, primes, factorials."""
        start = self.now.position
        node = self.atom()
        raised = False
        while True:
            if self.now.kind == "_" and self._is_plus(self.ahead(1), self.ahead(2), self.ahead(3)):
                node = self._positive_part(node)
            elif self.accept("_"):
                node = self.subscript(node)
            elif self.accept("^"):
                base, node = node, self.superscript(node)
                if raised and isinstance(node, f.Power) and node.base is base:
                    message = "a power of a power without brackets, which LaTeX does not set either"
                    raise self.not_read(message, start, "write {9^9}^9 or 9^{9^9}")
                raised = isinstance(node, f.Power) and node.base is base
            elif self.accept("'"):
                node = self._primed(node)
            elif self.accept("!"):
                node = f.Call("factorial", (node,), position=start)
            elif self.now.kind == "|" and self.ahead().kind == "_" and self.open_bars == 0:
                node = at_point(self, node)
            elif self._is_indicator(node):
                node = self._indicator()
            elif isinstance(node, f.Symbol) and self.is_divergence(node):
                node = f.Call("divergence", self.divergence(), position=start)
            elif isinstance(node, f.Symbol) and (spectral := self._spectral(node)) is not None:
                node = spectral
            elif isinstance(node, f.Symbol) and self._is_called(node):
                plain = _unprimed(node)
                primes = len(node.base) - len(plain.base)
                node = f.Call(plain.name, self.arguments(), primes, start)
            else:
                return node

    def _primed(self, node: f.Node) -> f.Node:
        """x' is a name of its own, f' a function's derivative; of a bracket, the transposed."""
        if isinstance(node, f.Symbol) and not node.label:
            if node.base.endswith("'" * MOST_PRIMES):
                raise self.not_read(f"more than {MOST_PRIMES} primes", node.position)
            return replace(node, base=node.base + "'")
        return f.Transpose(node)

    def _is_indicator(self, node: f.Node) -> bool:
        """Whether 1, 𝟙 or I stands before a bracket with a relation in it."""
        is_one = (isinstance(node, f.Number) and node.value == 1) or f.is_bare_ones(node)
        is_i = isinstance(node, f.Symbol) and node.name == "I"
        return (is_one or is_i) and self._holds_relation()

    def _holds_relation(self) -> bool:
        """Whether the bracket that stands here has a relation in it."""
        if self.now.kind not in ("(", "[", "\\{", "{"):
            return False
        depth = 0
        innermost = 2 if self.ahead().kind == "\\{" else 1  # 1_{\{x > 0\}}
        for token in self.tokens[self.index :]:
            depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
            if depth == 0:
                return False
            if depth == innermost and token.kind in RELATIONS and token.kind != ":":
                return True
        return False

    def _indicator(self) -> f.Node:
        closing = _CLOSING[_OPENING.index(self.take().kind)]
        bars, self.open_bars = self.open_bars, 0
        node = self._indicator() if self.now.kind == "\\{" else self.condition()
        self.expect(closing)
        self.open_bars = bars
        return node

    def _is_plus(self, *tokens: Token) -> bool:
        kinds = [token.kind for token in tokens]
        return kinds[0] == "+" or kinds == ["{", "+", "}"]

    def _positive_part(self, node: f.Node) -> f.Node:
        """(x)_+ is max(0, x)."""
        self.take()
        while self.accept("{", "+", "}"):
            pass
        return f.Call("max", (f.Number(Fraction(0)), node))

    def _spectral(self, node: f.Symbol) -> f.Node | None:
        r"""\lambda_{\max}(A), \lambda_i(A), \sigma_i(A), \kappa(A), where these are no names."""
        if self.now.kind != "(" or node.label or {node.base, node.name} & self.declared:
            return None
        start = node.position
        name = f"{node.base}_{{\\{node.sub}}}"
        if name in SPECTRAL:
            return f.Call(name, self.arguments())
        if not self._holds_matrices():
            return None
        if node.name == "\\kappa":
            return f.Call("cond", self.arguments())
        if node.base in _VALUES and len(node.sub) == 1:
            values = f.Call(_VALUES[node.base], self.arguments())
            digit = node.sub.isdigit()
            index = f.Number(Fraction(node.sub)) if digit else f.Symbol(node.sub, position=start)
            return f.Index(values, (index,))
        return None

    def _holds_matrices(self) -> bool:
        r"""Whether all names in the bracket are capitals: λ_i(A^T A), and not λ_i(y_i - 1)."""
        names = 0
        for token in self.tokens[self.index + 1 :]:
            if token.kind == ")":
                return names > 0
            if token.kind == "word" and token.text.isupper():
                names += 1
            elif token.kind not in _AMONG_MATRICES and token.text not in _TRANSPOSE:
                return False
        return False

    def _is_called(self, node: f.Symbol) -> bool:
        """Whether a bracket behind a name holds its arguments and is not a factor."""
        if self.now.kind not in ("(", "["):
            return False
        if _unprimed(node).name in self.functions:
            return True
        if self.now.kind == "[":
            return False
        depth, only_names = 0, True
        for index, token in enumerate(self.tokens[self.index :], start=self.index):
            depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
            if depth == 0:
                after = self.tokens[min(index + 1, len(self.tokens) - 1)].kind
                # L(w) may be a value, which the names decide; (w)^2 is raised by itself.
                return only_names and node.name in self.declared and after not in ("^", "_", "'")
            if depth == 1 and token.kind == ",":
                return True  # f(x, y) is no product
            only_names &= token.kind in ("(", "word") or token.text in _NAME_PARTS
        return False

    # Below

    def subscript(self, node: f.Node) -> f.Node:
        """What stands below: a part of a name, entries of a value, the shape of 1 and I."""
        if f.is_bare_ones(node):
            node = f.Number(Fraction(1))
        if isinstance(node, f.Number) and node.value == 1 and self._holds_relation():
            return self._indicator()  # 1_{x > 0}
        if isinstance(node, f.Symbol) and f"{node.base}_{self.now.text}" not in self.words:
            self.split_first_letter()
        start = self.index
        text = self.group_text()
        if isinstance(node, f.Symbol) and not node.sub:
            if "×" in text and node.base in ("I", "1"):
                self.index = start
                return self.shaped(node)
            return replace(node, sub=text)
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
        indices = [self._index()]
        while self.accept(","):
            indices.append(self._index())
        self.expect("}")
        return indices

    def _index(self) -> f.Node:
        """An index, or : for the whole axis."""
        return f.Unsaid(":") if self.accept(":", "·", "*") else self.sum()

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
            return self._transposed(node, self.take())
        if token.kind in ("+", "†") and self._ends_superscript():
            self.take()
            return f.Power(node, f.Unsaid("+"), "+")
        braced = token.kind == "{"
        start = self.index
        text = self.group_text()
        if text in _TRANSPOSE:
            return self._transposed(node, replace(token, text=text))
        if text.strip("'") == "":
            for _ in text:
                node = self._primed(node)
            return node
        if text in ("-T", "-top", "-intercal", "T-1", "top-1"):
            return f.Transpose(f.Power(node, f.Number(Fraction(-1))))
        if text in ("+", "†"):
            return f.Power(node, f.Unsaid("+"), "+")
        if isinstance(node, f.Symbol) and (both := _LABEL_AND_TRANSPOSE.match(text)):
            return f.Transpose(replace(node, label=both[1]))  # h^{(t)\top}
        if text in ("⊙2", "⊙3"):
            return f.Elementwise((node,) * int(text[1]))
        is_label = text in ("*", "⊙") or (braced and is_one_bracket(text))
        is_e = isinstance(node, f.Symbol) and node.name == "e" and "e" not in self.declared
        if is_label and isinstance(node, f.Symbol) and not node.label and not is_e:
            return replace(node, label=text)
        if text in ("*", "⊙"):
            raise self.not_read("a power was expected", token.position)
        self.index = start
        exponent = self.bracket() if braced else self._signed_power()
        return f.Power(node, exponent, text)

    def _ends_superscript(self) -> bool:
        """Whether ^+ is all of the superscript: what follows cannot be its number."""
        after = self.ahead()
        return after.kind not in ("number", "word", "name", "(") or after.spaced

    def _transposed(self, node: f.Node, token: Token) -> f.Node:
        """The transposed; x^T may be a power where T is declared."""
        if isinstance(node, f.Number) and node.value == 1:
            message = "a number has no transposed"
            raise self.not_read(message, token.position, r"write \mathbf{1}^T for a row of ones")
        if token.text == "T" and "T" in self.declared:
            return f.TransposeOrPower(node, f.Symbol("T", position=token.position))
        return f.Transpose(node)

    def _signed_power(self) -> f.Node:
        if self.accept("-"):
            return f.Negative(self._signed_power())
        if self.now.kind == "number":
            return f.Number(Fraction(self.take().text))
        return self.group_or_atom()


def is_one_bracket(text: str) -> bool:
    """Whether a text is (…), and not (…)(…)."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at > 0 and at == len(text) - 1
    return False


def _unprimed(node: f.Symbol) -> f.Symbol:
    """g_1 of g'_1."""
    return replace(node, base=node.base.rstrip("'"))
