"""A row's figures are medians and peaks, and sides that differ are not compared."""

import pytest

from workings.bench import rows
from workings.bench.sides import Turn
from workings.errors import WorkingsError


def test_a_row_compares_the_rounds_that_both_sides_had() -> None:
    ours, theirs = [Turn(1.0, 5.0), Turn(2.0, 7.0), Turn(9.0, 6.0)], [Turn(4.0, 50.0)] * 2
    assert rows.row("x", ours, theirs) == {
        "name": "x",
        "ratio": 3.0,
        "ours_seconds": 2.0,
        "theirs_seconds": 4.0,
    }
    assert rows.peaks(ours, theirs) == {"ours_peak_bytes": 7.0, "theirs_peak_bytes": 50.0}


@pytest.mark.parametrize(
    "difference", [{"loss": 0.0, "gradient": 1.0}, {"loss": 1.0, "gradient": 0.0}]
)
def test_sides_that_differ_are_refused(difference: rows.Difference) -> None:
    with pytest.raises(WorkingsError, match="the two sides do not compute the same"):
        rows.require_same({"same": {"loss": 0.0, "gradient": 0.0}, "x": difference})
