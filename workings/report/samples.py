"""Samples of finished runs: generated text, transcripts, confusion matrices, mistakes, charts.

Tables come from result.json; the rest asks the task, with the run opened. A run that cannot be
opened (its weights removed, its data elsewhere) has a line that says why in its place.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workings.errors import WorkingsError
from workings.report.completions import Completion, Prompts, complete
from workings.run.folder.run_folder import RunFolder
from workings.study.choice import rankings
from workings.study.summary import RowSummary, RunSummary, StudySummary

if TYPE_CHECKING:
    from workings.run.run import Run
    from workings.tasks.abilities import Chart

T = TypeVar("T")
MOST_ROWS = 4  # whose runs are opened
MOST_LINES = 12  # of a table
MOST_CLASSES = 40  # of a confusion matrix: more of them are no longer read


@dataclass(frozen=True)
class Matrix:
    """Counts by true class and predicted class, and how dark each cell is (its share of a row)."""

    names: list[str]
    counts: list[list[int]]

    @property
    def shares(self) -> list[list[float]]:
        """Each count as a share of its row: of the examples of the true class."""
        return [[count / max(1, sum(line)) for count in line] for line in self.counts]


@dataclass(frozen=True)
class Table:
    """Rows of text, and how many were left out."""

    heads: list[str]
    rows: list[list[str]]
    more: int = 0

    @property
    def prose(self) -> bool:
        """Whether it is to be read (transcripts, mistakes) rather than looked up."""
        return any(" " in each for row in self.rows for each in row)


@dataclass(frozen=True)
class Sample:
    """What one run has to show."""

    row: str
    seed: int
    lines: list[str] = field(default_factory=list)
    tables: dict[str, Table] = field(default_factory=dict)
    matrices: dict[str, Matrix] = field(default_factory=dict)
    charts: "dict[str, Chart]" = field(default_factory=dict)  # Altair charts by name
    completions: list[Completion] = field(default_factory=list)  # of the study's prompts
    error: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show, not even why."""
        shown = (self.lines, self.tables, self.matrices, self.charts, self.completions)
        return not (any(shown) or self.error)


def samples(study: StudySummary) -> list[Sample]:
    """One run of each row, of the best row first; of long studies only some rows."""
    best = {row.name for ranking in rankings(study) for row in ranking.chosen}
    rows = sorted(study.rows, key=lambda row: row.name not in best)
    chosen = [(row, run) for row in rows if (run := first_finished(row)) is not None]
    prompts = Prompts(study.file.prompts, study.file.temperature)
    made = [of_run(row.name, run, prompts) for row, run in chosen[:MOST_ROWS]]
    if prompts.texts:  # every row goes on from them; the rest is shown of some
        made += [completed(row.name, run, prompts) for row, run in chosen[MOST_ROWS:]]
    return [sample for sample in made if not sample.empty]


def first_finished(row: RowSummary) -> RunSummary | None:
    """The row's first run that has ended, if any has."""
    return next((run for run in row.runs if run.state == "finished"), None)


def of_run(row: str, run: RunSummary, prompts: Prompts | None = None) -> Sample:
    """What is in the run's result, and what its task says when asked; never an exception."""
    tables, matrices = from_details(run.result.get("details") if run.result else None)
    sample = Sample(row, run.seed, tables=tables, matrices=matrices)
    if not (run.folder / "run.json").is_file():  # a measurement has no model to ask
        return sample
    with opened_run(run.folder) as (opened, error):
        if opened is None:
            return replace(sample, error=error)
        texts, no_texts = tried(lambda: complete(opened, prompts))
        lines, no_lines = tried(lambda: [] if texts else _lines(opened))
        charts, no_charts = tried(lambda: opened.task_charts())
    return replace(
        sample,
        completions=texts or [],
        lines=lines or [],
        charts=charts or {},
        error=no_texts or no_lines or no_charts,
    )


def completed(row: str, run: RunSummary, prompts: Prompts) -> Sample:
    """What a run makes of the study's prompts, and nothing else of it."""
    with opened_run(run.folder) as (opened, error):
        if opened is None:
            return Sample(row, run.seed, error=error)
        texts, why_not = tried(lambda: complete(opened, prompts))
    return Sample(row, run.seed, completions=texts or [], error=why_not)


@contextlib.contextmanager
def opened_run(folder: Path) -> "Iterator[tuple[Run | None, str]]":
    """A run, or None and why it cannot be opened; torch's threads are put back afterwards."""
    with _threads_kept():
        yield tried(lambda: _open(folder))


def _open(folder: Path) -> "Run":
    from workings.run.run import Run

    return Run(RunFolder(folder))


def _lines(opened: "Run") -> list[str]:
    """A model may end a text before its first word: there is nothing to show then."""
    lines = map(str, opened.task.illustrate(opened.model))
    return [line for line in lines if line.strip()]


def tried(make: Callable[[], T]) -> tuple[T | None, str]:
    """What it makes, or None and why not: a user's own model may raise anything."""
    try:
        return make(), ""
    except WorkingsError as refused:
        return None, str(refused)
    except Exception as broken:
        line = str(broken).strip().partition("\n")[0]
        return None, f"{type(broken).__name__}: {line}"


@contextlib.contextmanager
def _threads_kept() -> Iterator[None]:
    """Opening a run sets the threads that it was trained with; put them back."""
    import torch

    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def from_details(details: object) -> tuple[dict[str, Table], dict[str, Matrix]]:
    """Those parts of a result's details that a page can show, by name."""
    tables: dict[str, Table] = {}
    matrices: dict[str, Matrix] = {}
    for name, value in details.items() if isinstance(details, dict) else ():
        if isinstance(value, dict) and isinstance(value.get("rows"), list):
            value = value["rows"]
        if matrix := as_matrix(value):
            matrices[name] = matrix
        elif table := as_table(value):
            tables[name] = table
    return tables, matrices


def as_matrix(value: object) -> Matrix | None:
    """{"names": […], "counts": [[…]]}, square."""
    if not isinstance(value, dict) or not {"names", "counts"} <= set(value):
        return None
    names, counts = value["names"], value["counts"]
    lists = isinstance(names, list) and isinstance(counts, list)
    if not lists or not 0 < len(names) == len(counts) <= MOST_CLASSES:
        return None
    if not all(isinstance(line, list) and len(line) == len(names) for line in counts):
        return None
    if not all(isinstance(count, int) for line in counts for count in line):
        return None
    return Matrix([str(name) for name in names], counts)


def as_table(value: object) -> Table | None:
    """A list of dicts: their keys are the heads."""
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(row, dict) for row in value):
        return None
    heads = list(dict.fromkeys(key for row in value for key in row))
    rows = [[cell(row.get(head)) for head in heads] for row in value[:MOST_LINES]]
    return Table([str(head) for head in heads], rows, len(value) - len(rows))


def cell(value: object) -> str:
    """A value as text of a table."""
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else "not a number"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
