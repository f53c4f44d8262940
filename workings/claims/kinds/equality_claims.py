"""Equalities: each step of a = b = c, at draws on both sides of every kink, and a repair."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workings.claims.evidence import Evidence
from workings.claims.judge import NOTHING, judge
from workings.claims.kinds.earlier_steps import AT_THE_LAST_STEP, fails_at_earlier_steps
from workings.claims.repair.equality import repair_equality
from workings.claims.result import Outcome, Step
from workings.claims.system.branch_search import SEARCHED, draws_at_other_branches
from workings.claims.system.conventions import Conventions
from workings.claims.system.draws import MORE, PLAIN, UNUSUAL, Drawn, Plan
from workings.claims.system.gradient import Layout
from workings.claims.system.live import LiveClaim
from workings.claims.verdict import Verdict
from workings.formula import nodes as f
from workings.formula.printing.latex import latex, without_fonts

GLANCE: Plan = PLAIN[:2]  # enough to see whether a convention may be the one
BETTER = (
    Verdict.HOLDS, Verdict.UNDECIDED, Verdict.TRANSPOSED, Verdict.FLIPPED, Verdict.SCALED,
    Verdict.WRONG_VALUE, Verdict.WRONG_SHAPE, Verdict.UNDEFINED,
)  # fmt: skip
AS_ROW = "the derivative of a number by a column is a row"


@dataclass(frozen=True)
class Judged:
    """The verdicts on all steps of a chain, with derivatives in one layout."""

    live: LiveClaim
    drawn: Sequence[Drawn]
    steps: Sequence[tuple[Verdict, Evidence]]

    @property
    def departs(self) -> int | None:
        """The first step that does not hold."""
        wrong = (n for n, (each, _) in enumerate(self.steps) if each is not Verdict.HOLDS)
        return next(wrong, None)

    @property
    def verdict(self) -> Verdict:
        """Of the first step that departs, else of all."""
        return Verdict.HOLDS if self.departs is None else self.steps[self.departs][0]


def check_equality(live: LiveClaim, conventions: Conventions) -> Outcome:
    """The verdict on the last step, or on the first that departs."""
    if _restates_itself(live):
        why = "both sides are one and the same formula, so that nothing was checked"
        return Outcome(Verdict.TRIVIAL, Evidence(why=why))
    if _repeats_an_equation(live):
        why = "it is one of the equations, said again, so that nothing was checked"
        return Outcome(Verdict.TRIVIAL, Evidence(why=why))
    judged = _in_the_best_layout(live, conventions)
    never_taken = live.all_branches.never
    convention = _convention(judged, conventions)
    outcome = _outcome(judged, as_row=convention == AS_ROW)
    if outcome.verdict is Verdict.HOLDS and fails_at_earlier_steps(judged.live):
        return Outcome(Verdict.UNDECIDED, Evidence(why=AT_THE_LAST_STEP), None, outcome.steps)
    is_flat = not any(bool(each.right.any()) for each in judged.drawn)
    if outcome.verdict is Verdict.HOLDS and never_taken and is_flat:
        why = f"all is 0 at every draw, and none takes {never_taken[0]}"
        return Outcome(Verdict.UNDECIDED, Evidence(why=why, never_taken=never_taken))
    evidence = replace(
        outcome.evidence,
        never_taken=never_taken,
        convention=convention,
        restricted=_restricted(judged),
    )
    if outcome.verdict is Verdict.HOLDS and _contains_left(live):
        why = "the right side has the left one in it, so that nothing was checked"
        return Outcome(Verdict.TRIVIAL, Evidence(why=why))
    return replace(outcome, evidence=evidence)


def _restricted(judged: Judged) -> str:
    """At which draws it was not tried, in words."""
    said = []
    if judged.live.is_restricted:
        said.append("at draws where every inverse exists")
    if judged.live.hurries and judged.verdict is Verdict.HOLDS:
        said.append(f"at {len(judged.drawn)} draws only, because each takes long")
    return "; ".join(said)


def _outcome(judged: Judged, as_row: bool) -> Outcome:
    live, departs = judged.live, judged.departs
    steps: tuple[Step, ...] = ()
    if len(judged.steps) > 1:
        sides = zip(live.sides[1:], judged.steps, strict=True)
        steps = tuple(Step(latex(side), verdict) for side, (verdict, _) in sides)
    if departs is None:
        return Outcome(*judged.steps[-1], None, steps)
    verdict, evidence = judged.steps[departs]
    if as_row:
        return Outcome(Verdict.HOLDS, evidence)
    if steps:
        evidence = replace(evidence, departs_at_step=departs + 1, last_step=judged.steps[-1][0])
    if verdict is Verdict.UNDECIDED:
        return Outcome(verdict, evidence, None, steps)
    wrong = live.sides[1 + departs]
    return Outcome(
        verdict, evidence, None, steps, lambda: repair_equality(live, wrong, judged.drawn, _holds)
    )


def _restates_itself(live: LiveClaim) -> bool:
    """Whether all sides are written the same, or have the same derivatives in the same places.

    Two notations of one thing, |A| and det A, are read as the same formula too: that they are the
    same is a claim.
    """
    written = {without_fonts(latex(side)) for side in live.written.sides}
    read = {without_fonts(latex(side)) for side in live.sides}
    derives = any(isinstance(node, f.Derivative) for node in live.sides[0].walk())
    return len(written) == 1 or (len(read) == 1 and derives)


def _repeats_an_equation(live: LiveClaim) -> bool:
    """Whether a name is said to be what its own equation says."""
    left, *others = live.sides
    if not isinstance(left, f.Reference) or len(others) != 1:
        return False
    right = without_fonts(latex(others[0]))
    return any(
        equation.name == left.name and without_fonts(latex(equation.body)) == right
        for equation in live.system.equations
    )


def _contains_left(live: LiveClaim) -> bool:
    """Whether the derivative on the left is what every further side is made of."""
    left = live.sides[0]
    if not isinstance(left, f.Derivative):
        return False
    written = without_fonts(latex(left))
    return all(
        any(
            isinstance(node, f.Derivative) and without_fonts(latex(node)) == written
            for node in side.walk()
        )
        for side in live.sides[1:]
    )


def _in_the_best_layout(live: LiveClaim, conventions: Conventions) -> Judged:
    """The layout of the set's other claims if the claim holds in it, else where it is nearest."""
    live, first = _with_a_value(live)
    layouts = conventions.to_try(live.claim, live.sides, live.is_jacobian(first[0].point))
    glances: list[Judged] = []
    for layout in layouts:
        laid_out = live.in_layout(layout)
        drawn = first if layout is live.layout else laid_out.tried(GLANCE)[0]
        if drawn:
            glances.append(_at(laid_out, drawn))
    if len(glances) == 1:
        return _judged(glances[0])
    promising = [each for each in glances if each.verdict in (Verdict.HOLDS, Verdict.UNDECIDED)]
    judged = [_judged(each) for each in promising]
    right = [each for each in judged if each.verdict is Verdict.HOLDS]
    if not right:
        return _judged(min(glances, key=lambda each: BETTER.index(each.verdict)))
    if conventions.accept([each.live.layout for each in right]):
        return right[0]
    usual = [each for each in glances if each.live.layout in conventions.possible]
    return _unlike_the_others(right[0], min(usual, key=lambda each: BETTER.index(each.verdict)))


