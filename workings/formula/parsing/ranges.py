r"""Sums, products and maxima over ranges: \sum_{j=1}^{n}, \prod_{j \neq k}, \max_{i<j}."""

import re
from dataclasses import replace
from fractions import Fraction

from workings.formula import nodes as f
from workings.formula.parsing.grammar import Grammar
from workings.formula.parsing.tokens import Token


def sum_over(parser: Grammar, token: Token) -> f.Node:
    r"""\sum with what is summed: the product behind it."""
    return f.Total(tuple(_ranges(parser, token)), parser.elementwise())


def extreme_over(parser: Grammar, name: str, position: int) -> f.Node:
    r"""\max_i, \min_{i \ne j}, \arg\max_k with the product behind it."""
    ranges = _ranges(parser, Token("command", name, position))
    return f.Extreme(name, tuple(ranges), parser.elementwise())


def expectation(parser: Grammar, position: int) -> f.Node:
    r"""\mathbb{E}_{i \sim p}[x_i] and \mathbb{E}_p[x] over a finite distribution; a Gaussian."""
    hint = "write \\mathbb{E}_{i \\sim p}[…], or the sum"
    if not parser.accept("_"):
        raise parser.not_read("an expectation over what is not said", position, hint)
    braced = parser.accept("{")
    first = parser.sum() if braced else parser.group_or_atom()
    weights = parser.sum() if braced and parser.accept("∼") else None
    if braced:
        parser.expect("}")
    if parser.now.kind not in ("[", "(", "\\{"):
        raise parser.expected("'['")
    body = parser.row() if parser.now.kind == "[" else parser.bracket()
    if weights is None:
        return f.Call("expectation", (first, body), position=position)
    if isinstance(first, f.Symbol) and isinstance(weights, f.Call) and weights.function == "N":
        if len(weights.arguments) != 2:
            raise parser.not_read("a Gaussian has a mean and a covariance", position)
        return f.Expectation(first.name, *weights.arguments, body)
    if not isinstance(first, f.Symbol) or not isinstance(weights, f.Symbol):
        raise parser.not_read("an expectation by this is not read", position, hint)
    entry = replace(weights, sub=first.name)
    return f.Total((f.Range(first.name, position=position),), f.Product((entry, body)))


def product_over(parser: Grammar, token: Token) -> f.Node:
    r"""\prod with the factors behind it that carry its index: where it ends changes its value."""
    ranges = _ranges(parser, token)
    if len(ranges) != 1:
        raise parser.not_read("a product needs one index, as in \\prod_{j=1}^{n}", token.position)
    factors = [parser.factor()]
    while parser.starts_factor():
        start = parser.index
        factor = parser.factor()
        if not _mentions(factor, ranges[0].variable):
            parser.index = start
            break
        factors.append(factor)
    return f.Chain(ranges[0], f.product_of(factors))


def _mentions(node: f.Node, index: str) -> bool:
    return any(
        isinstance(part, f.Symbol)
        and re.search(rf"(^|\W){re.escape(index)}(\W|$)", f"{part.base} {part.sub} {part.label}")
        for part in node.walk()
    )


def _ranges(parser: Grammar, token: Token) -> list[f.Range]:
    """What stands below and above the sign."""
    ranges: list[f.Range] = []
    high: f.Node | None = None
    while sign := parser.accept("_", "^"):
        if sign.kind == "_" and ranges:
            raise parser.not_read("two subscripts below one sign", sign.position)
        if sign.kind == "_":
            ranges = _below(parser)
        else:
            high = _above(parser)
    if high is not None:
        if not ranges:
            raise parser.not_read("an upper bound without its index", token.position)
        ranges[-1] = replace(ranges[-1], high=high)
    return ranges


def _above(parser: Grammar) -> f.Node:
    """An upper bound: n, {n}, or {T=t}, of which the last part counts."""
    if not parser.accept("{"):
        return parser.group_or_atom()
    node = parser.sum()
    while parser.accept("="):
        node = parser.sum()
    parser.expect("}")
    return node


def _below(parser: Grammar) -> list[f.Range]:
    r"""{j=1}, {j}, {j \neq k}, {\substack{j=1 \\ j \neq k}}, {i,j}, {j=t,…,i+1}, {j \in N}."""
    position = parser.now.position
    if not parser.accept("{"):
        parser.split_first_letter()  # \sum_ky_k sums y_k over k
        return [f.Range(parser.take().text, position=position)]
    nested = parser.is_command("substack")
    if nested:
        parser.take()
        parser.expect("{")
    ranges: dict[str, f.Range] = {}
    while parser.now.kind != "}":
        _condition(parser, ranges)
        while parser.accept(",", ";", "&") or parser.is_command("\\"):
            if parser.is_command("\\"):
                parser.take()
    parser.expect("}")
    if nested:
        parser.expect("}")
    return list(ranges.values())


