"""The right gradient itself, worked out from the equations by the chain rule.

It goes backwards through the trees of the equations: to every node comes the derivative of the
outcome by it, and the rule of the node says what goes on to the nodes below. The names of the
equations stay in the result, as a person would write it. What has no rule here is not derived.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from workings.claims.repair.entry_sums import without_index, without_indices
from workings.claims.repair.function_rules import RULES, SLOPES, inlined
from workings.claims.repair.plain import elementwise, product, simplified
from workings.claims.repair.slope_algebra import (
    ONE,
    TWO,
    NotDerived,
    Slope,
    is_one,
    scaled,
    sum_of,
    times,
)
from workings.claims.system.equations import System
from workings.claims.system.gradient import Point
from workings.formula import nodes as f
from workings.formula.evaluation.activations import ELEMENTWISE
from workings.formula.printing.latex import latex

NORMS = frozenset({"norm", "frobenius"})
SIGMOIDS = frozenset({"sigmoid", "sigma", "logistic"})


def derived(left: f.Derivative, point: Point) -> f.Node | None:
    """The derivative of a number by a name, as a formula; or nothing."""
    if not isinstance(left.wrt, f.Reference) or point.system.names.time or left.only:
        return None
    try:
        return simplified(Derivation(point, left.wrt).of(left.of))
    except NotDerived:
        return None


@dataclass
class Derivation:
    """One derivation, by one name; the shapes are those at a draw."""

    point: Point
    by: f.Reference
    slopes: dict[str, list[f.Node]] = field(default_factory=dict)
    """what has arrived at each name"""

    def __post_init__(self) -> None:
        self.moving = {self.by.name}
        for equation in self.system.equations:
            if equation.name != self.by.name and self.moves(equation.body):
                self.moving.add(equation.name)

    @property
    def system(self) -> System:
        """The equations."""
        return self.point.system

    def of(self, node: f.Node) -> f.Node:
        """The derivative of a number."""
        if self.shape(node):
            raise NotDerived("of more than a number")
        self.back(node, Slope(ONE))
        for equation in reversed(self.system.equations):
            arrived = self.slopes.get(equation.name)
            if arrived and equation.name != self.by.name:
                name = f.Reference(equation.name, self.spelt(equation.name))
                self.back(equation.body, Slope(sum_of(arrived)), name)
        if self.by.name not in self.slopes:
            return f.Number(Fraction(0))
        return sum_of(self.slopes[self.by.name])

    def spelt(self, name: str) -> str:
        """A name as the equations write it."""
        return self.system.names.spelt.get(name) or name

    def moves(self, node: f.Node) -> bool:
        """Whether it depends on what is differentiated by."""
        return any(
            isinstance(part, f.Reference) and part.name in self.moving for part in node.walk()
        )

    def shape(self, node: f.Node) -> tuple[int, ...]:
        """Rows and columns; nothing of a number."""
        value = self.point.value(node)
        return tuple(value.shape) if value.numel() > 1 else ()

    def back(self, node: f.Node, slope: Slope, name: f.Node | None = None) -> None:
        """Send a slope on to what a node is made of. `name` is what the equations call the node."""
        if not self.moves(node):
            return
        g = slope.node
        match node:
            case f.Reference(called, _, _):
                arrived = g if not slope.in_every_entry else self.filled(g, self.shape(node))
                self.slopes.setdefault(called, []).append(arrived)
            case f.Negative(body):
                self.back(body, Slope(f.Negative(g), slope.in_every_entry))
            case f.Transpose(body):
                is_same = slope.in_every_entry or not self.shape(body)
                self.back(body, Slope(g if is_same else self.transposed(g), slope.in_every_entry))
            case f.Sum(terms):
                for term in terms:
                    self.back(term, self.summed(slope, self.shape(term), self.shape(node)))
            case f.Product(factors):
                self.product(f.product_of(factors[:-1]), factors[-1], slope)
            case f.Dot(a, b) if self.shape(a) == self.shape(b):
                self.back(a, Slope(product((g, b))))
                self.back(b, Slope(product((g, a))))
            case f.Dot(a, b):
                self.product(a, b, slope)
            case f.Elementwise(factors):
                self.elementwise(factors, slope, self.shape(node))
            case f.Quotient(top, bottom):
                self.quotient(node, top, bottom, slope)
            case f.Power(base, exponent):
                self.power(node, base, exponent, slope)
            case f.Total((), body):
                self.back(body, Slope(g, bool(self.shape(body))))
            case f.Total((over,), body):
                self.back(f.Total((), without_index(self, body, over)), slope)
            case f.Total((rows, columns), body):
                self.back(f.Total((), without_indices(self, body, rows, columns)), slope)
            case f.Cases(values, conditions) if len(values) == len(conditions):
                for value, condition in zip(values, conditions, strict=True):
                    self.entrywise(value, condition, slope)
            case f.Cases(values, conditions):
                *firsts, last = values
                for value, condition in zip(firsts, conditions, strict=True):
                    self.entrywise(value, condition, slope)
                rest = f.Sum((ONE, *(f.Negative(each) for each in conditions)))
                self.entrywise(last, rest, slope)
            case f.Call(function, arguments, 0):
                self.call(node, function.lstrip("\\"), arguments, slope, name or node)
            case _:
                raise NotDerived(latex(node))

    def filled(self, number: f.Node, shape: Sequence[int]) -> f.Node:
        """A number in every entry."""
        if not shape:
            return number
        ones = f.Ones(self.side(shape[0]), self.side(shape[1]))
        return ones if is_one(number) else product((number, ones))

    def side(self, length: int) -> f.Node:
        """The size of this length: all are different at a draw."""
        names = [name for name, size in self.point.draw.sizes.items() if size == length]
        return f.Size(names[0]) if len(names) == 1 else f.Number(Fraction(length))

    def transposed(self, node: f.Node) -> f.Node:
        """The transposed, written with as few T as can be; a number as it is."""
        match node:
            case f.Transpose(body):
                return body
            case f.Negative(body):
                return f.Negative(self.transposed(body))
            case _ if not self.shape(node):
                return node
            case f.Product(factors):
                numbers = [factor for factor in factors if not self.shape(factor)]
                others = [factor for factor in reversed(factors) if self.shape(factor)]
                return product([*numbers, *map(self.transposed, others)])
        return f.Transpose(node)

    def total(self, slope: Slope, of: f.Node) -> f.Node:
        """The sum of all entries of slope ⊙ node."""
        whole = of if slope.in_every_entry else times(slope.node, of)
        summed = f.Call("sum", (whole,)) if self.shape(of) else whole
        return scaled(slope.node, summed) if slope.in_every_entry else summed

    def summed(self, slope: Slope, term: tuple[int, ...], whole: tuple[int, ...]) -> Slope:
        """What goes to a term that was spread over a larger sum."""
        if term == whole:
            return slope
        full = self.filled(slope.node, whole) if slope.in_every_entry else slope.node
        if not term:
            return Slope(f.Call("sum", (full,)))
        if term == (whole[0], 1):
            return Slope(product((full, f.Ones(self.side(whole[1]), ONE))))
        if term == (1, whole[1]):
            return Slope(product((f.Ones(ONE, self.side(whole[0])), full)))
        raise NotDerived("a sum of unlike shapes")

    def product(self, a: f.Node, b: f.Node, slope: Slope) -> None:
        """Of matrices, or of a number and anything."""
        rows, columns = self.shape(a), self.shape(b)
        if not rows or not columns:
            for number, other in ((a, b), (b, a)):
                if not self.shape(number):
                    self.back(other, Slope(scaled(number, slope.node), slope.in_every_entry))
                    self.back(number, Slope(self.total(slope, other)))
                    return
        g = slope.node
        if rows[0] == columns[1] == 1:  # a number
            self.back(a, Slope(scaled(g, self.transposed(b))))
            self.back(b, Slope(scaled(g, self.transposed(a))))
            return
        g = self.filled(g, (rows[0], columns[1])) if slope.in_every_entry else g
        self.back(a, Slope(product((g, self.transposed(b)))))
        self.back(b, Slope(product((self.transposed(a), g))))

    def elementwise(self, factors: Sequence[f.Node], slope: Slope, whole: tuple[int, ...]) -> None:
        """Entry by entry."""
        for at, factor in enumerate(factors):
            others = elementwise([*factors[:at], *factors[at + 1 :]])
            if self.shape(factor) != whole:
                self.back(factor, Slope(self.total(slope, others)))
            elif slope.in_every_entry:
                is_number = not self.shape(others)
                self.back(factor, Slope(scaled(slope.node, others), is_number))
            else:
                self.back(factor, Slope(times(slope.node, others)))

    def quotient(self, node: f.Node, top: f.Node, bottom: f.Node, slope: Slope) -> None:
        """By a number."""
        if self.shape(bottom):
            raise NotDerived(latex(node))
        by = f.Quotient(ONE, bottom)
        self.back(top, Slope(scaled(by, slope.node), slope.in_every_entry))
        if self.moves(bottom):
            total = self.total(slope, top)
            self.back(bottom, Slope(f.Negative(f.Quotient(total, f.Power(bottom, TWO)))))

    def power(self, node: f.Node, base: f.Node, exponent: f.Node, slope: Slope) -> None:
        """Of a norm, a number, or entry by entry."""
        if isinstance(exponent, f.Negative) and isinstance(exponent.body, f.Number):
            exponent = f.Number(-exponent.body.value)
        if not isinstance(exponent, f.Number) or isinstance(base, f.Power):
            raise NotDerived(latex(node))
        if exponent.value == 2 and isinstance(base, f.Call) and base.function in NORMS:
            (argument, *order) = base.arguments
            if not order:
                self.back(argument, Slope(scaled(TWO, scaled(slope.node, argument))))
                return
        shape = self.shape(base)
        if shape and shape[0] == shape[1]:
            self.matrix_power(node, base, exponent.value, slope)
            return
        less = base if exponent.value == 2 else f.Power(base, f.Number(exponent.value - 1))
        self.entrywise(base, scaled(exponent, less), slope)

    def matrix_power(self, node: f.Node, base: f.Node, order: Fraction, slope: Slope) -> None:
        """X X X as a product; of the inverse, -X^{-T} g X^{-T}."""
        g = self.filled(slope.node, self.shape(base)) if slope.in_every_entry else slope.node
        if order in (2, 3, 4):
            self.product(f.product_of([base] * (int(order) - 1)), base, Slope(g))
        elif order == -1:
            inverse = f.Transpose(node)
            self.back(base, Slope(f.Negative(product((inverse, g, inverse)))))
        else:
            raise NotDerived(latex(node))

    def entrywise(self, argument: f.Node, derivative: f.Node, slope: Slope) -> None:
        """Of a function of every entry alone, with this derivative."""
        if slope.in_every_entry or not self.shape(argument):
            self.back(argument, Slope(scaled(slope.node, derivative)))
        else:
            self.back(argument, Slope(times(slope.node, derivative)))

    def call(
        self, node: f.Node, function: str, arguments: Sequence[f.Node], slope: Slope, name: f.Node
    ) -> None:
        """Of a function of the table."""
        argument, *others = arguments
        if own := self.system.names.functions.get(function):
            self.back(inlined(own, arguments), slope, name)
            return
        rule = RULES.get(function)
        lower = function.lower()
        if rule is not None:
            rule(self, arguments, slope, name)
        elif others:
            raise NotDerived(latex(node))
        elif lower in SIGMOIDS:
            self.entrywise(argument, elementwise((name, f.Sum((ONE, f.Negative(name))))), slope)
        elif lower == "tanh":
            derivative = f.Sum((ONE, f.Negative(elementwise((name, name)))))
            self.entrywise(argument, derivative, slope)
        elif lower in SLOPES:
            self.entrywise(argument, SLOPES[lower](argument, name), slope)
        elif lower in ELEMENTWISE:
            self.entrywise(argument, f.Call(function, (argument,), 1), slope)
        else:
            raise NotDerived(latex(node))

    def kinds(self, node: f.Node) -> set[str]:
        """What a symbol was declared as."""
        symbol = self.system.symbols.get(node.name) if isinstance(node, f.Reference) else None
        return set(symbol.kinds) if symbol else set()
