"""Reports: a study's or a run's summary as a table, a page and figures.

Read `table` (the figures, the best row, the p-values), `answer` (the same in a sentence), `explain`
(what stands beside the table), `figures` and `samples`, then `page` (the HTML) and `write` (files).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workings.report.page import html
    from workings.report.run_study import ReportedStudy
    from workings.report.table import Line, cells, columns, lines
    from workings.report.table_formats import as_csv, as_json, latex, markdown
    from workings.report.write import of_all, of_runs, write_all

__all__ = [
    "Line",
    "ReportedStudy",
    "as_csv",
    "as_json",
    "cells",
    "columns",
    "html",
    "latex",
    "lines",
    "markdown",
    "of_all",
    "of_runs",
    "write_all",
]

_MODULE = {
    "html": "page",
    "ReportedStudy": "run_study",
    **dict.fromkeys(("Line", "cells", "columns", "lines"), "table"),
    **dict.fromkeys(("as_csv", "as_json", "latex", "markdown"), "table_formats"),
    **dict.fromkeys(("of_all", "of_runs", "write_all"), "write"),
}


def __getattr__(name: str) -> object:
    # These import torch and the charts, which takes seconds: only when they are needed.
    if name in _MODULE:
        return getattr(import_module(f"workings.report.{_MODULE[name]}"), name)
    raise AttributeError(f"module 'workings.report' has no attribute {name!r}")
