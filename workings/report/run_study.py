"""Run a study to its end and write its report: what `workings.study(...)` calls."""

from dataclasses import dataclass
from typing import Unpack

from workings.report.missing_examples import keep_missing_examples
from workings.report.page import in_notebook
from workings.report.write import write_all
from workings.study.progress import Quiet
from workings.study.study import Study, WantedOptions, study


@dataclass(frozen=True)
class ReportedStudy(Study):
    """A study that has run, with its report in its folder; a notebook shows the report."""

    def _repr_html_(self) -> str:
        return in_notebook(self.summary)


def run_study(
    what: str, view: Quiet | None = None, **options: Unpack[WantedOptions]
) -> ReportedStudy:
    """Run a shipped study or a file to the end; the options are those of `study.Wanted`."""
    return report(study(what, view, **options))


def report(done: Study) -> ReportedStudy:
    """Write the page, the tables and the charts into the study's own folder."""
    keep_missing_examples(done.summary, lambda line: None)
    write_all(done.summary, done.folder.path)
    return ReportedStudy(done.folder, done.summary)
