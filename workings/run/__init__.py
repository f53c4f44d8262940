"""Runs: one training of one task, from one config, in one folder."""

from workings.run.checkpoint import Checkpoints
from workings.run.config import RunConfig, resolve
from workings.run.folder import RunFolder
from workings.run.loop import Loop
from workings.run.records import MetricsLine, Result, RunRecord
from workings.run.run import Run, open_run, resume, train

__all__ = [
    "Checkpoints",
    "Loop",
    "MetricsLine",
    "Result",
    "Run",
    "RunConfig",
    "RunFolder",
    "RunRecord",
    "open_run",
    "resolve",
    "resume",
    "train",
]
