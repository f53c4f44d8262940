"""A claim in one reading, without looking for a repair: does it hold, has it a value at all?"""

from collections.abc import Mapping

from workings.claims.documents.deciding.readings import Readings, Shapes
from workings.claims.kinds.formula_claims import check_formula
from workings.claims.result import Result
from workings.claims.system.declare import Reader
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.formula.errors import Undefined

NO_VERDICT = (Verdict.NOT_READ, Verdict.UNDECIDED, Verdict.TRIVIAL)
UNFIT = (Verdict.UNDEFINED, Verdict.NOT_READ)
MOST_KEPT = 2_000
_KNOWN: dict[str, Result] = {}
"""verdicts by the text of their set: sections share claims, and a claim is glanced at often"""


def with_sense(claim: Readings, readings: list[Shapes]) -> Shapes | None:
    """A reading in which the claim has a value, where it has none in the first one.

    Where a column that nobody declared fits nowhere and a row does, it is a row; a vector does not
    become a number, and what was declared stays as it is.
    """
    first, *others = readings
    if all(name in claim.declared for name in first):
        return None
    for other in others:
        alike = all(bool(other.get(name)) == bool(sizes) for name, sizes in first.items())
        result = glance(claim, other) if alike else None
        if result is not None and result.verdict not in UNFIT:
            return other
    return None


def holds(claim: Readings, shapes: Shapes, with_targets: bool = False) -> bool:
    """Whether a claim holds in a reading."""
    result = glance(claim, shapes, with_targets=with_targets)
    return result is not None and result.holds


def glance(
    claim: Readings,
    shapes: Shapes,
    kinds: Mapping[str, str] | None = None,
    with_targets: bool = False,
) -> Result | None:
    """The verdict in a reading, without a repair; None where there is none."""
    try:
        claim_set = claim.claim_set(shapes, with_targets, kinds)
        text = claim_set.model_dump_json()
        if text not in _KNOWN:
            reader = Reader(claim_set)
            result = check_formula(reader, reader.system(), claim_set.claims[0], repair=False)
            if len(_KNOWN) >= MOST_KEPT:
                _KNOWN.clear()
            _KNOWN[text] = result
        return _KNOWN[text]
    except (WorkingsError, Undefined):
        return None


def is_wrong(result: Result) -> bool:
    """Whether a claim is not true as it is read."""
    return not result.holds and result.verdict not in NO_VERDICT
