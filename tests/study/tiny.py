"""A study of small trainings, and a way to run it without workers; shared by several tests."""

from pathlib import Path
from typing import Any

import tomlkit

from workings.errors import WorkingsError
from workings.run.progress import Progress
from workings.study.engines.perform import perform
from workings.study.progress import Quiet
from workings.study.study import Conductor, Study, Wanted

CONFIG: dict[str, Any] = {
    "task": "language",
    "model": {"kind": "rnn", "embed": 6, "hidden": 6},
    # One thread: two of them wait for each other wherever the machine has other work.
    "train": {"epochs": 2, "batch": 8, "window": 20, "device": "cpu", "patience": 9, "threads": 1},
}


def write_study(folder: Path, book: Path, **changes: Any) -> str:
    """A study file beside its config; returns its path."""
    config = CONFIG | {"data": {"train": [str(book)], "valid_share": 0.1, "test_share": 0.1}}
    (folder / "tiny.toml").write_text(tomlkit.dumps(config))
    own = config | {"model": {"kind": "own_model:Net"}}
    (folder / "own.toml").write_text(tomlkit.dumps(own))
    study = {
        "title": "Tiny",
        "base": str(folder / "tiny.toml"),
        "metric": "test.perplexity",
        "row": [
            {"name": "rnn", "published": {"test.perplexity": 20.0}},
            {"name": "lstm", "set": {"model.kind": "lstm"}},
        ],
    } | changes
    path = folder / "study.toml"
    path.write_text(tomlkit.dumps({k: v for k, v in study.items() if v is not None}))
    return str(path)


class Here:
    """An engine that trains in this process: no worker has to be started, which takes seconds."""

    def __init__(self, workers: int, where: Any, view: Any) -> None:
        self.where, self.view = where, view

    def run(self, jobs: Any, stopping: Any) -> None:
        while job := jobs.next():
            self.view.began(job)
            error = ""
            try:
                perform(job, self.where(job), 1, Progress())
            except WorkingsError as failure:
                error = str(failure)
            self.view.ended(job, error)
            jobs.ended(job, error, False)


def study_here(file: str, folder: Path, view: Quiet | None = None, **wanted: Any) -> Study:
    """The study to its end, in this process."""
    conductor = Conductor(file, Wanted(folder=folder, **wanted), view)
    conductor.prepare()
    return conductor.run(Here)
