r"""Identities of functions of one number: \sigma'(x) = \sigma(x)(1 - \sigma(x)).

Notes state them with the x that is a vector elsewhere. Where a claim has one name, which no
equation defines, in functions that work entry by entry alone, it is meant of a number.
"""

from collections.abc import Sequence

from workings.claims.documents.calculus.numbers import checked, names_in
from workings.claims.result import Result
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.evaluation.functions import POINTWISE

_PARTS = (
    f.Number, f.Constant, f.Symbol, f.Call, f.Negative, f.Power, f.Product, f.Elementwise,
    f.Quotient, f.Sum, f.Derivative, f.Cases, f.Condition,
)  # fmt: skip
_DECIDED = (Verdict.HOLDS, Verdict.WRONG_VALUE, Verdict.FLIPPED, Verdict.SCALED)


def of_one_number(sides: Sequence[f.Node], defined: set[str]) -> Result | None:
    """The verdict on an identity of one number; None of what is none, or is not decided so.

    defined: names that the document gives by an equation.
    """
    parts = [part for side in sides for part in side.walk()]
    calls = [part for part in parts if isinstance(part, f.Call)]
    names = names_in(*sides)
    if len(names) != 1 or names & defined or not calls:
        return None
    if not all(isinstance(part, _PARTS) for part in parts):
        return None
    if not all(call.function in POINTWISE and len(call.arguments) == 1 for call in calls):
        return None
    result = checked(list(sides), repair=True)
    return result if result is not None and result.verdict in _DECIDED else None
