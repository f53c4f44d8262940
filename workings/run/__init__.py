"""Runs: one training of one task, from one config, in one folder."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.run.config import RunConfig, resolve
    from workings.run.folder.checkpoint import Checkpoints
    from workings.run.folder.records import MetricsLine, Result, RunRecord
    from workings.run.folder.run_folder import RunFolder
    from workings.run.loop import Loop
    from workings.run.run import Run, open_run
    from workings.run.training import resume, train

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

_DEFINED_IN = {
    "Checkpoints": "folder.checkpoint",
    **dict.fromkeys(("RunConfig", "resolve"), "config"),
    "RunFolder": "folder.run_folder",
    "Loop": "loop",
    **dict.fromkeys(("MetricsLine", "Result", "RunRecord"), "folder.records"),
    **dict.fromkeys(("Run", "open_run"), "run"),
    **dict.fromkeys(("resume", "train"), "training"),
}


def __getattr__(name: str) -> object:
    # `runs list` needs only the small files of this folder, and none of torch.
    if name in _DEFINED_IN:
        return getattr(import_module(f"workings.run.{_DEFINED_IN[name]}"), name)
    raise AttributeError(f"module 'workings.run' has no attribute {name!r}")
