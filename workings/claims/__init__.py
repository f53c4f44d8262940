"""Claims: statements about an architecture, checked against the live one.

From the text to the verdict: `sets` (what is written) → `declare` (names, symbols, equations) →
`live` (values at random draws; `equations`, `gradient`) → `equality_claims`, `inequality_claims`,
`shape_claims`, `domain_claims`, `number_claims`, `string_claims` → `result` (verdict, evidence,
repair). `repair/` mends what is wrong; `book/` holds the shipped statements. `workings.check` is
the front door.
"""

from workings.claims.assertion import assert_gradient
from workings.claims.check import check_book, check_set
from workings.claims.evidence import Evidence
from workings.claims.result import Repair, Report, Result, Step
from workings.claims.sets import Claim, ClaimSet
from workings.claims.verdict import Verdict

__all__ = [
    "Claim",
    "ClaimSet",
    "Evidence",
    "Repair",
    "Report",
    "Result",
    "Step",
    "Verdict",
    "assert_gradient",
    "check_book",
    "check_set",
]
