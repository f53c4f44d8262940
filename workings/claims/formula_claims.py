"""Checking a formula claim: by its relation, against the live equations."""

import time

from workings.claims.declare import Reader
from workings.claims.domain_claims import check_domain
from workings.claims.equality_claims import check_equality
from workings.claims.equations import System
from workings.claims.inequality_claims import check_inequality
from workings.claims.live import LiveClaim
from workings.claims.remainder_claims import check_remainder
from workings.claims.result import Outcome, Result
from workings.claims.sets import Claim
from workings.claims.shape_claims import check_shape
from workings.errors import WorkingsError


def check_formula(reader: Reader, system: System, claim: Claim) -> Result:
    """The verdict on one formula claim of a set."""
    start = time.monotonic()
    live = LiveClaim(reader, system, claim)
    outcome = _check(live)
    return Result(
        **vars(outcome),
        name=live.title,
        source=claim.source,
        statement=claim.statement or claim.claim,
        formula=claim.claim,
        seconds=time.monotonic() - start,
    )


def _check(live: LiveClaim) -> Outcome:
    relations = set(live.written.relations)
    if live.claim.domain:
        return check_domain(live)
    if live.claim.remainder:
        return check_remainder(live)
    if relations and relations <= {"=", "≈"}:
        return check_equality(live)
    if relations and relations <= {"<", ">", "≤", "≥"}:
        return check_inequality(live)
    if relations == {"∈"}:
        return check_shape(live)
    signs = " ".join(live.written.relations) or "no relation"
    raise WorkingsError(f"{live.title}: a claim is an =, ≤, ≥ or \\in; found {signs}")
