"""Training on a busy machine: what other programs cost, by how OpenMP's threads wait."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import TypedDict

import torch

from workings.bench import images
from workings.bench.rows import Say, on_threads
from workings.bench.sides import Side, median, race
from workings.openmp import SETTINGS

VARIANT, BATCH = "pool", 8  # steps of a millisecond or two, in which threads wait often
PROGRAMS = (0, 1, 2)  # beside it, each of which uses a core


class BusyRow(TypedDict):
    """How threads wait, and the images a second beside so many other programs."""

    name: str
    images_per_second: dict[int, float]


def run(rounds: int, seconds: float, say: Say) -> list[BusyRow]:
    """One thread, and several that wait asleep, as ours do, or awake, as OpenMP has it."""
    several = max(2, torch.get_num_threads())
    ways = {
        f"{on_threads(several)}, waiting asleep": (several, "PASSIVE"),
        f"{on_threads(several)}, waiting as OpenMP has it": (several, None),
        "1 thread": (1, None),
    }
    rows: list[BusyRow] = []
    side = {"ours": Side(images.our_step, (VARIANT, BATCH), True, by_the_wall=True)}
    for name, (threads, policy) in ways.items():
        rates = {}
        for count in PROGRAMS:
            say(f"{name}, beside {count} program(s)")
            with waiting(policy), programs(count):
                turns = race(side, threads, rounds, seconds)["ours"]
            rates[count] = BATCH / median(turns)
        rows.append({"name": name, "images_per_second": rates})
    return rows


@contextlib.contextmanager
def programs(count: int) -> Iterator[None]:
    """So many programs that each use a core."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in running:
            program.kill()
            program.wait()


@contextlib.contextmanager
def waiting(policy: str | None) -> Iterator[None]:
    """OMP_WAIT_POLICY of the processes that are started inside; None: OpenMP's own."""
    before = {name: os.environ.pop(name) for name in SETTINGS if name in os.environ}
    if policy:
        os.environ["OMP_WAIT_POLICY"] = policy
    try:
        yield
    finally:
        os.environ.pop("OMP_WAIT_POLICY", None)
        os.environ.update(before)
