"""One process of one thread against two: what a step of the same batch gains by a second one."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from workings.bench.rows import Say
from workings.bench.sides import Side, Work, median, race, ratio
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run.folder.run_folder import RunFolder
from workings.run.loop import Loop
from workings.run.machine import environment, measured
from workings.run.machine.signals import Stop
from workings.run.processes import together
from workings.run.progress import Progress

CONFIGS = ("ptb-rnn-12", "fashion-best")
COUNTS = (1, 2)
NEVER = 1e9  # seconds between two checkpoints


class ScalingRow(TypedDict):
    """The seconds of a step of one batch, by the number of processes that share it."""

    name: str
    seconds: dict[int, float]
    gain: float  # the median over the rounds of one process's time over two processes'


def run(names: tuple[str, ...], rounds: int, seconds: float, say: Say) -> list[ScalingRow]:
    """Each config by one and by two processes, which take turns and make products alike."""
    rows: list[ScalingRow] = []
    for name in names:
        config, task, _ = configs.resolve(configs.load(name)).settled()
        chosen = measured.settled(config, task).train
        made = f"train.precision={chosen.precision}", f"train.matmul={chosen.matmul}"
        say(f"{name}, {', '.join(made)}: steps of 1 process and of 2, in turn")
        sides = {str(n): Side(step, (name, n, *made), True, by_the_wall=True) for n in COUNTS}
        turns = race(sides, 1, rounds, seconds)
        rows.append(
            {
                "name": name,
                "seconds": {count: median(turns[str(count)]) for count in COUNTS},
                "gain": ratio(turns["1"], turns["2"]),
            }
        )
    return rows


def step(name: str, count: int, *made: str) -> Work:
    """A training step of a config, by so many processes of one thread each.

    made: settings, of how products are made.
    """
    settings = [f"train.processes={count}", "train.threads=1", f"train.checkpoint_seconds={NEVER}"]
    settings += made
    config, task, _ = configs.resolve(configs.override(configs.load(name), settings)).settled()
    inside = contextlib.ExitStack()
    inside.enter_context(environment.prepared(config.train))
    folder = RunFolder(Path(inside.enter_context(tempfile.TemporaryDirectory())) / "run")
    folder.create(config, task.assets(), {"data": task.checksum()})
    loop = Loop(config, task, folder, Progress(), Stop())
    inside.enter_context(together(loop))
    loop.begin()
    loop.progress.epoch(1, 1, task, loop.state)
    batches = iter(task.batches(0, 0))

    def work() -> None:
        loop.train_batch(_next(batches))

    work.inside = inside  # type: ignore[attr-defined]  # the others end with the last step
    return work


def _next(batches: Iterator[object]) -> object:
    try:
        return next(batches)
    except StopIteration:
        raise WorkingsError("an epoch is over: ask for fewer or shorter rounds") from None
