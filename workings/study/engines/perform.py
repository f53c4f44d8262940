"""What a worker does: train, resume or measure what each job asks for, and tell how far it is."""

import json
import os
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from workings.errors import Interrupted, WorkingsError
from workings.files import write_folder
from workings.own_class import names_in
from workings.run import training
from workings.run.folder.run_folder import RunFolder
from workings.run.machine.environment import record
from workings.run.progress import Progress
from workings.run.state import TrainingState
from workings.study.engines.messages import Ended, EpochEnded, Message, Progressed, Warned
from workings.study.measures import MEASURES
from workings.study.plan import Job
from workings.tasks.task import Metrics

EVERY = 0.3  # seconds between two messages about one job


class Telling(Progress):
    """Sends what happens to the process that shows it; without that process, it ends this one."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.last = pipe, 0.0

    def tell(self, message: Message) -> None:
        """Send a message to the study."""
        try:
            self.pipe.send(message)
        except OSError:  # the study is gone: what is on disk is what it will resume from
            os._exit(1)

    def _tell_sometimes(self, message: Callable[[], Message]) -> None:
        if time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            self.tell(message())

    def shown(self, state: TrainingState) -> None:
        done = state.epoch + min(1.0, state.units / max(1, self.task.units))
        self._tell_sometimes(lambda: Progressed(self.words(state), done, self.epochs))

    def evaluating(self, split: str, done: int, unit: str) -> None:
        self._tell_sometimes(lambda: Progressed(f"evaluating {split}: {done:,} {unit}"))

    def evaluated(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> None:
        best = self.task.best
        self.tell(EpochEnded(state.epoch, self.epochs, best, valid[best]))

    def warn(self, text: str) -> None:
        self.tell(Warned(text))


def serve(pipe: Connection, threads: int) -> None:
    """Take jobs from the pipe until None comes."""
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
            telling.tell(Ended())
        except (EOFError, KeyboardInterrupt):
            return
        except Interrupted:
            telling.tell(Ended(stopped=True))
        except WorkingsError as error:
            telling.tell(Ended(str(error)))
        except Exception as error:  # a user's own model may raise anything: the others go on
            line = str(error).strip().partition("\n")[0]
            frame = traceback.extract_tb(error.__traceback__)[-1]
            source = f"{Path(frame.filename).name}, line {frame.lineno}"
            telling.tell(Ended(f"{type(error).__name__}: {line} ({source})"))


def perform(job: Job, folder: Path, threads: int, progress: Progress) -> None:
    """Train, resume, or measure what the job asks for, in its folder, to the end."""
    if job.measure:
        _measure(job, folder)
    elif folder.exists():
        # The study's plan was trusted to import what it names; a folder that names more was not.
        stored, asked = RunFolder(folder).config().model_dump(mode="json"), job.values
        planned = (stored["model"], names_in(stored)) == (asked["model"], names_in(asked))
        training.resume(str(folder), settings=None, progress=progress, trust=planned)
    else:
        values = job.trained_on(threads)
        training.train(values, str(folder), progress=progress, label=job.row)


def _measure(job: Job, folder: Path) -> None:
    """A measurement leaves a folder as a run does: what was asked, the figures, the curves."""
    began = time.monotonic()
    measure = MEASURES[job.measure]
    settings = {**measure.settings, **job.values}
    torch.manual_seed(job.seed)
    measured = measure.take(settings)
    result = {
        "metrics": {f"test.{name}": value for name, value in measured.metrics.items()},
        "parameters": measured.parameters,
        "seconds": round(time.monotonic() - began, 1),
        "seed": job.seed,
        "details": {},
        "environment": record(torch.device("cpu")),
    }
    asked = {"measure": job.measure, "seed": job.seed, **settings}
    lines = "".join(json.dumps(line) + "\n" for line in measured.lines)
    write_folder(
        folder,
        {
            "measure.json": json.dumps(asked, indent=2).encode(),
            "metrics.jsonl": lines.encode(),
            "result.json": json.dumps(result, indent=2).encode(),
        },
    )
