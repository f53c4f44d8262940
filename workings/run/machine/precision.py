"""Whether a run multiplies in bfloat16: as asked for, or chosen by a measurement at its start.

Weights, optimizer, softmax, losses and norms are float32 in either, and so is all of evaluation.
"""

import torch
from torch import nn

from workings.errors import WorkingsError, first_line
from workings.run.config import RunConfig
from workings.run.machine import environment
from workings.run.machine.autocast import Precision, products
from workings.run.machine.step_times import Way, shortest_steps, untrained
from workings.run.progress import Progress
from workings.tasks.task import Task

FASTER = 1.2  # times as fast as float32, or `auto` does not take bfloat16
APART = 0.01  # of the loss: the largest difference between the two that it takes


def settled(config: RunConfig, task: Task, progress: Progress | None = None) -> RunConfig:
    """The config with `auto` replaced by what was chosen, so that it can be repeated exactly."""
    if config.train.precision != "auto":
        return config
    chosen, why = choose(config, task)
    if progress is not None:
        progress.say(f"chosen {chosen} for matrix products: {why}")
    train = config.train.model_copy(update={"precision": chosen})
    return config.model_copy(update={"train": train})


def choose(config: RunConfig, task: Task) -> tuple[Precision, str]:
    """bfloat16 if it pays here, at the sizes at hand; and why, in a few words."""
    device = environment.device(config.train)
    if not task.bfloat16:
        return "float32", "all that sparse products have"
    if not has_bfloat16(device):
        return "float32", "this machine has no instructions for bfloat16"
    with environment.prepared(config.train):
        return _measured(config, task, device)


def _measured(config: RunConfig, task: Task, device: torch.device) -> tuple[Precision, str]:
    """Of both precisions, by their first losses and the time of a step."""
    model, batches = untrained(config, task, device)
    single = _first_loss("float32", task, model, batches[0], device)
    try:
        apart = abs(_first_loss("bfloat16", task, model, batches[0], device) - single)
        if not apart <= APART * max(1.0, abs(single)):
            return "float32", f"the first losses differ by {apart:.3g}"
        ratio = _ratio(config, task, model, batches, device)
    except (RuntimeError, WorkingsError) as error:  # a layer that has no bfloat16
        return "float32", f"bfloat16 fails here: {first_line(error.__cause__ or error)}"
    if ratio < FASTER:
        return "float32", f"bfloat16 is {ratio:.2f} times as fast, less than {FASTER}"
    return "bfloat16", f"{ratio:.2f} times as fast as float32"


PRECISIONS: tuple[Precision, Precision] = ("float32", "bfloat16")


def has_bfloat16(device: torch.device) -> bool:
    """Whether the device multiplies bfloat16 itself; others do it more slowly than float32."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu":
        return any(torch.cpu.get_capabilities().get(name) for name in INSTRUCTIONS)
    return True  # left to the measurement


INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")


@torch.no_grad()
def _first_loss(
    precision: Precision, task: Task, model: nn.Module, batch: object, device: torch.device
) -> float:
    """Of the untrained model, without dropout."""
    model.eval()
    with products(precision, device):
        return float(task.loss(model, batch, None)[0])


def _ratio(
    config: RunConfig, task: Task, model: nn.Module, batches: list[object], device: torch.device
) -> float:
    """The shortest float32 step over the shortest bfloat16 one, taken in turn."""
    ways = tuple(Way(name, torch.get_num_threads(), config.train.matmul) for name in PRECISIONS)
    single, half = shortest_steps(config, task, model, batches, ways, device)
    return single / half
