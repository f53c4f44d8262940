"""The report: every figure of the table is on the page, no name or state can break it."""

import errno
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.report.summaries import HOSTILE, NOWHERE, data, row, run, study
from workings.errors import WorkingsError
from workings.report import figures, page, samples
from workings.report import write as report
from workings.report.table import cells
from workings.run import train
from workings.run.folder.run_folder import RunFolder
from workings.study.file import StudyFile
from workings.study.summary import ClaimSummary, RowSummary, RunSummary, StudySummary


class Page(HTMLParser):
    """The page as a browser takes it apart: its tags, its text, its chart definitions."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.scripts, self.inside = "", [], ""
        self.feed(text)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts.append(data)
        elif not self.inside:
            self.text += data + " "

    @property
    def charts(self) -> list[dict[str, Any]]:
        found = [script for script in self.scripts if script.startswith("[{")]
        return json.loads(found[0]) if found else []


@pytest.fixture(autouse=True)
def _small_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws the charts is a megabyte of others' code; the browser's test has the real one."""
    monkeypatch.setattr(page, "bundle", lambda: "window.vegaEmbed = null;")


def of(summary: StudySummary) -> Page:
    return Page(report.html(summary))


THREE = [
    row("rnn", [10.0, 11.0, 12.0], published=11.1),
    row("lstm", [8.0, 9.5, 9.8], published=12.0),
    row("gru", [9.0, 9.0, 9.1]),
]


def test_everything_of_the_table_is_on_the_page() -> None:
    found = of(study(THREE, file={"tolerance": 0.02, "notes": "Read this."}))
    for cell in (cell for line in cells(study(THREE)) for cell in line):
        assert cell in found.text or cell == "by validation, on test"
    assert "gru best by validation" in found.text
    for said in ("Gates", "Does a gate help?", "✓ agrees", "▲ better", "within 2%", "Read this."):
        assert said in found.text
    assert "Published in: Smith (2020)." in found.text
    assert "Student's paired t-test" in found.text
    assert "perplexity: lower is better" in found.text


def test_sections_are_in_order() -> None:
    text = of(study(THREE, command="workings study gates")).text
    heads = ["Gates", "Does a gate", "Results", "Learning curves", "Measured against published"]
    heads += ["To repeat it", "workings study gates", "Settings", "Seeds", "Data", "Environment"]
    places = [text.index(head) for head in heads]
    assert places == sorted(places)


def test_what_was_narrowed_is_said() -> None:
    text = of(study(THREE, narrowed=["2 of 3 rows: rnn, lstm"])).text
    assert "Narrowed: this is not the whole study, but 2 of 3 rows: rnn, lstm." in text
    assert "Narrowed" not in of(study(THREE)).text


def test_the_page_needs_nothing_else() -> None:
    html = report.html(study(THREE))
    for tag, attributes in Page(html).tags:
        for name in ("src", "href", "srcset", "action", "data"):
            address = attributes.get(name) or ""
            assert address.startswith(("#", "data:")) or not address, (tag, address)
    outside_scripts = re.sub(r"<script.*?</script>", "", html, flags=re.S)
    assert not re.search(r"url\(|@import|https?:(?!//www\.w3\.org/)", outside_scripts)


def test_names_cannot_break_the_page() -> None:
    rows = [row(name, [10.0 + n, 11.0 + n], published=10.0) for n, name in enumerate(HOSTILE)]
    rows.append(
        RowSummary(HOSTILE[0] * 2, {}, {}, "", [RunSummary(NOWHERE, 1, "failed", HOSTILE[1])])
    )
    title = {"title": HOSTILE[0], "question": HOSTILE[1], "notes": HOSTILE[6]}
    found = of(study(rows, file=title, narrowed=HOSTILE, command=HOSTILE[0]))
    assert "{{ 7 * 7 }}" in found.text
    assert "alert(1)" in found.text
    assert not any("alert(1)" in script for script in found.scripts if not script.startswith("[{"))
    assert [tag for tag, _ in found.tags].count("b") == 0
    named = {point["row"] for chart in found.charts for point in data(chart)}
    assert named == set(HOSTILE)


def test_every_chart_has_its_place() -> None:
    found = of(study(THREE))
    places = [a["data-chart"] for _, a in found.tags if "data-chart" in a]
    assert places == [str(number) for number in range(len(found.charts))]
    assert len(places) == 3  # two curves, one of published figures; all cost the same


