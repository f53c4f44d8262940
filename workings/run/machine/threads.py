"""The threads of a run on a processor: as asked for, or chosen by a measurement at its start.

Small steps are slower on several threads, which wait for each other more than they compute; large
ones are faster. Which it is depends on the sizes, and on what else the machine does.
"""

import torch

from workings.run.config import RunConfig
from workings.run.machine import environment
from workings.run.machine.autocast import Precision
from workings.run.machine.step_times import Way, shortest_steps, untrained
from workings.run.progress import Progress
from workings.tasks.task import Task

FASTER = 1.1  # times as fast as all threads, or one thread is not taken


def settled(config: RunConfig, task: Task, progress: Progress | None = None) -> RunConfig:
    """The config with the threads that were chosen, so that it can be repeated exactly."""
    most = torch.get_num_threads()
    if config.train.threads or most == 1 or environment.device(config.train).type != "cpu":
        return config
    with environment.prepared(config.train):
        chosen, why = _measured(config, task, most)
    if progress is not None and why:
        progress.say(f"chosen {chosen} thread{'s' * (chosen > 1)}: {why}")
    return config.model_copy(update={"train": config.train.model_copy(update={"threads": chosen})})


def _measured(config: RunConfig, task: Task, most: int) -> tuple[int, str]:
    """One thread if it is faster, and why; else as many as there are."""
    precision: Precision = "bfloat16" if config.train.precision == "bfloat16" else "float32"
    matmul = config.train.matmul
    ways = Way(precision, most, matmul), Way(precision, 1, matmul)
    device = torch.device("cpu")
    try:
        model, batches = untrained(config, task, device)
        several, one = shortest_steps(config, task, model, batches, ways, device)
    except Exception:
        return most, ""  # what fails here fails again in the run, which says what it is
    if several < FASTER * one:
        return most, ""
    return 1, f"a step takes {milliseconds(one)}, on {most} threads {milliseconds(several)}"


def milliseconds(seconds: float) -> str:
    """A time as a reader takes it in: 1,220 ms, 650 ms, 1.25 ms."""
    ms = 1000 * seconds
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.3g} ms"
