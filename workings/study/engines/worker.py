"""A process that does a study's jobs, one after the other, and says how far it is."""

import json
import os
import sys
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from workings.errors import Interrupted, WorkingsError
from workings.files import write_folder
from workings.run import run as runs
from workings.run.environment import record
from workings.run.folder import RunFolder
from workings.run.progress import Progress
from workings.run.state import TrainingState
from workings.study.measures import MEASURES
from workings.study.plan import Job
from workings.tasks.task import Metrics

EVERY = 0.3  # seconds between two messages about one job


class Telling(Progress):
    """Sends what happens to the process that shows it; without it, there is no more to do."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.last = pipe, 0.0

    def tell(self, kind: str, **about: Any) -> None:
        try:
            self.pipe.send({"kind": kind, **about})
        except OSError:  # the study is gone: what is on disk is what it will go on from
            os._exit(1)

    def shown(self, state: TrainingState) -> None:
        if time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            done = state.epoch + min(1.0, state.units / max(1, self.task.units))
            self.tell("step", done=done, of=self.epochs, words=self.words(state))

    def evaluating(self, split: str, done: int, unit: str) -> None:
        if time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            self.tell("evaluating", words=f"evaluating {split}: {done:,} {unit}")

    def evaluated(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> None:
        best = self.task.best
        self.tell("epoch", epoch=state.epoch, of=self.epochs, metric=best, value=valid[best])

    def warn(self, text: str) -> None:
        self.tell("warning", text=text)


def serve(pipe: Connection, threads: int) -> None:
    """Take jobs from the pipe until None comes."""
    import torch

    # Ctrl-C is for the study, which then asks each of its workers to stop.
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    torch.set_num_threads(threads)
    telling = Telling(pipe)
    while True:
        try:
            asked = pipe.recv()
            if asked is None:
                return
            job, folder = asked
            perform(job, Path(folder), threads, telling)
            telling.tell("done")
        except (EOFError, KeyboardInterrupt):
            return
        except Interrupted:
            telling.tell("stopped")
        except WorkingsError as error:
            telling.tell("failed", error=str(error))
        except Exception as error:  # a user's own model may raise anything: the others go on
            line = str(error).strip().partition("\n")[0]
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}, line {where.lineno}"
            telling.tell("failed", error=f"{type(error).__name__}: {line} ({place})")


def perform(job: Job, folder: Path, threads: int, progress: Progress) -> None:
    """Train, go on with, or measure what the job asks for, in its folder, to the end."""
    if job.measure:
        _measure(job, folder)
    elif folder.exists():
        # The study's plan was trusted to import its class; a folder that names another one was not.
        planned = RunFolder(folder).config().model.model_dump(mode="json") == job.values["model"]
        runs.resume(str(folder), settings=None, progress=progress, trust=planned)
    else:
        asked = job.values["train"]["threads"]  # a small graph asks for one, whatever there is
        train = job.values["train"] | {"threads": min(asked or threads, threads)}
        runs.train(job.values | {"train": train}, str(folder), progress=progress, label=job.row)


def _measure(job: Job, folder: Path) -> None:
    """A measurement leaves a folder as a run does: what was asked, the figures, the curves."""
    import torch

    began = time.monotonic()
    measure = MEASURES[job.measure]
    settings = measure.settings | job.values
    torch.manual_seed(job.seed)
    found = measure.take(settings)
    result = {
        "metrics": {f"test.{name}": value for name, value in found.metrics.items()},
        "parameters": found.parameters,
        "seconds": round(time.monotonic() - began, 1),
        "seed": job.seed,
        "details": {},
        "environment": record(torch.device("cpu")),
    }
    asked = {"measure": job.measure, "seed": job.seed, **settings}
    lines = "".join(json.dumps(line) + "\n" for line in found.lines)
    write_folder(
        folder,
        {
            "measure.json": json.dumps(asked, indent=2).encode(),
            "metrics.jsonl": lines.encode(),
            "result.json": json.dumps(result, indent=2).encode(),
        },
    )


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
