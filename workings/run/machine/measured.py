"""What a config leaves to a measurement at the start of a run: threads, products, precision."""

from workings.run.config import RunConfig
from workings.run.machine import matmul, precision, threads
from workings.run.progress import Progress
from workings.tasks.task import Task


def settled(config: RunConfig, task: Task, progress: Progress | None = None) -> RunConfig:
    """The config with all of it chosen; each choice is measured with those before it."""
    for choice in (threads, matmul, precision):
        config = choice.settled(config, task, progress)
    return config
