"""Who makes a run's float32 products: as asked for, or chosen by a measurement at its start."""

import functools
import time
from typing import Literal

import torch
from torch import nn

from workings.nn.matmul import is_float32, products_by
from workings.run.config import RunConfig
from workings.run.machine import environment
from workings.run.machine.step_times import Way, shortest_steps, untrained
from workings.run.progress import Progress
from workings.tasks.task import Task

# M rows, K that is summed over, N columns

Matmul = Literal["torch", "onednn"]
LIBRARIES: tuple[Matmul, Matmul] = ("torch", "onednn")
FASTER = 1.2  # times as fast as PyTorch's own, or oneDNN is not taken
LOOK = 0.1  # seconds of steps that are looked at
LARGE = 2**16  # numbers in a matrix, with which a model has products that are worth measuring
M, K, N = 256, 256, 1024  # of the product by which a processor is judged
ROUNDS = 5


def settled(config: RunConfig, task: Task, progress: Progress | None = None) -> RunConfig:
    """The config with `auto` replaced by what was chosen, so that it can be repeated exactly."""
    if config.train.matmul != "auto":
        return config
    chosen: Matmul = "torch"
    if environment.device(config.train).type == "cpu" and is_float32():
        with environment.prepared(config.train):
            chosen, why = choose(config, task)
        if progress is not None and chosen == "onednn":
            progress.say(f"chosen oneDNN for matrix products in float32: {why}")
    return config.model_copy(update={"train": config.train.model_copy(update={"matmul": chosen})})


def choose(config: RunConfig, task: Task) -> tuple[Matmul, str]:
    """oneDNN if a step in float32 is faster by it at the sizes at hand; and why."""
    ratio = _ratio_of_products(torch.get_num_threads())
    if ratio < FASTER:  # of this processor: no step can gain more than its products do
        return "torch", f"it makes products {ratio:.2f} times as fast, less than {FASTER}"
    try:
        model, batches = untrained(config, task, torch.device("cpu"))
        if _largest(model) < LARGE:
            return "torch", "the model's matrices are small"
        ways = tuple(Way("float32", torch.get_num_threads(), library) for library in LIBRARIES)
        own, other = shortest_steps(config, task, model, batches, ways, torch.device("cpu"), LOOK)
    except Exception:
        return "torch", ""  # what fails here fails again in the run, which says what it is
    ratio = own / other
    if ratio < FASTER:
        return "torch", f"a step is {ratio:.2f} times as fast, less than {FASTER}"
    return "onednn", f"a step is {ratio:.2f} times as fast as by PyTorch's own"


def _largest(model: nn.Module) -> int:
    return max((w.numel() for w in model.parameters() if w.dim() == 2), default=0)


@functools.cache
def _ratio_of_products(threads: int) -> float:
    """PyTorch's time for a product over oneDNN's; they take turns, as the machine may be busy.

    Measured once a process for so many threads, which it is called with.
    """
    x_MK, w_KN = torch.ones(M, K), torch.ones(K, N)
    seconds: dict[Matmul, list[float]] = {library: [] for library in LIBRARIES}
    for _ in range(ROUNDS):
        for library, taken in seconds.items():
            with products_by(library):
                for _ in range(2):  # the first one warms up
                    start = time.perf_counter()
                    torch.mm(x_MK, w_KN)
                    last = time.perf_counter() - start
            taken.append(last)
    return min(seconds["torch"]) / min(seconds["onednn"])
