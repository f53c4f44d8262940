"""The table: the figures, the best row and the p-values that stand in it."""

from pathlib import Path
from typing import Any

import pytest

from workings.report.table import cells, clock, columns, lines
from workings.study.file import StudyFile
from workings.study.summary import RowSummary, RunSummary, StudySummary


def row(name: str, values: list[float | None], **published: float) -> RowSummary:
    runs = [
        RunSummary(
            Path(name),
            seed,
            "finished" if value is not None else "failed",
            "" if value is not None else "it broke",
            result=None
            if value is None
            else {
                "metrics": {"test.perplexity": value, "valid.perplexity": value + 1},
                "parameters": 1234,
                "seconds": 90.0 * seed,
            },
        )
        for seed, value in enumerate(values, start=1)
    ]
    return RowSummary(name, {}, {k.replace("_", "."): v for k, v in published.items()}, "", runs)


def study(*rows: RowSummary, **changes: Any) -> StudySummary:
    file = StudyFile.model_validate(
        {"title": "t", "base": "language", "metric": "test.perplexity", "row": [{}]} | changes
    )
    return StudySummary("t", file, list(rows), lower_is_better=True)


def test_lines() -> None:
    first = row("a", [100.0, 104.0, 105.0], test_perplexity=101.0)
    a, b = lines(study(first, row("b", [90.0, 92.0, 93.0])))
    assert a.figures["test.perplexity"].mean == 103
    assert a.figures["test.perplexity"].deviation == pytest.approx(7**0.5)
    assert (a.published, a.difference, a.verdict) == (101.0, 2.0, "agrees")
    assert (a.best, b.best) == ("", "best by validation")
    assert b.test is None
    # d = 10, 12, 12: t = 17 with two degrees of freedom
    assert a.p_value == pytest.approx(0.003442, abs=1e-6)
    assert a.test
    assert a.test.seeds == 3
    assert (a.parameters, a.seconds) == (1234, 180.0)
    assert b.verdict == ""


def test_a_p_value_names_its_seeds_and_is_not_given_for_two() -> None:
    three, two = row("b", [90.0, 92.0, 93.0]), row("a", [100.0, 104.0])
    table = study(three, row("c", [95.0, 98.0, 99.5]), two)
    at = columns(table).index("p, against the best")
    assert [line[at] for line in cells(table)] == [
        "best by validation",
        "0.006 (3 seeds)",
        "not given (2 seeds)",
    ]


def test_without_a_p_value_the_best_row_is_still_marked() -> None:
    table = study(row("a", [3.0]), row("b", [2.0]))
    at = columns(table).index("best")
    assert [line[at] for line in cells(table)] == ["", "by validation"]


def test_a_column_that_no_row_fills_is_left_out() -> None:
    assert columns(study(row("a", [1.5]))) == ["row", "test perplexity", "parameters", "time"]
    assert cells(study(row("a", [1.5]))) == [["a", "1.5000", "1,234", "1.5 min"]]
    full = study(row("a", [100.0, None], test_perplexity=120.0), also=["valid.perplexity"])
    assert columns(full) == [
        "row",
        "test perplexity",
        "published",
        "difference",
        "verdict",
        "valid perplexity",
        "parameters",
        "time",
        "state",
    ]
    assert cells(full)[0][:6] == ["a", "100.00", "120.00", "-20.00", "better", "101.00"]
    assert cells(full)[0][-1] == "1 of 2 failed"
    assert lines(full)[0].errors == ["it broke"]


def test_other_metrics_stand_beside_what_was_published_of_them() -> None:
    one = study(
        row("a", [100.0], valid_perplexity=99.5), row("b", [3.0]), also=["valid.perplexity"]
    )
    at = columns(one).index("valid perplexity (published)")
    assert [line[at] for line in cells(one)] == ["101.00 (99.50)", "4.00"]


def test_a_row_that_never_finished() -> None:
    found = lines(study(row("a", [None]), row("b", [2.0])))
    assert found[0].figures == {}
    assert found[0].state == "failed"
    assert not any(line.best for line in found)  # one measured row is not the best of several


def test_clock() -> None:
    assert [clock(s) for s in (None, 1.24, 90, 7200)] == ["", "1.2 s", "1.5 min", "2.0 h"]
