"""`workings report` from the command line."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.command import Command
from tests.study.tiny import write_study
from workings.cli import app
from workings.run import train
from workings.run.folder.run_folder import RunFolder
from workings.study.study import Conductor, Wanted


@pytest.fixture
def report(workings: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `workings report` in an empty folder, with a page that holds no chart library."""
    monkeypatch.delenv("WORKINGS_STUDIES", raising=False)
    monkeypatch.setattr("workings.report.page.bundle", lambda: "window.vegaEmbed = null;")
    return partial(workings, "report")


@pytest.fixture
def run(tmp_path: Path, book: Path) -> Path:
    values: dict[str, Any] = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "rnn", "embed": 6, "hidden": 6},
        "train": {"epochs": 1, "batch": 4, "window": 5, "threads": 1},
    }
    return train(values, str(tmp_path / "runs" / "mine")).folder.path


@pytest.fixture
def study(tmp_path: Path, book: Path) -> Path:
    """A study that is planned and not run: what stands in its folder before the first run."""
    wanted = Wanted(folder=tmp_path / "studies" / "tiny", command="workings study tiny")
    Conductor(write_study(tmp_path, book), wanted).prepare()
    return tmp_path / "studies" / "tiny"


def test_a_run_by_its_name(report: Command, run: Path) -> None:
    code, out, _ = report("mine")
    assert (code, out) == (0, "runs/mine/report.html\n")
    page = (run / "report.html").read_text()
    assert "<h1>Run mine</h1>" in page
    assert "runs/mine/config.toml" in page


def test_a_study_by_its_name_has_all_its_files(report: Command, study: Path) -> None:
    code, out, _ = report("tiny")
    assert code == 0
    assert out.splitlines()[:4] == [
        f"studies/tiny/{name}" for name in ("report.html", "table.md", "table.tex", "table.csv")
    ]
    assert "No row has a finished run yet" in (study / "report.html").read_text()


def test_a_study_and_a_run_in_one_page(report: Command, study: Path, run: Path) -> None:
    code, out, _ = report("./studies/tiny", str(run), "-o", "new/both.html")
    assert (code, out) == (0, "new/both.html\n")
    page = Path("new/both.html").read_text()
    assert "<h1>Tiny; Run mine</h1>" in page
    assert page.count("<h2>") == 2


def test_the_table_alone(report: Command, run: Path) -> None:
    result = json.loads((run / "result.json").read_text())["metrics"]["test.perplexity"]
    for name, start in (("t.md", "| row |"), ("t.tex", "\\begin{tabular}"), ("t.csv", "row,")):
        assert report("mine", "-o", name)[:2] == (0, f"{name}\n")
        content = Path(name).read_text()
        assert content.startswith(start)
        assert (str(result) if name == "t.csv" else f"{result:.2f}") in content


def test_a_folder_for_everything(report: Command, run: Path) -> None:
    code, out, _ = report("mine", "-o", "out")
    assert code == 0
    assert Path("out/report.html").is_file()
    assert Path("out/figures/train-loss-by-step.pdf").read_bytes().startswith(b"%PDF")
    assert all(Path(line).is_file() for line in out.splitlines())


def test_as_json_with_events(report: Command, run: Path) -> None:
    pytest.importorskip("tensorboard")
    code, out, _ = report("mine", "--json", "--tensorboard", "events")
    found = json.loads(out)
    assert code == 0
    assert found["files"] == ["runs/mine/report.html"]
    assert found["events"] == ["events/01-mine/seed-1"]
    assert found["metric"] == "test.perplexity"
    assert [row["name"] for row in found["rows"]] == ["mine"]
    assert found["answer"].startswith("“mine” has a test perplexity of ")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["mime"], "no study 'mime' in studies and no run in runs (did you mean mine?)"),
        (["vanishing"], "study 'vanishing' has not been run here; `workings study vanishing`"),
        (["./runs"], "./runs: is neither a run's folder nor a study's"),
        ([""], "no study ''"),
        (["mine", "-o", "x.docx"], "-o x.docx: no report is written as .docx; a file that ends in"),
        (["mine", "-o", ""], "no report is written as that"),
        ([], "Missing argument"),
    ],
)
def test_bad_input(report: Command, run: Path, args: list[str], said: str) -> None:
    code, out, err = report(*args)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert not (run / "report.html").exists()


def test_a_place_that_cannot_be_written(report: Command, run: Path) -> None:
    code, _, err = report("mine", "-o", str(run / "config.toml" / "x.html"))
    assert code == 2
    assert len(err.splitlines()) == 1


def test_a_damaged_run_is_named_on_standard_error_too(report: Command, run: Path) -> None:
    result = json.loads((run / "result.json").read_bytes())
    result["metrics"]["test.perplexity"] = 0.25
    RunFolder(run).write_result(result)
    done = report("mine")
    assert done.code == 0
    said = "result.json: damaged: metrics.test.perplexity: expected at least 1, found 0.25"
    assert done.err.count("\n") == 1
    assert done.err.endswith(f"{said}\n")


def test_it_is_among_the_commands() -> None:
    assert "report" in {command.callback.__name__ for command in app.registered_commands}
