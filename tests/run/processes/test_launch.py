"""Real processes: killed at any moment they resume bit for bit, and none is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.run.faults import assert_same, outcome
from tests.run.test_resume import config
from workings.errors import Interrupted, WorkingsError
from workings.run.config import resolve
from workings.run.folder.run_folder import RunFolder
from workings.run.progress import Progress
from workings.run.training import resume, train

FOLLOWER = "workings.run.processes.follower"


def followers(of: int) -> list[int]:
    """The process ids of those that a process has started."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    return [int(pid) for pid, parent, args in rows if int(parent) == of and FOLLOWER in args]


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether a process ends within that time."""
    for _ in range(int(seconds * 20)):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


class KillsFollower(Progress):
    """Kills the other process in the middle of an epoch."""

    def __init__(self, at_step: int) -> None:
        self.at_step, self.killed = at_step, 0

    def step(self, state: Any) -> None:
        super().step(state)
        if state.step == self.at_step:
            (self.killed,) = followers(os.getpid())
            os.kill(self.killed, signal.SIGKILL)


class SuspendsFollower(Progress):
    """Suspends the other process, and asks this one to stop."""

    def step(self, state: Any) -> None:
        super().step(state)
        if state.step == 10:
            (other,) = followers(os.getpid())
            os.kill(other, signal.SIGSTOP)
            os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture
def values(book: Path) -> dict[str, Any]:
    return config(book, "lstm", "adam, plateau", epochs=5, patience=5, threads=1, processes=2)


def test_killed_processes_end_together_and_resume_exactly(
    values: dict[str, Any], tmp_path: Path
) -> None:
    one_killed, all_killed = tmp_path / "one-killed", tmp_path / "all-killed"
    killer, began = KillsFollower(at_step=7), time.monotonic()
    with pytest.raises(WorkingsError, match="process 2 of 2 was ended by SIGKILL") as lost:
        train(values, str(one_killed), progress=killer)
    assert f"workings resume {one_killed}" in str(lost.value)
    assert gone(killer.killed)
    assert time.monotonic() - began < 60
    with pytest.raises(Interrupted):
        resume(str(one_killed), progress=SuspendsFollower())
    resume(str(one_killed))
    assert followers(os.getpid()) == []

    toml = tmp_path / "tiny.toml"
    toml.write_bytes(resolve(values).to_toml())
    process = subprocess.Popen(
        [sys.executable, "-m", "workings", "train", str(toml), "--run", str(all_killed)],
        stderr=subprocess.DEVNULL,
    )
    while not RunFolder(all_killed).path.exists() or not RunFolder(all_killed).metrics():
        assert process.poll() is None
        time.sleep(0.02)
    (other,) = followers(process.pid)
    process.kill()
    process.wait()
    assert gone(other)
    assert RunFolder(all_killed).result() is None
    resume(str(all_killed))
    assert_same(all_killed, outcome(one_killed))
    environment = (RunFolder(all_killed).result() or {})["environment"]
    assert environment["processes"] == 2


def test_torchrun_starts_the_same(values: dict[str, Any], tmp_path: Path) -> None:
    values["train"] |= {"epochs": 2, "processes": 1}
    toml, run = tmp_path / "tiny.toml", tmp_path / "run"
    toml.write_bytes(resolve(values).to_toml())
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
    torchrun += ["--standalone"]  # at any free port
    done = subprocess.run(
        [*torchrun, "-m", "workings", "--", "train", str(toml), "--run", str(run)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("run folder:") == 1
    assert "2 processes of 1 thread(s)" in done.stdout
    assert RunFolder(run).config().train.processes == 2


def test_an_error_of_another_process_is_told_in_one_line(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class that the other process cannot import, as its file is only on this path."""
    from workings.run.processes import launch

    real = subprocess.Popen

    def start(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
        failing = "import sys; print('workings: no such data', file=sys.stderr); sys.exit(2)"
        return real([sys.executable, "-c", failing], **options)

    monkeypatch.setattr(launch.subprocess, "Popen", start)
    expected = r"process 2 of 2 was ended with exit code 2 \(no such data\)"
    with pytest.raises(WorkingsError, match=expected):
        train(values, str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
