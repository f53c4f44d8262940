"""Sides whose work grows with a size: processes that take turns at one size after another.

As in `sides`, one process a side and one at work at a time. Here a side may take milliseconds at
one size and a minute at another: each has a share of time at every size, and where that is used up
it sits out the rounds that are left.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

import torch

from workings.bench import sides
from workings.bench.sides import Side, Turn, Work
from workings.errors import WorkingsError
from workings.run.allocator import keep_memory

SHARE = 2.0  # seconds of a side at one size, about
LEAST = 3  # rounds at least, for a median,
LONG = 2.0  # unless one repetition takes this many seconds: then it is run once

TakeTurn = Callable[[str, int, int], Turn]  # name, size, repetitions


class Rounds(NamedTuple):
    """At most so many turns of a side at one size, each at most about so many seconds long."""

    most: int
    seconds: float


def _worker(pipe: Connection, side: Side, threads: int) -> None:
    """`side.make(*side.args, size)` gives the work of a size; it is made when it is asked for."""
    if side.keeps_memory:
        keep_memory()
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    made: tuple[int, Work] | None = None
    try:
        while True:
            size, repeat = pipe.recv()
            try:
                if made is None or made[0] != size:
                    made = None  # let go of the last one first
                    made = size, side.make(*side.args, size)
                began = time.perf_counter()
                for _ in range(repeat):
                    made[1]()
                pipe.send(Turn((time.perf_counter() - began) / repeat, sides.peak()))
            except (RuntimeError, MemoryError, WorkingsError) as error:
                pipe.send(str(error).partition("\n")[0])
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return


@contextmanager
def team(members: dict[str, Side], threads: int) -> Iterator[TakeTurn]:
    """A process for every side; gives the function that lets one of them work."""
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    processes = []
    try:
        for name, side in members.items():
            pipes[name], theirs = context.Pipe()
            process = context.Process(target=_worker, args=(theirs, side, threads), daemon=True)
            process.start()
            theirs.close()  # so that the end of the process ends the pipe
            processes.append(process)

        def turn(name: str, size: int, repeat: int) -> Turn:
            try:
                pipes[name].send((size, repeat))
                answer = pipes[name].recv()
            except (EOFError, OSError):
                answer = "its process has ended; is there too little memory?"
            if isinstance(answer, str):
                raise WorkingsError(f"{name} at size {size:,}: {answer}")
            return answer

        yield turn
    finally:
        for process in processes:
            process.terminate()
            process.join()


def at_size(
    turn: TakeTurn, names: Iterable[str], size: int, rounds: Rounds
) -> dict[str, list[Turn]]:
    """Turns of every side; the first side takes part as long as any other does."""
    names = list(names)
    turns: dict[str, list[Turn]] = {}
    counts, repeats = {}, {}
    for name in names:
        once = turn(name, size, 1)
        if once.seconds >= LONG:
            turns[name], counts[name], repeats[name] = [once], 0, 1
            continue
        once = turn(name, size, 1)  # the one before warmed up
        turns[name] = []
        length = min(rounds.seconds, SHARE / rounds.most)
        repeats[name] = max(1, round(length / once.seconds))
        affordable = int(SHARE / (repeats[name] * once.seconds))
        counts[name] = min(rounds.most, max(LEAST, affordable))
    first, *others = names
    if counts[first] and others:
        counts[first] = max(1, *(counts[name] for name in others))
    for number in range(max(counts.values())):
        # Others may load the machine: every round starts with another side.
        order = names[number % len(names) :] + names[: number % len(names)]
        for name in order:
            if number < counts[name]:
                turns[name].append(turn(name, size, repeats[name]))
    return turns
