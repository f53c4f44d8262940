"""Equalities: each step of a = b = c against its left side, and a repair where one departs."""

from dataclasses import replace

from workings.claims.judge import judge
from workings.claims.live import LiveClaim
from workings.claims.repair.equality import repair_equality
from workings.claims.result import Outcome, Step
from workings.claims.verdict import Verdict
from workings.formula.latex import latex

DRAWS = 3


def check_equality(live: LiveClaim) -> Outcome:
    """The verdict on the last step, or on the first that departs."""
    drawn = live.points(1, DRAWS)
    judged = [judge(live, side, drawn) for side in live.sides[1:]]
    departs = next((n for n, (each, _) in enumerate(judged) if each is not Verdict.HOLDS), None)
    steps: tuple[Step, ...] = ()
    if len(judged) > 1:
        sides = zip(live.sides[1:], judged, strict=True)
        steps = tuple(Step(latex(side), verdict) for side, (verdict, _) in sides)
    if departs is None:
        verdict, evidence = judged[-1]
        return Outcome(verdict, evidence, None, steps)
    verdict, evidence = judged[departs]
    if steps:
        evidence = replace(evidence, departs_at_step=departs + 1, last_step=judged[-1][0])
    return Outcome(verdict, evidence, repair_equality(live, live.sides[1 + departs], drawn), steps)
