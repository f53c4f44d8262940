"""Workings: train, check, cost and compare the classic neural architectures."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from workings.run.run import Run, open_run, resume, train

__all__ = ["Run", "__version__", "open_run", "resume", "train"]


def __getattr__(name: str) -> Any:
    # Importing torch takes a second: only when it is needed.
    if name in ("Run", "open_run", "resume", "train"):
        from workings.run import run

        return getattr(run, name)
    raise AttributeError(f"module 'workings' has no attribute {name!r}")
