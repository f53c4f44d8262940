"""Writing a report: the page, the table for a paper, and the charts as files."""

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path

from workings.charts import render
from workings.errors import WorkingsError
from workings.files import explain, write_file
from workings.report import completions
from workings.report.figures import figures, slug
from workings.report.page import html, in_notebook
from workings.report.samples import samples
from workings.report.table_formats import as_csv, latex, markdown
from workings.run.config import Values
from workings.run.folder import listing
from workings.run.folder.run_folder import RunFolder
from workings.study.file import Row, StudyFile
from workings.study.metric_names import lower_is_better
from workings.study.summary import RowSummary, RunSummary, StudySummary

__all__ = ["html", "in_notebook", "of_all", "of_runs", "table", "write", "write_all"]

TABLES: dict[str, Callable[[StudySummary], str]] = {
    ".md": markdown,
    ".tex": latex,
    ".csv": as_csv,
}
KINDS = (".svg", ".png", ".pdf")  # of chart files


def write(study: StudySummary, path: Path) -> Path:
    """The page, whole or not at all."""
    write_file(path, html(study).encode())
    return path


def write_all(study: StudySummary, folder: Path) -> list[Path]:
    """The page, its tables, and its charts in `figures/`; of parts too, named after them."""
    with explain(folder):
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    written = [write(study, folder / "report.html")]
    for suffix in TABLES:
        if suffix == ".csv" and study.parts:
            continue  # parts have columns of their own: each has its own file, below
        path = folder / f"table{suffix}"
        write_file(path, table(study, suffix).encode())
        written.append(path)
    for part in study.parts:
        path = folder / f"table-{slug(part.name)}.csv"
        write_file(path, as_csv(part).encode())
        written.append(path)
    for part in (study, *study.parts):
        if part.file.prompts:
            path = folder / ("texts.md" if part is study else f"texts-{slug(part.name)}.md")
            write_file(path, completions.markdown(part, samples(part)).encode())
            written.append(path)
        before = "" if part is study else f"{slug(part.name)}-"
        for figure in itertools.chain.from_iterable(figures(part).values()):
            for kind in KINDS:
                path = folder / "figures" / f"{before}{figure.name}{kind}"
                write_file(path, render(figure.chart, kind))
                written.append(path)
    return written


def table(study: StudySummary, suffix: str) -> str:
    """The table as text of this kind; those of the parts one after the other."""
    if suffix not in TABLES:
        raise WorkingsError(f"no table can be written as {suffix!r}; there is: {', '.join(TABLES)}")
    if not study.parts:
        return TABLES[suffix](study)
    title = {".md": "## {}\n\n{}", ".tex": "% {}\n{}", ".csv": "{}\n{}"}[suffix]
    return "\n".join(
        title.format(" ".join(part.file.title.split()), TABLES[suffix](part))
        for part in study.parts
    )


def of_all(studies: list[StudySummary]) -> StudySummary:
    """Several studies as one report."""
    if len(studies) == 1:
        return studies[0]
    title = "; ".join(study.file.title for study in studies)
    file = StudyFile(title=title, parts=[study.name for study in studies])
    return StudySummary("report", file, [], True, parts=studies)


def of_runs(folders: list[RunFolder]) -> StudySummary:
    """Runs as the rows of a report; those of different tasks in parts."""
    by_metric: dict[tuple[str, str], list[tuple[RunFolder, RunSummary]]] = {}
    for folder in folders:
        run = _read(folder)
        task = folder.config().build_task() if run.config else None
        # Nodes and edges of a graph have metrics of their own.
        kind = (task.name, task.headline or task.best) if task else ("", "loss")
        by_metric.setdefault(kind, []).append((folder, run))
    return of_all([_task_runs(*kind, runs) for kind, runs in by_metric.items()])


def _read(folder: RunFolder) -> RunSummary:
    """What a run folder holds; one that cannot be read says why in its row."""
    try:
        config = folder.config()
        result, lines = folder.result(), folder.metrics()
    except WorkingsError as damaged:
        return RunSummary(folder.path, 0, "failed", str(damaged))
    return RunSummary(
        folder.path,
        config.seed,
        folder.state(),
        "" if result else listing.failure(folder.path),
        config=config.flat(),
        result=result,
        lines=lines,
    )


def _task_runs(name: str, best: str, runs: list[tuple[RunFolder, RunSummary]]) -> StudySummary:
    task = runs[0][0].config().build_task() if name else None
    names = [folder.path.absolute().name for folder, _ in runs]
    if len(set(names)) < len(names):
        names = [str(folder.path) for folder, _ in runs]
    configs = [run.config for _, run in runs]
    settings = [_differing(config, configs) for config in configs]
    file = StudyFile(
        title=f"Run {names[0]}" if len(names) == 1 else f"{len(names)} {name} runs",
        base=name or "unknown",
        metric=f"test.{best}",
        also=[f"test.{also}" for also in (task.extra_metrics if task else ()) if _has(runs, also)],
        plot=list(dict.fromkeys([*_splits(best), *_splits("loss")])),
        row=[Row(name=row) for row in names],
    )
    rows = [
        RowSummary(row, differs, {}, "", [run])
        for row, differs, (_, run) in zip(names, settings, runs, strict=True)
    ]
    commands = [
        f"workings train {shlex.quote(str(folder.path.absolute() / 'config.toml'))}"
        for folder, _ in runs
    ]
    known = lower_is_better(best)
    lower = task.lower_is_better if known is None and task else known is not False
    return StudySummary(names[0], file, rows, lower, command="\n".join(commands))


def _splits(metric: str) -> list[str]:
    return [f"valid.{metric}", f"train.{metric}"]


def _has(runs: list[tuple[RunFolder, RunSummary]], metric: str) -> bool:
    return any(run.value(f"test.{metric}") is not None for _, run in runs)


def _differing(config: Values, configs: list[Values]) -> Values:
    return {
        key: value
        for key, value in config.items()
        if any(other.get(key) != value for other in configs)
    }
