"""A process that trains with the first one: it makes its part of every step, and writes nothing.

What it trains it reads from the run's folder, which the first process has made.
"""

import os
import sys
import threading
from pathlib import Path

import torch.distributed as dist

from workings.errors import Interrupted, WorkingsError
from workings.run.folder.run_folder import RunFolder
from workings.run.loop import Loop
from workings.run.machine import environment
from workings.run.machine.signals import Stop
from workings.run.processes import launch
from workings.run.processes.group import Group
from workings.run.progress import Progress


def follow() -> None:
    """Train with the group that this process has joined, to the end or until it is stopped."""
    with Stop() as stop, launch.left_at_end():
        group = Group(one_machine=launch.one_machine())
        where = RunFolder(Path(group.from_first(str)))
        if not where.path.is_dir():
            raise WorkingsError(
                f"{where.path}: is not there for every process; put --runs on a file system that "
                "all machines share"
            )
        config = where.config()
        task = config.build_task(where.assets(config))
        with environment.prepared(config.train):
            loop = Loop(config, task, where, Progress(), stop, group.rank)
            loop.restore()
            group.copy_weights(loop.model)
            loop.processes = group
            try:
                loop.train()
            except Interrupted:
                return  # the first process says so


def follow_torchrun() -> bool:
    """Follow, where `torchrun` has started this process as another than the first."""
    if launch.launched_by_torchrun() < 2 or os.environ["RANK"] == "0":
        return False
    launch.use_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(launch.BACKEND, timeout=launch.PATIENCE)
    follow()
    return True


def _end_with_first() -> None:
    """Standard input is a pipe from the first process: it ends when that process does."""
    os.read(0, 1)  # not through sys.stdin, whose lock would then be held when Python ends
    os._exit(1)


def main() -> None:
    """Started by the first process, with the rank, the number of processes and a port."""
    threading.Thread(target=_end_with_first, daemon=True).start()
    launch.join(*map(int, sys.argv[1:4]))
    try:
        follow()
    except WorkingsError as error:
        print(f"workings: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
