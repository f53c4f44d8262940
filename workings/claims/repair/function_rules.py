"""What goes back through a function that is no function of every entry alone: traces, norms, …

A rule gets the derivation, the arguments, the slope that has come to the function's value, and the
name that the equations have for that value.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from workings.claims.repair.plain import elementwise, product
from workings.claims.repair.slope_algebra import NotDerived, Slope, scaled, sign_and_number
from workings.formula import nodes as f
from workings.formula.printing.latex import latex
from workings.formula.resolution.declared import Function

if TYPE_CHECKING:
    from workings.claims.repair.derive import Derivation

Rule = Callable[["Derivation", Sequence[f.Node], Slope, f.Node], None]
ADD_UP_TO_ONE = frozenset({"onehot", "probability", "stochastic"})


def _trace(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """tr(ABC) by B is (CA)ᵀ."""
    (body,) = arguments
    if isinstance(body, f.Sum):
        for term in body.terms:
            _trace(chain, (term,), slope, term)
        return
    factors = body.factors if isinstance(body, f.Product) else (body,)
    for at, factor in enumerate(factors):
        if not chain.moves(factor):
            continue
        others = [*factors[at + 1 :], *factors[:at]]
        if not chain.shape(factor) or not others:
            raise NotDerived(latex(body))
        chain.back(factor, Slope(scaled(slope.node, chain.transposed(f.product_of(others)))))


def _softmax(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, p: f.Node) -> None:
    """p ⊙ (g - Σ g ⊙ p); after the logarithm, t - p for a target t that adds up to 1."""
    (argument,) = arguments
    sign, number, g = sign_and_number(slope.node)
    if isinstance(g, f.Quotient) and latex(g.bottom) == latex(p):
        target = g.top
        kinds = chain.kinds(target)
        if kinds & ADD_UP_TO_ONE:
            difference = f.Sum((target, f.Negative(p)) if sign > 0 else (p, f.Negative(target)))
            chain.back(argument, Slope(scaled(number, difference)))
            return
    if slope.in_every_entry:
        raise NotDerived("a sum of shares")
    mean: f.Node = f.Call("sum", (elementwise((slope.node, p)),))
    if 1 not in chain.shape(argument):  # of every row
        width = chain.side(chain.shape(argument)[1])
        mean = product((elementwise((slope.node, p)), f.Ones(width, width)))
    chain.back(argument, Slope(elementwise((p, f.Sum((slope.node, f.Negative(mean)))))))


def _logarithm(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """g / x, with the sign in front."""
    if len(arguments) > 1:
        raise NotDerived("a logarithm with a base")
    sign, number, top = sign_and_number(slope.node)
    quotient = scaled(number, f.Quotient(top, arguments[0]))
    chain.back(arguments[0], Slope(quotient if sign > 0 else f.Negative(quotient)))


def _norm(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, name: f.Node) -> None:
    """x / ‖x‖; of the sum of absolute values, its signs."""
    argument, *order = arguments
    if not order:
        chain.back(argument, Slope(scaled(slope.node, f.Quotient(argument, name))))
    elif isinstance(order[0], f.Number) and order[0].value == 1:
        chain.back(argument, Slope(scaled(slope.node, f.Call("sign", (argument,)))))
    else:
        raise NotDerived("a norm")


def _extreme(relation: str) -> Rule:
    """max(a, b) goes on to the larger one, min to the smaller; max(z, -z) has the slope sign(z)."""

    def rule(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
        if len(arguments) < 2:
            raise NotDerived("the largest entry")
        if len(arguments) > 2:
            for at, argument in enumerate(arguments):
                others = [*arguments[:at], *arguments[at + 1 :]]
                wins = [f.Condition((argument, other), (relation,)) for other in others]
                chain.entrywise(argument, elementwise(wins), slope)
            return
        a, b = arguments
        if _is_negative_of(a, b) or _is_negative_of(b, a):
            body = b if _is_negative_of(a, b) else a
            sign = f.Call("sign", (body,))
            chain.entrywise(body, sign if relation == ">" else f.Negative(sign), slope)
            return
        for argument, other in ((a, b), (b, a)):
            chain.entrywise(argument, f.Condition((argument, other), (relation,)), slope)

    return rule


def _clip(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """Goes on between the bounds."""
    argument, low, high = arguments
    if chain.moves(low) or chain.moves(high):
        raise NotDerived("bounds that move")
    chain.entrywise(argument, f.Condition((low, argument, high), ("<", "<")), slope)


def _leaky(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """1 above 0, below it the slope that was given."""
    argument, *given = arguments
    if not given or chain.moves(given[0]):
        raise NotDerived("a slope that moves")
    zero = f.Number(Fraction(0))
    below, above = (f.Condition((argument, zero), (sign,)) for sign in ("≤", ">"))
    chain.entrywise(argument, f.Sum((above, scaled(given[0], below))), slope)


def _inner(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """⟨a, b⟩ of one shape: each goes to the other."""
    a, b = arguments
    if chain.shape(a) != chain.shape(b):
        raise NotDerived("an inner product of unlike shapes")
    chain.back(a, Slope(scaled(slope.node, b)))
    chain.back(b, Slope(scaled(slope.node, a)))


def _is_negative_of(a: f.Node, b: f.Node) -> bool:
    return isinstance(a, f.Negative) and latex(a.body) == latex(b)


def _summing(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """Of all entries."""
    chain.back(arguments[0], Slope(slope.node, bool(chain.shape(arguments[0]))))


def _determinant(
    chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, name: f.Node
) -> None:
    """det(X) X^{-T}."""
    (argument,) = arguments
    inverse = f.Transpose(f.Power(argument, f.Number(Fraction(-1))))
    chain.back(argument, Slope(product((scaled(slope.node, name), inverse))))


def _logsumexp(chain: "Derivation", arguments: Sequence[f.Node], slope: Slope, _: f.Node) -> None:
    """The softmax."""
    chain.back(arguments[0], Slope(scaled(slope.node, f.Call("softmax", tuple(arguments)))))


RULES: dict[str, Rule] = {
    "sum": _summing,
    "tr": _trace,
    "trace": _trace,
    "Tr": _trace,
    "inner": _inner,
    "clip": _clip,
    "clamp": _clip,
    "LeakyReLU": _leaky,
    "leakyrelu": _leaky,
    "LeakyRelu": _leaky,
    "softmax": _softmax,
    "log": _logarithm,
    "ln": _logarithm,
    "norm": _norm,
    "frobenius": _norm,
    "max": _extreme(">"),
    "min": _extreme("<"),
    "det": _determinant,
    "logsumexp": _logsumexp,
}
SLOPES: dict[str, Callable[[f.Node, f.Node], f.Node]] = {
    "exp": lambda x, name: name,
    "abs": lambda x, name: f.Call("sign", (x,)),
    "softplus": lambda x, name: f.Call("sigmoid", (x,)),
    "sin": lambda x, name: f.Call("cos", (x,)),
}


def inlined(own: Function, arguments: Sequence[f.Node]) -> f.Node:
    """The body of a function with these in place of its parameters."""
    given = dict(zip(own.parameters, arguments, strict=True))

    def with_arguments(node: f.Node) -> f.Node:
        if isinstance(node, f.Reference) and node.name in given:
            return given[node.name]
        return node.rebuilt(with_arguments)

    return with_arguments(own.body)
