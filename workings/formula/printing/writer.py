"""A formula written down: the walk over its tree, and which brackets it needs.

How a fraction or a power looks is said by a `notation`: `latex`, `mathml`, `text`.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.printing.notation import (
    ATOM,
    ELEMENTWISE,
    FACTOR,
    INDEXED,
    LABELLED,
    PRODUCT,
    SUM,
    Notation,
    Piece,
    hold_of_name,
    symbol_of,
)


class Writer(Notation):
    """Writes trees, with no more brackets than they need."""

    def write(self, node: f.Node) -> str:
        """The whole formula."""
        return self.piece(node).text

    def inside(self, node: f.Node, level: int) -> str:
        """The node as a part of something that binds this tightly."""
        piece = self.piece(node)
        return piece.text if piece.hold >= level else self.bracket(piece.text)

    def piece(self, node: f.Node) -> Piece:
        """The node as it is written; each node below it is written once."""
        match node:
            case f.Number(value):
                return self.number(value)
            case f.Symbol(_, _, sub, label):
                return Piece(self.name(node), hold_of_name(bool(sub), bool(label)))
            case f.Reference():
                return self.reference(node)
            case f.Variable(name) | f.Size(name):
                symbol = symbol_of(name)
                return Piece(self.name(symbol), hold_of_name(bool(symbol.sub), False))
            case f.Sum(terms):
                return Piece(self._sum(terms), SUM)
            case f.Negative(body):
                return Piece(self.signed("-", self.inside(body, ELEMENTWISE)), SUM)
            case f.Elementwise(factors):
                parts = [self.inside(factor, PRODUCT) for factor in factors]
                return Piece(self.joined("⊙", parts), ELEMENTWISE)
            case f.Product(factors):
                return Piece(self._product(factors), PRODUCT)
            case f.Dot(left, right):
                parts = [self.inside(left, PRODUCT), self.inside(right, FACTOR)]
                return Piece(self.joined("·", parts), PRODUCT)
            case f.Quotient(top, bottom):
                return self.quotient(top, bottom)
            case f.Floor(top, bottom):
                parts = [self.inside(top, PRODUCT), self.inside(bottom, FACTOR)]
                return Piece(self.joined("//", parts), PRODUCT)
            case f.Power(base, exponent):
                return Piece(self.raised(self.inside(base, INDEXED), exponent), FACTOR)
            case f.Transpose(body):
                return Piece(self.transposed(self.inside(body, INDEXED)), FACTOR)
            case f.Call():
                return self._call(node)
            case f.Index(f.Call("eig" | "singular" as name, (matrix,)), indices):
                head = self.name(f.Symbol("\\lambda" if name == "eig" else "\\sigma"))
                head = self.below(head, self._indices(indices))
                return Piece(head + self.bracket(self.write(matrix)), FACTOR)
            case f.Index(body, indices):
                return self._index(body, indices)
            case f.Total(ranges, body):
                signs = [self._big("∑", bound) for bound in ranges] or [self.big("∑", "", "")]
                return Piece(self.beside([*signs, self.inside(body, PRODUCT)]), PRODUCT)
            case f.Chain(bound, body):
                sign = self._big("∏", bound)
                return Piece(self.beside([sign, self.inside(body, FACTOR)]), PRODUCT)
            case f.Constant(name):
                return Piece(self.name(f.Symbol(name)), ATOM)
            case f.TransposeOrPower(body, exponent):
                return Piece(self.raised(self.inside(body, INDEXED), exponent), FACTOR)
            case f.Extreme(name, ranges, body):
                bounds = [self._below(bound) for bound in ranges]
                head = self.below(self.function(name), self.listed(bounds))
                return Piece(self.beside([head, self.inside(body, PRODUCT)]), PRODUCT)
            case f.Entries(_, body):
                return self.piece(body)
            case f.Expectation(variable, mean, covariance, body):
                gaussian = self._gaussian([self.write(mean), self.write(covariance)])
                over = self.joined("∼", [self.name(symbol_of(variable)), gaussian])
                head = self.below(self.function("E"), over)
                return Piece(head + self.bracket(self.write(body)), FACTOR)
            case f.Condition():
                return Piece(self.ones() + self.bracket(self._condition(node)), FACTOR)
            case f.Cases(values, conditions):
                return Piece(self.cases(self._cases(values, conditions)), ATOM)
            case f.Hessian(of, first, second):
                over = self.signed("∂", self.raised_sign(self.inside(of, PRODUCT)))
                under = self.signed("∂", self.write(first)) + self.signed("∂", self.write(second))
                return Piece(self.derivative(over, under, False), FACTOR)
            case f.Derivative(of, wrt, only):
                over = self.signed("∂", self.inside(of, PRODUCT))
                under = self.signed("∂", self.write(wrt))
                return Piece(self.derivative(over, under, only), FACTOR)
            case f.At(body, names, values):
                parts = [self.write(each) for each in values]
                said = [self.name(symbol_of(name)) for name in names]
                pairs = [self.joined("=", [*pair]) for pair in zip(said, parts, strict=False)]
                bar = self.below(
                    self.sign("|"), self.listed(pairs) or self.bracket(self.listed(parts))
                )
                return Piece(self.inside(body, FACTOR) + bar, FACTOR)
            case f.Ones(f.SideOf() | f.Unsaid()):
                return Piece(self.ones(), FACTOR)
            case f.Ones(rows, columns):
                sides = self.joined("×", [self.write(rows), self.write(columns)])
                return Piece(self.below(self.ones(), sides), FACTOR)
            case f.Identity(f.SideOf()):
                return Piece(self.name(f.Symbol("I")), ATOM)
            case f.Identity(size):
                return Piece(self.below(self.name(f.Symbol("I")), self.write(size)), FACTOR)
            case f.Matrix(rows):
                return Piece(self.matrix([[*map(self.write, row.entries)] for row in rows]), ATOM)
            case f.Row(entries):
                return Piece(self.listed([self.write(each) for each in entries]), ATOM)
            case f.Space(sides):
                return Piece(self.space(self.joined("×", [*map(self.write, sides)])), LABELLED)
            case f.Unsaid(text):
                return Piece(self.unsaid(text), ATOM)
        raise TypeError(f"a {type(node).__name__} cannot be written")

    def _sum(self, terms: Sequence[f.Node]) -> str:
        first = terms[0]
        lead = self.write(first) if isinstance(first, f.Negative) else None
        text = self.inside(first, ELEMENTWISE) if lead is None else lead
        for term in terms[1:]:
            negative = isinstance(term, f.Negative)
            body = term.body if isinstance(term, f.Negative) else term
            text = self.joined("-" if negative else "+", [text, self.inside(body, ELEMENTWISE)])
        return text

    def _product(self, factors: Sequence[f.Node]) -> str:
        """A sum or product over a range reaches to the end: only the last needs no brackets."""
        parts = [self.inside(factor, FACTOR) for factor in factors[:-1]]
        is_big = isinstance(factors[-1], f.Total | f.Chain)
        return self.multiplied([*parts, self.inside(factors[-1], PRODUCT if is_big else FACTOR)])

    def _index(self, body: f.Node, indices: Sequence[f.Node]) -> Piece:
        piece = self.piece(body)
        plain = piece.hold in (LABELLED, ATOM)
        text = piece.text if plain else self.bracket(piece.text)
        return Piece(
            self.below(text, self._indices(indices)), FACTOR if piece.hold == LABELLED else INDEXED
        )

    def _indices(self, indices: Sequence[f.Node]) -> str:
        """A_{ij}, but A_{i,j+1}."""
        texts = [*map(self.write, indices)]
        letters = all(isinstance(each, f.Variable) and len(each.name) == 1 for each in indices)
        return "".join(texts) if letters else self.listed(texts)

    def _call(self, node: f.Call) -> Piece:
        name, first, rest = node.function, node.arguments[0], node.arguments[1:]
        if name == "factorial":
            return Piece(self.inside(first, ATOM) + self.sign("!"), FACTOR)
        texts = [*map(self.write, node.arguments)]
        if name in ("sqrt", "matrix sqrt"):
            return Piece(self.root(texts[0]), FACTOR)
        if name == "expm":
            return Piece(self.raised(self.name(f.Symbol("e")), first), FACTOR)
        if name == "bars":
            return Piece(self.bars("|", texts[0]), FACTOR)
        if name in ("floor", "ceil"):
            return Piece(self.rounded(name, texts[0]), FACTOR)
        if name in ("norm", "frobenius", "nuclear"):
            norm = self.bars("‖", texts[0])
            order = {"frobenius": "F", "nuclear": "*"}.get(name, texts[1] if rest else "")
            return Piece(self.below(norm, order) if order else norm, FACTOR)
        if name in ("pinv", "inner", "outer", "kronecker", "delta") and len(texts) <= 2:
            return self._operator(name, node.arguments, texts)
        if name == "binom" and len(texts) == 2:
            return Piece(self.binomial(*texts), FACTOR)
        if name == "divergence of Gaussians":
            both = self.joined("‖", [self._gaussian(texts[:2]), self._gaussian(texts[2:])])
            return Piece(self.function("divergence") + self.bracket(both), FACTOR)
        head = self.function(name) + self.sign("'") * node.primes
        if name == "log" and len(texts) == 2:
            head, texts = self.below(head, texts[1]), texts[:1]
        return Piece(head + self.bracket(self.listed(texts)), FACTOR)

    def _gaussian(self, texts: Sequence[str]) -> str:
        """N(μ, Σ)."""
        return self.function("N") + self.bracket(self.listed(texts))

    def _operator(self, name: str, arguments: Sequence[f.Node], texts: Sequence[str]) -> Piece:
        """Functions that are written with a sign."""
        if name == "pinv":
            return Piece(self.raised(self.inside(arguments[0], INDEXED), f.Unsaid("+")), FACTOR)
        if name == "inner":
            return Piece(self.fenced("⟨", self.listed(texts), "⟩"), FACTOR)
        if name == "delta":
            return Piece(
                self.below(self.name(f.Symbol("\\delta")), self._indices(arguments)), FACTOR
            )
        parts = [self.inside(argument, FACTOR) for argument in arguments]
        return Piece(self.joined("⊗", parts), PRODUCT)

    def _condition(self, node: f.Condition) -> str:
        text = self.write(node.sides[0])
        for relation, side in zip(node.relations, node.sides[1:], strict=True):
            text = self.joined(relation, [text, self.write(side)])
        return text

    def _cases(
        self, values: Sequence[f.Node], conditions: Sequence[f.Node]
    ) -> list[tuple[str, str]]:
        """Values with their conditions; the last may have none."""
        shown = []
        for condition in conditions:
            parts = condition.factors if isinstance(condition, f.Product) else (condition,)
            texts = [self._condition(part) for part in parts if isinstance(part, f.Condition)]
            shown.append(self.listed(texts))
        shown += [""] * (len(values) - len(conditions))
        return list(zip(map(self.write, values), shown, strict=True))

    def _below(self, bound: f.Range) -> str:
        """The range of a maximum, all of it below."""
        name = self.name(symbol_of(bound.variable))
        parts = [self.joined("≥", [name, self.write(bound.low)])] if bound.low is not None else []
        if bound.high is not None:
            parts.append(self.joined("≤", [name, self.write(bound.high)]))
        parts += [self.joined("≠", [name, self.write(value)]) for value in bound.without]
        return self.listed(parts or [name])

    def _big(self, sign: str, bound: f.Range) -> str:
        """∑ or ∏ with what stands below and above it."""
        name = self.name(symbol_of(bound.variable))
        if bound.members:
            members = self.fenced("{", self.listed([*map(self.write, bound.members)]), "}")
            return self.big(sign, self.joined("∈", [name, members]), "")
        if bound.low is None and bound.high is None and not bound.without:
            return self.big(sign, name, "")
        if bound.low is None and bound.high is not None:
            bound = replace(bound, low=f.Number(Fraction(1)))
        high = "" if bound.high is None else self.write(bound.high)
        low = "" if bound.low is None else self.joined("=", [name, self.write(bound.low)])
        if bound.descending:
            return self.big(sign, self.listed([low, self.unsaid("…"), high]), "")
        lines = [low] * bool(low)
        lines += [self.joined("≠", [name, self.write(value)]) for value in bound.without]
        return self.big(sign, self.stacked(lines), high)
