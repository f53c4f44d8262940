"""Studies run by real workers: killed, failing, interrupted, gone on with, taken in."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.study.tiny import Here, study_here, write_study
from workings.claims import check
from workings.errors import WorkingsError
from workings.run import train
from workings.study import study as studying
from workings.study.engines.local import Local, Queue
from workings.study.engines.messages import EpochEnded, News, Warned
from workings.study.progress import Lines, Quiet
from workings.study.study import Conductor, Study, Wanted, study


class Watching(Quiet):
    """Remembers what it was told, and does something once."""

    def __init__(self, act: Any = None) -> None:
        self.messages: list[tuple[str, str, str]] = []
        self.act = act

    def told(self, job: Any, message: News) -> None:
        text = message.text if isinstance(message, Warned) else message.words
        self.messages.append((job.row, type(message).__name__, text))
        if isinstance(message, EpochEnded) and self.act:
            act, self.act = self.act, None
            act()

    def ended(self, job: Any, error: str) -> None:
        self.messages.append((job.row, "ended", error))


def results(done: Study) -> dict[str, dict[int, float]]:
    return {row.name: row.values("test.perplexity") for row in done.summary.rows}


def test_a_study_runs_and_is_not_run_again(tmp_path: Path, book: Path) -> None:
    file = write_study(tmp_path, book, seeds=[1, 2])
    view = Watching()
    done = study(file, view, folder=tmp_path / "out", jobs=2)
    assert done.summary.finished
    figures = results(done)
    assert {name: set(by) for name, by in figures.items()} == {"rnn": {1, 2}, "lstm": {1, 2}}
    assert [kind for _, kind, _ in view.messages].count("ended") == 4

    # One of them by hand gives the same figure: a study adds nothing to a run.
    config = json.loads(json.dumps(Conductor(file, Wanted(folder=tmp_path / "out")).jobs[3].values))
    alone = train(config | {"train": config["train"] | {"threads": 1}}, str(tmp_path / "alone"))
    assert alone.result
    assert alone.result["metrics"]["test.perplexity"] == figures["lstm"][2]

    again = Watching()
    assert results(study(file, again, folder=tmp_path / "out")) == figures
    assert again.messages == []

    # A changed row is run, the unchanged one is not.
    rows = [{"name": "rnn"}, {"name": "lstm", "set": {"model.kind": "lstm", "model.hidden": 7}}]
    changed = Watching()
    study_here(write_study(tmp_path, book, seeds=[1, 2], row=rows), tmp_path / "out", changed)
    assert {row for row, *_ in changed.messages} == {"lstm"}


def test_a_row_that_fails_is_reported_and_the_others_go_on(tmp_path: Path, book: Path) -> None:
    rows = [
        {"name": "explodes", "set": {"train.lr": 1e30}},
        {"name": "broken", "base": str(tmp_path / "own.toml")},
        {"name": "fine"},
    ]
    done = study(write_study(tmp_path, book, row=rows), folder=tmp_path / "out", trust=True)
    states = {row.name: row.runs[0].state for row in done.summary.rows}
    assert states == {"explodes": "failed", "broken": "failed", "fine": "finished"}
    errors = {row.name: row.runs[0].error for row in done.summary.rows}
    assert "the loss is" in errors["explodes"]
    assert "cannot import 'own_model'" in errors["broken"]


def test_a_killed_worker_is_replaced_and_its_run_goes_on(tmp_path: Path, book: Path) -> None:
    """To the very same figure."""
    file = write_study(tmp_path, book, row=[{"name": "rnn"}], set={"train.epochs": 4})
    calm = results(study_here(file, tmp_path / "calm"))
    conductor = Conductor(file, Wanted(folder=tmp_path / "out"))
    conductor.prepare()
    view = Watching()
    engine = Local(1, conductor.where, view)
    hired = []

    def hire(team: Any) -> Any:
        hired.append(Local._hire(engine, team))
        return hired[-1]

    engine._hire = hire  # type: ignore[method-assign]
    view.act = lambda: os.kill(hired[0].process.pid, signal.SIGKILL)
    engine.run(Queue(deque(conductor.left()), conductor.failed), lambda: 0)
    assert len(hired) == 2
    assert any("its process ended (signal 9)" in text for _, _, text in view.messages)
    assert results(Study(conductor.folder, conductor.folder.summary())) == calm


def test_a_worker_that_dies_again_and_again_is_given_up(tmp_path: Path, book: Path) -> None:
    (tmp_path / "own_model.py").write_text("import os\nos._exit(3)\n")
    rows = [{"name": "dies", "base": str(tmp_path / "own.toml")}, {"name": "fine"}]
    file = write_study(tmp_path, book, row=rows)
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        done = study(file, folder=tmp_path / "out", trust=True)
    finally:
        os.chdir(here)
    dies, fine = done.summary.rows
    assert dies.runs[0].error == "its process ended 3 times (exit code 3); not enough memory?"
    assert fine.runs[0].state == "finished"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_anywhere_it_goes_on(number: int, tmp_path: Path, book: Path) -> None:
    """The command is stopped when the first epoch has been seen on disk."""
    settings = ["train.epochs=12", "train.checkpoint_seconds=0"]
    file = write_study(tmp_path, book, row=[{"name": "rnn", "set": {"train.patience": 999}}])
    command = [sys.executable, "-m", "workings", "study", file, "--folder", str(tmp_path / "out")]
    command += [part for setting in settings for part in ("--set", setting)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    runs = tmp_path / "out" / "runs"
    for _ in range(3000):
        if any(runs.glob("*/checkpoint/last-*")):
            break
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    if number != signal.SIGKILL:
        assert "stopped; go on with: workings study" in said
        assert "Traceback" not in said
    time.sleep(0.5)  # a worker whose study was killed notices at its next message
    wanted = Wanted(folder=tmp_path / "out", settings=settings)
    conductor = Conductor(file, wanted)
    (folder,) = (conductor.where(job) for job in conductor.left())
    made = (folder / "run.json").read_bytes()
    conductor.prepare()
    done = conductor.run(Here)
    assert (folder / "run.json").read_bytes() == made  # gone on with, not begun anew
    calm = study_here(file, tmp_path / "calm", settings=settings[:1])
    assert results(done) == results(calm)


def test_finished_runs_elsewhere_are_taken_in(tmp_path: Path, book: Path) -> None:
    file = write_study(tmp_path, book)
    conductor = Conductor(file, Wanted(folder=tmp_path / "out", take=(tmp_path / "runs",)))
    values = conductor.jobs[0].values
    train(values | {"train": values["train"] | {"threads": 1}}, str(tmp_path / "runs" / "mine"))
    other = values | {"model": values["model"] | {"hidden": 9}}
    train(other, str(tmp_path / "runs" / "other"))
    taken = conductor.prepare()
    assert [(job.row, path.name) for job, path in taken] == [("rnn", "mine")]
    assert [job.row for job in conductor.left()] == ["lstm"]
    again = Conductor(file, Wanted(folder=tmp_path / "out", take=(tmp_path / "runs",)))
    assert again.prepare() == []
    with pytest.raises(WorkingsError, match="there is no run in it"):
        Conductor(file, Wanted(folder=tmp_path / "out", take=(tmp_path,))).prepare()


def test_folders_of_others_are_not_touched(tmp_path: Path, book: Path) -> None:
    file = write_study(tmp_path, book)
    Conductor(file, Wanted(folder=tmp_path / "out")).prepare()
    other = write_study(tmp_path, book, title="Another")
    with pytest.raises(WorkingsError, match=r"folder of another study \('Tiny'\)"):
        Conductor(other, Wanted(folder=tmp_path / "out")).prepare()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(WorkingsError, match="exists and is no study's folder"):
        Conductor(file, Wanted(folder=tmp_path / "mine")).prepare()
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_measurements_and_parts(tmp_path: Path, book: Path) -> None:
    rows = [
        {"name": cell, "set": {"cell": cell, "steps": 12, "hidden": 8}} for cell in ("rnn", "gru")
    ]
    measured = write_study(
        tmp_path, book, base=None, measure="vanishing", metric="test.half_life", row=rows
    )
    Path(measured).rename(tmp_path / "measured.toml")
    write_study(tmp_path, book, row=[{"name": "one"}])
    Path(tmp_path / "study.toml").rename(tmp_path / "trained.toml")
    parts = [str(tmp_path / "measured.toml"), str(tmp_path / "trained.toml")]
    whole = tmp_path / "whole.toml"
    whole.write_text(f'title = "Both"\nparts = {json.dumps(parts)}\n')
    done = study_here(str(whole), tmp_path / "out")
    assert done.summary.finished
    first, second = done.summary.parts
    assert first.x == "distance"
    assert not first.lower_is_better
    assert len(first.rows[0].runs[0].lines) == 11
    assert first.rows[0].values("test.half_life")[1] > 0
    assert second.rows[0].values("test.perplexity")[1] > 1


def test_lines_tell_what_happens(tmp_path: Path, book: Path, capsys: pytest.CaptureFixture) -> None:
    view = Lines(sys.stderr)
    study_here(write_study(tmp_path, book, row=[{"name": "rnn"}]), tmp_path / "out", view)
    assert "[1/1] rnn, seed 1: " in capsys.readouterr().err


def test_the_book_says_how_far_it_is_and_stops_between_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    kept: list[int] = []
    one = SimpleNamespace(to_dict=lambda: {"verdict": "holds"})
    monkeypatch.setattr(check, "check_book", lambda: iter([one] * 3))
    monkeypatch.setattr(studying, "BOOK_INTERVAL", -1.0)
    conductor: Any = SimpleNamespace(
        view=SimpleNamespace(say=said.append),
        folder=SimpleNamespace(keep_claims=lambda claims: kept.append(len(claims))),
    )
    Conductor._check_book(conductor, lambda: None)
    assert said[1:] == [f"the book of claims: {n} statements checked" for n in (1, 2, 3)]
    Conductor._check_book(conductor, lambda: signal.SIGINT)
    assert kept == [3]
