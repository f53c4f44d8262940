"""A claimed count of what a module does, against the formula that was found for it."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from workings.cost.check_count import EXACT, HOLDS, WRONG, Claimed, Count
from workings.cost.formulas import CostFormulas
from workings.cost.recovery.count_formula import Uncounted
from workings.cost.recovery.reach import LADDER, TOGETHER
from workings.formula.polynomial import Sizes


def check_formula(
    claimed: Claimed, cost: CostFormulas, quantity: str, numbers: Iterable[int] = ()
) -> Count:
    """The claim at sizes at which the formula was seen, large ones too; a difference is recounted.

    numbers: those that the claim itself names, at and beside which it is tried as well.
    """
    counted = cost[quantity]
    if not counted.pieces:
        raise Uncounted(f"the count has no formula to hold a claim against: {counted.reason}")
    for sizes in [*counted.proven, *_large(cost, counted.proven, numbers)]:
        value, says = counted(sizes), Fraction(claimed(sizes))
        if value is None or value == says or max(abs(says), value) > EXACT:
            continue
        if (actual := cost.at(**sizes)[quantity]) != says:
            return Count(WRONG, str(counted), example=(sizes, says, actual))
    if not counted.departures:
        return Count(HOLDS, str(counted))
    where = " or ".join(f"from {sizes} on" for sizes in counted.departures)
    for symbol, size in {**counted.departs, **counted.departs_together}.items():
        others = {**counted.departs_with.get(symbol, {}), **counted.departs_together}
        sizes = {**counted.proven[0], **others, symbol: size}
        says, actual = Fraction(claimed(sizes)), cost.at(**sizes)[quantity]
        if says != actual:
            return Count(WRONG, str(counted), convention=f"but {where} the count is another")
    raise Uncounted(f"{where} the count is not {counted}, and no formula was found for it there")


def _large(
    cost: CostFormulas, proven: tuple[Sizes, ...], numbers: Iterable[int]
) -> Iterator[Sizes]:
    """Sizes up to those at which the module was counted, one of them large, then all."""
    numbers = list(numbers)
    for base in proven[:1]:
        for symbol, furthest in cost.tried.items():
            for size in sorted({*LADDER, *numbers, *(number + 1 for number in numbers)}):
                if 1 <= size <= furthest:
                    yield _fitted(cost, {**base, symbol: size})
        for size in (n for n in TOGETHER if n <= cost.tried_together):
            yield _fitted(cost, {**base, **dict.fromkeys(cost.tried, size)})


def _fitted(cost: CostFormulas, sizes: Sizes) -> Sizes:
    """The same, rounded up to sizes that the module accepts."""
    fitted = dict(sizes)
    spec = cost.spec
    units = {s: (unit, 0) for s, unit in spec.units.items()} | dict(spec.residues)
    for symbol, (unit, residue) in units.items():
        fitted[symbol] += (residue - fitted[symbol]) % unit
    for multiple, divisor in spec.multiples or ():
        fitted[multiple] += -fitted[multiple] % fitted[divisor]
    return fitted
