"""Sizes of which each divides the next: d is a multiple of the heads h, and h of their groups g.

No box of such sizes can be filled by varying them one by one. Their quotients are free: the count
is recovered in g, h/g and d/h, and written in g, h and d.
"""

from collections import Counter as Counting
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations

from workings.cost.counts.samples import Counter, Counts, Key
from workings.cost.recovery.count_formula import CountFormula, Piece
from workings.cost.recovery.grid import STARTS, Grid
from workings.cost.recovery.recover import Recovered, recover
from workings.errors import WorkingsError
from workings.formula.polynomial import Polynomial, Sizes, monomial

Chain = tuple[str, str, str]  # each a multiple of the next


def recover_chain(
    count: Counter, symbols: Sequence[str], is_wanted: Callable[[Key], bool]
) -> Recovered | None:
    """The formulas, if there are three such sizes that the module takes."""
    start = dict.fromkeys(symbols, STARTS[0])
    for chain in permutations(symbols, 3):

        def in_quotients(sizes: Sizes, chain: Chain = chain) -> Counts:
            return count(_sizes(sizes, chain))

        try:
            found, _ = recover(in_quotients, [Grid(tuple(symbols), start)], is_wanted)
        except WorkingsError:
            continue
        formulas = {key: _formula(formula, chain) for key, formula in found.items()}
        d, h, g = chain
        return Recovered(formulas, Grid(tuple(symbols), start, ((d, h), (h, g))))
    return None


def _sizes(quotients: Sizes, chain: Chain) -> dict[str, int]:
    d, h, g = chain
    sizes = dict(quotients)
    sizes[h] *= sizes[g]
    sizes[d] *= sizes[h]
    return sizes


def _formula(formula: CountFormula, chain: Chain) -> CountFormula:
    """One polynomial in the sizes themselves; numbers alone where that would not say all."""
    d, h, g = chain
    values = tuple((_sizes(sizes, chain), value) for sizes, value in formula.values)
    # A quotient of one is two sizes that are equal.
    equal = {h: (h, g), d: (d, h)}
    alone = [next(iter(case)) for case in formula.fails if len(case) == 1]
    is_plain = formula.kind == "exact" and not formula.since and not formula.alike
    if not is_plain or len(alone) < len(formula.fails):
        reason = formula.reason or "no formula in sizes that divide each other"
        return CountFormula((), reason=reason, values=values)
    return CountFormula(
        (Piece((), _in_sizes(formula.pieces[0].polynomial, chain)),),
        formula.fitted,
        tuple(_sizes(sizes, chain) for sizes in formula.proven),
        fails=tuple({symbol: 1} for symbol in alone if symbol not in equal),
        alike=tuple(equal[symbol] for symbol in alone if symbol in equal),
    )


def _in_sizes(polynomial: Polynomial, chain: Chain) -> Polynomial:
    """With h/g for h and d/h for d."""
    by = dict(pairwise(chain))
    terms = {}
    for term, coefficient in polynomial.terms.items():
        powers: Counting[str] = Counting(dict(term))
        for name, exponent in term:
            if name in by:
                powers[by[name]] -= exponent
        terms[monomial(powers.items())] = coefficient
    return Polynomial(terms, polynomial.order)
