"""Rows on a real local Ray with two workers, one of them killed in the middle."""

import os
import signal
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from tests.study.tiny import study_here, write_study
from workings.errors import WorkingsError
from workings.study.engines import ray as cluster
from workings.study.engines.local import Queue
from workings.study.engines.ray import Cluster, at_address, pack, unpack
from workings.study.progress import Quiet
from workings.study.study import Conductor, Study, Wanted


def test_packed_and_unpacked_is_the_same(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "checkpoint" / "last-000001").mkdir(parents=True)
    (run / "run.json").write_text("{}")
    (run / "lock").write_text("")
    (run / "checkpoint" / "last-000001" / "state.json").write_bytes(b"\0\1")
    (run / "checkpoint" / ".half").mkdir()
    (run / "checkpoint" / ".half" / "state.json").write_text("not whole")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "old.txt").write_text("gone")
    unpack(pack(run), tmp_path / "home")
    files = {
        str(p.relative_to(tmp_path / "home"))
        for p in (tmp_path / "home").rglob("*.*")
        if p.is_file()
    }
    assert files == {"run.json", "checkpoint/last-000001/state.json"}
    assert (tmp_path / "home/checkpoint/last-000001/state.json").read_bytes() == b"\0\1"


def test_ray_absent_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(WorkingsError, match=r"pip install 'workings\[cluster\]'"):
        cluster._ray()


@pytest.mark.filterwarnings("ignore")  # Ray's own, of what it is built on
def test_a_study_on_ray_with_a_worker_killed(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    rows = [{"name": "rnn"}, {"name": "lstm", "set": {"model.kind": "lstm"}}]
    # Long enough to be killed in: hundreds of short epochs, a checkpoint a second.
    long = {"train.epochs": 300, "train.lr": 1e-4, "train.patience": 999}
    file = write_study(tmp_path, book, row=rows, set=long)
    calm = study_here(file, tmp_path / "calm")
    conductor = Conductor(file, Wanted(folder=tmp_path / "out"))
    conductor.prepare()
    killed: list[int] = []

    class Watching(Quiet):
        lost: list[str] = []  # noqa: RUF012

        def told(self, job: Any, message: Any) -> None:
            self.lost.append(message.text)

    fetch = Cluster._fetch

    def fetch_and_kill(self: Cluster, packed: Any, running: Any) -> None:
        fetch(self, packed, running)
        if packed and not killed:
            pids = _workers()
            if pids:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

    monkeypatch.setattr(Cluster, "_fetch", fetch_and_kill)
    monkeypatch.setattr(Cluster, "every", 0.3)
    view = Watching()
    engine = at_address("")(2, conductor.where, view)
    try:
        engine.run(Queue(deque(conductor.left()), conductor.failed), lambda: 0)
    finally:
        ray.shutdown()
    done = Study(conductor.folder, conductor.folder.summary())
    assert done.summary.finished
    values = [
        {row.name: row.values("test.perplexity") for row in study.summary.rows}
        for study in (calm, done)
    ]
    assert values[0] == values[1]
    assert killed
    assert any("worker was lost" in text for text in view.lost)


def _workers() -> list[int]:
    """Ray's processes that are doing a job."""
    pids = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if status.read_bytes().startswith(b"ray::perform_remotely"):
                pids.append(int(status.parent.name))
        except OSError:
            continue
    return sorted(pids)
