"""A process that does the page's heavy work, one request at a time, and can be given up.

Processes are forked from a server that has imported torch already, so that a new one is there in a
few hundredths of a second. A request is a function's name and its arguments; the function yields
what goes back, part by part, and asks between them whether it should stop.
"""

import contextlib
import importlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any

from starlette.concurrency import run_in_threadpool

from workings import child_python
from workings.errors import WorkingsError

GRACE = 2.0  # seconds for a function to stop when it is asked to
PRELOADED = ["workings.page.preloaded"]
STOP = "stop"


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
        self.latest = 0
        self.process: ForkServerProcess | None = None
        self.connection: Connection | None = None

    def ask(self, function: str, seconds: float, *arguments: Any) -> Generator[Any, None, None]:
        """What `package.module:function` yields; a WorkingsError where it takes too long."""
        self.latest += 1
        number = self.latest
        with self.turn:
            connection = self._started()
            done = False
            connection.send((function, arguments))
            try:
                for kind, value in self._messages(connection, number, seconds):
                    if kind == "part":
                        yield value
                        continue
                    done = True
                    if kind == "refused":
                        raise WorkingsError(value)
                    if kind == "defect":
                        raise Defect(value)
            finally:
                if not done:
                    self._give_up()

    async def one(self, function: str, seconds: float, *arguments: Any) -> Any:
        """The one thing that a function yields."""
        return (await run_in_threadpool(list, self.ask(function, seconds, *arguments)))[0]

    def _messages(
        self, connection: Connection, number: int, seconds: float
    ) -> Iterator[tuple[str, Any]]:
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
                raise WorkingsError(
                    "the process that worked on it has ended, perhaps for want of memory; try again"
                ) from None
            if self.newest_wins and number != self.latest:
                raise Stopped
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
            if asked != STOP:  # that was of a request that is done already
                _send(connection, _answered(connection, *asked))


def _answered(connection: Connection, name: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    module, _, attribute = name.partition(":")
    try:
        function: Callable[..., Iterator[Any]] = getattr(importlib.import_module(module), attribute)
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


def _received(connection: Connection) -> Any:
    try:
        return connection.recv()
    except (EOFError, OSError):
        raise _NobodyListens from None


def _send(connection: Connection, message: tuple[str, Any]) -> None:
    try:
        connection.send(message)
    except OSError:
        raise _NobodyListens from None
