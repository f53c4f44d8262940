"""The index of runs: what is listed, what is read again, what is never followed."""

import contextlib
import json
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from workings.errors import WorkingsError
from workings.page import run_index
from workings.page.answers import written
from workings.page.folders import Folders
from workings.page.run_details import curves, details, shortened
from workings.page.run_index import RunIndex


def make_run(folder: Path, valid: float = 0.5, finished: bool = True) -> Path:
    """A run folder as a training leaves it."""
    folder.mkdir(parents=True)
    about = {"format": 1, "made": "2026-01-02T03:04:05+00:00", "task": "images", "model": "cnn"}
    about |= {"metric": "accuracy", "lower_is_better": False}
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "config.toml").write_text('task = "images"\nseed = 1\n[train]\nepochs = 3\n')
    lines: list[dict[str, Any]] = [
        {"step": s, "epoch": s, "split": "valid", "accuracy": valid / 3 * s, "seconds": float(s)}
        for s in (1, 2, 3)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if finished:
        result = {"metrics": {"valid.accuracy": valid, "test.accuracy": 0.25}, "seconds": 3.0}
        environment = dict.fromkeys(["workings", "python", "torch", "numpy", "system"], "")
        environment |= {"processor": "", "device": "cpu", "command": ""}
        result |= {"parameters": 7, "seed": 1, "epochs": 3, "best_epoch": 3}
        result["environment"] = {**environment, "cores": 1, "threads": 1}
        (folder / "result.json").write_text(json.dumps(result))
    return folder


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    made = Folders(tmp_path / "runs", tmp_path / "studies")
    make_run(made.runs / "one")
    make_run(made.runs / "two", finished=False)
    make_run(made.studies / "tour" / "parts" / "small" / "runs" / "row")
    return made


def test_a_run_that_is_slow_to_read_is_read_seldom_while_it_trains(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_index, "REST", 1e9)
    index = RunIndex(folders, tmp_path / "index")
    metrics = folders.runs / "two" / "metrics.jsonl"

    def epochs() -> object:
        metrics.write_text(metrics.read_text() + metrics.read_text().splitlines()[-1] + "\n")
        index.refresh()
        return index.rows["runs/two"]["epochs"]

    with FileLock(folders.runs / "two" / "lock"):
        assert epochs() == 4
        assert epochs() == 4  # it is not looked at
    assert epochs() == 6  # it has ended


def test_long_tables_are_cut_to_what_is_shown() -> None:
    deep: object = 1
    for _ in range(500):
        deep = [deep]
    matrix = {"names": ["a"] * 30, "counts": [[0] * 30] * 30}
    value = {"lines": ["x" * 5000] * 50, "matrix": matrix, "rows": {"rows": [{"a": 1}] * 50}}
    cut: Any = shortened({**value, "deep": deep})
    assert [len(cut["lines"]), len(cut["lines"][0]), len(cut["rows"]["rows"])] == [20, 2001, 20]
    assert cut["matrix"] == matrix
    assert "…" in str(cut["deep"])


def test_every_run_has_a_row_with_its_figures(folders: Folders, tmp_path: Path) -> None:
    index = RunIndex(folders, tmp_path / "index")
    index.refresh()
    rows, gone = index.since(0)
    by_name = {row["name"]: row for row in rows}
    assert set(by_name) == {"runs/one", "runs/two", "studies/tour/parts/small/runs/row"}
    assert gone == []
    one, two = by_name["runs/one"], by_name["runs/two"]
    assert (one["state"], one["valid"], one["test"], one["seconds"]) == ("finished", 0.5, 0.25, 3.0)
    assert (two["state"], two["epochs"], two["valid"]) == ("stopped", 3, 0.5)
    assert two["spark"] == pytest.approx([1 / 6, 1 / 3, 1 / 2], abs=1e-6)
    assert by_name["studies/tour/parts/small/runs/row"]["study"] == "tour/parts/small"


@pytest.mark.parametrize(("bound", "share"), [("", 0.5), ("max_steps = 12", 2 / 3)])
def test_a_run_that_trains_says_how_far_it_is(
    folders: Folders, tmp_path: Path, bound: str, share: float
) -> None:
    two = folders.runs / "two"
    (two / "config.toml").write_text(f'task = "images"\n[train]\nepochs = 8\n{bound}\n')
    epochs = [{"step": 2 * e, "epoch": e, "split": "valid", "loss": 1.0} for e in (1, 2, 3)]
    (two / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in epochs))
    step = {"step": 8, "epoch": 4, "split": "train", "loss": 0.25}
    (two / "steps.jsonl").write_text(json.dumps(step) + "\n")
    with FileLock(two / "lock"):
        index = RunIndex(folders, tmp_path / "index")
        index.refresh()
    row = next(row for row in index.since(0)[0] if row["name"] == "runs/two")
    assert (row["state"], row["loss"]) == ("running", 0.25)
    assert row["share"] == pytest.approx(share)


def test_a_version_of_an_earlier_server_gets_all_rows(folders: Folders, tmp_path: Path) -> None:
    first = RunIndex(folders, tmp_path / "index")
    first.refresh()
    time.sleep(0.002)
    second = RunIndex(folders, tmp_path / "index")
    assert second.first > first.version
    assert len(second.since(first.version)[0]) == 3


