"""Timing two or more sides of a comparison in turn, each in a process of its own.

One process a side, because what is compared includes a setting of the process (its memory
allocator) and its peak memory. Only one works at a time: a round is one turn of every side, and a
ratio is taken within a round, so that a change in the machine's load hits both of its terms.
"""

import multiprocessing
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import torch

from workings.run.allocator import keep_memory

Work = Callable[[], Any]  # one step, or one token, or one evaluation


class Side(NamedTuple):
    """One side of a comparison: how its work is made, and in what kind of process."""

    make: Callable[..., Work]
    args: tuple[object, ...]
    keeps_memory: bool


class Turn(NamedTuple):
    seconds: float  # a repetition
    peak: float  # bytes, of the whole process


def _worker(pipe: Connection, side: Side, threads: int) -> None:
    if side.keeps_memory:
        keep_memory()
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    work = side.make(*side.args)
    while True:
        repeat = pipe.recv()
        if not repeat:
            return
        began = time.perf_counter()
        for _ in range(repeat):
            work()
        pipe.send(Turn((time.perf_counter() - began) / repeat, peak()))


def peak() -> float:
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return float("nan")


def race(
    sides: dict[str, Side], threads: int, rounds: int, seconds: float
) -> dict[str, list[Turn]]:
    """Turns of every side, `rounds` each, a turn about `seconds` long."""
    context = multiprocessing.get_context("spawn")
    pipes, processes = {}, []
    try:
        for name, side in sides.items():
            pipes[name], theirs = context.Pipe()
            process = context.Process(target=_worker, args=(theirs, side, threads), daemon=True)
            process.start()
            processes.append(process)

        def turn(name: str, repeat: int) -> Turn:
            pipes[name].send(repeat)
            return pipes[name].recv()

        repeat = {}
        for name in sides:
            turn(name, 2)  # warm up
            repeat[name] = max(1, round(seconds / turn(name, 1).seconds))
        # Others may load the machine: every round starts with another side.
        names = list(sides)
        turns: dict[str, list[Turn]] = {name: [] for name in names}
        for number in range(rounds):
            for name in names[number % len(names) :] + names[: number % len(names)]:
                turns[name].append(turn(name, repeat[name]))
        return turns
    finally:
        for pipe in pipes.values():
            pipe.send(0)
        for process in processes:
            process.join()


def ratio(slow: list[Turn], fast: list[Turn]) -> float:
    """The median over the rounds of slow/fast."""
    return statistics.median(s.seconds / f.seconds for s, f in zip(slow, fast, strict=True))


def median(turns: list[Turn]) -> float:
    """Seconds a repetition."""
    return statistics.median(turn.seconds for turn in turns)


def matmul_rate(threads: int) -> float:
    """The machine's own matrix-product rate now, in floating-point operations a second."""
    torch.set_num_threads(threads)
    n = 1536
    a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
    best = float("inf")
    for _ in range(12):
        began = time.perf_counter()
        torch.mm(a, b, out=c)
        best = min(best, time.perf_counter() - began)
    return 2 * n**3 / best
