"""`workings study`: runs side by side, planned, run and shown as one table."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli import new_study
from workings.cli.shared import complete, show
from workings.cli.shared.options import Json, Quiet, Set, Trust
from workings.errors import Interrupted, WorkingsError

if TYPE_CHECKING:
    from workings.study.progress import Quiet as View
    from workings.study.study import Conductor, Study
    from workings.study.summary import StudySummary

Studies = Annotated[
    Path | None,
    typer.Option(
        "--studies", metavar="DIR", help="Where studies are kept (WORKINGS_STUDIES, ./studies)."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(study)


def study(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|FILE|new",
            help="A shipped study, or a TOML file; `new NAME` writes one to begin with.",
            autocompletion=complete.studies,
        ),
    ] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Of a new study.")] = None,
    rows: Annotated[
        str | None, typer.Option(metavar="1,2,9", help="Only these rows, by number or name.")
    ] = None,
    settings: Set = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="1,2,3", help="Other seeds than the study's.")
    ] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Runs at a time; the cores are divided between them.")
    ] = 1,
    take: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN|DIR", help="Take in finished runs from there that fit a row."),
    ] = None,
    search: Annotated[
        int, typer.Option(min=0, help="Search the space with so many trials, not all of it.")
    ] = 0,
    engine: Annotated[str, typer.Option(help="local, or ray for a cluster.")] = "local",
    address: Annotated[str, typer.Option(help="Of the Ray cluster; a local one if empty.")] = "",
    folder: Annotated[
        Path | None, typer.Option(help="Its folder, instead of studies/NAME.")
    ] = None,
    studies: Studies = None,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Show what would be run and how long it takes; stop.")
    ] = False,
    as_json: Json = False,
    trust: Trust = False,
    quiet: Quiet = False,
) -> None:
    """Run variants side by side and set them beside the published figures.

    Without a name, the shipped studies are listed. Interrupted, the same command goes on.
    """
    if what is None:
        _list()
        return
    if what == "new":
        path = new_study.write_new(name)
        show.say(f"wrote {path}; run it with `workings study ./{path}`, or --plan first")
        return
    if name is not None:
        raise WorkingsError(f"study: one at a time (got {what} and {name})")
    from workings.study.progress import view
    from workings.study.study import Conductor, Wanted

    wanted = Wanted(
        rows=[row.strip() for row in rows.split(",")] if rows else None,
        settings=settings,
        seeds=_numbers(seeds) if seeds else None,
        jobs=jobs,
        folder=folder,
        studies=studies,
        take=tuple(take or ()),
        command=shlex.join(["workings", *sys.argv[1:]]),
        trust=trust,
    )
    shown = view(quiet or as_json)
    conductor = Conductor(what, wanted, shown)
    if engine not in ("local", "ray"):
        raise WorkingsError(f"--engine: no engine {engine!r}; local or ray")
    if plan_only:
        _plan(conductor, shown)
        return
    if not search:
        for job, path in conductor.prepare():
            shown.say(f"taken in: {path} as {job.row}, seed {job.seed}")
        if not quiet and not as_json:
            _plan(conductor, shown)
    try:
        done = _run(conductor, engine, address, search)
    except Interrupted:
        shown.say(f"stopped; go on with: {wanted.command}")
        raise
    from workings.report.run_study import report

    report(done)
    if as_json:
        from workings.report.table_formats import as_json as table_as_json

        show.print_json(table_as_json(done.summary))
    else:
        _print(done.summary)
        show.say(f"report: {done.folder.path / 'report.html'}")
    if any(run.state == "failed" for row in done.summary.rows for run in row.runs):
        raise typer.Exit(1)


def _run(conductor: "Conductor", engine: str, address: str, search: int) -> "Study":
    from workings.study.engines.local import Local
    from workings.study.engines.ray import at_address

    chosen = at_address(address) if engine == "ray" else Local
    if search:
        from workings.study.search import search as searched

        return searched(conductor, search, chosen)
    return conductor.run(chosen)


def _numbers(text: str) -> list[int]:
    try:
        return [int(seed) for seed in text.split(",")]
    except ValueError:
        raise WorkingsError(f"--seeds: expected numbers, as in 1,2,3 (got {text!r})") from None


def _list() -> None:
    from workings.study import file as files

    rows = []
    for name in files.shipped():
        file = files.load(name)[1]
        count = f"{len(file.parts)} parts" if file.parts else f"{len(file.rows())} rows"
        rows.append([name, count, file.question or file.title])
    show.table("", ["study", "", "question"], rows, left=3)


def _plan(conductor: "Conductor", shown: "View") -> None:
    """What will be run, and how long a few steps of it say that it takes."""
    from workings.report.table import clock
    from workings.study.engines.local import cores, threads_each
    from workings.study.estimate import seconds

    left = conductor.left()
    shown.say(f"{conductor.file.title}: {len(conductor.jobs)} runs, {len(left)} to do")
    workers = max(1, min(conductor.wanted.jobs, cores(), len(left) or 1))
    threads = threads_each(workers)
    total, known = 0.0, {}
    for job in left:
        if job.measure:
            continue
        if (job.part, job.row) not in known:
            known[job.part, job.row] = seconds(job, threads)
            shown.say(f"  {job.row}: at most {clock(known[job.part, job.row])} of training a run")
        total += known[job.part, job.row]
    if total:
        shown.say(
            f"at most {clock(total / workers)} in all, on {workers} x {threads} thread(s), "
            "from a few steps of each; evaluation comes on top, early stopping off"
        )


def fitting(
    columns: list[str], rows: list[list[str]], width: int
) -> list[tuple[list[str], list[list[str]]]]:
    """A table too wide for the terminal as several, one below the other, each with the names."""
    widths = [
        max([len(word) for word in head.split()] + [len(row[number]) for row in rows]) + 3
        for number, head in enumerate(columns)
    ]
    parts: list[list[int]] = [[0]]
    for number in range(1, len(columns)):
        taken = sum(widths[each] for each in parts[-1])
        if len(parts[-1]) > 1 and taken + widths[number] > width:
            parts.append([0])
        parts[-1].append(number)
    return [
        ([columns[each] for each in part], [[row[each] for each in part] for row in rows])
        for part in parts
    ]


def _print(summary: "StudySummary") -> None:
    from workings.report.answer import answer
    from workings.report.doubts import doubts
    from workings.report.table import cells, columns

    for part in summary.parts:
        _print(part)
    if summary.claims:
        verdicts = [claim.verdict for claim in summary.claims]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        show.say(
            "the book of claims: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        )
    if not summary.rows:
        return
    title = f"\n{summary.file.title}"
    for heads, rows in fitting(columns(summary), cells(summary), show.width()):
        show.table(title, heads, rows)
        title = ""
    if summary.file.question:
        show.say(summary.file.question)
    show.say(answer(summary))
    for doubt in doubts(summary):
        show.say(f"to be doubted: {doubt}")
    for line in summary.narrowed:
        show.say(f"narrowed: {line}")
