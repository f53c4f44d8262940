"""Timing two or more sides of a comparison in turn, each in a process of its own.

One process a side, because what is compared includes a setting of the process (its memory
allocator) and its peak memory. Only one works at a time: a round is one turn of every side, and a
ratio is taken within a round, so that a change in the machine's load hits both of its terms.
"""

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import torch

from workings import child_python
from workings.errors import WorkingsError
from workings.nn.matmul import products_by
from workings.run.machine.allocator import keep_memory

Work = Callable[[], object]  # one step, or one token, or one evaluation


class Side(NamedTuple):
    """One side of a comparison: how its work is made, and in what kind of process."""

    make: Callable[..., Work]
    args: tuple[object, ...]
    keeps_memory: bool
    by_the_wall: bool = False  # whether it is timed so on one thread too
    matmul: str = "torch"  # who makes float32 products


class Turn(NamedTuple):
    """What one side took when it was its turn."""

    seconds: float  # a repetition
    peak: float  # bytes, of the whole process


TakeTurn = Callable[[str, int, int], Turn]  # name of the side, size (0: it has none), repetitions


def _worker(pipe: Connection, side: Side, threads: int) -> None:
    """`side.make(*side.args, size)` gives the work of a size; it is made when it is asked for."""
    if side.keeps_memory:
        keep_memory()
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    # In its own time, what others take of the processor does not count; but threads wait for each
    # other while it passes.
    clock = time.perf_counter if threads > 1 or side.by_the_wall else time.process_time
    work: Work | None = None
    made_for = 0
    try:
        while True:
            size, repeat = pipe.recv()
            try:
                if work is None or made_for != size:
                    work = None  # let go of the last one first
                    work = side.make(*side.args, size) if size else side.make(*side.args)
                    made_for = size
                with products_by(side.matmul):
                    began = clock()
                    for _ in range(repeat):
                        work()
                    taken = clock() - began
                pipe.send(Turn(taken / repeat, peak()))
            except (RuntimeError, MemoryError, WorkingsError) as error:
                pipe.send(str(error).partition("\n")[0])
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


def peak() -> float:
    """The most memory that this process ever had, in bytes; nan where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, IndexError, ValueError):
        return float("nan")


@contextmanager
def team(sides: dict[str, Side], threads: int) -> Iterator[TakeTurn]:
    """A process for every side; gives the function that lets one of them work."""
    os.environ.update(child_python.environment())  # which the processes are started with
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    processes = []
    try:
        for name, side in sides.items():
            pipes[name], theirs = context.Pipe()
            process = context.Process(target=_worker, args=(theirs, side, threads), daemon=True)
            process.start()
            theirs.close()  # so that the end of the process ends the pipe
            processes.append(process)

        def take_turn(name: str, size: int, repeat: int) -> Turn:
            try:
                pipes[name].send((size, repeat))
                answer = pipes[name].recv()
            except (EOFError, OSError):
                answer = "its process has ended; is there too little memory?"
            if isinstance(answer, str):
                at = f" at size {size:,}" if size else ""
                raise WorkingsError(f"{name}{at}: {answer}")
            return answer

        yield take_turn
    finally:
        for process in processes:
            process.terminate()
            process.join()


def order(names: list[str], number: int) -> list[str]:
    """Who takes turns in a round: others may load the machine, so each starts with another side."""
    first = number % len(names)
    return names[first:] + names[:first]


def race(
    sides: dict[str, Side], threads: int, rounds: int, seconds: float
) -> dict[str, list[Turn]]:
    """Turns of every side, `rounds` each, a turn about `seconds` long."""
    turns: dict[str, list[Turn]] = {name: [] for name in sides}
    repeats = {}
    with team(sides, threads) as take_turn:
        for name in sides:
            take_turn(name, 0, 2)  # warm up
            repeats[name] = max(1, round(seconds / take_turn(name, 0, 1).seconds))
        for number in range(rounds):
            for name in order(list(sides), number):
                turns[name].append(take_turn(name, 0, repeats[name]))
    return turns


def ratio(slow: list[Turn], fast: list[Turn]) -> float:
    """The median over the rounds of slow/fast."""
    return statistics.median(s.seconds / f.seconds for s, f in zip(slow, fast, strict=True))


def median(turns: list[Turn]) -> float:
    """Seconds a repetition."""
    return statistics.median(turn.seconds for turn in turns)


def matmul_rate(threads: int, dtype: torch.dtype = torch.float32, matmul: str = "torch") -> float:
    """The machine's own matrix-product rate now, in floating-point operations a second."""
    with products_by(matmul):
        return _rate(threads, dtype)


def _rate(threads: int, dtype: torch.dtype) -> float:
    torch.set_num_threads(threads)
    n = 1536
    a, b, c = (torch.randn(n, n).to(dtype) for _ in range(3))
    best = float("inf")
    for _ in range(12):
        began = time.perf_counter()
        torch.mm(a, b, out=c)
        best = min(best, time.perf_counter() - began)
    return 2 * n**3 / best
