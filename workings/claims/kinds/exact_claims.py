"""Claims about numbers alone, by fractions or to 200 digits: float64 would not tell some apart."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from workings.claims.evidence import Evidence
from workings.claims.result import Outcome
from workings.claims.system.live import LiveClaim
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.enclosure import DIGITS, Interval, enclosure, is_narrow, shown
from workings.formula.exact import NotExact, exact

_OPEN = (Verdict.HOLDS, Verdict.UNDECIDED)
_RIGHT = (Verdict.HOLDS, Verdict.TRIVIAL)
_BELOW = {"<": "<", "≤": "<", ">": ">", "≥": ">"}


def decided_exactly(outcome: Outcome, live: LiveClaim) -> Outcome:
    """The outcome, corrected where all sides are numbers and rounding hid what they are."""
    relations = set(live.written.relations)
    if relations == {"="}:
        fractions = _fractions(live)
        if fractions:
            return _by_fractions(outcome, fractions)
        if any(_is_rounded(side) for side in live.sides):
            return outcome
    if (relations == {"="} or relations <= _BELOW.keys()) and (values := _enclosures(live)):
        return _by_bounds(outcome, values, live.written.relations)
    return outcome


def _by_fractions(outcome: Outcome, values: Sequence[Fraction]) -> Outcome:
    first = values[0]
    departs = next((at for at, value in enumerate(values) if value != first), None)
    if departs is None:
        evidence = Evidence(largest_relative_error=0.0)
        return outcome if outcome.verdict in _RIGHT else Outcome(Verdict.HOLDS, evidence)
    if outcome.verdict not in _OPEN:
        return outcome
    why = f"claimed {_shown(values[departs])}, right {_shown(first)}"
    error = float(abs(values[departs] - first) / max(abs(first), Fraction(1)))
    return _wrong(outcome, why, error, departs if len(values) > 2 else None)


def _by_bounds(outcome: Outcome, values: Sequence[Interval], relations: Sequence[str]) -> Outcome:
    """By bounds of each side: those that do not meet are different numbers, in this order."""
    open_, proven = False, True
    for at, relation in enumerate(relations):
        left, right = values[0 if relation == "=" else at], values[at + 1]
        is_less, is_more = (left < right) is True, (left > right) is True
        differ = is_less or is_more
        if differ and (relation == "=" or (_BELOW[relation] == "<") != is_less):
            if outcome.verdict not in _OPEN:
                return outcome
            gap = abs(left - right)
            why = f"computed to {DIGITS} digits, the sides differ by {shown(gap)}"
            error = float((gap / (1 + abs(left))).mid)
            return _wrong(outcome, why, error, at + 1 if len(values) > 2 else None)
        open_ = open_ or (relation != "=" and not differ)
        proven = proven and is_narrow(left) and is_narrow(right)
    if open_ or not proven or outcome.verdict in _RIGHT:
        return outcome
    return Outcome(Verdict.HOLDS, Evidence(why=f"computed to {DIGITS} digits"))


def _wrong(outcome: Outcome, why: str, error: float, departs: int | None) -> Outcome:
    evidence = replace(
        outcome.evidence,
        why=why,
        largest_relative_error=error,
        claimed=None,
        right=None,
        departs_at_step=departs,
    )
    return replace(outcome, verdict=Verdict.WRONG_VALUE, evidence=evidence)


def _fractions(live: LiveClaim) -> list[Fraction]:
    """The exact values of all sides; none where one has a name or no exact value."""
    try:
        values = [exact(side, {}) for side in live.sides]
    except (NotExact, KeyError, ZeroDivisionError):
        return []
    return [value for value in values if isinstance(value, Fraction)]


def _enclosures(live: LiveClaim) -> list[Interval]:
    """Bounds of all sides; none where one is not of numbers alone."""
    try:
        return [enclosure(side) for side in live.sides]
    except NotExact:
        return []


def _is_rounded(side: f.Node) -> bool:
    """A decimal fraction alone: \\ln 2 = 0.6931471805599453 is right to the digits that it has."""
    match side.body if isinstance(side, f.Negative) else side:
        case f.Number(value):
            return value.denominator != 1
        case f.Quotient(f.Number(), f.Number(value)):
            return value > 1 and not str(value).strip("0").removeprefix("1")
    return False


def _shown(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else str(value)
