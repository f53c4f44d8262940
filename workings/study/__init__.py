"""Studies: runs side by side, published figures beside the measured ones.

The package can be called: `workings.study("vanishing")` runs a study to the end and reports it.
Read `file` (what a study file says), `plan` (the jobs it asks for), `study` (how they are done),
`folder` and `summary` (what was measured), `comparable` and `choice` (what is ranked, and which row
is the best), then `compare` and `statistics`.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.study.file import Row, StudyFile, load, shipped
    from workings.study.folder import StudyFolder
    from workings.study.plan import Job, Plan
    from workings.study.study import Conductor, Study, Wanted
    from workings.study.summary import RowSummary, RunSummary, StudySummary

__all__ = [
    "Conductor",
    "Job",
    "Plan",
    "Row",
    "RowSummary",
    "RunSummary",
    "Study",
    "StudyFile",
    "StudyFolder",
    "StudySummary",
    "Wanted",
    "load",
    "shipped",
]

_MODULE = {
    **dict.fromkeys(("Row", "StudyFile", "load", "shipped"), "file"),
    "StudyFolder": "folder",
    **dict.fromkeys(("Job", "Plan"), "plan"),
    **dict.fromkeys(("Conductor", "Study", "Wanted"), "study"),
    **dict.fromkeys(("RowSummary", "RunSummary", "StudySummary"), "summary"),
}


def __getattr__(name: str) -> object:
    # These import torch, which takes a second: only when they are needed.
    if name in _MODULE:
        return getattr(import_module(f"workings.study.{_MODULE[name]}"), name)
    raise AttributeError(f"module 'workings.study' has no attribute {name!r}")


class _Callable(ModuleType):
    def __call__(self, what: str, **options: object) -> object:
        """Run a shipped study or a file to the end; the options are those of `study.Wanted`."""
        # The report stands above the study, which does not know it; the package's root does.
        return sys.modules["workings"].run_study(what, **options)


sys.modules[__name__].__class__ = _Callable
