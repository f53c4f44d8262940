"""What is seen while a study runs: a bar for each run under way and one for all of them."""

import sys
import time
from contextlib import suppress
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from workings.study.engines.messages import EpochEnded, News, Warned
from workings.study.plan import Job


def title(job: Job) -> str:
    """Name a job as the lines and bars show it."""
    return f"{job.row}, seed {job.seed}"


class Quiet:
    """Shows nothing: the calls that every view takes, from the start of a study to its end."""

    def start(self, total: int, done: int) -> None:
        """The study begins: so many runs, so many of them finished before."""

    def began(self, job: Job) -> None:
        """A run begins, or goes on."""

    def told(self, job: Job, message: News) -> None:
        """A run has news: an epoch, a warning, how far it is."""

    def ended(self, job: Job, error: str) -> None:
        """A run is finished, or has failed with an error."""

    def say(self, text: str) -> None:
        """A line for the user."""

    def close(self) -> None:
        """The study is finished, or was interrupted."""


class Lines(Quiet):
    """A line when a run begins or ends, and one in half a minute between."""

    every = 30.0

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.last, self.count, self.total = stream, time.monotonic(), 0, 0
        self.since: dict[str, float] = {}

    def start(self, total: int, done: int) -> None:
        self.total, self.count = total, done

    def began(self, job: Job) -> None:
        self.since.setdefault(job.folder, time.monotonic())

    def told(self, job: Job, message: News) -> None:
        if isinstance(message, Warned):
            self.say(f"warning: {title(job)}: {message.text}")
        elif time.monotonic() - self.last > self.every:
            self.last = time.monotonic()
            self.say(f"  {title(job)}: {message.words}")

    def ended(self, job: Job, error: str) -> None:
        self.last = time.monotonic()
        self.count += 1
        passed = self.last - self.since.get(job.folder, self.last)
        how = f"failed: {error}" if error else f"{passed:.1f} s"
        self.say(f"[{self.count}/{self.total}] {title(job)}: {how}")

    def say(self, text: str) -> None:
        with suppress(OSError):
            print(text, file=self.stream, flush=True)


class Bars(Lines):
    """The same in a terminal, as bars."""

    def __init__(self, console: Console) -> None:
        super().__init__(sys.stderr)
        self.console = console
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[words]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self.rows: dict[str, TaskID] = {}  # a job's bar by the name of its run

    def start(self, total: int, done: int) -> None:
        super().start(total, done)
        self.bars.start()
        self.all = self.bars.add_task("all runs", total=total, completed=done, words="")

    def began(self, job: Job) -> None:
        super().began(job)
        self.rows[job.folder] = self.bars.add_task(title(job), total=None, words="")

    def told(self, job: Job, message: News) -> None:
        if isinstance(message, Warned):
            super().told(job, message)
            return
        bar = self.rows[job.folder]
        done = message.epoch if isinstance(message, EpochEnded) else message.done
        if message.of is None:
            self.bars.update(bar, words=message.words)
        else:
            self.bars.update(bar, words=message.words, total=message.of, completed=done)

    def ended(self, job: Job, error: str) -> None:
        super().ended(job, error)
        self.bars.remove_task(self.rows.pop(job.folder))
        self.bars.update(self.all, completed=self.count)

    def say(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False)

    def close(self) -> None:
        self.bars.stop()


def view(quiet: bool = False) -> Quiet:
    """Return the view that suits where the output goes; all of it goes to standard error."""
    if quiet:
        return Quiet()
    console = Console(stderr=True)
    return Bars(console) if console.is_terminal else Lines(sys.stderr)
