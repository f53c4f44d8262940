"""Draws that take the sides of kinks which those before them have not taken."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import torch

from workings.claims.system.branches import Branches
from workings.claims.system.draws import Drawn, Plan
from workings.claims.system.equations import EVEN, Style
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.claims.system.symbols import PRIMES
from workings.errors import WorkingsError
from workings.formula.errors import Undefined
from workings.formula.evaluation.budget import now

MOST_BRANCHES = 12  # draws that are judged for the sides of kinks they take
STYLES = (
    Style(), Style(EVEN), Style(scale=2.0), Style(decades=0.5), Style(), Style(EVEN, scale=0.3),
    Style(scale=4.0), Style(decades=1), Style(scale=60.0), Style(EVEN, scale=200.0),
)  # fmt: skip
SEARCHED: Plan = tuple((200 + number, STYLES[number % len(STYLES)]) for number in range(60))
"""draws that are looked at for the sides of kinks that the first ones have not taken"""
FAR: Plan = tuple(
    (300 + number, Style((PRIMES, EVEN)[number % 2], scale=10.0 ** (3 + number // 4 % 4)))
    for number in range(32)
)
"""draws that are looked at where a side was not taken at all: that of x - 5000 above 0"""
MOST_FLAT = 3  # draws at which all is 0 whose neighbours are looked at, for each side they take
SECONDS = 4.0  # of this thread's work, after the time at which a claim should hurry
FACTORS = (0.1, -1.0, -0.1, 0.01, -0.01, 10.0)
"""what one symbol after the other is multiplied by, so that something is left behind a flat side"""


def draws_at_other_branches(live: LiveClaim) -> Iterator[Drawn]:
    """Draws that take what none has taken; each is judged before the next one is looked for.

    A draw at which all is 0 says nothing of a side that it takes: clip(c min(z, 6), -1, 1) is flat
    where c is not small. There one symbol after the other is made smaller, larger or negative.
    """
    useful = 0
    flat: Counter[str] = Counter()
    for number, style in (*SEARCHED, *FAR):
        if style.scale >= FAR[0][1].scale and not live.all_branches.never:
            return
        missing = _missing(live)
        late = _is_late(live) and not live.all_branches.never
        if not missing or useful >= MOST_BRANCHES or late:
            return
        point = _point(live, number, style)
        other = _drawn(live, point) if point is not None else None
        if point is None or other is None:
            continue
        yield other
        useful += _missing(live) < missing
        behind = [] if other.right.any() else _taken_only_flat(live, point)
        if any(flat[side] < MOST_FLAT for side in behind):
            flat.update(behind)
            yield from _neighbours(live, point)


def _is_late(live: LiveClaim) -> bool:
    return now() > live.hurries_from + SECONDS


def _taken_only_flat(live: LiveClaim, point: Point) -> list[str]:
    """The sides that this draw takes and that were never taken where something is not 0."""
    trace = point.trace.not_taken if isinstance(point.trace, Branches) else {}
    seen = live.branches.not_taken
    return [side for kink in trace for side in seen.get(kink, set()) - trace[kink]]


def _neighbours(live: LiveClaim, point: Point) -> Iterator[Drawn]:
    """Draws near one at which all is 0, at which something is not, behind a side not seen so."""
    for name, value in point.draw.leaves.items():
        symbol = live.system.symbols.get(name.partition("@")[0])
        if symbol is None or not symbol.is_scalable:
            continue
        for factor in FACTORS:
            if (factor < 0 and not symbol.is_signed) or _is_late(live):
                continue
            leaves = {**point.draw.leaves, name: value * factor}
            try:
                moved = replace(
                    point, draw=replace(point.draw, leaves=leaves), trace=Branches(), seen={}
                )
            except (Undefined, WorkingsError):
                continue
            other = _drawn(live, moved)
            if other is not None and (other.right.any() or _claims_something(live, moved)):
                yield other


def _claims_something(live: LiveClaim, point: Point) -> bool:
    """Whether a side of the claim is not 0 there."""
    return any(bool(live.at_each(point, side).any()) for side in live.sides[1:])


def _missing(live: LiveClaim) -> int:
    return live.branches.missing + live.all_branches.missing


def _point(live: LiveClaim, number: int, style: Style) -> Point | None:
    try:
        return live.point(number, style)
    except (Undefined, WorkingsError):
        return None


def _drawn(live: LiveClaim, point: Point) -> Drawn | None:
    """The point as a draw, if it takes what none has taken and everything has a value there."""
    try:
        for side in live.sides:
            live.at_each(point, side)
        trace = point.trace
        if not isinstance(trace, Branches):
            return None
        if not (live.branches.lacks(trace) or live.all_branches.lacks(trace)):
            return None
        right = live.right(point)
    except (Undefined, WorkingsError):
        return None
    return Drawn(point, right) if torch.isfinite(right).all() else None
