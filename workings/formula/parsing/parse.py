r"""Reading a formula: recursive descent over its tokens, here the loosest levels of the grammar.

Precedence, loosest first: relations, + and -, elementwise products (⊙ * ⊘), matrix products
(juxtaposition, \cdot, /), powers and transposes. A \sum takes the product behind it, and more
where its index goes on.
"""

import re
from collections.abc import Collection

from workings.formula import nodes as f
from workings.formula.errors import NotRead
from workings.formula.parsing.ellipsis import continued
from workings.formula.parsing.factors import Factors
from workings.formula.parsing.grammar import DEEPEST
from workings.formula.parsing.reaches import with_wide_sums
from workings.formula.parsing.tokens import RELATIONS

DEEPEST_TREE = 120  # nodes below each other, so that a walk of the tree stays in the stack
_TAG = re.compile(r"\\(?:quad|qquad|tag)\s*(?:\{\s*\w+\s*\}|\(\s*\w+\s*\))\s*+[.,]?\s*$")
_ALIGNED = ("aligned", "align", "split", "gather")


def parse(text: str, words: Collection[str] = (), functions: Collection[str] = ()) -> f.Statement:
    """A statement. `words` are declared names of several letters, `functions` those it may call."""
    try:
        statement = Parser(_TAG.sub("", text.rstrip()), words, functions).statement()
    except RecursionError:
        raise NotRead(text, 0, f"nested more than {DEEPEST} deep") from None
    if max(side.depth() for side in statement.sides) > DEEPEST_TREE:
        raise NotRead(text, 0, f"nested more than {DEEPEST} deep")
    return with_wide_sums(statement, words)


def parse_expression(
    text: str, words: Collection[str] = (), functions: Collection[str] = ()
) -> f.Node:
    """A formula without a relation."""
    statement = parse(text, words, functions)
    if len(statement.sides) > 1:
        raise NotRead(text, 0, f"a formula without {statement.relations[0]!r} was expected")
    return statement.sides[0]


def _sum_of(bound: f.Range, body: f.Node) -> f.Node:
    return f.Total((bound,), body)