def test_only_what_changed_is_read_again(
    folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunIndex(folders, tmp_path / "index").refresh()
    read: list[str] = []
    original = run_index._row

    def counted(name: str, path: Path) -> Any:
        read.append(name)
        return original(name, path)

    monkeypatch.setattr(run_index, "_row", counted)
    index = RunIndex(folders, tmp_path / "index")  # as the next server does
    version, (rows, _) = index.version, index.since(0)
    assert len(rows) == 3
    index.refresh()
    assert read == []
    with (folders.runs / "two" / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"step": 4, "epoch": 4, "split": "valid", "accuracy": 0.9}) + "\n")
    shutil.rmtree(folders.runs / "one")
    index.refresh()
    rows, gone = index.since(version)
    assert ([row["valid"] for row in rows], read, gone) == ([0.9], ["runs/two"], ["runs/one"])
    assert index.since(0)[1] == []  # one that asks for all has nothing to forget


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"x" * 4096])
def test_a_lost_or_damaged_index_is_made_anew(
    folders: Folders, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "index"
    file.write_bytes(content)
    index = RunIndex(folders, file)
    index.refresh()
    assert len(index.since(0)[0]) == 3
    assert len(sqlite3.connect(file).execute("select * from runs").fetchall()) == 3


def test_links_lead_nowhere(folders: Folders, tmp_path: Path) -> None:
    outside = make_run(tmp_path / "outside" / "secret")
    (folders.runs / "link").symlink_to(outside)
    inner = make_run(folders.runs / "inner")
    (inner / "metrics.jsonl").unlink()
    (inner / "metrics.jsonl").symlink_to(outside / "metrics.jsonl")
    (folders.studies / "linked").symlink_to(tmp_path / "outside")
    index = RunIndex(folders, tmp_path / "index")
    index.refresh()
    names = {row["name"] for row in index.since(0)[0]}
    assert names == {"runs/one", "runs/two", "studies/tour/parts/small/runs/row"}
    with pytest.raises(WorkingsError, match="symbolic link"):
        folders.run("runs/link")
    for look in (curves, details):
        with pytest.raises(WorkingsError, match="symbolic link"):
            look(folders.run("runs/inner"))


@pytest.mark.parametrize(
    "name",
    ["", "runs", "runs/", "runs/..", "runs/../x", "runs/one/..", "/etc", "runs//etc", "runs/.x",
     "runs/one\0", "other/one", "runs/none", "studies/tour", "runs/one/checkpoint/../../one"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folders(folders: Folders, name: str) -> None:
    with pytest.raises(WorkingsError):
        folders.run(name)
    with pytest.raises(WorkingsError):
        folders.study(name)


def test_curves_are_columns_of_at_most_so_many_points(folders: Folders) -> None:
    folder = folders.runs / "one"
    lines = [{"step": s, "epoch": 1, "split": "train", "loss": 1 / s} for s in range(1, 2001)]
    written = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "steps.jsonl").write_text(written + '{"step": 2001, "lo')
    found = curves(folder)
    assert found["splits"]["valid"]["accuracy"] == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    assert len(found["steps"]["step"]) <= 601
    assert found["steps"]["step"][-1] == 2000
    assert details(folder)["settings"] == {"task": "images", "seed": 1, "train.epochs": 3}


def test_a_run_whose_name_is_not_utf8_is_listed_and_kept(folders: Folders, tmp_path: Path) -> None:
    make_run(folders.runs / os.fsdecode(b"caf\xe9"))
    RunIndex(folders, tmp_path / "index").refresh()
    names = {row["name"] for row in RunIndex(folders, tmp_path / "index").since(0)[0]}
    assert os.fsdecode(b"runs/caf\xe9") in names
    assert len(names) == 4


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.toml", "a = " + "[" * 5000),
        ("config.toml", "a." * 100_000 + "b = 1"),
        ("config.toml", "train = 3"),
        ("config.toml", "x = nan\nwhen = 2026-01-02"),
        ("metrics.jsonl", '{"step": NaN, "split": "valid", "accuracy": -Infinity}\n'),
        ("metrics.jsonl", "[" * 100_000 + "\n"),
        ("steps.jsonl", '{"a":' * 100_000),
        ("failure.json", '{"error": "\\udcff", "step": 1}'),
        ("run.json", '{"format": 1, "made": "0001-01-01T00:00:00+23:59", "task": "images"}'),
    ],
)
def test_a_strangers_run_is_shown_or_refused_in_one_line(
    folders: Folders, tmp_path: Path, file: str, content: str
) -> None:
    (folders.runs / "two" / file).write_text(content)
    with FileLock(folders.runs / "two" / "lock"):
        index = RunIndex(folders, tmp_path / "index")
        index.refresh()
    shown: list[object] = [index.since(0)[0], curves(folders.runs / "two")]
    assert len(index.since(0)[0]) == 3
    with contextlib.suppress(WorkingsError):
        shown.append(details(folders.runs / "two"))
    json.loads(written(shown), parse_constant=pytest.fail)
