"""Terms that are taken off a count, and may take all that grows fastest: k·(n - k + 1) at n = k."""

from collections.abc import Iterator, Sequence
from itertools import permutations

from workings.cost.domination import AtMost, dominated, free_terms
from workings.formula.polynomial import Monomial, Polynomial, Sizes, monomial

FAR, NEAR = 10**6, 10**3  # sizes at which the count is held against the order claimed
OTHERS = 7
ROOT = 12  # the root of a size that a term is smaller by
TIMES = (1, 2, 3)  # one size is so many times another


def cancelling(
    count: Polynomial, bound: Polynomial, fixed: Sequence[str] = (), at_most: AtMost = ()
) -> str | None:
    """Where the count falls behind the bound, `n = k`; nothing if it may, but is not known where.

    None if what is taken off is always less than what grows fastest.
    """
    kept = free_terms(count, fixed)
    taken = [m for m in free_terms(-count, fixed) if m not in kept]
    if all(_is_below(m, kept, at_most) for m in taken):
        return None
    free = [symbol for symbol in count.symbols if symbol not in fixed]
    everything = list(dict.fromkeys([*count.symbols, *bound.symbols]))
    behind = (
        text for text, near, far in _rays(free, everything) if _falls(count, bound, near, far)
    )
    return next(behind, "")


def _is_below(term: Monomial, others: Sequence[Monomial], at_most: AtMost) -> bool:
    """Whether the term times a root of some size that grows is at most a multiple of the others."""
    symbols = {symbol for m in [term, *others] for symbol, _ in m}
    powers, *above = ({s: ROOT * power for s, power in m} for m in [term, *others])
    larger = [monomial(m.items()) for m in above]
    return any(
        dominated(monomial({**powers, s: powers.get(s, 0) + 1}.items()), larger, at_most)
        for s in sorted(symbols)
    )


def _rays(free: Sequence[str], everything: Sequence[str]) -> Iterator[tuple[str, Sizes, Sizes]]:
    """Sizes along which two symbols grow in proportion, near and far."""
    for larger, smaller in permutations(free, 2):
        for times in TIMES:
            near, far = (
                {**dict.fromkeys(everything, OTHERS), larger: times * size, smaller: size}
                for size in (NEAR, FAR)
            )
            yield f"{larger} = {times if times > 1 else ''}{smaller}", near, far


def _falls(count: Polynomial, bound: Polynomial, near: Sizes, far: Sizes) -> bool:
    """Whether the count is less of the bound far out than it is nearer."""
    is_one = bound(near) > 0 and bound(far) > 0
    return is_one and abs(count(far) / bound(far)) * 10 < abs(count(near) / bound(near))
