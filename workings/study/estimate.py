"""How long a study will take, from a few measured steps of each row."""

import itertools
import time
from collections.abc import Iterator

import torch

from workings.run.config import RunConfig, resolve
from workings.run.machine import environment, measured
from workings.run.machine.autocast import products
from workings.run.optim import Learner
from workings.study.plan import Job
from workings.tasks.task import Task

LOOK = 0.6  # seconds of steps that are measured
MOST = 1000  # steps that are measured


def seconds(job: Job, threads: int) -> float:
    """Of training, without evaluations: all epochs, which early stopping may shorten."""
    config = resolve(job.trained_on(threads))
    with environment.prepared(config.train):
        torch.set_num_threads(config.train.threads or threads)
        task = config.build_task()
        config = measured.settled(config, task)
        with environment.prepared(config.train):
            return _measured(config, task)


def _measured(config: RunConfig, task: Task) -> float:
    """The seconds of some steps, times all there are."""
    device = environment.device(config.train)
    task.to(device)
    torch.manual_seed(config.seed)
    model = task.build().to(device).train()
    steps = config.train.epochs * task.steps
    steps = min(steps, config.train.max_steps or steps)
    learner = Learner(model, config.train, steps, task.groups(model))
    carry, began = None, time.monotonic()
    for number, batch in enumerate(itertools.islice(_batches(task), 1 + MOST)):
        with products(config.train.precision, device):
            loss, _, carry = task.loss(model, batch, carry)
        learner.backward(loss)
        learner.step(number)
        loss.item()
        if number == 0:
            began = time.monotonic()  # the first one warms up, and prepares what all of them need
        elif time.monotonic() - began > LOOK:
            break
    return (time.monotonic() - began) / max(1, number) * steps


def _batches(task: Task) -> Iterator[object]:
    """Those of one epoch after the other: on a graph, an epoch is one step."""
    for epoch in itertools.count():
        yield from task.batches(epoch, 0)
