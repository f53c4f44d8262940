"""Several processes for a test: forks of this one, which start at once."""

import multiprocessing
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch.distributed as dist

from workings.errors import Interrupted
from workings.run import config as configs
from workings.run.folder.run_folder import RunFolder
from workings.run.loop import Loop
from workings.run.machine.signals import Stop
from workings.run.processes import Alone, Group, launch
from workings.run.progress import Progress


class Heard(Progress):
    """Keeps the warnings; asks the run to stop after some steps."""

    def __init__(self, stop: Stop, stop_after: int) -> None:
        self.stop, self.stop_after, self.warnings = stop, stop_after, list[str]()

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def step(self, state: Any) -> None:
        super().step(state)
        if state.step == self.stop_after:
            self.stop.signal = 15


def forked(count: int, work: Callable[[int], object]) -> list[Any]:
    """What `work(rank)` gives in each of so many processes that have joined a group."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with tempfile.TemporaryDirectory() as folder:

        def child(rank: int) -> None:
            launch.on_loopback()
            store = dist.FileStore(str(Path(folder) / "store"), count)
            dist.init_process_group("gloo", store=store, rank=rank, world_size=count)
            try:
                queue.put((rank, work(rank), ""))
            except BaseException:
                queue.put((rank, None, traceback.format_exc()))
            dist.destroy_process_group()

        processes = [context.Process(target=child, args=(rank,)) for rank in range(count)]
        for process in processes:
            process.start()
        answers = sorted((queue.get(timeout=60) for _ in processes), key=lambda each: each[0])
        for process in processes:
            process.join()
    errors = [error for _, _, error in answers if error]
    assert not errors, errors[0]
    return [answer for _, answer, _ in answers]


def trained(values: dict[str, Any], path: Path, count: int, stop_after: int = 0) -> list[str]:
    """Train a run with so many processes, from where it is; the warnings of the first."""
    train = values["train"] | {"processes": count}
    config = configs.resolve(values | {"train": train})
    task = config.build_task()
    if not path.exists():
        RunFolder(path).create(config, task.assets(), {"data": task.checksum()})

    def work(rank: int) -> list[str]:
        stop = Stop()
        heard = Heard(stop, stop_after if rank == count - 1 else 0)
        loop = Loop(config, config.build_task(task.assets()), RunFolder(path), heard, stop, rank)
        loop.restore()
        loop.processes = Group(one_machine=True) if count > 1 else Alone()
        try:
            loop.train()
        except Interrupted:
            assert stop_after
        return heard.warnings

    return work(0) if count == 1 else forked(count, work)[0]
