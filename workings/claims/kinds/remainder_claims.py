r"""Approximations: a ≈ b, whose difference goes to 0 with a number as fast as is claimed.

As in \exp(s) ≈ 1 + s with the remainder s^2. The number is halved a few times at random draws of
all else; what the difference falls by at each halving is the order.
"""

import math
import re
from dataclasses import dataclass, replace

import torch

from workings.claims.evidence import Evidence
from workings.claims.result import Outcome, Repair
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError

DRAWS = 3
HALVINGS = range(5, 10)  # s = 1/32 … 1/512: small enough for an order, far from rounding
LARGEST_ORDER = 5  # a higher one vanishes in rounding before it can be measured
SHOWN = (1.0, 0.25, 0.0625)  # values of the number at which the difference is told
SURE = 0.25  # how far a measured order may be from a whole number
_POWER = re.compile(r"\s*(\\?[A-Za-z]\w*)\s*(?:\^\s*\{?\s*(\d+)\s*\}?)?\s*")


@dataclass(frozen=True)
class Remainder:
    """The difference of the two sides at one draw, relative to the left one."""

    order: float
    """the power of the number with which it falls"""
    differences: tuple[float, ...]
    """the difference at each of SHOWN"""


def check_remainder(live: LiveClaim) -> Outcome:
    """Whether the difference falls as fast as claimed: just so, faster, or more slowly."""
    name, claimed = _claimed(live)
    measured = [_measured(live, live.point(seed), name) for seed in range(1, 1 + DRAWS)]
    slowest = min(each.order for each in measured)
    order = round(slowest)
    largest = [max(each) for each in zip(*(m.differences for m in measured), strict=True)]
    shown = ", ".join(
        f"{each:.1g} at {name} = {at:g}" for each, at in zip(largest, SHOWN, strict=True)
    )
    why = f"the difference falls as {name}^{slowest:.2f}; it is up to {shown}"
    evidence = Evidence(why=why, draws=DRAWS)
    if abs(slowest - order) > SURE:
        return Outcome(Verdict.UNDECIDED, evidence)
    if order == claimed:
        return Outcome(Verdict.TIGHT, evidence)
    verdict = Verdict.LOOSE if order > claimed else Verdict.SMALL
    return Outcome(verdict, evidence, Repair(f"{name}^{order}", "the order that was measured"))


def _claimed(live: LiveClaim) -> tuple[str, int]:
    text = live.claim.remainder
    match = _POWER.fullmatch(text)
    if match is None or tuple(live.written.relations) != ("≈",):
        raise WorkingsError(
            f"{live.title}: remainder {text!r}: a power was expected, as in s^3, for a claim a ≈ b"
        )
    name, order = match[1], int(match[2] or 1)
    symbol = live.system.symbols.get(name)
    if symbol is None or symbol.sides:
        raise WorkingsError(f"{live.title}: remainder {text!r}: {name} is no declared number")
    if not 1 <= order <= LARGEST_ORDER:
        raise WorkingsError(
            f"{live.title}: remainder {text!r}: the order is 1 to {LARGEST_ORDER}, which can be "
            "measured"
        )
    return name, order


def _measured(live: LiveClaim, point: Point, name: str) -> Remainder:
    small = [_difference(live, point, name, 2.0**-power) for power in HALVINGS]
    if min(small) == 0:
        raise WorkingsError(f"{live.title}: both sides are equal; claim a = b")
    order = math.log2(small[0] / small[-1]) / (len(small) - 1)
    return Remainder(order, tuple(_difference(live, point, name, at) for at in SHOWN))


def _difference(live: LiveClaim, point: Point, name: str, number: float) -> float:
    """The largest difference of any entry, relative to the largest entry on the left."""
    leaves = {**point.draw.leaves, name: torch.tensor(number, dtype=torch.float64)}
    moved = replace(point, draw=replace(point.draw, leaves=leaves), seen={})
    left, right = (live.at_each(moved, side) for side in live.sides)
    if left.shape != right.shape:
        raise WorkingsError(f"{live.title}: {left.shape} ≈ {right.shape}: two shapes")
    return float((left - right).abs().max() / left.abs().max())
