"""Workings: train, check, cost and compare the classic neural architectures.

`train`, `resume` and `open` (or `open_run`) give a `Run`, `runs` the list of all; `study` sets runs
side by side; `check` judges claims and `assert_gradient` a gradient in one's own tests; `cost`
counts what a module takes. The architectures are in `workings.nn`, the tasks in `workings.tasks`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from workings.version import __version__

if TYPE_CHECKING:
    from workings.claims.assertion import assert_gradient
    from workings.claims.check import check
    from workings.claims.modules.module_assertion import assert_computes
    from workings.cost.cost import cost
    from workings.report.run_study import run_study as study
    from workings.run.folder.listing import runs
    from workings.run.run import Run, open_run
    from workings.run.training import resume, train

    open = open_run

__all__ = [
    "Run",
    "__version__",
    "assert_computes",
    "assert_gradient",
    "check",
    "cost",
    "open_run",
    "resume",
    "runs",
    "study",
    "train",
]

_DEFINED_IN = {
    **dict.fromkeys(("Run", "open_run"), "workings.run.run"),
    **dict.fromkeys(("resume", "train"), "workings.run.training"),
    "assert_computes": "workings.claims.modules.module_assertion",
    "assert_gradient": "workings.claims.assertion",
    "check": "workings.claims.check",
    "runs": "workings.run.folder.listing",
    "run_study": "workings.report.run_study",  # what calling `workings.study` does
}


def __getattr__(name: str) -> object:
    # Importing torch takes a second: only when it is needed.
    if name in ("cost", "study"):
        return import_module(f"workings.{name}")  # a package that can be called
    if name == "open":  # not in __all__, where it would hide Python's own
        name = "open_run"
    if name in _DEFINED_IN:
        return getattr(import_module(_DEFINED_IN[name]), name)
    raise AttributeError(f"module 'workings' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is, for tab completion: names that are imported only when they are used."""
    return sorted({*globals(), *__all__, "open"} - {"TYPE_CHECKING", "import_module"})
