"""`workings report`: the table, the page and the figures of runs and studies."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json, Runs
from workings.cli.study import Studies
from workings.errors import WorkingsError, nearest

if TYPE_CHECKING:
    from workings.run.folder.run_folder import RunFolder
    from workings.study.folder import StudyFolder
    from workings.study.summary import StudySummary


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(report)


def report(
    names: Annotated[
        list[str], typer.Argument(metavar="RUN|STUDY…", help="Runs and studies: names, or paths.")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE|DIR",
            help="A page (.html), the table alone (.md, .tex, .csv), or a folder for everything; "
            "else report.html, in the study's or the run's own folder if there is one.",
        ),
    ] = None,
    tensorboard: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write TensorBoard event files there too."),
    ] = None,
    runs: Runs = None,
    studies: Studies = None,
    as_json: Json = False,
) -> None:
    """Write one self-contained page: the table, the charts, samples, and how to repeat it all.

    A study's own folder also gets its table as Markdown, LaTeX and CSV, and its charts as SVG, PNG
    and PDF.
    """
    from workings.report import write as reports
    from workings.report.missing_examples import keep_missing_examples

    if to is not None:
        _check_output(to, list(reports.TABLES))
    found_runs, found_studies = _find(names, runs, studies)
    summaries = [folder.summary() for folder in found_studies]
    if found_runs:
        summaries.append(reports.of_runs(found_runs))
    summary = reports.of_all(summaries)
    for problem in _problems(summary):
        show.say(problem, error=True)
    keep_missing_examples(summary, lambda line: print(line, file=sys.stderr))
    homes = [study.path for study in found_studies] + [run.path for run in found_runs]
    written = _write(summary, to, homes, whole=bool(found_studies) and len(homes) == 1)
    events: list[Path] = []
    if tensorboard is not None:
        from workings.report.tensorboard import write_events

        events = write_events(summary, tensorboard)
    if as_json:
        from workings.report.table_formats import as_json as table_as_json

        files = {"files": [str(path) for path in written], "events": [str(path) for path in events]}
        show.print_json(files | table_as_json(summary))
        return
    for path in written:
        show.say(path)
    if events:
        show.say(
            f"{tensorboard}: events of {len(events)} run(s); tensorboard --logdir {tensorboard}"
        )


def _problems(study: "StudySummary") -> list[str]:
    """Why runs of the report have no figures: damaged files, trainings that failed."""
    said = [problem for part in study.parts for problem in _problems(part)]
    for run in (run for row in study.rows for run in row.runs if run.error):
        named = run.error.startswith(str(run.folder))
        said.append(run.error if named else f"{run.folder}: {run.state}: {run.error}")
    return list(dict.fromkeys(said))


def _check_output(to: str, tables: list[str]) -> None:
    """Before anything is computed: a name that says what is wanted."""
    suffix = Path(to).suffix.lower()
    if not to or (suffix not in (".html", "", *tables) and not Path(to).is_dir()):
        kinds = ", ".join([".html", *tables])
        raise WorkingsError(
            f"-o {to or repr(to)}: no report is written as {suffix or 'that'}; "
            f"a file that ends in {kinds}, or a folder"
        )


def _find(
    names: list[str], runs: Path | None, studies: Path | None
) -> "tuple[list[RunFolder], list[StudyFolder]]":
    """The runs and the studies of these names, each once."""
    from workings.run.folder import run_folder as run_folders
    from workings.study import folder as study_folders

    run_root, study_root = run_folders.root(runs), study_folders.root(studies)
    found_runs, found_studies = [], []
    for name in dict.fromkeys(names):
        as_path = "/" in name or name in (".", "..")
        study = study_folders.StudyFolder(Path(name) if as_path else study_root / name)
        if name and study.about() is not None:
            study.require_own_files()  # the report is written into it
            found_studies.append(study)
            continue
        path = Path(name) if as_path else run_root / name
        if not name or not (path / "run.json").is_file():
            raise WorkingsError(_unknown(name, as_path, run_root, study_root))
        run = f"{name}/" if name in (".", "..") else name
        found_runs.append(run_folders.RunFolder.find(run, run_root))
    return found_runs, found_studies


def _unknown(name: str, as_path: bool, runs: Path, studies: Path) -> str:
    from workings.run.folder.run_folder import listed
    from workings.study.file import shipped

    if as_path:
        return f"{name}: is neither a run's folder nor a study's"
    if name in shipped():
        return f"study {name!r} has not been run here; `workings study {name}` runs it"
    known = [folder.path.name for folder in listed(runs)]
    if studies.is_dir():
        known += [path.parent.name for path in studies.glob("*/study.json")]
    hint = nearest(name, known)
    return f"no study {name!r} in {studies} and no run in {runs}{hint}; a path has a slash in it"


def _write(summary: "StudySummary", to: str | None, homes: list[Path], whole: bool) -> list[Path]:
    from workings.files import explain, write_file
    from workings.report import write as reports

    if to is None and len(homes) == 1:
        if whole:
            return reports.write_all(summary, homes[0])
        return [reports.write(summary, homes[0] / "report.html")]
    path = Path(to or "report.html")
    if path.is_dir() or not path.suffix:
        return reports.write_all(summary, path)
    with explain(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".html":
        return [reports.write(summary, path)]
    write_file(path, reports.table(summary, path.suffix.lower()).encode())
    return [path]
