"""Checking a formula claim: by its relation, against the live equations."""

import time
from collections.abc import Iterator
from dataclasses import replace

from workings.claims.evidence import Evidence
from workings.claims.kinds.domain_claims import check_domain
from workings.claims.kinds.equality_claims import BETTER, check_equality
from workings.claims.kinds.exact_claims import decided_exactly
from workings.claims.kinds.inequality_claims import check_inequality
from workings.claims.kinds.remainder_claims import check_remainder
from workings.claims.kinds.shape_claims import check_shape
from workings.claims.reading import reading
from workings.claims.result import Outcome, Result
from workings.claims.sets import Claim
from workings.claims.system.conventions import Conventions
from workings.claims.system.declare import Reader
from workings.claims.system.equations import System
from workings.claims.system.live import SEED, LiveClaim, Undecided
from workings.claims.system.structured import other_conventions
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.evaluation.budget import now
from workings.formula.resolution.readings import readings_of

ONLY_IN_GRADIENTS = frozenset({"norm2"})
"""‖W‖_2 is Frobenius's norm in many a loss; in identities and bounds it is the spectral one"""


def check_formula(
    reader: Reader,
    system: System,
    claim: Claim,
    seed: int = SEED,
    conventions: Conventions | None = None,
    repair: bool = True,
) -> Result:
    """The verdict on one formula claim of a set, and a repair if it is wrong and one is wanted."""
    start = time.monotonic()
    live = LiveClaim(reader, system, claim, seed)
    conventions = conventions or Conventions()
    outcome, read = _in_the_best_reading(live, system, conventions)
    if repair and outcome.verdict.is_wrong and outcome.find_repair and now() < live.until:
        outcome = replace(outcome, repair=outcome.find_repair())
    outcome = replace(outcome, find_repair=None)
    return Result(
        **vars(outcome),
        name=live.title,
        source=claim.source,
        statement=claim.statement or claim.claim,
        formula=claim.claim,
        reading=reading(read),
        seconds=time.monotonic() - start,
    )


def _in_the_best_reading(
    live: LiveClaim, system: System, conventions: Conventions
) -> tuple[Outcome, LiveClaim]:
    """In the likeliest reading; where it does not hold there, in one in which it does, and says so.

    With the claim as it was read. A reading in which a side has no value is none: log A entry by
    entry, where A is negative. One whose value is not computed leaves it open: √A of a matrix.
    """
    undecided: Undecided | None = None
    outcome: Outcome | None = None
    try:
        outcome = _check(live, conventions)
    except Undecided as error:
        undecided = error
    if outcome and (outcome.verdict.holds or outcome.verdict is Verdict.TRIVIAL):
        return outcome, live
    read = live
    for again, other in _in_other_readings(live, system, conventions):
        if other.verdict.holds:
            why = "; ".join(again.notes)
            return replace(other, evidence=replace(other.evidence, why=why)), again
        if outcome is None or BETTER.index(other.verdict) < BETTER.index(outcome.verdict):
            outcome, read = other, again
    if outcome and (held := _by_a_structured_matrix(live, conventions)):
        return held, live
    if outcome is None or (undecided and live.is_uncomputed and outcome.verdict.is_wrong):
        raise undecided or Undecided(f"{live.title}: no reading has a value")
    return outcome, read


def _in_other_readings(
    live: LiveClaim, system: System, conventions: Conventions
) -> Iterator[tuple[LiveClaim, Outcome]]:
    """The outcome in each of the less likely readings, with the claim so read."""
    relations = set(live.written.relations)
    derives = any(isinstance(node, f.Derivative) for side in live.sides for node in side.walk())
    kept = frozenset() if derives and relations <= {"=", "≈"} else ONLY_IN_GRADIENTS
    elsewhere = {key for equation in live.system.equations for key in equation.alternatives}
    for other in readings_of(live.written, live.claim.claim, live.names, elsewhere)[1:]:
        flipped = other.names.flipped
        if flipped & (kept - elsewhere):
            continue
        named = replace(system, names=replace(system.names, flipped=flipped))
        try:
            if flipped & elsewhere:
                named = live.reader.system(flipped)
            again = LiveClaim(live.reader, named, live.claim, live.seed)
            again.until = live.until
        except WorkingsError:
            continue
        try:
            outcome = _check(again, conventions)
        except Undecided as error:
            if not again.is_uncomputed:
                continue
            why = str(error).removeprefix(f"{again.title}: ")
            outcome = Outcome(Verdict.UNDECIDED, Evidence(why=why))
        except WorkingsError:
            continue
        if outcome.verdict in BETTER:
            yield again, outcome


def _by_a_structured_matrix(live: LiveClaim, conventions: Conventions) -> Outcome | None:
    """The outcome in another convention of such derivatives, where the claim holds in one."""
    if live.free:
        return None
    for convention in other_conventions(live.sides[0], live.system):
        again = replace(live, by_structure=convention)
        outcome = _check(again, conventions)
        if outcome.verdict is Verdict.HOLDS:
            return replace(outcome, evidence=replace(outcome.evidence, why=convention.value))
    return None


def _check(live: LiveClaim, conventions: Conventions) -> Outcome:
    relations = set(live.written.relations)
    if live.claim.domain:
        return check_domain(live)
    if live.claim.remainder:
        return check_remainder(live)
    if relations and relations <= {"=", "≈"}:
        return decided_exactly(check_equality(live, conventions), live)
    if relations and relations <= {"<", ">", "≤", "≥"}:
        return decided_exactly(check_inequality(live), live)
    if relations == {"∈"}:
        return check_shape(live)
    signs = " ".join(live.written.relations) or "no relation"
    raise WorkingsError(f"{live.title}: a claim is an =, ≤, ≥ or \\in; found {signs}")