def _condition(parser: Grammar, ranges: dict[str, f.Range]) -> None:
    """One of the conditions below a sign: a new range, or more about a known one."""
    position = parser.now.position
    left = parser.sum()
    name = left.name if isinstance(left, f.Symbol) else ""
    known = ranges.get(name, f.Range(name, position=position))
    if parser.accept("="):
        low = parser.sum()
        if isinstance(low, f.Unsaid):
            raise parser.not_read("where the index begins was expected", position)
        ranges[name] = _listed(parser, known, low) or replace(known, low=low)
    elif parser.accept("≠"):
        ranges[name] = replace(known, without=(*known.without, parser.sum()))
    elif parser.now.kind in ("≥", "≤", "<", ">"):
        _inequality(parser, ranges, left, position)
    elif parser.accept("∈"):
        ranges[name] = _in_set(parser, known)
    else:
        names = _several(left) or ([name] if name else [])
        if not names and not isinstance(left, f.Unsaid | f.Sum):
            raise parser.not_read("an index was expected under the sum or product", position)
        ranges.update({each: f.Range(each, position=position) for each in names})


_ONE = f.Number(Fraction(1))


def _inequality(parser: Grammar, ranges: dict[str, f.Range], left: f.Node, position: int) -> None:
    r"""j < i, j \ge 2, 1 \le i < j \le n: bounds of the indices on both sides of each relation.

    Of j < i, where i is bound outside, only j is an index; the resolver sees whether i is known.
    """
    sides, relations = [left], []
    while sign := parser.accept("≥", "≤", "<", ">"):
        relations.append(sign.kind)
        sides.append(parser.sum())
    chain = len(sides) > 2
    for index, side in enumerate(sides):
        if not isinstance(side, f.Symbol) or (index and not chain):
            continue
        if chain and index in (0, len(sides) - 1):
            continue  # 1 ≤ i < j ≤ n: the outer ones are bounds
        known = ranges.get(side.name, f.Range(side.name, position=position))
        if index:
            known = _bounded(known, sides[index - 1], _MIRRORED[relations[index - 1]])
        if index < len(relations) and not (chain and index + 2 < len(sides)):
            known = _bounded(known, sides[index + 1], relations[index])
        ranges[side.name] = known
    if not any(isinstance(side, f.Symbol) for side in sides):
        ranges[""] = f.Range("", f.Unsaid("set"), position=position)


_MIRRORED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}


def _bounded(known: f.Range, bound: f.Node, relation: str) -> f.Range:
    """The range with a bound: variable < bound, variable ≥ bound …"""
    if relation in ("<", "≤"):
        return replace(known, high=bound if relation == "≤" else f.Sum((bound, f.Negative(_ONE))))
    return replace(known, low=bound if relation == "≥" else f.Sum((bound, _ONE)))


def _in_set(parser: Grammar, known: f.Range) -> f.Range:
    r"""i \in \{1, …, n\}, i \in \{2, 5\}, i \in [n]; another set has no values."""
    if parser.now.kind == "[":
        parser.take()
        high = parser.sum()
        parser.expect("]")
        return replace(known, low=_ONE, high=high)
    if not parser.accept("\\{"):
        return replace(known, low=f.Unsaid("set"), high=parser.sum())
    members = [parser.sum()]
    while parser.accept(","):
        members.append(parser.sum())
    parser.expect("\\}")
    if any(isinstance(member, f.Unsaid) for member in members):
        return replace(known, low=members[0], high=members[-1])
    return replace(known, members=tuple(members))


def _several(node: f.Node) -> list[str]:
    """i and j of ij."""
    if isinstance(node, f.Symbol) and node.name.isalpha():
        return list(node.name)
    if isinstance(node, f.Product):
        names = [part.name for part in node.factors if isinstance(part, f.Symbol)]
        return names if len(names) == len(node.factors) else []
    return []


def _listed(parser: Grammar, known: f.Range, low: f.Node) -> f.Range | None:
    """j=t,…,i+1, which says its order."""
    if parser.now.kind != "," or parser.ahead().kind != "…":
        return None
    for _ in range(2):
        parser.take()
    parser.accept(",")
    high = parser.sum()  # t,…,1 goes down, 1,…,n up
    down = not isinstance(low, f.Number)
    if isinstance(low, f.Number) and isinstance(high, f.Number):
        down = high.value < low.value
    return replace(known, low=low, high=high, without=(), descending=down)
