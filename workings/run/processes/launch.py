"""Starting the processes that help the first one to train, watching them, and ending them."""

import contextlib
import datetime
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

import torch
import torch.distributed as dist
from torch.distributed import TCPStore  # type: ignore[attr-defined] # torch does not list it

from workings import child_python
from workings.errors import WorkingsError
from workings.run.machine.signals import signal_name
from workings.run.processes.group import Group

if TYPE_CHECKING:
    from workings.run.config import RunConfig
    from workings.run.loop import Loop

# The others wait as long as the first one evaluates; that one is gone is noticed by other means.
PATIENCE = datetime.timedelta(days=7)
BACKEND = "cpu:gloo,cuda:nccl" if dist.is_nccl_available() else "gloo"
HOST = "127.0.0.1"
GRACE = 10.0  # seconds that the others have to end by themselves


def launched_by_torchrun() -> int:
    """How many processes `torchrun` has started, this one among them; 0: it was not torchrun."""
    return int(os.environ["WORLD_SIZE"]) if "TORCHELASTIC_RUN_ID" in os.environ else 0


def one_machine() -> bool:
    """Whether all processes of the group are on this machine."""
    return not launched_by_torchrun() or os.environ["LOCAL_WORLD_SIZE"] == os.environ["WORLD_SIZE"]


def settled(config: "RunConfig") -> "RunConfig":
    """The config with the threads of each process, where it leaves them open."""
    train = config.train
    if train.processes == 1 or train.threads:
        return config
    here = int(os.environ["LOCAL_WORLD_SIZE"]) if launched_by_torchrun() else train.processes
    threads = max(1, torch.get_num_threads() // here)
    return config.model_copy(update={"train": train.model_copy(update={"threads": threads})})


@contextlib.contextmanager
def together(loop: "Loop") -> Iterator[None]:
    """Within it, the loop of the first process trains with as many others as its config says."""
    count = loop.config.train.processes
    if count == 1:
        yield
        return
    if launched_by_torchrun():
        use_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group(BACKEND, timeout=PATIENCE)
        others: contextlib.AbstractContextManager[Callable[[float], str]]
        others = contextlib.nullcontext(lambda seconds: "")  # torchrun watches them
    else:
        others = started(count, lambda: loop.stop.signal > 0)
    with others as lost, left_at_end():
        resume = f"go on with `{loop.folder.command('resume')}`"
        group = Group(
            lambda seconds: f"{line}; {resume}" if (line := lost(seconds)) else "", one_machine()
        )
        group.from_first(lambda: str(loop.folder.path.absolute()))
        group.copy_weights(loop.model)
        loop.processes = group
        yield


def use_device(number: int) -> None:
    """Compute on a GPU of its own, where there are some."""
    if torch.cuda.is_available():
        torch.cuda.set_device(number % torch.cuda.device_count())


@contextlib.contextmanager
def left_at_end() -> Iterator[None]:
    """Leave the group of processes at the end, however it comes."""
    try:
        yield
    finally:
        dist.destroy_process_group()


@contextlib.contextmanager
def started(count: int, stopping: Callable[[], bool]) -> Iterator[Callable[[float], str]]:
    """Processes of this machine beside this one, so that there are `count`, joined in a group.

    stopping: whether this one was asked to stop.
    """
    on_loopback()
    store = TCPStore(HOST, 0, is_master=True, wait_for_workers=False)
    others = Others(count, store.port, stopping)
    try:
        while not store.check([f"ready {rank}" for rank in range(1, count)]):
            if lost := others.lost(0.02):
                raise WorkingsError(lost)
        use_device(0)
        dist.init_process_group(BACKEND, store=store, rank=0, world_size=count, timeout=PATIENCE)
        yield others.lost
        others.wait()
    finally:
        others.end()


def join(rank: int, count: int, port: int) -> None:
    """In a started process: meet the others."""
    on_loopback()
    use_device(rank)
    store = TCPStore(HOST, port, is_master=False)
    store.set(f"ready {rank}", "")
    dist.init_process_group(BACKEND, store=store, rank=rank, world_size=count, timeout=PATIENCE)


def on_loopback() -> None:
    """Let processes of one machine talk without going through its network."""
    names = {name for _, name in socket.if_nameindex()}
    for loopback in {"lo", "lo0"} & names:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback)


class Others:
    """The started processes. The end of their standard input tells them that this one is gone."""

    def __init__(self, count: int, port: int, stopping: Callable[[], bool]) -> None:
        self.count, self.stopping = count, stopping
        self.line, self.over = "", False
        self.errors: list[IO[bytes]] = []
        self.processes: list[subprocess.Popen[bytes]] = []
        program = child_python.command("workings.run.processes.follower")
        for rank in range(1, count):
            errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
            self.errors.append(errors)
            self.processes.append(
                subprocess.Popen(
                    [*program, str(rank), str(count), str(port)],
                    stdin=subprocess.PIPE,
                    stderr=errors,
                    env=child_python.environment(),
                    start_new_session=True,  # Ctrl-C is for the first process, which tells them
                )
            )
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def _watch(self) -> None:
        """Where one has ended before its time, end the rest: none waits for it then.

        A run that is asked to stop ends with its step, which needs all of them: one that somebody
        has suspended (SIGSTOP) goes on for it.
        """
        while not self.over and not self.line:
            self.line = self._ended()
            for process in self.processes if self.stopping() else ():
                process.send_signal(signal.SIGCONT)
            time.sleep(0.05)
        for process in self.processes:
            process.kill()

    def _ended(self) -> str:
        """What is known of one that has failed, in one line; else nothing."""
        for rank, (process, errors) in enumerate(zip(self.processes, self.errors, strict=True), 1):
            if code := process.poll():
                errors.seek(0)
                lines = errors.read().decode(errors="replace").strip().splitlines()
                how = f"by {signal_name(-code)}" if code < 0 else f"with exit code {code}"
                why = f" ({lines[-1].removeprefix('workings: ')})" if lines and code > 0 else ""
                return f"process {rank + 1} of {self.count} was ended {how}{why}"
        return ""

    def lost(self, seconds: float) -> str:
        """Which one has ended before its time, or does so within some seconds; else nothing."""
        until = time.monotonic() + seconds
        while not self.line and time.monotonic() < until:
            time.sleep(0.02)
        return self.line

    def wait(self) -> None:
        """Until all have ended by themselves, as they do when the training is done."""
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)

    def end(self) -> None:
        """End those that are left."""
        self.over = True
        self.watcher.join()
        for process, errors in zip(self.processes, self.errors, strict=True):
            process.wait()
            assert process.stdin
            process.stdin.close()
            errors.close()