@pytest.mark.parametrize(
    ("run_of", "said"),
    [
        (RunSummary(NOWHERE, 1, "waiting"), "waiting"),
        (RunSummary(NOWHERE, 1, "failed", "the model does not fit"), "the model does not fit"),
        (RunSummary(NOWHERE, 1, "finished", result={}), "No run has a point to draw"),
        (
            RunSummary(NOWHERE, 1, "finished", result={"metrics": {"test.perplexity": None}}),
            "Gates",
        ),
        (run(1, None, []), "stopped"),
        (run(1, None, [9.0]), "stopped"),
        (run(1, None, [None, None]), "No run has a point to draw"),
        (run(1, 7.0, [None, 8.0, None, 7.0]), "7.00"),
        (run(1, 7.0, [7.0]), "7.00"),
        (run(1, 7.0, [], details=7, baselines=[], environment="x", data=None), "7.00"),
        (run(1, float("nan"), [float("nan"), float("inf")]), "No row has a finished run yet"),
    ],
)
@pytest.mark.parametrize("others", [0, 2])
def test_any_state_of_a_run_has_a_page(run_of: RunSummary, said: str, others: int) -> None:
    rows = [RowSummary("odd", {}, {"test.perplexity": 7.0}, "", [run_of]), *THREE[:others]]
    found = of(study(rows))
    if not others or "No " not in said:
        assert said in found.text
    assert "odd" in found.text
    assert ("8.00" in found.text) is False
    json.dumps(found.charts, allow_nan=False)


def test_a_study_without_rows_has_a_page() -> None:
    assert "nothing in this study yet" in of(study([], file={"row": [{"name": "a"}]})).text


def test_parts_have_sections_and_a_list_of_them() -> None:
    claims = [
        {"name": "dE", "statement": "a < b", "verdict": "wrong value", "source": "000"}
        | {"repair": {"formula": "b < a", "changes": "turned round"}},
        {"name": "dF", "statement": "c", "verdict": "holds", "repair": None},
    ]
    file = {"title": "Tour", "base": "", "metric": "", "plot": [], "row": [], "parts": ["a", "b"]}
    parts = [study(THREE, file={"title": "First & best"}), study(THREE[:1], file={"title": "<i>"})]
    found = of(
        study(
            [],
            file=file,
            parts=parts,
            claims=[ClaimSummary.read(claim) for claim in claims],
            command="workings study tour",
        )
    )
    anchors = [a["href"] for tag, a in found.tags if tag == "a"]
    ids = {a["id"] for _, a in found.tags if "id" in a}
    assert [anchor[1:] for anchor in anchors if anchor] == ["study-1", "study-2", "claims"]
    assert {"study-1", "study-2", "claims"} <= ids
    assert "2 studies, finished" in found.text
    assert "Of 2 statements checked, 1 hold; 1 of the others come with a repair." in found.text
    for said in ("First & best", "a < b", "✗ wrong value", "b < a", "turned round", "✓ holds"):
        assert said in found.text


def test_what_repeats_the_whole_is_said_once() -> None:
    file = {"title": "Tour", "base": "", "metric": "", "plot": [], "row": [], "parts": ["a", "b"]}
    parts = [study(THREE, command="workings study tour"), study(THREE, command="workings study b")]
    text = of(study([], file=file, parts=parts, command="workings study tour")).text
    assert text.count("workings study tour") == text.count("workings study b") == 1


def test_a_picture_of_blocks_keeps_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["▀▀ ██\n█   █", "a text\nof two lines"]
    shown = [samples.Sample("rnn", 1, lines=lines)]
    monkeypatch.setattr(page, "samples", lambda study: shown)
    html = report.html(study(THREE))
    assert '<pre class="drawn">▀▀ ██\n█   █</pre>' in html
    assert "<blockquote>a text\nof two lines</blockquote>" in html


def test_a_broken_chart_leaves_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(study: StudySummary) -> list[Any]:
        raise RuntimeError("out of ink")

    monkeypatch.setitem(figures.SECTIONS, "published", broken)
    found = of(study(THREE))
    assert "RuntimeError: out of ink" in found.text
    assert len(found.charts) == 2


