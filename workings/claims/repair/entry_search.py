"""The search for a right formula by entries: one edit, another index, an entry more, or derived."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations

from workings.claims.compare import equal, factor, name_factor
from workings.claims.repair.constants import scaled_by
from workings.claims.repair.derive import derived
from workings.claims.repair.edits import edits, everywhere
from workings.claims.repair.entry_edits import (
    with_entries,
    with_entry_inside,
    with_indices_swapped,
    with_other_indices,
)
from workings.claims.repair.entry_forms import by_entries
from workings.claims.repair.function_edits import Edit
from workings.claims.repair.pool import pool_of
from workings.claims.repair.search import CHAIN_RULE, Proposal
from workings.claims.system.draws import Drawn
from workings.claims.system.gradient import Point, variables
from workings.claims.system.live import LiveClaim
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.budget import at_most

LONGEST_SECONDS = 2.0  # of this thread's work


def searched_entries(live: LiveClaim, wrong: f.Node, drawn: Sequence[Drawn]) -> Iterator[Proposal]:
    """Formulas with free indices that are right at every value of them, the nearest first."""
    until = at_most(time.thread_time() + LONGEST_SECONDS)
    entries = entries_of(live, wrong)
    deltas = [f.Call("delta", pair) for pair in _pairs(live.free)]
    candidates = chain(
        _scaled(live, wrong, drawn),
        edits(wrong),
        with_indices_swapped(wrong, live.free),
        with_other_indices(wrong, live.free),
        everywhere(wrong, lambda node: _delta_for_one(node, deltas)),
        with_entries(wrong, [*entries, *deltas]),
        with_entry_inside(wrong, [*entries, *deltas]),
    )
    tried = 0
    for tried, (node, changes) in enumerate(candidates, start=1):
        if time.thread_time() > until:
            break
        try:
            if all(equal(live.at_each(each.point, node), each.right) for each in drawn):
                yield Proposal(node, changes, tried)
        except (Undefined, WorkingsError, RuntimeError):
            continue  # a candidate without a value is no candidate
    for formula, how in _worked_out(live, drawn[0].point):
        yield Proposal(formula, how, tried)


def _pairs(free: Sequence[str]) -> list[tuple[f.Node, ...]]:
    return [
        (f.Variable(first), f.Variable(second)) for first, second in combinations(sorted(free), 2)
    ]


def _scaled(live: LiveClaim, wrong: f.Node, drawn: Sequence[Drawn]) -> Iterator[Edit]:
    """The formula times a constant, if that is all it needs."""
    try:
        numbers = [factor(live.at_each(each.point, wrong), each.right) for each in drawn]
    except (Undefined, WorkingsError, RuntimeError):
        return
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return
    name = name_factor(known, [dict(each.point.draw.sizes) for each in drawn])
    if name and name != "1":
        scaled, said = scaled_by(wrong, name)
        yield scaled, "; ".join(said)


def _delta_for_one(node: f.Node, deltas: Sequence[f.Node]) -> Iterator[Edit]:
    """δ_{ij} for a 1."""
    if isinstance(node, f.Number) and node.value == 1:
        yield from ((delta, "δ in place of 1") for delta in deltas)


def _worked_out(live: LiveClaim, point: Point) -> Iterator[tuple[f.Node, str]]:
    """An entry of a product written out as its sum; an entry of a gradient by the chain rule."""
    left = live.sides[0]
    names = [name for side in live.sides for name in variables(side)]
    if isinstance(left, f.Derivative):
        if not isinstance(left.wrt, f.Index) or variables(left.of):
            return
        gradient = derived(f.Derivative(left.of, left.wrt.body), point)
        if gradient is None:
            return
        whole = f.Index(gradient, left.wrt.indices)
        formula = by_entries(whole, point, names)
        if formula is not None:
            yield formula, CHAIN_RULE
        yield whole, CHAIN_RULE
    elif (formula := by_entries(left, point, names)) is not None:
        yield formula, "written out"


def entries_of(live: LiveClaim, wrong: f.Node) -> list[f.Node]:
    """The numbers that a formula with indices may be made of: λ, x_i, W_{ij}, W_{ji}."""
    bound = [node.variable for node in wrong.walk() if isinstance(node, f.Range)]
    indices = [f.Variable(name) for name in dict.fromkeys([*live.free, *bound])]
    entries: list[f.Node] = []
    for node in pool_of(live.system):
        sides = live.names.shapes.get(node.name) if isinstance(node, f.Reference) else None
        if sides == ():
            entries.append(node)
        elif sides is not None and "1" in map(str.strip, sides):
            entries += [f.Index(node, (index,)) for index in indices]
        elif sides is not None:
            entries += [f.Index(node, pair) for pair in permutations(indices, 2)]
    return entries
