"""Equalities between formulas of which every name is a number."""

from collections.abc import Iterator, Sequence

from workings.claims.documents.calculus.vectors import column, entries_of
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.sets import ClaimSet, from_values
from workings.claims.system.declare import Reader
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.printing.latex import latex, plain_latex

Sides = Sequence[f.Node]
IDENTITY = "I"  # beside a matrix that is written out
CONSTANTS = frozenset(["e", "\\pi", IDENTITY])


def checked(sides: Sides, kind: str = "scalar", repair: bool = False) -> Result | None:
    """The verdict on a chain of equations between numbers; None where there is none."""
    try:
        claim_set = _claim_set(sides, kind)
        reader = Reader(claim_set)
        return check_formula(reader, reader.system(), claim_set.claims[0], repair=repair)
    except (WorkingsError, Undefined):
        return None


def hold(sides: Sides, kind: str = "scalar") -> Result | None:
    """The result where all sides are the same, a vector as a row or as a column; else None."""
    result = checked(sides, kind)
    if result is None:
        return None
    if result.verdict is Verdict.TRANSPOSED:
        return result if entries_of(sides[0]) is not None else None
    return result if result.holds or result.verdict is Verdict.TRIVIAL else None


def _claim_set(sides: Sides, kind: str) -> ClaimSet:
    symbols = {plain_latex(name): kind for name in sorted(names_in(*sides))}
    return from_values({"symbols": symbols, "claims": [{"claim": chain(sides)}]}, "document")


def chain(sides: Sides) -> str:
    """A chain of equations as LaTeX."""
    return " = ".join(map(latex, sides))


def names_in(*nodes: f.Node) -> set[str]:
    """The names of formulas, without e, π and the identity matrix."""
    symbols = (part for node in nodes for part in node.walk())
    return {each.name for each in symbols if isinstance(each, f.Symbol)} - CONSTANTS


def alike(sides: Sides) -> list[f.Node]:
    """Sides that are vectors as columns, where the left one is a vector: (1, 2) is both."""
    return list(_columns(sides) if entries_of(sides[0]) else sides)


def _columns(sides: Sides) -> Iterator[f.Node]:
    for side in sides:
        entries = entries_of(side) if isinstance(side, f.Matrix) else None
        yield column(entries) if entries else side
