"""Slopes of a derivation, written plainly: signs in front, ones left out, like terms as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from workings.claims.repair.plain import elementwise, product, simplified
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

ONE, TWO = f.Number(Fraction(1)), f.Number(Fraction(2))


class NotDerived(WorkingsError):
    """A formula without a rule."""


@dataclass(frozen=True)
class Slope:
    """The derivative of the outcome by a node; a number may stand for one in every entry."""

    node: f.Node
    in_every_entry: bool = False


def sum_of(nodes: Sequence[f.Node]) -> f.Node:
    """A sum with equal terms as one: ½ r + ½ r is r."""
    counts: dict[str, Fraction] = {}
    terms: dict[str, f.Node] = {}
    for node in nodes:
        number, term = _number_and_term(simplified(node))
        counts[latex(term)] = counts.get(latex(term), Fraction(0)) + number
        terms[latex(term)] = term
    summed = [_with_number(counts[key], term) for key, term in terms.items() if counts[key]]
    if not summed:
        return f.Number(Fraction(0))
    return summed[0] if len(summed) == 1 else f.Sum(tuple(summed))


def _number_and_term(node: f.Node) -> tuple[Fraction, f.Node]:
    match node:
        case f.Negative(body):
            number, term = _number_and_term(body)
            return -number, term
        case f.Product((f.Number(value), *rest)):
            return value, f.product_of(rest)
        case f.Elementwise((f.Product((f.Number(value), *rest)), *others)):
            return value, elementwise((f.product_of(rest), *others))
    return Fraction(1), node


def _with_number(number: Fraction, term: f.Node) -> f.Node:
    scaled = term if abs(number) == 1 else product((f.Number(abs(number)), term))
    return f.Negative(scaled) if number < 0 else scaled


def is_one(node: f.Node) -> bool:
    """Whether it is the number 1."""
    return isinstance(node, f.Number) and node.value == 1


def scaled(number: f.Node, node: f.Node) -> f.Node:
    """A number times anything, with the sign in front."""
    if isinstance(number, f.Negative):
        return f.Negative(scaled(number.body, node))
    if isinstance(node, f.Negative):
        return f.Negative(scaled(number, node.body))
    if is_one(number):
        return node
    return number if is_one(node) else product((number, node))


def times(a: f.Node, b: f.Node) -> f.Node:
    """Entry by entry, with the sign in front."""
    if isinstance(a, f.Negative):
        return f.Negative(times(a.body, b))
    return b if is_one(a) else elementwise((a, b))


def sign_and_number(node: f.Node) -> tuple[int, f.Node, f.Node]:
    """-½ (y/p) as a sign, a number in front, and the rest."""
    sign = 1
    while isinstance(node, f.Negative):
        sign, node = -sign, node.body
    if isinstance(node, f.Product) and isinstance(node.factors[0], f.Number | f.Quotient | f.Size):
        return sign, node.factors[0], f.product_of(node.factors[1:])
    return sign, ONE, node
