"""The derivative of a formula in numbers by one of its names, worked out as by hand."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

ZERO, ONE, TWO = (f.Number(Fraction(value)) for value in (0, 1, 2))
E = "e"  # the base of the exponential, where it is no name of the document


class NotElementary(WorkingsError):
    """A formula whose derivative is not worked out here."""


def call(function: str, argument: f.Node) -> f.Node:
    """A function of one number."""
    return f.Call(function, (argument,))


def _one_minus_square(argument: f.Node) -> f.Node:
    return f.Sum((ONE, f.Negative(f.Power(argument, TWO, "2"))))


SLOPES: dict[str, Callable[[f.Node], f.Node]] = {
    "sin": lambda u: call("cos", u),
    "cos": lambda u: f.Negative(call("sin", u)),
    "tan": lambda u: f.Quotient(ONE, f.Power(call("cos", u), TWO, "2")),
    "sec": lambda u: f.Product((call("sec", u), call("tan", u))),
    "csc": lambda u: f.Negative(f.Product((call("csc", u), call("cot", u)))),
    "cot": lambda u: f.Negative(f.Power(call("csc", u), TWO, "2")),
    "arcsin": lambda u: f.Quotient(ONE, call("sqrt", _one_minus_square(u))),
    "arccos": lambda u: f.Negative(f.Quotient(ONE, call("sqrt", _one_minus_square(u)))),
    "arctan": lambda u: f.Quotient(ONE, f.Sum((ONE, f.Power(u, TWO, "2")))),
    "sinh": lambda u: call("cosh", u),
    "cosh": lambda u: call("sinh", u),
    "tanh": lambda u: _one_minus_square(call("tanh", u)),
    "exp": lambda u: call("exp", u),
    "log": lambda u: f.Quotient(ONE, u),
    "ln": lambda u: f.Quotient(ONE, u),
    "sqrt": lambda u: f.Quotient(ONE, f.Product((TWO, call("sqrt", u)))),
}
for _name in ("sigmoid", "\\sigma"):
    SLOPES[_name] = lambda u, name=_name: f.Product(  # type: ignore[misc]
        (call(name, u), f.Sum((ONE, f.Negative(call(name, u)))))
    )


def differentiated(node: f.Node, name: str) -> f.Node:
    """The derivative by a name; vectors and matrices entry by entry."""
    if not depends(node, name):
        return zero_like(node)
    match node:
        case f.Symbol():
            return ONE
        case f.Sum(terms):
            return added([differentiated(term, name) for term in terms])
        case f.Negative(body):
            return negative(differentiated(body, name))
        case f.Product(factors) | f.Elementwise(factors):
            return _of_product(factors, name)
        case f.Dot(left, right):
            return _of_product((left, right), name)
        case f.Quotient(top, bottom):
            return _of_quotient(top, bottom, name)
        case f.Power(base, exponent):
            return _of_power(node, base, exponent, name)
        case f.Call(function, (argument,), 0) if function in SLOPES:
            return multiplied([SLOPES[function](argument), differentiated(argument, name)])
        case f.Matrix() | f.Row():
            return node.rebuilt(lambda part: differentiated(part, name))
        case f.Transpose(body):
            return f.Transpose(differentiated(body, name))
    raise NotElementary(f"the derivative of {latex(node)} is not worked out here")


def _of_product(factors: Sequence[f.Node], name: str) -> f.Node:
    """The product rule; the order of the factors stays, since some may be matrices."""
    terms = []
    for at, factor in enumerate(factors):
        if depends(factor, name):
            slope = differentiated(factor, name)
            terms.append(multiplied([*factors[:at], slope, *factors[at + 1 :]]))
    return added(terms)


def _of_quotient(top: f.Node, bottom: f.Node, name: str) -> f.Node:
    if not depends(bottom, name):
        return f.Quotient(differentiated(top, name), bottom)
    less = multiplied([top, differentiated(bottom, name)])
    more = multiplied([differentiated(top, name), bottom])
    return f.Quotient(added([more, negative(less)]), f.Power(bottom, TWO, "2"))


def _of_power(node: f.Node, base: f.Node, exponent: f.Node, name: str) -> f.Node:
    if not depends(exponent, name):
        if isinstance(exponent, f.Number):
            less: f.Node = f.Number(exponent.value - 1)
        else:
            less = f.Sum((exponent, f.Negative(ONE)))
        lower = base if is_one(less) else f.Power(base, less)
        return multiplied([exponent, lower, differentiated(base, name)])
    logarithm = ONE if is_e(base) else call("ln", base)
    slope = multiplied([differentiated(exponent, name), logarithm])
    if depends(base, name):
        inner = multiplied([exponent, differentiated(base, name)])
        slope = added([slope, f.Quotient(inner, base)])
    return multiplied([node, slope])


def depends(node: f.Node, name: str) -> bool:
    """Whether a name stands anywhere in a formula."""
    return any(isinstance(part, f.Symbol) and part.name == name for part in node.walk())


def is_e(node: f.Node) -> bool:
    """Whether it is e, the base of the exponential."""
    return isinstance(node, f.Symbol) and node.name == E


def substituted(node: f.Node, values: Mapping[str, f.Node]) -> f.Node:
    """A formula with other formulas in the places of some names."""
    if isinstance(node, f.Symbol):
        return values.get(node.name, node)
    return node.rebuilt(lambda part: substituted(part, values))


def zero_like(node: f.Node) -> f.Node:
    """0, or a matrix of zeros where a matrix is written out."""
    if isinstance(node, f.Matrix | f.Row):
        return node.rebuilt(zero_like)
    return ZERO


def added(terms: Sequence[f.Node]) -> f.Node:
    """A sum without its zeros."""
    kept = [term for term in terms if not f.is_zero(term)]
    if not kept:
        return ZERO
    return kept[0] if len(kept) == 1 else f.Sum(tuple(kept))


def multiplied(factors: Sequence[f.Node]) -> f.Node:
    """A product without its ones; 0 where a factor is."""
    if any(f.is_zero(factor) for factor in factors):
        return ZERO
    kept = [factor for factor in factors if not is_one(factor)]
    return f.product_of(kept) if kept else ONE


def negative(node: f.Node) -> f.Node:
    """The negative of a formula; 0 stays 0."""
    return node if f.is_zero(node) else f.Negative(node)


def is_one(node: f.Node) -> bool:
    """Whether it is a 1."""
    return isinstance(node, f.Number) and node.value == 1
