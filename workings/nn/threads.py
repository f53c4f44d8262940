"""Work on one thread, or in parts on as many as torch has, each part on one.

Torch spreads every operation over its threads and waits for all of them at its end, which for
operations of a few microseconds costs more than it gains, and far more where other programs use the
cores too.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import torch


@contextlib.contextmanager
def on_one_thread(small: bool) -> Iterator[None]:
    """Let torch use one thread, if the operations inside are too small for several."""
    threads = torch.get_num_threads()
    if small and threads > 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


def each_part(work: Callable[[slice], None], count: int, step: int) -> None:
    """Call work(part) for parts of range(count), each at most `step` long, without gradients."""
    threads = min(torch.get_num_threads(), count)
    if threads > 1:
        step = min(step, -(-count // threads))
    parts = [slice(start, start + step) for start in range(0, count, step)]

    def run(part: slice) -> None:
        with torch.no_grad():
            work(part)

    if threads == 1:
        for part in parts:
            run(part)
    else:
        # Taken one by one from the list, so that an error is raised here.
        list(_pool(os.getpid(), torch.get_num_threads()).map(run, parts))


@lru_cache(maxsize=4)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads in each of which torch works alone; kept, as new ones start with cold memory.

    A forked process has none of its parent's threads, hence the process's number.
    """
    pool = ThreadPoolExecutor(threads, initializer=_single)
    ready = threading.Barrier(threads + 1)
    for _ in range(threads):
        pool.submit(ready.wait)
    ready.wait()
    torch.set_num_threads(threads)  # again, as the last number set is what new threads start with
    return pool


def _single() -> None:
    """Let torch use one thread in this thread."""
    torch.set_num_threads(1)
    torch.get_num_threads()  # a thread takes its number when it first asks for it, and keeps it
