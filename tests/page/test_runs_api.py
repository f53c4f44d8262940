"""Runs through the server: listed, started, watched, stopped, taken up again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import Server
from tests.page.test_run_index import make_run
from workings.page.folders import Folders
from workings.page.runs_api import RunsApi
from workings.page.trainings import Trainings, holder_of, log_file
from workings.page.worker import Worker

CONFIG = 'task = "graph"\n[data]\nname = "karate"\n[train]\nepochs = 30000\npatience = 30000\n'


def row(server: Server, name: str) -> dict[str, Any]:
    rows = {each["name"]: each for each in server.get("/api/runs").json["rows"]}
    return rows.get(name, {"state": "not there", "epochs": 0})


def until(condition: Callable[[], bool], seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_run_is_started_watched_stopped_resumed_and_killed(server: Server) -> None:
    answer = server.post("/api/start", {"config": CONFIG, "name": "long"})
    assert answer.json == {"run": "runs/long"}
    until(lambda: row(server, "runs/long").get("epochs", 0) > 0)
    assert row(server, "runs/long")["state"] == "running"
    again = server.post("/api/start", {"config": CONFIG, "name": "long"})
    assert "exists already" in again.json["error"]
    assert server.post("/api/stop", {"run": "runs/long"}).status == 200
    until(lambda: row(server, "runs/long")["state"] == "stopped")
    asked = {"run": "runs/long"}
    until(lambda: "stopped at step" in server.post("/api/run", asked).json["log"])
    assert server.post("/api/run", asked).json["settings"]["train.epochs"] == 30000
    epochs = row(server, "runs/long")["epochs"]
    assert server.post("/api/resume", {"run": "runs/long"}).status == 200
    until(lambda: row(server, "runs/long")["epochs"] > epochs)
    holder = holder_of(server.folder / "runs" / "long" / "lock")
    os.kill(holder, signal.SIGKILL)
    until(lambda: row(server, "runs/long")["state"] == "killed")
    assert "SIGKILL" in row(server, "runs/long")["problem"]


@pytest.mark.parametrize(("code", "why"), [(2, "there is no such data"), (130, ""), (0, "")])
def test_a_training_that_is_refused_later_says_why(tmp_path: Path, code: int, why: str) -> None:
    runs = RunsApi(Folders(tmp_path / "runs", tmp_path / "studies"), Worker(), trust=False)
    folder = tmp_path / "runs" / "late"
    log_file(folder).write_text("data is read\nworkings: there is no such data\n")
    process = subprocess.Popen([sys.executable, "-c", f"raise SystemExit({code})"])
    process.wait()
    runs.trainings.processes[folder] = process
    starting = {"runs/late": {"says": why, "refused": True}} if why else {}
    assert runs.changes(0)["starting"] == starting


@pytest.mark.parametrize(
    ("name", "config", "why"),
    [
        ("../out", CONFIG, "a name is letters"),
        ("-x", CONFIG, "a name is letters"),
        ("a/b", CONFIG, "a name is letters"),
        ("new", "task = 'nothing'", "no task"),
        ("new", "task = 'graph'\n[model]\nkind = 'os:system'", "--trust"),
        ("new", "task = 'language'\n[data]\ntrain = ['/etc/passwd']", "outside of the folder"),
    ],
)
def test_what_cannot_be_started_says_why(server: Server, name: str, config: str, why: str) -> None:
    answer = server.post("/api/start", {"config": config, "name": name})
    assert answer.status == 400
    assert why in answer.json["error"]
    assert not (server.folder / "runs" / "new").exists()


def test_curves_of_runs_and_of_nothing_else(server: Server) -> None:
    make_run(server.folder / "runs" / "curved")
    found = server.post("/api/curves", {"runs": ["runs/curved"]}).json
    assert found["runs/curved"]["splits"]["valid"]["epoch"] == [1, 2, 3]
    for runs in (["runs/../.."], [3], "runs/curved", ["runs/curved"] * 201):
        assert server.post("/api/curves", {"runs": runs}).status == 400
    for path in ("stop", "resume", "run"):
        assert server.post(f"/api/{path}", {"run": "runs/../../etc"}).status == 400
    assert "no process" in server.post("/api/stop", {"run": "runs/curved"}).json["error"]


def test_events_tell_of_changes_as_they_happen(server: Server) -> None:
    import http.client

    version = server.get("/api/runs").json["version"]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=240)
    connection.request("GET", f"/api/events?version={version}", headers=server.headers())
    events = connection.getresponse()
    assert events.headers["content-type"].startswith("text/event-stream")
    make_run(server.folder / "runs" / "appeared")
    names: list[str] = []
    while "runs/appeared" not in names:
        line = events.readline().decode()
        if line.startswith("data: "):
            names += [each["name"] for each in json.loads(line[6:])["rows"]]
    connection.close()


def test_only_who_holds_this_very_lock_is_its_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another file system numbers its files the same way: its locks are listed like ours."""
    lock = tmp_path / "lock"
    with lock.open("w"):
        listed = f"1: FLOCK  ADVISORY  WRITE {os.getpid()} 08:01:{lock.stat().st_ino} 0 EOF\n"
        monkeypatch.setattr(Path, "read_text", lambda self: listed)
        assert holder_of(lock) == os.getpid()
    assert holder_of(lock) == 0


def test_a_signal_without_a_name_is_told_by_its_number(tmp_path: Path) -> None:
    trainings = Trainings(Folders(tmp_path, tmp_path), trust=False)
    trainings.processes[tmp_path / "r"] = subprocess.Popen([sys.executable, "-c", ENDS_BY_40])
    trainings.processes[tmp_path / "r"].wait()
    assert "(signal 40)" in trainings.ended(tmp_path / "r")


ENDS_BY_40 = "import os; os.kill(os.getpid(), 40)"
