"""Leaks and questions of runs are told, each once, with the rows that have it."""

import json
from dataclasses import replace
from pathlib import Path

from tests.report.summaries import row, study
from workings.report.doubts import doubts
from workings.report.page import html


def test_a_doubt_is_told_once_with_its_rows(tmp_path: Path) -> None:
    about = {"format": 1, "leaks": ["12% of the test lines are training lines"]}
    (tmp_path / "run.json").write_text(json.dumps(about))
    good = row("good", [30.0, 31.0], questions=["it is <far> below every baseline"])
    plain = row("plain", [40.0])
    leaky = replace(plain, name="leaky", runs=[replace(plain.runs[0], folder=tmp_path)])
    both = study([good, plain, leaky])
    assert doubts(both) == [
        "good: it is <far> below every baseline",
        "leaky: 12% of the test lines are training lines",
    ]
    assert doubts(study([good])) == ["it is <far> below every baseline"]
    page = html(both)
    assert "it is &lt;far&gt; below every baseline" in page
    assert "12% of the test lines are training lines" in page
