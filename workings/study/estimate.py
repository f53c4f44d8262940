"""How long a study will take, from a few measured steps of each row."""

import itertools
import time

import torch

from workings.run import environment
from workings.run.config import resolve
from workings.run.optim import Learner
from workings.study.plan import Job

LOOK = 0.6  # seconds of steps that are measured


def seconds(job: Job, threads: int) -> float:
    """Of training, without evaluations: all epochs, which early stopping may shorten."""
    values = job.values | {"train": job.values["train"] | {"threads": threads}}
    config = resolve(values)
    environment.prepare(config.train)
    device = environment.device(config.train)
    task = config.build_task()
    task.to(device)
    torch.manual_seed(config.seed)
    model = task.build().to(device).train()
    steps = config.train.epochs * task.steps
    steps = min(steps, config.train.max_steps or steps)
    learner = Learner(model, config.train, steps, task.groups(model))
    carry, taken, began = None, 0, time.monotonic()
    for number, batch in enumerate(itertools.islice(task.batches(0, 0), 1000)):
        loss, _, carry = task.loss(model, batch, carry)
        learner.step(loss, number)
        loss.item()
        if number == 0 and task.steps > 1:
            began = time.monotonic()  # the first one warms up
            continue
        taken += 1
        if time.monotonic() - began > LOOK:
            break
    return (time.monotonic() - began) / max(1, taken) * steps
