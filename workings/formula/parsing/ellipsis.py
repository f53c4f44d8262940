r"""Dots that stand for terms or factors: x_1 + x_2 + \dots + x_n is a sum over an index.

The part before the dots and the part behind them must be one formula at a whole number and at
another index; parts further ahead that continue it belong to it. Other dots stay as they are.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.printing.latex import latex

LETTERS = "ijklqrs"


class _Differ(Exception):
    """Two parts are not one formula at two indices."""


def continued(
    parts: Sequence[f.Node],
    declared: Collection[str],
    read: Callable[[str], f.Node],
    build: Callable[[f.Range, f.Node], f.Node],
) -> list[f.Node]:
    """The parts with dots and their surroundings put together by `build`, where that can be."""
    dots = [n for n, part in enumerate(parts) if isinstance(part, f.Unsaid) and part.text == "…"]
    if len(dots) != 1 or not 0 < dots[0] < len(parts) - 1:
        return list(parts)
    before, last, after = parts[: dots[0]], parts[dots[0] + 1], parts[dots[0] + 2 :]
    used = {sign for part in parts for sign in latex(part)} | set(declared)
    letter = next((each for each in LETTERS if each not in used), "")
    try:
        template, low, high = _generalised(before[-1], last, letter, read)
    except (_Differ, WorkingsError):
        return list(parts)
    start = len(before) - 1
    while start > 0 and latex(before[start - 1]) == latex(_at(template, letter, low - 1)):
        start, low = start - 1, low - 1
    if not letter or (start > 0 and len(before) - start < 2):
        return list(parts)  # a + x_1 + … + x_n may go on from a
    bound = f.Range(letter, f.Number(Fraction(low)), high)
    return [*before[:start], build(bound, template), *after]


def _generalised(
    first: f.Node, last: f.Node, letter: str, read: Callable[[str], f.Node]
) -> tuple[f.Node, int, f.Node]:
    """The formula in an index, with the number of its first and the index of its last instance."""
    pairs: list[tuple[int, f.Node]] = []

    def visit(a: f.Node, b: f.Node) -> f.Node:
        if isinstance(a, f.Range):
            return _same_range(a, b)
        if latex(a) == latex(b):
            return a
        if isinstance(a, f.Number) and a.value.denominator == 1:
            pairs.append((int(a.value), b))
            return f.Symbol(letter)
        if isinstance(a, f.Symbol) and isinstance(b, f.Symbol) and a.base == b.base:
            for part, ends in (("sub", ""), ("label", "()")):
                old, new = (getattr(node, part).strip(ends) for node in (a, b))
                if old != new:
                    if not old.isdigit() or not new:
                        raise _Differ
                    pairs.append((int(old), read(new)))
                    shown = f"({letter})" if ends else letter
                    a = replace(a, sub=shown) if part == "sub" else replace(a, label=shown)
            return a
        below, other = list(a.children()), list(b.children())
        if type(a) is not type(b) or len(below) != len(other) or not below:
            raise _Differ
        changed = {id(x): visit(x, y) for x, y in zip(below, other, strict=True)}
        return a.rebuilt(lambda child: changed[id(child)])

    template = visit(first, last)
    if len({(low, latex(high)) for low, high in pairs}) != 1:
        raise _Differ
    return template, *pairs[0]


def _same_range(a: f.Range, b: f.Node) -> f.Range:
    """The bounds of a sum, which are the same in every instance of a formula."""
    bounds = [[latex(each) for each in node.children()] for node in (a, b)]
    if not isinstance(b, f.Range) or a.variable != b.variable or bounds[0] != bounds[1]:
        raise _Differ
    return a


def _at(template: f.Node, letter: str, index: int) -> f.Node:
    """The template with a number for its index."""
    if isinstance(template, f.Symbol):
        if template.name == letter:
            return f.Number(Fraction(index))
        sub = str(index) if template.sub == letter else template.sub
        label = f"({index})" if template.label == f"({letter})" else template.label
        return replace(template, sub=sub, label=label)
    return template.rebuilt(lambda child: _at(child, letter, index))
