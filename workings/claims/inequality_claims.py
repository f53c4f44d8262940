"""Inequalities, and for which numbers a statement holds: by counterexample."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from workings.claims.compare import HOLDS, UNDEFINED, WRONG_VALUE, equal
from workings.claims.equations import Draw
from workings.claims.gradient import Point
from workings.claims.repair.edits import edits
from workings.claims.repair.search import Repair
from workings.errors import WorkingsError, nearest
from workings.formula import nodes as f
from workings.formula.evaluate import Budget
from workings.formula.functions import Undefined, shape

if TYPE_CHECKING:
    from workings.claims.formula_claims import FormulaCheck

DRAWS = 120
MOST_ENTRIES = 1_000_000  # of all draws together
SCALES = (1.0, 0.2, 4.0)
SLACK = 1e-9
OPPOSITE = {"≤": "≥", "≥": "≤", "<": ">", ">": "<"}


def check_inequality(check: "FormulaCheck") -> tuple[str, dict[str, Any], Repair | None]:
    """Held at every draw (which is no proof), or refuted by one."""
    points = list(_points(check))
    pairs = zip(check.sides[:-1], check.written.relations, check.sides[1:], strict=True)
    for left, relation, right in pairs:
        try:
            against = _counterexample(check, left, relation, right, points)
        except Undefined as error:
            return UNDEFINED, {"why": str(error)}, None
        if against is not None:
            values, sizes = against
            evidence = {"counterexample": values, "sizes": sizes, "draws": len(points)}
            repair = _repair(check, left, relation, right, points)
            return WRONG_VALUE, evidence, repair if len(check.sides) == 2 else None
    return HOLDS, {"draws": len(points), "proof": "no counterexample was found"}, None


def _points(check: "FormulaCheck") -> Iterator[Point]:
    """Draws at several scales: an inequality may hold for small values only."""
    entries = sum(value.numel() for value in check.point(1).draw.leaves.values())
    for seed in range(1, max(3, min(DRAWS, MOST_ENTRIES // max(1, entries))) + 1):
        Budget(until=check.until).check()
        scale = SCALES[seed % len(SCALES)]
        point = check.point(seed)
        symbols = check.system.symbols
        leaves = {
            name: value * scale if not symbols[name.partition("@")[0]].kinds else value
            for name, value in point.draw.leaves.items()
            if name.partition("@")[0] in symbols
        }
        draw = Draw(point.draw.sizes, {**point.draw.leaves, **leaves})
        yield Point(point.system, draw, indices=dict(point.indices), until=check.until)


def _counterexample(
    check: "FormulaCheck", left: f.Node, relation: str, right: f.Node, points: Sequence[Point]
) -> tuple[dict[str, float], dict[str, int]] | None:
    for point in points:
        a, b = check.at_each(point, left), check.at_each(point, right)
        if a.shape != b.shape and 1 not in (a.numel(), b.numel()):
            raise Undefined(f"{shape(a)} {relation} {shape(b)}")
        a, b = torch.broadcast_tensors(a, b)
        gap = (a - b) if relation in "≤<" else (b - a)
        worst = int(gap.argmax())
        size = max(1.0, float(a.abs().max()), float(b.abs().max()))
        over = float(gap.reshape(-1)[worst])
        if over > SLACK * size or (relation in "<>" and over >= 0):
            both = {
                "left": float(a.reshape(-1)[worst]),
                "right": float(b.reshape(-1)[worst]),
            }
            return both, dict(point.draw.sizes)
    return None


def _repair(
    check: "FormulaCheck", left: f.Node, relation: str, right: f.Node, points: Sequence[Point]
) -> Repair | None:
    """A right side one edit away for which no counterexample is found."""
    for tried, (node, what) in enumerate(edits(right), start=1):
        try:
            if _counterexample(check, left, relation, node, points) is None:
                return Repair(node, what, tried)
        except (Undefined, WorkingsError, RuntimeError):
            continue
    return None


# For which values of a number something holds

Test = Callable[[float], bool]
DOMAINS: dict[str, Test] = {
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


def check_domain(check: "FormulaCheck") -> tuple[str, dict[str, Any], str | None]:
    """Whether an equality holds for just the numbers that are claimed; else for which."""
    match = re.fullmatch(r"\s*(\S+)\s*:\s*(.+?)\s*", check.claim.domain)
    known = check.system.symbols
    if match is None or match[1] not in known or known[match[1]].sides:
        raise WorkingsError(
            f"{check.title}: domain = {check.claim.domain!r}: a declared number and where it lies "
            'was expected, as in "b: integer"'
        )
    name, domain = match[1], match[2]
    domain = domain if domain in DOMAINS else domain.removeprefix("any ")
    if domain not in DOMAINS:
        hint = nearest(domain, DOMAINS) or f" (known: {', '.join(DOMAINS)})"
        raise WorkingsError(f"{check.title}: domain {domain!r} is not known{hint}")
    holds = {value: _holds_at(check, name, value) for value in SAMPLES}
    wrong = [value for value in SAMPLES if DOMAINS[domain](value) and not holds[value]]
    beyond = [value for value in SAMPLES if not DOMAINS[domain](value) and holds[value]]
    evidence = {
        "fails_at": [f"{name} = {value:g}" for value in wrong],
        "holds_beyond_at": [f"{name} = {value:g}" for value in beyond],
    }
    exact = [word for word, test in DOMAINS.items() if all(test(x) == holds[x] for x in SAMPLES)]
    verdict = WRONG_VALUE if wrong else HOLDS
    if not wrong and not beyond:
        return verdict, {"values_tried": len(SAMPLES)}, None
    return verdict, evidence, f"any {name} that is {exact[0]}" if exact else None


def _holds_at(check: "FormulaCheck", name: str, value: float) -> bool:
    point = check.point(1)
    leaves = {**point.draw.leaves, name: torch.tensor(value, dtype=torch.float64)}
    try:
        there = Point(point.system, replace(point.draw, leaves=leaves), indices=point.indices)
        values: list[Tensor] = [check.at_each(there, side) for side in check.sides]
    except (Undefined, WorkingsError):
        return False
    finite = all(torch.isfinite(each).all() for each in values)
    return finite and all(equal(each, values[0]) for each in values[1:])
