"""A process that does the page's heavy work, one request at a time, and can be given up.

Processes are forked from a server that has imported torch already, so that a new one is there in a
few hundredths of a second. A request is a function's name and its arguments; the function yields
what goes back, part by part, and asks between them whether it should stop.
"""

import contextlib
import importlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import TypeVar

import anyio

from workings import child_python
from workings.errors import WorkingsError

GRACE = 2.0  # seconds for a function to stop when it is asked to
MOST_WAITING = 8  # requests to one process, besides the one that it works on
PRELOADED = ["workings.page.preloaded"]
STOP = "stop"
T = TypeVar("T")
# Threads that wait for processes: all else that the server answers has others.
_threads = anyio.CapacityLimiter(40)


async def in_thread(function: Callable[..., T], *arguments: object) -> T:
    """What a function returns that waits for a process."""
    return await anyio.to_thread.run_sync(partial(function, *arguments), limiter=_threads)


class Stopped(Exception):
    """A newer request came, or nobody waits for the answer any more."""


class Defect(Exception):
    """An exception of the process that nobody foresaw: its line, then its traceback."""


class _NobodyListens(BaseException):
    """The page's server has gone."""


def context() -> multiprocessing.context.ForkServerContext:
    """Where processes come from: forked from one that has imported what they need."""
    os.environ.update(child_python.environment())  # the server of forks is started with them
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(PRELOADED)
    return made


class Worker:
    """One process; newest_wins: a request ends the one before it, else it waits for its turn."""

    def __init__(self, newest_wins: bool = False) -> None:
        self.newest_wins = newest_wins
        self.turn = threading.Lock()
        self.numbers = itertools.count(1)
        self.latest = 0
        self.waiting: set[int] = set()
        self.retired = False
        self.process: ForkServerProcess | None = None
        self.connection: Connection | None = None

    def ask(
        self, function: str, seconds: float, *arguments: object
    ) -> Generator[object, None, None]:
        """What `package.module:function` yields; a WorkingsError where it takes too long."""
        self.latest = number = next(self.numbers)
        self._wait_for_turn(number)
        done = False
        try:
            for kind, value in self._messages((function, arguments), number, seconds):
                if kind == "part":
                    yield value
                    continue
                done = True
                if kind == "refused":
                    raise WorkingsError(str(value))
                if kind == "defect":
                    raise Defect(str(value))
        finally:
            if not done:
                self._give_up()
            self.turn.release()

    async def one(self, function: str, seconds: float, *arguments: object) -> object:
        """The one thing that a function yields."""
        return (await in_thread(list, self.ask(function, seconds, *arguments)))[0]

    def retire(self) -> None:
        """Answer nothing any more: another worker needs the room."""
        self.retired = True
        if self.turn.acquire(blocking=False):
            self.end()
            self.turn.release()
        elif process := self.process:  # whoever waits for it sees that it has ended
            process.kill()

    def _wait_for_turn(self, number: int) -> None:
        if len(self.waiting) >= MOST_WAITING and not self.newest_wins:
            raise WorkingsError(f"{MOST_WAITING} requests wait for this already; try again later")
        self.waiting.add(number)
        try:
            while not self.turn.acquire(timeout=0.05):
                self._require_wanted(number)
        finally:
            self.waiting.discard(number)
        try:
            self._require_wanted(number)
        except Exception:
            self.turn.release()
            raise

    def _require_wanted(self, number: int) -> None:
        if self.retired:
            raise WorkingsError("too many windows check at once, and this one gave way; try again")
        if self.newest_wins and number != self.latest:
            raise Stopped

    def _messages(
        self, request: tuple[str, object], number: int, seconds: float
    ) -> Iterator[tuple[str, object]]:
        connection = self._started()
        connection.send(request)
        deadline = time.monotonic() + seconds
        while True:
            try:
                if connection.poll(0.02):
                    kind, value = connection.recv()
                    yield kind, value
                    if kind != "part":
                        return
                    continue
            except (EOFError, OSError):
                self.end()
                self._require_wanted(number)
                raise WorkingsError(
                    "the process that worked on it has ended, perhaps for want of memory; try again"
                ) from None
            self._require_wanted(number)
            if time.monotonic() > deadline:
                self.end()
                raise WorkingsError(f"not done within {seconds:g} s; make it smaller")

    def _started(self) -> Connection:
        if self.process is None or not self.process.is_alive() or self.connection is None:
            self.end()
            ours, theirs = multiprocessing.Pipe()
            self.process = context().Process(target=_work, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
            self.connection = ours
        return self.connection

    def _give_up(self) -> None:
        """Let the function stop by itself, so that what it has learned stays; else end it."""
        connection = self.connection
        if connection is None:
            return
        try:
            connection.send(STOP)
            deadline = time.monotonic() + GRACE
            while time.monotonic() < deadline:
                if connection.poll(0.02) and connection.recv()[0] != "part":
                    return
        except (EOFError, OSError):
            pass
        self.end()

    def end(self) -> None:
        """Kill the process, if there is one."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        if self.connection is not None:
            self.connection.close()
        self.process = self.connection = None


def _work(connection: Connection) -> None:
    """What a process does: answer requests until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's affair
    import torch

    torch.set_num_threads(1)
    with contextlib.suppress(_NobodyListens):
        while True:
            asked = _received(connection)
            if isinstance(asked, tuple):  # else STOP, of a request that is done already
                _send(connection, _answered(connection, *asked))


def _answered(
    connection: Connection, name: str, arguments: tuple[object, ...]
) -> tuple[str, object]:
    module, _, attribute = name.partition(":")
    try:
        function: Callable[..., Iterator[object]] = getattr(
            importlib.import_module(module), attribute
        )
        for part in function(*arguments):
            if connection.poll(0):
                _received(connection)
                return "stopped", None
            _send(connection, ("part", part))
        return "done", None
    except WorkingsError as error:
        return "refused", str(error)
    except Exception as error:  # goes to whoever asked, who tells the user in one line
        return "defect", f"{type(error).__name__}: {error}\n{traceback.format_exc()}"


def _received(connection: Connection) -> object:
    try:
        return connection.recv()
    except (EOFError, OSError):
        raise _NobodyListens from None


def _send(connection: Connection, message: tuple[str, object]) -> None:
    try:
        connection.send(message)
    except OSError:
        raise _NobodyListens from None
