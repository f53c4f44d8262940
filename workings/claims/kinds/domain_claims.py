"""For which values of a number an equality holds: `domain = "b: integer"` beside a claim."""

import re
from collections.abc import Callable
from dataclasses import replace

import torch

from workings.claims.compare import equal
from workings.claims.evidence import Evidence
from workings.claims.result import Outcome, Repair
from workings.claims.system.live import LiveClaim
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError, nearest
from workings.formula.errors import Undefined

DOMAINS: dict[str, Callable[[float], bool]] = {
    "any number": lambda x: True,
    "not zero": lambda x: x != 0,
    "positive": lambda x: x > 0,
    "positive and not 1": lambda x: x > 0 and x != 1,
    "above 1": lambda x: x > 1,
    "integer": lambda x: x == int(x),
    "positive integer": lambda x: x == int(x) and x > 0,
    "integer above 1": lambda x: x == int(x) and x > 1,
}
SAMPLES = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.718281828, 3.0, 7.3, 10.0)


def check_domain(live: LiveClaim) -> Outcome:
    """Whether an equality holds for just the numbers that are claimed; else for which."""
    name, domain = _read(live)
    is_claimed = DOMAINS[domain]
    holds = {value: _holds_at(live, name, value) for value in SAMPLES}
    fails = [value for value in SAMPLES if is_claimed(value) and not holds[value]]
    beyond = [value for value in SAMPLES if not is_claimed(value) and holds[value]]
    if not fails and not beyond:
        return Outcome(Verdict.HOLDS, Evidence(values_tried=len(SAMPLES)))
    evidence = Evidence(
        fails_at=tuple(f"{name} = {value:g}" for value in fails),
        holds_beyond_at=tuple(f"{name} = {value:g}" for value in beyond),
    )
    exact = [word for word, test in DOMAINS.items() if all(test(x) == holds[x] for x in SAMPLES)]
    repair = Repair(f"any {name} that is {exact[0]}", "for which numbers") if exact else None
    return Outcome(Verdict.WRONG_VALUE if fails else Verdict.HOLDS, evidence, repair)


def _read(live: LiveClaim) -> tuple[str, str]:
    """The number, and where it is claimed to lie."""
    match = re.fullmatch(r"\s*(\S+)\s*:\s*(.+?)\s*", live.claim.domain)
    known = live.system.symbols
    if match is None or match[1] not in known or known[match[1]].sides:
        raise WorkingsError(
            f"{live.title}: domain = {live.claim.domain!r}: a declared number and where it lies "
            'was expected, as in "b: integer"'
        )
    domain = match[2] if match[2] in DOMAINS else match[2].removeprefix("any ")
    if domain not in DOMAINS:
        hint = nearest(domain, DOMAINS) or f" (known: {', '.join(DOMAINS)})"
        raise WorkingsError(f"{live.title}: domain {domain!r} is not known{hint}")
    return match[1], domain


def _holds_at(live: LiveClaim, name: str, value: float) -> bool:
    point = live.point(1)
    leaves = {**point.draw.leaves, name: torch.tensor(value, dtype=torch.float64)}
    try:
        moved = replace(point, draw=replace(point.draw, leaves=leaves), seen={})
        values = [live.at_each(moved, side) for side in live.sides]
    except (Undefined, WorkingsError):
        return False
    finite = all(torch.isfinite(each).all() for each in values)
    return finite and all(equal(each, values[0]) for each in values[1:])
