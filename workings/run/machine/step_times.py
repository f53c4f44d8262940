"""How long a training step takes in each of several ways, so that a run begins with the fastest."""

import itertools
import math
import time
from dataclasses import dataclass

import torch
from torch import nn

from workings.nn.matmul import products_by
from workings.run.config import RunConfig
from workings.run.machine.autocast import Precision, products
from workings.run.optim import Learner
from workings.tasks.task import Task

LOOK = 0.4  # seconds that are looked at, and two rounds at least


@dataclass(frozen=True)
class Way:
    """How a step may be computed."""

    precision: Precision
    threads: int
    matmul: str  # who makes float32 products


def untrained(
    config: RunConfig, task: Task, device: torch.device
) -> tuple[nn.Module, list[object]]:
    """A model with its first weights, and the first batches of the task."""
    task.to(device)
    torch.manual_seed(config.seed)
    return task.build().to(device), list(itertools.islice(task.batches(0, 0), 2))


def shortest_steps(
    config: RunConfig,
    task: Task,
    model: nn.Module,
    batches: list[object],
    ways: tuple[Way, ...],
    device: torch.device,
    look: float | None = None,
) -> list[float]:
    """The seconds of the shortest step in each way; they take turns, as the machine may be busy.

    The model is trained by it. The first step of a turn warms up and is not counted.

    look: the seconds that it may take beyond two rounds, LOOK if not given.
    """
    learner = Learner(model.train(), config.train, 1, task.groups(model))
    shortest = [math.inf] * len(ways)
    began = time.perf_counter()
    for turn in itertools.count():
        for number, way in enumerate(ways):
            torch.set_num_threads(way.threads)
            for step in range(2):
                start = time.perf_counter()
                with products_by(way.matmul):
                    with products(way.precision, device):
                        loss = task.loss(model, batches[(turn + step) % len(batches)], None)[0]
                    learner.backward(loss)
                    learner.step(0)
                    loss.item()
                if step:
                    shortest[number] = min(shortest[number], time.perf_counter() - start)
        if turn and time.perf_counter() - began > (LOOK if look is None else look):
            return shortest
    raise AssertionError("counts for ever")
