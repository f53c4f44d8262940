"""Formulas in their plainest form: signs in front, numbers as one, powers of one factor as one."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.printing.latex import latex


def simplified(node: f.Node) -> f.Node:
    """Powers of one factor side by side as one, numbers as one in front, two signs as none."""
    node = node.rebuilt(simplified)
    match node:
        case f.Quotient(f.Number(top), f.Number(bottom)) if bottom:
            return f.Number(top / bottom)
        case f.Transpose(f.Transpose(body)):
            return body
        case f.Call("sqrt", (f.Power(body, f.Number(order)),)) if order == 2:
            return f.Call("abs", (body,))
        case f.Call("abs", arguments, primes) if primes == 1:
            return f.Call("sign", arguments)
        case f.Index(f.Transpose(body), (row, column)):
            return f.Index(body, (column, row))
    if isinstance(node, f.Negative) and isinstance(node.body, f.Negative):
        return node.body.body
    if isinstance(node, f.Product | f.Elementwise):
        signs = sum(isinstance(factor, f.Negative) for factor in node.factors)
        if signs:  # (-H) ⊙ H is -(H ⊙ H)
            bodies = [part.body if isinstance(part, f.Negative) else part for part in node.factors]
            plain = simplified(replace(node, factors=tuple(bodies)))
            return f.Negative(plain) if signs % 2 else plain
    if not isinstance(node, f.Product):
        return node
    merged: list[f.Node] = []
    for factor in _cancelled(node.factors):
        base, power = base_and_power(factor)
        before = base_and_power(merged[-1]) if merged else (None, Fraction(0))
        if before[0] is not None and power and before[1] and latex(base) == latex(before[0]):
            merged[-1] = _to(base, power + before[1])
        else:
            merged.append(factor)
    return _one_number(merged)


def _cancelled(factors: Sequence[f.Node]) -> list[f.Node]:
    """Without what is divided by and multiplied with, whatever its shape; √d · 1/d as 1/√d."""
    left = list(factors)
    for factor in factors:
        if not isinstance(factor, f.Quotient):
            continue
        bottom = latex(factor.bottom)
        for other in left:
            is_root = isinstance(other, f.Call) and other.function == "sqrt"
            whole = other.arguments[0] if isinstance(other, f.Call) and is_root else other
            if other is not factor and latex(whole) == bottom:
                kept = f.Quotient(factor.top, other) if is_root else factor.top
                left = [kept if each is factor else each for each in left if each is not other]
                break
    return left  # a factor 1 is left out with the other numbers


def _one_number(factors: Sequence[f.Node]) -> f.Node:
    number = Fraction(1)
    others = []
    for factor in factors:
        if isinstance(factor, f.Number):
            number *= factor.value
        else:
            others.append(factor)
    if not others:
        return f.Number(number)
    return product(others if number == 1 else [f.Number(number), *others])


def base_and_power(node: f.Node) -> tuple[f.Node, Fraction | None]:
    """A factor as base and exponent, where the exponent is a number."""
    if not isinstance(node, f.Power):
        return node, Fraction(1) if isinstance(node, f.Reference) else None
    exponent, sign = node.exponent, 1
    if isinstance(exponent, f.Negative):
        exponent, sign = exponent.body, -1
    if isinstance(exponent, f.Quotient):
        top, bottom = exponent.top, exponent.bottom
        if isinstance(top, f.Number) and isinstance(bottom, f.Number) and bottom.value:
            return node.base, sign * top.value / bottom.value
    return node.base, sign * exponent.value if isinstance(exponent, f.Number) else None


def _to(base: f.Node, power: Fraction) -> f.Node:
    if power == 1:
        return base
    number = f.Number(abs(power))
    return f.Power(base, f.Negative(number) if power < 0 else number)


def product(factors: Sequence[f.Node]) -> f.Node:
    """A product without products as its factors."""
    flat: list[f.Node] = []
    for factor in factors:
        flat += factor.factors if isinstance(factor, f.Product) else (factor,)
    return flat[0] if len(flat) == 1 else f.Product(tuple(flat))


def elementwise(factors: Sequence[f.Node]) -> f.Node:
    """An elementwise product without elementwise products as its factors."""
    flat: list[f.Node] = []
    for factor in factors:
        flat += factor.factors if isinstance(factor, f.Elementwise) else (factor,)
    return flat[0] if len(flat) == 1 else f.Elementwise(tuple(flat))