class Parser(Factors):
    """Reads one formula; each method reads one level of the grammar."""

    in_sizes = False
    """every name is a number: * and // bind as / does"""

    def statement(self) -> f.Statement:
        """Sides with relations between them, to the end of the text."""
        leads = self.now.kind in RELATIONS  # a fragment, such as "≤ 1 + x" within a sentence
        sides: list[f.Node] = [f.Unsaid("") if leads else self.side()]
        relations: list[str] = []
        while self.now.kind in RELATIONS:
            relations.append(self.take().text)
            start = self.index
            self.skip_line_breaks()
            if self.index > start and self.now.text == relations[-1]:
                self.take()  # a relation that ends a line and begins the next
            sides.append(self.side())
        self.skip_sentence()
        while sign := self.accept(",", ";"):
            self.skip_sentence()
            if self.now.kind not in ("end", ",", ";", "…"):
                relations.append(sign.text)
                sides.append(self.side())
            elif self.accept("…"):
                sides.append(f.Unsaid("…"))
                relations.append(sign.text)
        self.skip_sentence()
        if self.now.kind != "end":
            raise self.expected("an operator or the end")
        return f.Statement(tuple(sides), tuple(relations))

    def skip_sentence(self) -> None:
        r"""Go past the words of \text{…} at the end; a condition in words is not read."""
        if self.now.kind != "text":
            return
        position = self.take().position
        if self.now.kind not in ("end", ",", ";"):
            hint = "write what is claimed without the sentence around it"
            raise self.not_read("words within the formula are not read", position, hint)

    def side(self) -> f.Node:
        r"""One side of a relation, with \boxed and aligned environments around it taken off."""
        self.skip_line_breaks()
        while self.is_command("boxed") or self._begins_aligned():
            if self.take().text == "boxed":
                self.expect("{")
                self.open_boxes += 1
            else:
                self.group_text()
            self.skip_line_breaks()
        node = self.sum()
        self.skip_line_breaks()
        while self.is_command("end") or (self.now.kind == "}" and self.open_boxes):
            if self.take().kind == "}":
                self.open_boxes -= 1
            else:
                self.group_text()
            self.skip_line_breaks()
        return node

    def _begins_aligned(self) -> bool:
        return self.is_command("begin") and self.ahead(2).text.rstrip("*") in _ALIGNED

    def skip_line_breaks(self) -> None:
        r"""Go past & and \\."""
        while self.now.kind == "&" or self.is_command("\\"):
            self.take()

    def _skip_line_breaks_before(self, *kinds: str) -> None:
        """Line breaks of an aligned formula where it goes on; a matrix's own are kept."""
        if self.open_matrices:
            return
        start = self.index
        self.skip_line_breaks()
        if self.now.kind not in kinds and not (self.now.kind in RELATIONS and self.depth == 1):
            self.index = start

    def sum(self) -> f.Node:
        """Terms with + and - between them."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.not_read(f"nested more than {DEEPEST} deep")
        terms = [self.term()]
        while True:
            self._skip_line_breaks_before("+", "-", "…")
            if not (sign := self.accept("+", "-")):
                break
            term = self.term()
            terms.append(f.Negative(term) if sign.kind == "-" else term)
        self.depth -= 1
        if any(isinstance(term, f.Unsaid) for term in terms):
            terms = continued(terms, self.declared, self._index_read, _sum_of)
        return terms[0] if len(terms) == 1 else f.Sum(tuple(terms))

    def _index_read(self, text: str) -> f.Node:
        return parse_expression(text, self.declared)

    def term(self) -> f.Node:
        """A product with its sign."""
        if self.accept("-"):
            if self.now.kind in ("&", "}") or self.is_command("\\", "end"):
                return f.Unsaid("-")  # a dash in a matrix
            return f.Negative(self.term())
        if self.accept("+"):
            return self.term()
        return self.elementwise()

    def elementwise(self) -> f.Node:
        """Products with ⊙, * or ⊘ between them."""
        factors = [self.product()]
        bare = False
        while sign := self.accept("⊙", "*", "⊘"):
            right = self.product()
            bare = isinstance(right, f.Product) and self.factors_side_by_side > 1
            if sign.kind == "⊘":
                factors[-1] = f.Quotient(factors[-1], right)
            else:
                factors.append(right)
        return factors[0] if len(factors) == 1 else f.Elementwise(tuple(factors), bare)

    def product(self) -> f.Node:
        r"""Factors side by side, or with \cdot, ×, ⊗ or / between them, from left to right."""
        factors = [self._signed_factor()]
        while True:
            if self.accept("×") or (self.in_sizes and self.accept("*")):
                factors.append(self._signed_factor())
            elif self.accept("·"):
                factors = [f.Dot(f.product_of(factors), self._signed_factor())]
            elif self.accept("⊗"):
                factors = [f.Call("outer", (f.product_of(factors), self._side_by_side()))]
            elif self.accept("/"):
                factors = [f.Quotient(f.product_of(factors), self._signed_factor())]
            elif self.in_sizes and self.accept("//"):
                factors = [f.Floor(f.product_of(factors), self._signed_factor())]
            elif self.starts_factor():
                if self.now.kind == "number" and isinstance(factors[-1], f.Number):
                    hint = r"write 60\,000 for a number, \cdot for a product"
                    raise self.not_read("two numbers side by side", self.now.position, hint)
                factors.append(self.factor())
            else:
                if any(isinstance(factor, f.Unsaid) for factor in factors):
                    factors = continued(factors, self.declared, self._index_read, f.Chain)
                self.factors_side_by_side = len(factors)
                return f.product_of(factors)

    factors_side_by_side = 1
    """of the product that was read last; one that stands in brackets is a single factor"""

    def _side_by_side(self) -> f.Node:
        """Factors without a sign between them, which hold tighter than ⊗: AC ⊗ BD."""
        factors = [self._signed_factor()]
        while self.starts_factor():
            factors.append(self.factor())
        return f.product_of(factors)

    def _signed_factor(self) -> f.Node:
        """A factor behind an operator, where a sign may stand."""
        return f.Negative(self.factor()) if self.accept("-") else self.factor()
