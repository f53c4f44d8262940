"""The right side of a wrong claim as it is worked out: the derivative itself, or its value."""

from dataclasses import replace
from fractions import Fraction

from workings.claims.documents.calculus.numbers import alike, checked, hold
from workings.claims.documents.calculus.rounded import value_of
from workings.claims.documents.calculus.vectors import column, entries_of
from workings.claims.repair.plain import simplified
from workings.claims.result import Repair
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.parsing.parse import parse_expression
from workings.formula.printing.latex import latex

LONGEST = 120  # characters that are still shown as a repair
LARGEST_DENOMINATOR = 1_000
MOST_DECIMALS = 4


def repaired(left: f.Node, right: f.Node, listed: bool, written: f.Node) -> Repair | None:
    """A right side that holds: near the wrong one, or worked out.

    listed: whether vectors are written in a line, as (1, 2); written: the left side as it is in
    the document, which would say nothing as a repair.
    """
    value = _in_numbers(left)
    if value is not None:
        return _verified(left, value, listed, written)
    result = checked([left, right], repair=True)
    near = result.repair.formula.rpartition(" = ")[2] if result and result.repair else "'"
    if result and result.repair and "\\odot" not in near and "'" not in near:
        vector = parse_expression(near) if listed else None
        return replace(result.repair, formula=_text(vector) if vector else near)
    return _verified(left, simplified(left), listed, written)


def _in_numbers(node: f.Node) -> f.Node | None:
    """The value of a formula without names, in simple fractions; None if it is no such value."""
    value = value_of(node)
    if value is None or (value.ndim > 1 and value.shape[1] > 1):
        return None
    numbers = [_fraction(float(each)) for each in value.reshape(-1)]
    if any(number is None for number in numbers):
        return None
    entries = [f.Number(number) for number in numbers if number is not None]
    return column(entries) if value.ndim else entries[0]


def _fraction(value: float) -> Fraction | None:
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return near if abs(float(near) - value) <= 1e-12 * max(1.0, abs(value)) else None


def _verified(left: f.Node, right: f.Node, listed: bool, written: f.Node) -> Repair | None:
    """The repair, if its text, read again, is what the left side is."""
    text = _text(right) if listed else latex(right)
    if "".join(text.split()) == "".join(latex(written).split()):
        text = _decimal(right)  # 7/2 = 3: that 7/2 is 7/2 says nothing, 3.5 does
    if not text:
        return None
    try:
        again = alike([left, parse_expression(text)])
    except WorkingsError:
        return None
    if len(text) > LONGEST or not hold(again):
        return None
    return Repair(text, "worked out")


def _decimal(node: f.Node) -> str:
    """A fraction with few decimals, as 3.5; nothing for what is none."""
    value = node.value if isinstance(node, f.Number) else None
    if value is None or (value * 10**MOST_DECIMALS).denominator != 1:
        return ""
    return f"{float(value):.{MOST_DECIMALS}f}".rstrip("0").rstrip(".")


def _text(node: f.Node) -> str:
    """A formula, a vector in a line."""
    entries = entries_of(node)
    return f"({', '.join(map(latex, entries))})" if entries else latex(node)
