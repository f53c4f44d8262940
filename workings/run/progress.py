"""What a user sees while a run trains: a live bar in a terminal, plain lines elsewhere."""

import logging
import sys
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bar

from workings.names import escaped
from workings.run.state import TrainingState
from workings.tasks.task import Metrics, Task


class Progress:
    """Keeps count and shows nothing; the views below show it."""

    rate: float = 0.0  # units a second in the epoch under way
    told: float = 0.0  # the run's seconds when an epoch's line was last shown

    def epoch(self, number: int, epochs: int, task: Task, state: TrainingState) -> None:
        """An epoch begins, or goes on after a resume."""
        self.number, self.epochs, self.task = number, epochs, task
        self.from_units, self.began = state.units, time.monotonic()

    def step(self, state: TrainingState) -> None:
        """A step is done."""
        passed = max(time.monotonic() - self.began, 1e-9)
        self.rate = round((state.units - self.from_units) / passed, 1)
        self.shown(state)

    def shown(self, state: TrainingState) -> None:
        """Show a step."""

    def evaluating(self, split: str, done: int, unit: str) -> None:
        """So many units of a split are evaluated."""

    def waiting(self, text: str) -> AbstractContextManager[object]:
        """Say what is being done, while it is."""
        return nullcontext()

    def evaluated(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> None:
        """An epoch is done and evaluated; better: than all before it."""

    def warn(self, text: str) -> None:
        """Show what the user should know of."""

    def say(self, text: str) -> None:
        """Show a line."""

    def close(self) -> None:
        """Leave the terminal as it was."""

    def words(self, state: TrainingState) -> str:
        """Loss, the task's metric and the pace, over the epoch so far."""
        running = self.task.training_metrics(state.mean_loss)
        name = self.task.best
        best = f"  {name} {number(running[name])}" if name in running and name != "loss" else ""
        return f"loss {running['loss']:.3f}{best}  {self.rate:,.0f} {self.task.unit}/s"

    def left(self, state: TrainingState) -> str:
        """The time that the epoch has left, and all epochs, which early stopping may shorten."""
        each = self.task.units / max(self.rate, 1e-9)
        epoch = each * max(0.0, 1 - state.units / self.task.units)
        if self.number >= self.epochs:
            return f"{clock(epoch)} left"
        whole = epoch + each * (self.epochs - self.number)
        return f"{clock(epoch)} left in the epoch, {clock(whole)} in all"

    def line(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> str:
        """What is shown of an epoch."""
        name = self.task.best
        shown = name if name in train else "loss"
        before = f"train {number(train[shown]):>9}{'' if shown == name else ' loss'}"
        return (
            f"epoch {self.number:>3}  {before}  valid {number(valid[name]):>9}"
            f"{' *' if better else '  '} {name}  {self.rate:10,.0f} {self.task.unit}/s"
            f"  {clock(state.seconds):>8}"
        )

    def worth_a_line(self, state: TrainingState) -> bool:
        """Epochs of a few milliseconds would fill the screen: one line in half a second then."""
        if state.seconds - self.told < 0.5 and 1 < self.number < self.epochs:
            return False
        self.told = state.seconds
        return True


def number(value: float) -> str:
    """With the digits that tell one epoch from the next: a rate has more than a perplexity."""
    if abs(value) < 2:
        return f"{value:.4f}"
    return f"{value:.2f}" if value < 1e4 else f"{value:.2e}"


def clock(seconds: float) -> str:
    """Hours, minutes and seconds: 1:02:05."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Lines(Progress):
    """A line every ten seconds and one an epoch; where they go, a subclass says."""

    every = 10.0

    def __init__(self) -> None:
        self.last = time.monotonic()

    def shown(self, state: TrainingState) -> None:
        if time.monotonic() - self.last >= self.every:
            self.last = time.monotonic()
            done = state.units / self.task.units
            self.say(
                f"epoch {self.number}/{self.epochs} {done:4.0%}  {self.words(state)}  "
                f"{self.left(state)}"
            )

    def evaluating(self, split: str, done: int, unit: str) -> None:
        if time.monotonic() - self.last >= self.every:
            self.last = time.monotonic()
            self.say(f"evaluating {split}: {done:,} {unit}")

    def evaluated(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> None:
        self.last = time.monotonic()
        if self.worth_a_line(state):
            self.say(self.line(state, train, valid, better))


class Logged(Lines):
    """For a program that calls us: warnings and lines go to the logger `workings`."""

    def warn(self, text: str) -> None:
        logging.getLogger("workings").warning(escaped(text))

    def say(self, text: str) -> None:
        logging.getLogger("workings").info(escaped(text))


class Plain(Lines):
    """To a stream that is no terminal: a file, a pipe."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream

    def warn(self, text: str) -> None:
        self.say(f"warning: {text}")

    def say(self, text: str) -> None:
        # A reader that has gone away must not end the training.
        with suppress(OSError):
            print(escaped(text), file=self.stream, flush=True)


class Live(Progress):
    """A bar for the epoch under way; a line stays for every epoch done."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TextColumn("{task.fields[words]}"),
            console=console,
            expand=True,
            transient=True,
        )
        self.row: TaskID | None = None

    def epoch(self, number: int, epochs: int, task: Task, state: TrainingState) -> None:
        super().epoch(number, epochs, task, state)
        row = self.begin()
        self.bar.reset(row, total=task.units, completed=state.units, words="")
        self.bar.update(row, description=f"epoch {number}/{epochs}")

    def begin(self) -> TaskID:
        """The bar, which is started if it has not been."""
        if self.row is None:
            self.bar.start()
            self.row = self.bar.add_task("", words="")
        return self.row

    def shown(self, state: TrainingState) -> None:
        # Short, as a terminal has 80 columns: of the epoch, of all.
        left = self.left(state).replace(" left in the epoch, ", " of ").removesuffix(" in all")
        words = f"{self.words(state)}  {left}"
        self.bar.update(self.begin(), completed=state.units, words=words)

    def evaluating(self, split: str, done: int, unit: str) -> None:
        # How long an evaluation is, is the task's own affair: a bar without an end.
        self.bar.update(self.begin(), total=None, words=f"evaluating {split}: {done:,} {unit}")

    def waiting(self, text: str) -> AbstractContextManager[object]:
        return self.console.status(text)

    def evaluated(self, state: TrainingState, train: Metrics, valid: Metrics, better: bool) -> None:
        if self.worth_a_line(state):
            self.say(self.line(state, train, valid, better))

    def warn(self, text: str) -> None:
        self.console.print(f"[yellow]warning:[/] {escape(escaped(text))}", highlight=False)

    def say(self, text: str) -> None:
        self.console.print(escaped(text), highlight=False, markup=False)

    def close(self) -> None:
        self.bar.stop()


def progress(quiet: bool = False) -> Progress:
    """The view that fits where the output goes; all of it to standard error."""
    if quiet:
        return Progress()
    console = Console(stderr=True)
    return Live(console) if console.is_terminal else Plain(sys.stderr)
