"""Repairing an equality or a gradient: by search, else by derivation; verified at fresh draws."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from workings.claims.repair.derive import derived
from workings.claims.repair.entry_search import searched_entries
from workings.claims.repair.pool import differences, pool_of
from workings.claims.repair.search import CHAIN_RULE, Proposal, Search
from workings.claims.result import Repair
from workings.claims.system.draws import FRESH, Drawn
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.printing.latex import latex, without_fonts

MOST_DRAWS = 4  # that are searched at


Test = Callable[[LiveClaim, Sequence[Drawn]], bool]
"""whether a claim holds, at these draws and at those that take every side of its kinks"""


def repair_equality(
    live: LiveClaim, wrong: f.Node, drawn: Sequence[Drawn], holds: Test
) -> Repair | None:
    """A right formula near the wrong one, if it stands the test at draws it has not seen."""
    if live.free:
        proposals = searched_entries(live, wrong, _searched(live, drawn))
        verified = (_verified(live, proposal, holds) for proposal in proposals)
        return next((repair for repair in verified if repair), None)
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
    repair = _verified(live, proposal, holds) if proposal and is_other else None
    return repair or _derived(live, search, holds)


def _derived(live: LiveClaim, search: Search, holds: Test) -> Repair | None:
    """Where no formula nearby is right: the gradient as the chain rule gives it."""
    left = live.sides[0]
    formula = derived(left, search.points[0]) if isinstance(left, f.Derivative) else None
    if formula is None:
        return None
    forms = {latex(each): each for each in (search.plainest(formula), formula)}
    proposals = (Proposal(each, CHAIN_RULE, search.tried) for each in forms.values())
    verified = (_verified(live, proposal, holds) for proposal in proposals)
    return next((repair for repair in verified if repair), None)


def _is_same(a: f.Node, b: f.Node) -> bool:
    """Whether two formulas are one: written alike, or two names of one state, v_T and v^{(t)}."""
    if isinstance(a, f.Reference) and isinstance(b, f.Reference):
        return a.name == b.name
    return without_fonts(latex(a)) == without_fonts(latex(b))


def _is_its_slope(left: f.Node, formula: f.Node) -> bool:
    """Whether ∂f(x)/∂x is said to be f'(x)."""
    match left, formula:
        case f.Derivative(f.Call(name, (x,)), by), f.Call(other, (y,), primes=1):
            return name == other and _is_same(x, y) and _is_same(x, by)
    return False


def _searched(live: LiveClaim, drawn: Sequence[Drawn]) -> list[Drawn]:
    """Some of the draws, of different sizes, whose kinks are no longer watched."""
    plain = [each for each in drawn if each.is_plain and not each.point.draw.style.flip]
    until = live.until_repaired
    points = [replace(each.point, trace=None, until=until) for each in plain]
    return [Drawn(point, each.right) for point, each in zip(points, plain, strict=True)][
        :MOST_DRAWS
    ]


def _verified(live: LiveClaim, proposal: Proposal, holds: Test) -> Repair | None:
    """The proposal as a repair, if its LaTeX, read again, holds at draws it has not seen."""
    if _is_same(proposal.formula, live.sides[0]) or _is_its_slope(live.sides[0], proposal.formula):
        return None  # that a thing equals itself is no repair
    lefts = [latex(live.sides[0])]
    if isinstance(live.sides[0], f.Matrix) and "\\nabla" in live.claim.claim:
        lefts.insert(0, live.claim.claim.partition("=")[0].strip())  # ∇f(x, y), as it was written
    return next(
        (
            repair
            for left in lefts
            if (repair := _as_repair(live, proposal, f"{left} = {latex(proposal.formula)}", holds))
        ),
        None,
    )


def _as_repair(live: LiveClaim, proposal: Proposal, formula: str, holds: Test) -> Repair | None:
    try:
        again = live.read_again(formula)
        fresh = again.drawn(FRESH)
        if live.names.time:  # what is right for so many steps only is no repair
            fresh += again.drawn(FRESH[:1], more_steps=1)
        if not holds(again, fresh):
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


def _shape(point: Point, node: f.Node) -> tuple[int, ...] | None:
    try:
        return tuple(point.value(node).shape) or None
    except (Undefined, WorkingsError):
        return None
