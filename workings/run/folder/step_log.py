"""steps.jsonl: the training loss by step, so that a run of one epoch has a curve too.

A line is the mean since the line before it; an epoch has at most POINTS of them. One whose epochs
are single steps has none: metrics.jsonl says the same.
"""

import math
import time
from pathlib import Path

from workings.files import write_file
from workings.run.folder.metrics_file import MetricsFile, written
from workings.run.folder.records import MetricsLine, OpenPoint

NAME = "steps.jsonl"
POINTS = 200  # of an epoch, at most
SHOW_SECONDS = 3.0  # between two looks that somebody may have at a run that trains


class StepLog:
    """The points of a run; those after its last checkpoint are forgotten where it is resumed."""

    def __init__(self, folder: Path, steps: int) -> None:
        """steps: of an epoch."""
        self.file = MetricsFile(folder, NAME)
        self.every = math.ceil(steps / POINTS) if steps > 1 else 0
        self.lines: list[MetricsLine] = []
        self.point: OpenPoint = {"loss_sum": 0.0, "units": 0}
        self.shown = time.monotonic()

    def add(self, loss: float, units: int, step: int, epoch: int, position: int) -> None:
        """One step; position: of it in its epoch, from 1."""
        self.point["loss_sum"] += loss * units
        self.point["units"] += units
        if self.every and position % self.every == 0:
            self.end_point(step, epoch)

    def end_point(self, step: int, epoch: int) -> None:
        """Write down the point under way; an epoch's last one may be of fewer steps."""
        if self.every and self.point["units"]:
            loss = self.point["loss_sum"] / self.point["units"]
            self.lines.append({"step": step, "epoch": epoch, "split": "train", "loss": loss})
        self.point = {"loss_sum": 0.0, "units": 0}

    def show(self) -> None:
        """Write the points so far, for whoever looks on; seldom, since they are synced."""
        if self.lines and time.monotonic() - self.shown > SHOW_SECONDS:
            self.save()

    def save(self) -> OpenPoint:
        """See the points to the disk; return what the checkpoint keeps."""
        self.file.append(self.lines)
        self.lines = []
        self.shown = time.monotonic()
        return self.point

    def restore(self, point: OpenPoint | None, step: int) -> None:
        """Go on from a checkpoint, which may be of an older version: forget the points after it."""
        if point is not None:
            self.point = point
        if self.file.path.is_file():
            kept = (line for line in self.file.read() if _step(line) <= step)
            write_file(self.file.path, b"".join(map(written, kept)))


def _step(line: MetricsLine) -> float:
    step = line.get("step")
    return step if isinstance(step, int) else math.inf


def read(folder: Path) -> list[MetricsLine]:
    """The points of a run; none of an older one."""
    return MetricsFile(folder, NAME).read()
