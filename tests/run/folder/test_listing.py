"""The list of runs: one damaged run is one line of it, and the others are as they were."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import Command
from workings.report.write import of_runs
from workings.run import train
from workings.run.config import resolve
from workings.run.folder import listing
from workings.run.folder.run_folder import RunFolder

ENVIRONMENT = dict.fromkeys(
    ("workings", "python", "torch", "numpy", "system", "processor", "device", "command"), "x"
) | {"cores": 2, "threads": 1}


def make(path: Path, finished: bool = True) -> RunFolder:
    """A run's folder as the loop leaves it, without training."""
    folder = RunFolder(path)
    config = resolve({"task": "language", "data": {"train": ["book.txt"]}})
    folder.create(config, {"vocabulary.json": b"[]"}, {"config": "x", "data": "0"})
    lines: Any = [{"epoch": n, "split": "valid", "perplexity": 9.0 - n} for n in (1, 2)]
    folder.append_metrics(lines)
    if finished:
        figures = {"valid.perplexity": 7.0, "test.perplexity": 7.5}
        result: Any = {"metrics": figures, "epochs": 2, "seconds": 1.0, "parameters": 5}
        folder.write_result(result | {"seed": 1, "environment": ENVIRONMENT})
    return folder


def rows(runs: Path) -> dict[str, listing.ListedRun]:
    return {row["run"]: row for row in listing.listed(runs)}


def test_finished_stopped_failed_and_running(tmp_path: Path) -> None:
    make(tmp_path / "finished")
    make(tmp_path / "stopped", finished=False)
    make(tmp_path / "failed", finished=False).write_failure(ValueError("the loss is nan\nx"), 7)
    running = make(tmp_path / "running", finished=False)
    with running.hold():
        found = rows(tmp_path)
    assert {name: row["state"] for name, row in found.items()} == {
        name: name for name in ("finished", "stopped", "failed", "running")
    }
    assert found["failed"]["problem"] == "the loss is nan"
    assert found["finished"]["test"] == 7.5
    assert found["stopped"]["test"] is None
    for row in found.values():
        assert (row["task"], row["model"], row["metric"]) == ("language", "rnn", "perplexity")
        assert (row["epochs"], row["valid"]) == (2, 7.0)


@pytest.mark.parametrize("name", ["run.json", "result.json", "config.toml", "manifest.json"])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"[]", b'{"metrics": {"test.perplexity": 1}}', None]
)
def test_a_damaged_run_is_a_line_of_its_own(
    name: str, content: bytes | None, workings: Command, tmp_path: Path
) -> None:
    for run in ("a", "b", "c"):
        make(tmp_path / "runs" / run)
    path = tmp_path / "runs" / "b" / name
    if content is None:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(content)
    code, out, err = workings("runs", "list", "--json")
    assert code == 0
    found = {row["run"]: row for row in json.loads(out)}
    assert found["a"]["test"] == found["c"]["test"] == 7.5
    if name == "run.json" and content is None:
        assert "b" not in found  # no run's folder
        return
    assert found["b"]["state"] == "damaged"
    assert f"runs/b/{name}: " in found["b"]["problem"]
    assert f"b damaged: {found['b']['problem']}" in err
    code, out, _ = workings("runs", "list")
    assert code == 0
    assert len([line for line in out.splitlines() if "damaged" in line]) == 1


@pytest.mark.parametrize("made", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_run_of_the_end_of_all_times_is_listed(made: str, tmp_path: Path) -> None:
    for run in ("a", "b"):
        make(tmp_path / run)
    about = json.loads((tmp_path / "b" / "run.json").read_text())
    (tmp_path / "b" / "run.json").write_text(json.dumps(about | {"made": made}))
    assert [row["run"] for row in listing.listed(tmp_path)] == ["b", "a"]


def test_an_edited_config_is_listed_as_it_is_now(tmp_path: Path) -> None:
    config = make(tmp_path / "a").path / "config.toml"
    config.write_text(config.read_text().replace('kind = "rnn"', 'kind = "gru"'))
    assert rows(tmp_path)["a"]["model"] == "gru"


def test_a_folder_of_a_version_without_a_manifest(tmp_path: Path) -> None:
    (make(tmp_path / "a").path / "manifest.json").unlink()
    assert rows(tmp_path)["a"]["state"] == "finished"
    assert rows(tmp_path)["a"]["test"] == 7.5


def test_a_list_needs_no_torch(tmp_path: Path) -> None:
    make(tmp_path / "runs" / "a")
    code = (
        "import sys; from workings.cli import app;"
        f"app(['runs', 'list', '--runs', {str(tmp_path / 'runs')!r}], standalone_mode=False);"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "7.50" in done.stdout


def test_a_finished_run_is_listed_from_two_records_alone(
    workings: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What makes lists of thousands quick: no config is parsed, no checksum is made again."""
    first = make(tmp_path / "runs" / "r0").path
    sealed = (first / "manifest.json").stat().st_mtime
    for path in first.glob("*.*"):  # as of a run that ended a while ago
        age = 0 if path.name == "manifest.json" else 10
        os.utime(path, (sealed - age, sealed - age))
    for number in range(1, 50):
        shutil.copytree(first, tmp_path / "runs" / f"r{number}")

    def refuse(*_: object) -> None:
        raise AssertionError("read more than a list needs")

    monkeypatch.setattr(listing, "_from_config", refuse)
    monkeypatch.setattr(listing, "read_file", refuse)
    code, out, _ = workings("runs", "list")
    assert code == 0
    lines = [line for line in out.splitlines() if "finished" in line]
    assert len(lines) == 50
    assert all("7.50" in line for line in lines)


def test_an_edge_run_is_labelled_by_what_selects_it(tmp_path: Path) -> None:
    """Nodes are selected by accuracy, edges by ROC-AUC: of new folders and of older ones."""
    for predict in ("nodes", "edges"):
        config = {"task": "graph", "data": {"name": "karate", "predict": predict}}
        train(config | {"train": {"epochs": 2, "select": "score"}}, str(tmp_path / predict))
    for _ in range(2):
        lines = {line["run"]: line for line in listing.listed(tmp_path)}
        assert {name: line["metric"] for name, line in lines.items()} == {
            "nodes": "accuracy",
            "edges": "roc_auc",
        }
        result = RunFolder(tmp_path / "edges").result()
        assert result
        assert lines["edges"]["test"] == result["metrics"]["test.roc_auc"]
        about = tmp_path / "edges" / "run.json"  # an older version said nothing of metrics there
        record = json.loads(about.read_text())
        about.write_text(json.dumps({k: v for k, v in record.items() if k not in OWN_KEYS}))
    report = of_runs([RunFolder(tmp_path / "nodes"), RunFolder(tmp_path / "edges")])
    assert [part.file.metric for part in report.parts] == ["test.accuracy", "test.roc_auc"]
    assert not any(part.lower_is_better for part in report.parts)


OWN_KEYS = ("task", "model", "metric", "lower_is_better")
