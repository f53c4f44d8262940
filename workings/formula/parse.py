r"""Reading a formula: recursive descent over its tokens.

Precedence, loosest first: relations, + and -, elementwise products (⊙ * ⊘), matrix products
(juxtaposition, \cdot, /), powers and transposes. A \sum takes the product behind it.
"""

import re
from collections.abc import Collection
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.commands import Commands, flat_product
from workings.formula.tokens import RELATIONS, FormulaError

DEEPEST = 60  # brackets within brackets
DEEPEST_TREE = 120  # nodes below each other, so that a walk of the tree stays in the stack
_TAG = re.compile(r"\\(?:quad|qquad|tag)\s*(?:\{\s*\w+\s*\}|\(\s*\w+\s*\))\s*[.,]?\s*$")


def parse(text: str, words: Collection[str] = (), functions: Collection[str] = ()) -> f.Statement:
    """A statement. `words` are declared names of several letters, `functions` those it may call."""
    try:
        found = Parser(_TAG.sub("", text.rstrip()), words, functions).statement()
    except RecursionError:
        raise FormulaError(text, 0, f"nested more than {DEEPEST} deep") from None
    if max(side.depth() for side in found.sides) > DEEPEST_TREE:
        raise FormulaError(text, 0, f"nested more than {DEEPEST} deep")
    return found


def parse_expression(
    text: str, words: Collection[str] = (), functions: Collection[str] = ()
) -> f.Node:
    """A formula without a relation."""
    statement = parse(text, words, functions)
    if len(statement.sides) > 1:
        raise FormulaError(text, 0, f"a formula without {statement.relations[0]!r} was expected")
    return statement.sides[0]


