"""Which terms of a count dominate others as the sizes grow, each by itself.

For sizes from 1 on, a term x^a is at most a constant times q = Σ x^b exactly if some weighted mean
of the b's is at least a in every power: then x^a ≤ Π x^(λ_b b) ≤ q. Whether there is such a mean is
a small linear program, solved exactly.
"""

from collections.abc import Sequence
from fractions import Fraction

from workings.formula.polynomial import Monomial, Polynomial, monomial

AtMost = Sequence[tuple[str, str]]  # (d, h): h is at most d, as where h divides d


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
