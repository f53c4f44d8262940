"""Orders of growth, decided from exact formulas: is p = O(q) as the sizes grow, each by itself?"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from workings.cost.domination import AtMost, dominated, free_terms, maximal
from workings.cost.recovery.cancelling import cancelling
from workings.cost.recovery.count_formula import CountFormula, Uncounted
from workings.errors import WorkingsError
from workings.formula.polynomial import Monomial, Polynomial
from workings.formula.sizes import parse_sizes

TIGHT, LOOSE, SMALL, UNDECIDED = "holds and tight", "holds, not tight", "too small", "undecided"
LARGE = "too large"  # of a lower bound, Ω, or of one from both sides, Θ


@dataclass(frozen=True)
class Growth:
    """The verdict on one claim `O(bound)`, Ω or Θ, and why."""

    verdict: str
    bound: str
    leading: Polynomial
    """the terms of the count that grow fastest, without their coefficients"""
    missing: tuple[Polynomial, ...] = ()
    """terms of the count that no multiple of the bound covers"""
    factor: Polynomial | None = None
    """how much the bound exceeds the count"""
    fixed: tuple[str, ...] = ()
    unknown: str = ""
    """why nothing is said"""
    order: str = "O"
    """O: no faster than the bound; Ω: no slower; Θ: both"""
    counted_to: str = ""
    """up to which sizes the formula was counted"""

    @property
    def claim(self) -> str:
        """`O(n²)`, as it was claimed."""
        return f"{self.order}({self.bound})"

    @property
    def evidence(self) -> str:
        """Why, in words."""
        if self.unknown:
            return self.unknown
        held = f" for fixed {', '.join(self.fixed)}" if self.fixed else ""
        text = f"the count grows as {self.leading}{held}"
        if self.missing and self.verdict != LARGE:
            text += f"; {self.bound} lacks {' and '.join(map(str, self.missing))}"
        elif self.factor is not None:
            text += f"; {self.bound} exceeds it by a factor of up to {self.factor}"
        holds = self.verdict in (TIGHT, LOOSE) and self.counted_to
        return text + (f" (counted up to {self.counted_to})" if holds else "")

    def __str__(self) -> str:
        return f"{self.claim}: {self.verdict}; {self.evidence}"

    def as_order(self, order: str) -> "Growth":
        """The verdict on Ω or Θ of the same bound, from that on O."""
        verdicts = {
            "O": {},
            "Θ": {LOOSE: LARGE},
            "Ω": {LOOSE: LARGE, SMALL: LARGE if self.factor is not None else LOOSE},
        }
        verdict = verdicts[order].get(self.verdict, self.verdict)
        factor = None if verdict == SMALL else self.factor
        return replace(self, order=order, verdict=verdict, factor=factor)


_ORDERS = {"Θ": "Θ", r"\Theta": "Θ", "Theta": "Θ", "Ω": "Ω", r"\Omega": "Ω", "Omega": "Ω"}


def split_order(text: str) -> tuple[str, str]:
    """`Θ(n^2)` into Θ and `O(n^2)`; an order that is not said is O."""
    name, bracket, rest = text.strip().partition("(")
    written = name.removesuffix(r"\left").strip()
    return (_ORDERS[written], f"O({rest}") if bracket and written in _ORDERS else ("O", text)


def parse_bound(
    text: str, symbols: Iterable[str], where: Mapping[str, Polynomial] | None = None
) -> tuple[str, Polynomial]:
    """What stands inside `O(n^2 d)`, as written and multiplied out."""
    known = {*symbols, *(where or {})}
    expression = parse_sizes(text, known)
    for name in expression.names:
        if name not in known:
            raise WorkingsError(
                f"{text!r}: {name} is not a size here; there is: {', '.join(sorted(known))} "
                "(orders are sums of products of sizes, without logarithms)"
            )
    written = re.fullmatch(r"[^(]*\bO\b[^(]*\((.*?)(?:\\right)?\)\s*", text, re.DOTALL)
    try:
        return (written[1] if written else text).strip(), expression.polynomial(where)
    except WorkingsError as error:  # a logarithm, a root: nothing is said about it
        raise Uncounted(f"{error} (orders are sums of products of sizes)") from None


def decide(
    formula: CountFormula,
    bound: Polynomial,
    text: str = "",
    fixed: Sequence[str] = (),
    at_most: AtMost = (),
    order: str = "O",
) -> Growth:
    """Whether the count is O(bound), Ω or Θ of it while the sizes in `fixed` stay as they are."""
    text = text or str(bound)
    verdicts = [
        _with_cancelling(
            _decide(p.polynomial, bound, text, fixed, at_most).as_order(order),
            cancelling(p.polynomial, bound, fixed, at_most),
        )
        for p in formula.pieces
    ]
    if not verdicts or formula.departures:
        return Growth(
            UNDECIDED,
            text,
            Polynomial({}),
            fixed=tuple(fixed),
            unknown=_why_unknown(formula),
            order=order,
        )
    ranked = (TIGHT, LOOSE, UNDECIDED, SMALL, LARGE)
    return max(verdicts, key=lambda growth: ranked.index(growth.verdict))


def _with_cancelling(growth: Growth, where: str | None) -> Growth:
    """The same, where terms that are taken off may leave less than what grows fastest.

    where: None if they do not; else at which sizes they do, nothing if that is not known.
    """
    says_at_least = growth.verdict == TIGHT or (growth.order == "Ω" and growth.verdict == LOOSE)
    if where is None or not says_at_least:
        return growth
    holds = f"the count is O({growth.bound}), but " if growth.order == "O" else ""
    if where:
        verdict = LOOSE if growth.order == "O" else LARGE
        why = f"{holds}where {where} it grows more slowly than {growth.bound}"
    else:
        verdict = UNDECIDED
        why = f"{holds}how little the terms that are taken off may leave of it is not known"
    return replace(growth, verdict=verdict, unknown=why, leading=Polynomial({}), factor=None)


def _why_unknown(formula: CountFormula) -> str:
    if not formula.pieces:
        return f"there is no formula: {formula.reason}"
    sizes = " and at ".join(formula.departures)
    return f"the count departs from {formula} at {sizes}: what it grows as beyond that is not known"


def _decide(
    count: Polynomial, bound: Polynomial, text: str, fixed: Sequence[str], at_most: AtMost
) -> Growth:
    order = tuple(dict.fromkeys([*count.order, *bound.order]))
    has, claimed = free_terms(count, fixed), free_terms(bound, fixed)
    leading = maximal(has, at_most)

    def polynomial(terms: Iterable[Monomial]) -> Polynomial:
        return Polynomial({m: Fraction(1) for m in terms}, order)

    missing = [m for m in leading if not dominated(m, claimed, at_most)]
    beyond = [m for m in maximal(claimed, at_most) if not dominated(m, leading, at_most)]
    factor = min(
        (polynomial([m]) / polynomial([n]) for m in beyond for n in leading),
        key=lambda ratio: sum(abs(power) for term in ratio.terms for _, power in term),
        default=None,
    )
    lacking = tuple(polynomial([m]) for m in missing)
    verdict = SMALL if missing else LOOSE if beyond else TIGHT
    return Growth(verdict, text, polynomial(leading), lacking, factor, tuple(fixed))
