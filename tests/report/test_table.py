"""The table: what stands in it, and its forms for a paper and a spreadsheet."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from workings.report.table import as_csv, cells, clock, columns, latex, lines, markdown
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
    found = lines(study(row("a", [100.0, 104.0], test_perplexity=101.0), row("b", [90.0, 92.0])))
    a, b = found
    assert a.figures["test.perplexity"].mean == 102
    assert a.figures["test.perplexity"].deviation == pytest.approx(8**0.5)
    assert (a.published, a.difference, a.verdict) == (101.0, 1.0, "agrees")
    assert (a.best, b.best) == (False, True)
    assert b.chance is None
    assert a.chance == pytest.approx(0.0577, abs=1e-3)  # d = 10, 12: t = 11, one degree of freedom
    assert (a.parameters, a.seconds) == (1234, 135.0)
    assert b.verdict == ""


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


def test_markdown_latex_and_csv() -> None:
    one = study(row("50% | a_b", [1.0, 2.0], test_perplexity=1.5))
    assert markdown(one).splitlines()[2].startswith("| 50% \\| a_b | 1.5000 ± 0.7071 |")
    made = latex(one)
    assert r"50\% | a\_b & 1.5000 $\pm$ 0.7071" in made
    assert made.startswith("\\begin{tabular}{lrrrrrr}\n\\toprule\n")
    read = list(csv.DictReader(io.StringIO(as_csv(one))))
    assert read[0]["row"] == "50% | a_b"
    assert float(read[0]["test.perplexity"]) == 1.5
    assert read[0]["verdict"] == "agrees"
    assert read[0]["runs"] == "2"


def test_clock() -> None:
    assert [clock(s) for s in (None, 1.24, 90, 7200)] == ["", "1.2 s", "1.5 min", "2.0 h"]
