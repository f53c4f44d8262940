"""A worker is gone within two seconds of its study's death."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workings.study.engines import worker

# A process that starts a worker as a study does, says its number, and waits.
STUDY = """
import multiprocessing, os, subprocess, sys, time
ours, theirs = multiprocessing.Pipe()
command = [sys.executable, "-m", "workings.study.engines.worker"]
numbers = [str(theirs.fileno()), "1", str(os.getpid())]
print(subprocess.Popen([*command, *numbers], pass_fds=[theirs.fileno()]).pid, flush=True)
time.sleep(600)
"""


def alive(process: int) -> bool:
    """Whether it runs; one that has ended and waits to be collected does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("age", [0.0, 1.0])  # while it starts, torch being imported
def test_an_orphan_is_gone_within_seconds(age: float) -> None:
    study = subprocess.Popen([sys.executable, "-c", STUDY], stdout=subprocess.PIPE, text=True)
    assert study.stdout
    started = int(study.stdout.readline())
    time.sleep(age)
    assert alive(started)
    study.send_signal(signal.SIGKILL)
    study.communicate()
    deadline = time.monotonic() + 10
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(started)


def test_without_the_systems_help_the_parent_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = [7, 7, 1]
    waits: list[float] = []
    monkeypatch.setattr(os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(time, "sleep", waits.append)

    class Gone(Exception):
        pass

    def end(code: int) -> None:
        raise Gone

    monkeypatch.setattr(os, "_exit", end)
    with pytest.raises(Gone):
        worker.watch(7)
    assert waits == [worker.EVERY] * 2
    assert worker.EVERY <= 1