def test_a_chart_that_is_too_large_is_left_out() -> None:
    class Chart:
        def to_dict(self) -> dict[str, Any]:
            return {"data": {"values": ["x" * page.LARGEST_CHART]}}

    charts = page.Charts()
    assert "too large" in charts.add("mistakes", "", Chart(), own=False)["error"]
    assert charts.specs == []


# Files.


def test_all_files(tmp_path: Path) -> None:
    written = report.write_all(study(THREE), tmp_path / "new" / "folder")
    names = {str(path.relative_to(tmp_path / "new" / "folder")) for path in written}
    charts = ["valid-perplexity-by-epoch", "train-perplexity-by-epoch", "test-perplexity-published"]
    assert names == {"report.html", "table.md", "table.tex", "table.csv"} | {
        f"figures/{chart}.{kind}" for chart in charts for kind in ("svg", "png", "pdf")
    }
    assert all(path.stat().st_size > 100 for path in written)


def test_tables_of_parts_stand_one_after_the_other(tmp_path: Path) -> None:
    file = {"title": "Tour", "base": "", "metric": "", "plot": [], "row": [], "parts": ["a"]}
    tour = study([], file=file, parts=[study(THREE, file={"title": "One\ntwo"})])
    names = {path.name for path in report.write_all(tour, tmp_path)}
    assert {"table-gates.csv", "gates-test-perplexity-published.svg"} <= names
    assert "table.csv" not in names
    assert (tmp_path / "table.md").read_text().startswith("## One two\n\n| row |")
    assert (tmp_path / "table.tex").read_text().startswith("% One two\n\\begin{tabular}")


def test_a_full_disk_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkingsError, match=r"report\.html: the disk is full"):
        report.write(study(THREE), path)
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "old"


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    (frame,) = [a for tag, a in Page(report.in_notebook(study(THREE))).tags if tag == "iframe"]
    assert "Does a gate help?" in Page(frame["srcdoc"] or "").text


# Runs.


@pytest.fixture
def two_runs(book: Path, tmp_path: Path) -> list[RunFolder]:
    def one(kind: str) -> RunFolder:
        values = {
            "task": "language",
            "data": {"train": [str(book)]},
            "model": {"kind": kind, "embed": 8, "hidden": 8},
            "train": {"epochs": 1, "batch": 4, "window": 5, "threads": 1},
        }
        return train(values, str(tmp_path / "runs" / kind)).folder

    return [one("rnn"), one("gru")]


def test_runs_are_rows(two_runs: list[RunFolder]) -> None:
    summary = report.of_runs(two_runs)
    assert (summary.file.metric, summary.lower_is_better) == ("test.perplexity", True)
    assert [row.name for row in summary.rows] == ["rnn", "gru"]
    assert summary.rows[1].settings["model.kind"] == "gru"
    assert "train.epochs" not in summary.rows[1].settings
    assert summary.file.plot[0] == "valid.perplexity"
    found = of(summary)
    result = two_runs[0].result() or {}
    assert f"{result['metrics']['test.perplexity']:.2f}" in found.text
    assert result["data"]["sha256"] in found.text
    assert f"workings train {two_runs[0].path}/config.toml" in found.text


def test_a_run_that_cannot_be_read_is_a_row_that_says_why(two_runs: list[RunFolder]) -> None:
    (two_runs[1].path / "result.json").write_text("{")
    found = of(report.of_runs(two_runs))
    assert "result.json: damaged" in found.text
    assert "Run gru" in found.text  # of no known task: a part of its own


def test_runs_of_the_same_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    folders = [RunFolder(tmp_path / where / "run") for where in ("a", "b")]
    assert [row.name for row in report.of_runs(folders).rows] == [str(f.path) for f in folders]


def test_one_study_is_itself() -> None:
    one = study(THREE)
    assert report.of_all([one]) is one
    both = report.of_all([one, study(THREE[:2], file={"title": "Other"})])
    assert isinstance(both.file, StudyFile)
    assert both.file.title == "Gates; Other"
    assert "2 studies" in of(both).text


def test_the_script_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import vl_convert

    monkeypatch.undo()
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    calls = []

    def javascript_bundle() -> str:
        calls.append(1)
        return "'</script>'"

    monkeypatch.setattr(vl_convert, "javascript_bundle", javascript_bundle)
    assert page.bundle() == page.bundle() == "'<\\/script>'"
    assert len(calls) == 1
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "file" / "cache"))
    assert page.bundle() == "'<\\/script>'"  # nowhere to keep it
    assert len(calls) == 2
