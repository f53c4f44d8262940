"""Workings: train, check, cost and compare the classic neural architectures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from workings.version import __version__

if TYPE_CHECKING:
    from workings.claims.assertion import assert_gradient
    from workings.claims.check import check
    from workings.run.run import Run, open_run, resume, train

__all__ = [
    "Run",
    "__version__",
    "assert_gradient",
    "check",
    "cost",
    "open_run",
    "resume",
    "study",
    "train",
]

_HOME = {
    **dict.fromkeys(("Run", "open_run", "resume", "train"), "workings.run.run"),
    "assert_gradient": "workings.claims.assertion",
    "check": "workings.claims.check",
    "run_study": "workings.report.run_study",  # what calling `workings.study` does
}


def __getattr__(name: str) -> Any:
    # Importing torch takes a second: only when it is needed.
    if name in ("cost", "study"):
        return import_module(f"workings.{name}")  # a package that can be called
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'workings' has no attribute {name!r}")
