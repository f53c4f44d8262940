"""Repairing an equality claim: its wrong side searched for, then verified at draws not seen yet."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, permutations

from torch import Tensor

from workings.claims.compare import equal
from workings.claims.gradient import Point, variables
from workings.claims.judge import judge
from workings.claims.live import FRESH, Drawn, LiveClaim
from workings.claims.repair.derive import derived
from workings.claims.repair.edits import edits, with_entries, with_indices_swapped
from workings.claims.repair.entry_forms import by_entries
from workings.claims.repair.pool import differences, pool_of
from workings.claims.repair.search import Proposal, Search
from workings.claims.result import Repair
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.latex import latex, without_fonts

MOST_DRAWS = 4  # that are searched at
LONGEST_SECONDS = 1.5  # of this thread's work, for a formula with free indices


def repair_equality(live: LiveClaim, wrong: f.Node, drawn: Sequence[Drawn]) -> Repair | None:
    """A right formula near the wrong one, if it stands the test at draws it has not seen."""
    if live.free:
        return _repair_entries(live, wrong, drawn)
    searched = _searched(live, drawn)
    points = [each.point for each in searched]
    right = [_target(live, wrong, each.point, each.right) for each in searched]
    left = live.sides[0]
    pool = [node for node in pool_of(live.system) if not _is_same(node, left)]
    pool += differences(pool, lambda node: _shape(points[0], node))
    pool += _missing_links(live.sides[0], wrong)
    search = Search(wrong, points, right, pool)
    proposal = search.run()
    is_other = proposal is not None and not _is_same(proposal.formula, wrong)
    repair = _verified(live, proposal) if proposal and is_other else None
    return repair or _derived(live, points[0], search.tried)


def _derived(live: LiveClaim, point: Point, tried: int) -> Repair | None:
    """Where no formula nearby is right: the gradient as the chain rule gives it."""
    left = live.sides[0]
    formula = derived(left, point) if isinstance(left, f.Derivative) else None
    if formula is None:
        return None
    return _verified(live, Proposal(formula, "worked out by the chain rule", tried))


def _is_same(a: f.Node, b: f.Node) -> bool:
    """Whether two formulas are one: written alike, or two names of one state, v_T and v^{(t)}."""
    if isinstance(a, f.Reference) and isinstance(b, f.Reference):
        return a.name == b.name
    return without_fonts(latex(a)) == without_fonts(latex(b))


def _searched(live: LiveClaim, drawn: Sequence[Drawn]) -> list[Drawn]:
    """Some of the draws, of different sizes, whose kinks are no longer watched."""
    plain = [each for each in drawn if each.is_plain and not each.point.draw.style.flip]
    until = live.until_repaired
    points = [replace(each.point, trace=None, until=until) for each in plain]
    return [Drawn(point, each.right) for point, each in zip(points, plain, strict=True)][
        :MOST_DRAWS
    ]


def _verified(live: LiveClaim, proposal: Proposal) -> Repair | None:
    """The proposal as a repair, if its LaTeX, read again, holds at draws it has not seen."""
    if _is_same(proposal.formula, live.sides[0]):
        return None  # that a thing equals itself is no repair
    formula = f"{latex(live.sides[0])} = {latex(proposal.formula)}"
    try:
        again = live.read_again(formula)
        fresh = again.drawn(FRESH)
        if live.names.time:  # what is right for so many steps only is no repair
            fresh += again.drawn(FRESH[:1], more_steps=1)
        if judge(again, again.sides[-1], fresh)[0] is not Verdict.HOLDS:
            return None
    except (Undefined, WorkingsError):
        return None  # what cannot be read or computed again is not shown
    return Repair(formula, proposal.changes, proposal.candidates, verified_draws=len(fresh))


def _target(live: LiveClaim, wrong: f.Node, point: Point, value: Tensor) -> Tensor:
    """What is searched for: a gradient by a matrix as one row, where a chain of Jacobians is."""
    is_matrix = value.ndim == 2 and 1 not in value.shape
    if not (isinstance(live.sides[0], f.Derivative) and is_matrix and _derivatives(wrong)):
        return value
    try:
        claimed = point.value(wrong)
    except Undefined:
        return value
    return value.reshape(1, -1) if claimed.ndim == 2 and claimed.shape[0] == 1 else value


def _missing_links(left: f.Node, wrong: f.Node) -> list[f.Node]:
    """For a chain of derivatives: the link from what it ends with to what is asked."""
    if not isinstance(left, f.Derivative):
        return []
    links = [link.wrt for link in _derivatives(wrong) if isinstance(link.wrt, f.Reference)]
    return [f.Derivative(end, left.wrt) for end in links]


def _derivatives(node: f.Node) -> list[f.Derivative]:
    return [part for part in node.walk() if isinstance(part, f.Derivative)]


def _repair_entries(live: LiveClaim, wrong: f.Node, drawn: Sequence[Drawn]) -> Repair | None:
    """A formula with free indices, edited once, right at every value of them."""
    until = time.thread_time() + LONGEST_SECONDS
    tried = 0
    plain = _searched(live, drawn)
    swapped = with_indices_swapped(wrong, live.free)
    candidates = chain(edits(wrong), swapped, with_entries(wrong, entries_of(live, wrong)))
    for tried, (node, changes) in enumerate(candidates, start=1):
        if time.thread_time() > until:
            break
        try:
            right_so_far = all(equal(live.at_each(each.point, node), each.right) for each in plain)
            proposal = Proposal(node, changes, tried)
            if right_so_far and (repair := _verified(live, proposal)):
                return repair
        except (Undefined, WorkingsError, RuntimeError):
            continue  # a candidate without a value is no candidate
    names = [name for side in live.sides for name in variables(side)]
    formula = by_entries(live.sides[0], plain[0].point, names)
    return _verified(live, Proposal(formula, "written out", tried)) if formula else None


def entries_of(live: LiveClaim, wrong: f.Node) -> list[f.Node]:
    """The numbers that a formula with indices may be made of: λ, x_i, W_{ij}, W_{ji}."""
    bound = [node.variable for node in wrong.walk() if isinstance(node, f.Range)]
    indices = [f.Variable(name) for name in dict.fromkeys([*live.free, *bound])]
    found: list[f.Node] = []
    for node in pool_of(live.system):
        sides = live.names.shapes.get(node.name) if isinstance(node, f.Reference) else None
        if sides == ():
            found.append(node)
        elif sides is not None and 1 in map(_as_number, sides):
            found += [f.Index(node, (index,)) for index in indices]
        elif sides is not None:
            found += [f.Index(node, pair) for pair in permutations(indices, 2)]
    return found


def _as_number(side: object) -> int:
    return 1 if str(side).strip() == "1" else 0


def _shape(point: Point, node: f.Node) -> tuple[int, ...] | None:
    try:
        return tuple(point.value(node).shape) or None
    except (Undefined, WorkingsError):
        return None
