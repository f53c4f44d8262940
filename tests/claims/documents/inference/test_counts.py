"""Whole numbers by their use: binomials and factorials of names that nothing declares."""

from pathlib import Path

import pytest

from tests.claims.documents.pages import checked


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (r"\binom{n}{2} = \frac{n(n-1)}{2}", True),
        (r"\binom{n}{2} = \frac{n(n+1)}{2}", False),
        (r"\binom{n}{k} = \binom{n-1}{k-1} + \binom{n}{k-1}", False),
        (r"\binom{m+n}{2} = \binom{m}{2} + \binom{n}{2} + mn", True),
        (r"\binom{m+n}{2} = \binom{m}{2} + \binom{n}{2}", False),
        (r"\binom{n+1}{2} = \binom{n}{2} + n", True),
        (r"\binom{n}{k} \le \frac{n^k}{k!}", True),
        (r"\binom{n}{k} \ge \frac{n^k}{k!}", False),
    ],
)
def test_names_in_a_binomial_are_whole_numbers(claim: str, holds: bool, tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, f"$${claim}$$\n").claims
    assert (str(finding.verdict) == "holds") == holds
    assert "no value" not in (finding.result.evidence.why if finding.result else "")