def _with_a_value(live: LiveClaim) -> tuple[LiveClaim, list[Drawn]]:
    """The claim in the first layout in which its left side has a value: w - η ∇L, in columns."""
    derives = any(isinstance(node, f.Derivative) for node in live.sides[0].walk())
    if derives and not live.claim.layout:
        for layout in (live.layout, Layout.GRADIENTS, Layout.COLUMNS):
            laid_out = live.in_layout(layout)
            if drawn := laid_out.tried(GLANCE)[0]:
                return laid_out, drawn
    return live, live.drawn(GLANCE)


def _unlike_the_others(right: Judged, usual: Judged) -> Judged:
    """A claim that is right in a layout in which the claims before it are not."""
    if usual.verdict is Verdict.TRANSPOSED:
        return _judged(usual)
    why = f"right if {right.live.layout.value}; in the set's other claims {usual.live.layout.value}"
    return replace(right, steps=[(Verdict.UNDECIDED, Evidence(why=why)) for _ in right.steps])


def _judged(glance: Judged) -> Judged:
    """At all draws that it takes: both sides of every kink, more where it is a close thing."""
    live = glance.live
    drawn = [*glance.drawn, *live.tried(PLAIN[len(GLANCE) :])[0]]
    judged = _at(live, drawn)
    if judged.verdict is Verdict.HOLDS and not live.hurries:
        drawn += live.tried(UNUSUAL)[0]
        judged = _at(live, drawn)
        if any(
            evidence.except_where for _, evidence in judged.steps
        ):  # by its size, or its values?
            judged = _at(live, [*drawn, *live.tried(SEARCHED[:12])[0]])
    judged = _judged_at_other_branches(judged)
    if judged.verdict is Verdict.UNDECIDED:
        judged = _at(live, [*judged.drawn, *live.tried(MORE)[0]])
    return judged


def _holds(live: LiveClaim, drawn: Sequence[Drawn]) -> bool:
    """Whether a repair is right at these draws, and where its kinks take their other sides."""
    judged = _at(live, drawn)
    return _judged_at_other_branches(judged).verdict is Verdict.HOLDS


def _at(live: LiveClaim, drawn: Sequence[Drawn]) -> Judged:
    return Judged(live, drawn, [judge(live, side, drawn) for side in live.sides[1:]])


def _judged_at_other_branches(judged: Judged) -> Judged:
    """At draws, too, that take a side of a kink, or two together, that none before has taken."""
    live, drawn = judged.live, list(judged.drawn)
    if judged.verdict is not Verdict.HOLDS:
        return judged
    for other in draws_at_other_branches(live):
        alone = _at(live, [other])
        if any(evidence.why == NOTHING for _, evidence in alone.steps):
            continue
        if alone.verdict is not Verdict.HOLDS:
            return _at(live, [other, *drawn])  # first, as one that hurries judges only some
        drawn.append(other)
    return judged if len(drawn) == len(judged.drawn) else _at(live, drawn)


def _convention(judged: Judged, conventions: Conventions) -> str:
    """By which convention it was decided, where another would have said otherwise."""
    live = judged.live
    left, point, right = live.sides[0], judged.drawn[0].point, judged.drawn[0].right
    if not isinstance(left, f.Derivative):
        inside = any(isinstance(node, f.Derivative) for side in live.sides for node in side.walk())
        return live.layout.value if inside and judged.verdict is Verdict.HOLDS else ""
    by_column = right.ndim == 2 and right.shape[1] == 1 and right.numel() > 1
    is_jacobian = live.is_jacobian(point)
    if live.claim.layout == "numerator" and by_column and not is_jacobian and not live.free:
        every = all(verdict is Verdict.TRANSPOSED for verdict, _ in judged.steps)
        return AS_ROW if every else ""
    in_question = len(conventions.to_try(live.claim, live.sides, is_jacobian)) > 1
    return live.layout.value if in_question and judged.verdict is Verdict.HOLDS else ""