class Parser(Commands):
    def statement(self) -> f.Statement:
        leads = self.now.kind in RELATIONS  # a fragment, such as "≤ 1 + x" within a sentence
        sides: list[f.Node] = [f.Unsaid("") if leads else self.side()]
        relations: list[str] = []
        while self.now.kind in RELATIONS:
            relations.append(self.take().text)
            start = self.place
            self.newlines()
            if self.place > start and self.now.text == relations[-1]:
                self.take()  # a relation that ends a line and begins the next
            sides.append(self.side())
        while sign := self.accept(",", ";"):
            if self.now.kind not in ("end", ",", ";", "…"):
                relations.append(sign.text)
                sides.append(self.side())
            elif self.accept("…"):
                sides.append(f.Unsaid("…"))
                relations.append(sign.text)
        if self.now.kind != "end":
            raise self.wrong("an operator or the end")
        return f.Statement(tuple(sides), tuple(relations))

    def side(self) -> f.Node:
        self.newlines()
        while self.is_command("boxed") or self._aligned():
            if self.take().text == "boxed":
                self.expect("{")
                self.boxes += 1
            else:
                self.group_text()
            self.newlines()
        node = self.sum()
        self.newlines()
        while self.is_command("end") or (self.now.kind == "}" and self.boxes):
            if self.take().kind == "}":
                self.boxes -= 1
            else:
                self.group_text()
            self.newlines()
        return node

    def newlines(self) -> None:
        while self.now.kind == "&" or self.is_command("\\"):
            self.take()

    def _aligned(self) -> bool:
        environment = self.ahead(2).text.rstrip("*")
        return self.is_command("begin") and environment in ("aligned", "align", "split", "gather")

    def sum(self) -> f.Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(self.text, self.now.at, f"nested more than {DEEPEST} deep")
        terms = [self.term()]
        while True:
            self.newlines_before("+", "-", "…")
            if not (sign := self.accept("+", "-")):
                break
            term = self.term()
            terms.append(f.Negative(term) if sign.kind == "-" else term)
        self.depth -= 1
        return terms[0] if len(terms) == 1 else f.Sum(tuple(terms))

    def newlines_before(self, *kinds: str) -> None:
        """Skip line breaks of an aligned formula where it goes on; a matrix's own are not."""
        if self.matrices:
            return
        start = self.place
        self.newlines()
        if self.now.kind not in kinds and not (self.now.kind in RELATIONS and self.depth == 1):
            self.place = start

    def term(self) -> f.Node:
        if self.accept("-"):
            if self.now.kind in ("&", "}") or self.is_command("\\", "end"):
                return f.Unsaid("-")  # a dash in a matrix
            return f.Negative(self.term())
        if self.accept("+"):
            return self.term()
        return self.elementwise()

    def elementwise(self) -> f.Node:
        node = self.product()
        factors = [node]
        while sign := self.accept("⊙", "*", "⊘"):
            right = self.product()
            if sign.kind == "⊘":
                factors[-1] = f.Quotient(factors[-1], right)
            else:
                factors.append(right)
        return factors[0] if len(factors) == 1 else f.Elementwise(tuple(factors))

    def product(self) -> f.Node:
        factors = [self.signed()]
        while True:
            if self.accept("×"):
                factors.append(self.signed())
            elif self.accept("·"):
                factors = [f.Dot(flat_product(factors), self.signed())]
            elif self.accept("⊗"):
                factors = [f.Call("outer", (flat_product(factors), self.signed()))]
            elif self.accept("/"):
                factors = [f.Quotient(flat_product(factors), self.signed())]
            elif self.starts_factor():
                factors.append(self.factor())
            else:
                return flat_product(factors)

    def signed(self) -> f.Node:
        """A factor behind an operator, where a sign may stand."""
        return f.Negative(self.factor()) if self.accept("-") else self.factor()

    def starts_factor(self) -> bool:
        token = self.now
        if token.kind == "command":
            return token.text not in ("\\", "end", "right")
        if token.kind == "|":
            return self.bars == 0 and self.ahead().kind != "_"
        if token.kind == "‖":
            return self.bars == 0
        return token.kind in ("number", "word", "(", "[", "{", "∂", "∇", "…", "∞")

    def factor(self) -> f.Node:
        """An atom with what is hung on it: indices, powers, transposes, primes, factorials."""
        start = self.now
        node = self.atom()
        while True:
            if self.now.kind == "_":
                self.take()
                node = self.subscript(node)
            elif self.now.kind == "^":
                self.take()
                node = self.superscript(node)
            elif self.accept("'"):
                node = f.Transpose(node)
            elif self.accept("!"):
                node = f.Call("factorial", (node,), at=start.at)
            elif (
                self.now.kind == "|" and self.ahead().kind == "_" and isinstance(node, f.Derivative)
            ):
                self.take()
                self.take()
                self.group_text()
                node = f.Derivative(node.of, node.wrt, only=True)
            elif self.now.kind in ("(", "[") and self.calls(node):
                node = f.Call(_name(node), self.arguments(), at=start.at)
            else:
                return node

    def calls(self, node: f.Node) -> bool:
        """Whether a bracket behind a name holds its arguments and is not a factor."""
        if not isinstance(node, f.Symbol):
            return False
        if node.base in self.functions:
            return True
        if self.now.kind == "[":
            return False
        depth = 0
        for token in self.tokens[self.place :]:
            depth += (token.kind in "([{") - (token.kind in ")]}")
            if depth == 0:
                return False
            if depth == 1 and token.kind == ",":
                return True  # f(x, y) is no product
        return False

    def subscript(self, node: f.Node) -> f.Node:
        if isinstance(node, f.Symbol) and f"{node.base}_{self.now.text}" not in self.words:
            self.split_first()
        start = self.place
        text = self.group_text()
        if isinstance(node, f.Symbol) and not node.sub:
            if "×" in text and node.base in ("I", "1"):
                self.place = start
                return self.shaped(node)
            return f.Symbol(node.base, node.marks, text, node.label, node.at)
        self.place = start
        if isinstance(node, f.Number):
            return self.shaped(node)
        indices = [self.group_or_factor()] if self.now.kind != "{" else self.index_list()
        return f.Index(node, tuple(indices))

    def index_list(self) -> list[f.Node]:
        self.take()
        if self.now.kind == "word" and len(self.now.text) == 2 and self.ahead().kind == "}":
            letters = self.take()  # ij
            self.take()
            return [f.Symbol(letter, at=letters.at) for letter in letters.text]
        found = [self.sum()]
        while self.accept(","):
            found.append(self.sum())
        self.expect("}")
        return found

    def shaped(self, node: f.Node) -> f.Node:
        r"""1_{1×D}, \mathbf{1}_L (a column), I_{V×V}."""
        braced = self.accept("{")
        sides = [self.product_without_times() if braced else self.group_or_factor()]
        if braced:
            while self.accept("×"):
                sides.append(self.product_without_times())
            self.expect("}")
        if isinstance(node, f.Number):
            if node.value != 1:
                raise FormulaError(self.text, self.now.at, "only 1 can be a vector of ones")
            one: f.Node = f.Number(Fraction(1))
            return f.Ones(sides[0], sides[1] if len(sides) > 1 else one)
        return f.Identity(sides[0])

    def superscript(self, node: f.Node) -> f.Node:
        self.split_first()
        token = self.now
        if token.text in ("T", "top", "intercal") and token.kind in ("word", "command"):
            self.take()
            return f.Transpose(node)
        braced = token.kind == "{"
        start = self.place
        text = self.group_text()
        if text in ("T", "top", "intercal", "mathsfT", "'"):
            return f.Transpose(node)
        if text in ("-T", "-top"):
            return f.Transpose(f.Power(node, f.Number(Fraction(-1))))
        if isinstance(node, f.Symbol) and not node.label and braced and _labels(text):
            return f.Symbol(node.base, node.marks, node.sub, text, node.at)
        if text in ("*", "⊙"):
            if isinstance(node, f.Symbol):
                return f.Symbol(node.base, node.marks, node.sub, text, node.at)
            raise FormulaError(self.text, token.at, "a power was expected")
        self.place = start
        exponent = self.bracket() if braced else self.signed_power()
        return f.Power(node, exponent, text)

    def signed_power(self) -> f.Node:
        if self.accept("-"):
            return f.Negative(self.signed_power())
        if self.now.kind == "number":
            return f.Number(Fraction(self.take().text))
        return self.group_or_factor()


def _labels(text: str) -> bool:
    return text.startswith("(") and text.endswith(")")


def _name(node: f.Node) -> str:
    assert isinstance(node, f.Symbol)
    return node.name
