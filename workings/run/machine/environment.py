"""The machine a run is on: its device and threads, its allocator, and what is recorded of it."""

import contextlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping

import numpy
import torch

from workings.errors import WorkingsError
from workings.names import escaped
from workings.nn.matmul import products_by
from workings.run.folder.records import Environment
from workings.run.machine.allocator import give_back_memory, keep_memory
from workings.run.machine.random_state import random_state, restore_random_state
from workings.tasks.config import TrainConfig
from workings.version import __version__


def device(config: TrainConfig) -> torch.device:
    """The device asked for, or the best one found."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if config.device == "auto":
        return torch.device(next((kind for kind, usable in available.items() if usable), "cpu"))
    if not available.get(config.device, True):
        raise WorkingsError(
            f"train.device: no {config.device} device on this machine; set train.device=cpu"
        )
    return torch.device(config.device)


@contextlib.contextmanager
def prepared(config: TrainConfig) -> Iterator[None]:
    """The process set up for a run: threads, allocator, products; afterwards all is as it was.

    Torch's random state too: what a run draws, its caller does not notice.
    """
    threads, used = torch.get_num_threads(), device(config)
    drawn = random_state(used)
    keep_memory()
    if config.threads:
        torch.set_num_threads(config.threads)
    try:
        with products_by(config.matmul):
            yield
    finally:
        give_back_memory()
        torch.set_num_threads(threads)
        restore_random_state(drawn, used)


def record(used: torch.device, processes: int = 1) -> Environment:
    """What a result must carry so that it can be repeated."""
    return {
        "workings": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "device": torch.cuda.get_device_name(used) if used.type == "cuda" else used.type,
        "threads": torch.get_num_threads(),
        "processes": processes,
        "command": escaped(
            " ".join(sys.argv[:1] and [os.path.basename(sys.argv[0]), *sys.argv[1:]])  # noqa: PTH119
        ),
    }


def differences(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """What has changed of all that a run's exact numbers depend on."""
    keys = ("workings", "torch", "processor", "device", "threads", "processes")
    before = {"processes": 1, **before}  # an older record does not say
    return [f"{key} {before.get(key)} → {now[key]}" for key in keys if before.get(key) != now[key]]


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:  # noqa: PTH123
            names = [line.partition(":")[2].strip() for line in file if "model name" in line]
        return names[0] if names else platform.processor()
    except OSError:
        return platform.processor()
