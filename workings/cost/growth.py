"""Orders of growth, decided from exact formulas: is p = O(q) as the sizes grow, each by itself?

For sizes from 1 on, a term x^a is at most a constant times q = Σ x^b exactly if some weighted mean
of the b's is at least a in every power: then x^a ≤ Π x^(λ_b b) ≤ q. Whether there is such a mean is
a small linear program, solved exactly.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from workings.cost.count_formula import CountFormula
from workings.errors import WorkingsError
from workings.formula.polynomial import Monomial, Polynomial, monomial
from workings.formula.sizes import parse_sizes

TIGHT, LOOSE, SMALL, UNDECIDED = "holds and tight", "holds, not tight", "too small", "undecided"
LARGE = "too large"  # of a lower bound, Ω, or of one from both sides, Θ

AtMost = Sequence[tuple[str, str]]  # (d, h): h is at most d, as where h divides d


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
        return text

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
    return (written[1] if written else text).strip(), expression.polynomial(where)


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
        _decide(p.polynomial, bound, text, fixed, at_most).as_order(order) for p in formula.pieces
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
    return max(verdicts, key=lambda growth: (TIGHT, LOOSE, SMALL, LARGE).index(growth.verdict))


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


def free_terms(p: Polynomial, fixed: Sequence[str] = ()) -> list[Monomial]:
    """Its terms with a positive coefficient, in the sizes that are free to grow.

    A count is never negative: a term that is taken off is below another that grows as fast.
    """
    kept = [
        monomial((s, power) for s, power in m if s not in fixed)
        for m, c in p.sorted_terms()
        if c > 0
    ]
    return list(dict.fromkeys(kept))


def maximal(terms: Sequence[Monomial], at_most: AtMost = ()) -> list[Monomial]:
    """Those that the others together do not dominate."""
    kept = list(terms)
    for m in terms:
        others = [n for n in kept if n != m]
        if others and dominated(m, others, at_most):
            kept = others
    return kept


def dominated(term: Monomial, others: Sequence[Monomial], at_most: AtMost = ()) -> bool:
    """Whether term ≤ constant · Σ others at all sizes from 1 on."""
    names = sorted({s for m in [term, *others] for s, _ in m} | {s for p in at_most for s in p})
    a = _vector(term, names)
    if any(all(x <= y for x, y in zip(a, _vector(m, names), strict=True)) for m in others):
        return True
    # Factors that are never below one: each size, and d/h where h ≤ d. Find weights λ of a mean and
    # powers s of these factors with Σ λ_b b - Σ s_v v = a.
    rises = [[int(name == other) for other in names] for name in names]
    rises += [[(n == d) - (n == h) for n in names] for d, h in at_most]
    columns = [_vector(m, names) for m in others] + [[-x for x in v] for v in rises]
    rows = [[column[i] for column in columns] for i in range(len(names))]
    mean = [1] * len(others) + [0] * len(rises)
    return _feasible([*rows, mean], [*a, 1])


def _vector(m: Monomial, names: Sequence[str]) -> list[int]:
    powers = dict(m)
    return [powers.get(name, 0) for name in names]


def _feasible(rows: list[list[int]], right: list[int]) -> bool:
    """Whether rows · x = right has a solution x ≥ 0: the first phase of the simplex method.

    Each row gets an artificial variable, and their sum is driven to zero. Bland's rule (the first
    column that gains, the first variable that limits it) keeps it from going in circles.
    """
    count = len(rows[0])
    table = []
    for i, (row, b) in enumerate(zip(rows, right, strict=True)):
        sign = -1 if b < 0 else 1
        artificial = [Fraction(int(i == j)) for j in range(len(rows))]
        table.append([*(Fraction(sign * x) for x in row), *artificial, Fraction(sign * b)])
    basis = [count + i for i in range(len(rows))]
    # What one unit of each variable takes off the sum of the artificial ones.
    gain = [sum((row[j] for row in table), Fraction(0)) for j in range(count)]
    gain += [Fraction(0)] * len(rows) + [sum((row[-1] for row in table), Fraction(0))]
    while gain[-1] > 0:
        column = next((j for j in range(count) if gain[j] > 0), None)
        if column is None:
            return False
        limits = [
            (row[-1] / row[column], basis[i], i) for i, row in enumerate(table) if row[column] > 0
        ]
        _, _, i = min(limits)
        table[i] = [x / table[i][column] for x in table[i]]
        for other in [*(row for j, row in enumerate(table) if j != i), gain]:
            times = other[column]
            other[:] = [x - times * y for x, y in zip(other, table[i], strict=True)]
        basis[i] = column
    return True
