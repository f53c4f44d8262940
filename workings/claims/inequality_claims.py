"""Inequalities: held at every draw, which is no proof, or refuted by a counterexample."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from workings.claims.evidence import Evidence
from workings.claims.gradient import Point
from workings.claims.live import LiveClaim
from workings.claims.repair.edits import edits
from workings.claims.result import Outcome, Repair
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluate import Budget
from workings.formula.functions import shape
from workings.formula.latex import latex

DRAWS = 120
FRESH_SEED = 1000
MOST_ENTRIES = 1_000_000  # of all draws together
SCALES = (1.0, 0.2, 4.0)
SLACK = 1e-9
IN_LATEX = {"≤": r"\le", "≥": r"\ge"}


def check_inequality(live: LiveClaim) -> Outcome:
    """The verdict on a ≤ b, or on each relation of a chain of them."""
    points = list(_points(live, 1))
    pairs = zip(live.sides[:-1], live.written.relations, live.sides[1:], strict=True)
    for left, relation, right in pairs:
        try:
            counterexample = _counterexample(live, left, relation, right, points)
        except Undefined as error:
            return Outcome(Verdict.UNDEFINED, Evidence(why=str(error)))
        if counterexample is not None:
            repair = _repair(live, points) if len(live.sides) == 2 else None
            evidence = replace(counterexample, draws=len(points))
            return Outcome(Verdict.WRONG_VALUE, evidence, repair)
    proof = "no counterexample was found"
    return Outcome(Verdict.HOLDS, Evidence(draws=len(points), proof=proof))


def _points(live: LiveClaim, first_seed: int) -> Iterator[Point]:
    """Draws at several scales: an inequality may hold for small values only."""
    entries = sum(value.numel() for value in live.point(1).draw.leaves.values())
    count = max(3, min(DRAWS, MOST_ENTRIES // max(1, entries)))
    for seed in range(first_seed, first_seed + count):
        Budget(until=live.until).check()
        scale = SCALES[seed % len(SCALES)]
        point = live.point(seed)
        symbols = live.system.symbols
        leaves = {
            name: value * scale if not symbols[name.partition("@")[0]].kinds else value
            for name, value in point.draw.leaves.items()
            if name.partition("@")[0] in symbols
        }
        draw = replace(point.draw, leaves={**point.draw.leaves, **leaves})
        yield Point(point.system, draw, indices=dict(point.indices), until=live.until)


def _counterexample(
    live: LiveClaim, left: f.Node, relation: str, right: f.Node, points: Sequence[Point]
) -> Evidence | None:
    for point in points:
        a, b = live.at_each(point, left), live.at_each(point, right)
        if a.shape != b.shape and 1 not in (a.numel(), b.numel()):
            raise Undefined(f"{shape(a)} {relation} {shape(b)}")
        a, b = torch.broadcast_tensors(a, b)
        gap = (a - b) if relation in "≤<" else (b - a)
        worst = int(gap.argmax())
        size = max(1.0, float(a.abs().max()), float(b.abs().max()))
        excess = float(gap.reshape(-1)[worst])
        if excess > SLACK * size or (relation in "<>" and excess >= 0):
            values = {"left": float(a.reshape(-1)[worst]), "right": float(b.reshape(-1)[worst])}
            return Evidence(counterexample=values, sizes=dict(point.draw.sizes))
    return None


def _repair(live: LiveClaim, points: Sequence[Point]) -> Repair | None:
    """A right side one edit away for which no counterexample is found, at fresh draws either."""
    (left, right), (relation,) = live.sides, live.written.relations
    fresh: list[Point] = []
    for tried, (node, changes) in enumerate(edits(right), start=1):
        try:
            if _counterexample(live, left, relation, node, points) is not None:
                continue
            fresh = fresh or list(_points(live, FRESH_SEED))
            if _counterexample(live, left, relation, node, fresh) is None:
                formula = f"{latex(left)} {IN_LATEX.get(relation, relation)} {latex(node)}"
                return Repair(formula, changes, tried, verified_draws=len(fresh))
        except (Undefined, WorkingsError, RuntimeError):
            continue  # a candidate without a value is no candidate
    return None
