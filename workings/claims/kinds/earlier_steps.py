"""What is said of a step t must be right at the steps before the last one, too."""

import copy
from dataclasses import replace

from workings.claims.judge import judge
from workings.claims.system.draws import PLAIN
from workings.claims.system.live import LiveClaim
from workings.formula import nodes as f
from workings.formula.resolution.scopes import LAST

AT_THE_LAST_STEP = (
    "right at the last step and not at the one before; write T for the last step, or add what "
    "comes from step t + 1"
)


def fails_at_earlier_steps(live: LiveClaim) -> bool:
    """Whether a claim about a step t, which holds at the last one, is wrong at the one before."""
    time, steps = live.names.time, live.system.steps - live.ahead - 1
    if not time or live.claim.at or steps < 1:
        return False
    if not any(_names_a_step(side, time) for side in live.sides):
        return False
    parts = [part for side in live.sides for part in side.walk()]
    if any(isinstance(part, f.Derivative) and part.only for part in parts) or any(
        isinstance(part, f.Variable) and part.name == LAST for part in parts
    ):
        return False  # at step t only, or where T is t: the last one
    of_the_last = (each for each in live.system.equations if each.name not in live.names.timed)
    if any(_names_a_step(each.body, time) for each in of_the_last):
        return False  # E = ‖h_t‖² is that of the last step
    earlier = copy.copy(live).unwatched()
    earlier.ahead = live.ahead + 1
    earlier.system = replace(live.system, last=frozenset())
    drawn, _ = earlier.tried(PLAIN[:1])
    verdicts = [judge(earlier, side, drawn)[0] for side in live.sides[1:]] if drawn else []
    return any(verdict.is_wrong for verdict in verdicts)


def _names_a_step(node: f.Node, time: str) -> bool:
    """Whether the step that is looked at stands in a formula, outside of sums over all steps."""
    ranges = [each for each in node.children() if isinstance(each, f.Range)]
    if any(each.variable == time for each in ranges):
        return False
    if isinstance(node, f.Reference) and node.step is not None:
        steps = node.step.walk()
        return any(isinstance(each, f.Variable) and each.name == time for each in steps)
    return any(_names_a_step(child, time) for child in node.children())
