"""Checking a formula claim: by its relation, against the live equations."""

import time
from dataclasses import replace

from workings.claims.conventions import Conventions
from workings.claims.declare import Reader
from workings.claims.domain_claims import check_domain
from workings.claims.equality_claims import check_equality
from workings.claims.equations import System
from workings.claims.inequality_claims import check_inequality
from workings.claims.live import SEED, LiveClaim
from workings.claims.reading import reading
from workings.claims.remainder_claims import check_remainder
from workings.claims.result import Outcome, Result
from workings.claims.sets import Claim
from workings.claims.shape_claims import check_shape
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula.budget import now
from workings.formula.readings import readings_of


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
    outcome = _check(live, conventions)
    if not outcome.verdict.holds and outcome.verdict is not Verdict.TRIVIAL:
        outcome = _in_another_reading(live, system, conventions) or outcome
    if repair and outcome.verdict.is_wrong and outcome.find_repair and now() < live.until:
        outcome = replace(outcome, repair=outcome.find_repair())
    outcome = replace(outcome, find_repair=None)
    return Result(
        **vars(outcome),
        name=live.title,
        source=claim.source,
        statement=claim.statement or claim.claim,
        formula=claim.claim,
        reading=reading(live),
        seconds=time.monotonic() - start,
    )


def _in_another_reading(
    live: LiveClaim, system: System, conventions: Conventions
) -> Outcome | None:
    """Where a text can be read in several ways, that in which the claim holds; it says so."""
    if not set(live.written.relations) <= {"=", "≈"}:
        return None
    for other in readings_of(live.written, live.claim.claim, live.names)[1:]:
        names = replace(system.names, flipped=other.names.flipped)
        named = replace(system, names=names)
        again = LiveClaim(live.reader, named, live.claim, live.seed)
        outcome = _check(again, conventions)
        if outcome.verdict.holds:
            return replace(outcome, evidence=replace(outcome.evidence, why="; ".join(other.notes)))
    return None


def _check(live: LiveClaim, conventions: Conventions) -> Outcome:
    relations = set(live.written.relations)
    if live.claim.domain:
        return check_domain(live)
    if live.claim.remainder:
        return check_remainder(live)
    if relations and relations <= {"=", "≈"}:
        return check_equality(live, conventions)
    if relations and relations <= {"<", ">", "≤", "≥"}:
        return check_inequality(live)
    if relations == {"∈"}:
        return check_shape(live)
    signs = " ".join(live.written.relations) or "no relation"
    raise WorkingsError(f"{live.title}: a claim is an =, ≤, ≥ or \\in; found {signs}")
