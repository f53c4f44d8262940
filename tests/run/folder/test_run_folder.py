"""Run folders: never overwritten, found by name, clear about what is wrong."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from workings.errors import WorkingsError
from workings.run.config import RunConfig, resolve
from workings.run.folder import run_folder as folder
from workings.run.folder.run_folder import RunFolder


@pytest.fixture
def config() -> RunConfig:
    return resolve({"task": "language", "data": {"train": ["book.txt"]}})


def create(path: Path, config: RunConfig) -> RunFolder:
    one = RunFolder(path)
    one.create(config, {"vocabulary.json": b"[]"}, {"config": "x"})
    return one


def test_created_whole_and_read_again(tmp_path: Path, config: RunConfig) -> None:
    one = create(tmp_path / "deep" / "run", config)
    assert one.config() == config
    assert one.assets(config) == {"vocabulary.json": b"[]"}
    assert one.about()["config"] == "x"
    assert one.state() == "stopped"


def test_an_existing_one_is_never_touched(tmp_path: Path, config: RunConfig) -> None:
    create(tmp_path / "run", config)
    before = {p: p.read_bytes() for p in (tmp_path / "run").iterdir()}
    with pytest.raises(WorkingsError, match=r"already; .*resume.*open\('run'\)"):
        create(tmp_path / "run", config)
    assert {p: p.read_bytes() for p in (tmp_path / "run").iterdir()} == before


def test_unknown_run_offers_the_nearest(tmp_path: Path, config: RunConfig) -> None:
    create(tmp_path / "shakespeare", config)
    with pytest.raises(WorkingsError, match="did you mean shakespeare"):
        RunFolder.find("shakespear", tmp_path)


def test_a_newer_folder_says_upgrade(tmp_path: Path, config: RunConfig) -> None:
    one = create(tmp_path / "run", config)
    (one.path / "run.json").write_text(json.dumps({"format": 99, "workings": "9.0"}))
    with pytest.raises(WorkingsError, match="newer version of workings"):
        RunFolder.find("run", tmp_path)


def test_a_damaged_run_json_is_named(tmp_path: Path, config: RunConfig) -> None:
    one = create(tmp_path / "run", config)
    (one.path / "run.json").write_text("{")
    with pytest.raises(WorkingsError, match=r"run\.json"):
        RunFolder.find("run", tmp_path)


def test_held_by_one_at_a_time(tmp_path: Path, config: RunConfig) -> None:
    one = create(tmp_path / "run", config)
    with one.hold():
        other = RunFolder(one.path)
        assert other.state() == "running"
        with pytest.raises(WorkingsError, match="another process"):
            other.hold()
        with pytest.raises(WorkingsError, match="being trained"):
            other.remove()
    assert other.state() == "stopped"
    other.remove()
    assert not one.path.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path, config: RunConfig) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WorkingsError, match="cannot be written"):
        create(tmp_path / "run", config)


def test_a_file_where_the_folder_should_be(tmp_path: Path, config: RunConfig) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(WorkingsError, match="runs"):
        create(tmp_path / "runs" / "one", config)


def test_root_and_location(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WORKINGS_RUNS", raising=False)
    assert folder.root(None) == Path("runs")
    monkeypatch.setenv("WORKINGS_RUNS", str(tmp_path))
    assert folder.root(None) == tmp_path
    assert folder.root(Path("there")) == Path("there")
    assert folder.location("name", tmp_path) == tmp_path / "name"
    assert folder.location("./name", tmp_path) == Path("name")


def test_commands_can_be_pasted(tmp_path: Path, config: RunConfig, monkeypatch: Any) -> None:
    monkeypatch.setenv("WORKINGS_RUNS", str(tmp_path))
    assert create(tmp_path / "one", config).command("resume") == "workings resume one"
    monkeypatch.setenv("WORKINGS_RUNS", "elsewhere")
    assert RunFolder(tmp_path / "one").command("eval") == f"workings eval {tmp_path / 'one'}"


@pytest.mark.parametrize(
    "name",
    [
        "checkpoint",
        "metrics.jsonl",
        "lock",
        "config.toml",
        "figures",
        "vocabulary.json",
        "source/a.py",
        "checkpoint/last-000001",
    ],
)
def test_a_folder_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    path = tmp_path / "runs" / "a"
    path.mkdir(parents=True)
    (path / "run.json").write_text('{"format": 1}')
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).symlink_to(target)
    with pytest.raises(WorkingsError, match="is a symbolic link"):
        RunFolder.find("a", tmp_path / "runs")
    for use in (RunFolder(path).hold, RunFolder(path).remove):
        with pytest.raises(WorkingsError, match="is a symbolic link"):
            use()
    assert not RunFolder(path).held()
    assert target.read_text() == "kept"


@pytest.mark.parametrize(
    "name",
    [
        *("thesis.tex", ".ssh/", "notes/", ".hidden", "checkpoint/thesis.tex", "checkpoint/mine/"),
        *("checkpoint/last-000001/thesis.tex", "figures/mine/", "config.toml-mine", ".ssh-mine"),
    ],
)
def test_a_folder_that_holds_something_else_is_not_removed(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a"
    path.mkdir()
    (path / "run.json").write_text('{"format": 1}')
    (path / ".result.json-x8_a").touch()  # left by a process that was killed
    (path / "report.html").touch()  # of the run, made by `workings report`
    other = path / name
    other.parent.mkdir(parents=True, exist_ok=True)
    other.mkdir() if name.endswith("/") else other.touch()
    with pytest.raises(WorkingsError, match="is not a file of a run"):
        RunFolder(path).remove()
    assert other.exists()
    other.rmdir() if name.endswith("/") else other.unlink()
    RunFolder(path).remove()
    assert not path.exists()


def test_a_linked_run_is_not_removed_through_its_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "run.json").write_text('{"format": 1}')
    link = tmp_path / "link"
    link.symlink_to(real)
    with pytest.raises(WorkingsError, match="is a symbolic link"):
        RunFolder(link).remove()
    assert (real / "run.json").exists()
