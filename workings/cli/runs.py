"""`workings runs`: what is kept of earlier trainings, listed, compared, drawn and removed."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json, RunName, Runs, Trust
from workings.names import escaped

app = typer.Typer(help="List, compare, draw and remove runs.", no_args_is_help=True)


LONG = 500  # rows, from which on a table that fits itself to the terminal takes seconds


def _long_table(title: str, columns: list[str], rows: list[list[str]], left: int) -> None:
    """The same table without what makes it slow: aligned, and as wide as it needs to be."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in [columns, *rows]:
        cells = [
            cell.ljust(width) if number < left else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


@app.command(name="list")
def list_(runs: Runs = None, as_json: Json = False) -> None:
    """The runs there are, with their state and figures."""
    from workings.run.folder import listing

    rows = listing.listed(listing.root(runs))
    if as_json:
        show.print_json(rows)
    elif not rows:
        print(f"no runs in {listing.root(runs)}; `workings train language` makes one")
    else:
        keys = ["run", "task", "model", "state", "epochs", "valid", "test", "metric", "made"]
        cells = [[show.number(row.get(key)) for key in keys] for row in rows]
        (show.table if len(rows) < LONG else _long_table)("", keys, cells, 4)
    for row in rows:
        if row["problem"]:
            line = f"{row['run']} {row['state']}: {row['problem']}"
            print(escaped(line), file=sys.stderr)


@app.command()
def compare(
    names: Annotated[list[str], typer.Argument(metavar="RUN RUN…", help="Runs to compare.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Runs side by side: the config fields in which they differ, and their figures."""
    from workings.errors import WorkingsError
    from workings.run.folder import run_folder as folder

    if len(names) < 2:
        raise WorkingsError("runs compare: give two or more runs")
    compared = [folder.RunFolder.find(name, folder.root(runs)) for name in names]
    configs = [run.config().flat() for run in compared]
    keys = dict.fromkeys(key for config in configs for key in config)
    differ = [key for key in keys if len({str(config.get(key)) for config in configs}) > 1]
    rows: list[list[object]] = [[key, *(config.get(key) for config in configs)] for key in differ]
    results = [run.result() for run in compared]
    metrics = [result["metrics"] if result else {} for result in results]
    measured = dict.fromkeys(key for figures in metrics for key in figures)
    rows += [[key, *(figures.get(key) for figures in metrics)] for key in measured]
    rows += [
        [key, *(result and result.get(key) for result in results)]
        for key in ("parameters", "best_epoch", "epochs", "seconds")
    ]
    if as_json:
        show.print_json(
            {name: {row[0]: row[i + 1] for row in rows} for i, name in enumerate(names)}
        )
        return
    columns = ["", *names]
    show.table("", columns, [[show.number(cell) for cell in row] for row in rows])


@app.command()
def remove(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs to remove.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    runs: Runs = None,
) -> None:
    """Remove run folders, for good."""
    from workings.run.folder import run_folder as folder

    for run in [folder.RunFolder.find(name, folder.root(runs)) for name in names]:
        size = sum(file.stat().st_size for file in run.path.rglob("*") if file.is_file())
        if yes or typer.confirm(f"remove {run.path} ({size / 1e6:.1f} MB)?"):
            run.remove()
            print(f"removed {run.path}")


@app.command()
def prune(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]…", help="Finished runs; all if none.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    runs: Runs = None,
) -> None:
    """Drop what only going on would need: the `last` checkpoints of finished runs.

    Their best weights stay, and all that uses them; they cannot be trained on with `resume --set`.
    """
    from workings.errors import WorkingsError
    from workings.run.folder import run_folder as folder

    root = folder.root(runs)
    chosen = [folder.RunFolder.find(name, root) for name in names or []]
    for run in chosen:
        if run.state() != "finished":
            raise WorkingsError(f"{run.path}: is not finished; its checkpoints are needed")
    chosen = chosen or [run for run in folder.listed(root) if run.state() == "finished"]
    size = sum(run.last_checkpoints_size() for run in chosen)
    if not size:
        print("nothing to drop")
    elif yes or typer.confirm(f"drop {size / 1e6:.1f} MB of {len(chosen)} finished runs?"):
        for run in chosen:
            run.prune()
        print(f"dropped {size / 1e6:.1f} MB of {len(chosen)} finished runs")


@app.command()
def charts(
    name: RunName,
    to: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to; the run's own figures/ if not.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--format", help="svg, png, pdf, html (interactive) or json.")
    ] = "svg",
    runs: Runs = None,
    trust: Trust = False,
) -> None:
    """Draw a run: its learning curves, and what its task has to show."""
    from workings.charts import FORMATS, render
    from workings.errors import WorkingsError, nearest
    from workings.files import explain, write_file
    from workings.run import run as api
    from workings.run.progress import progress

    if f".{kind}" not in FORMATS:
        known = [suffix[1:] for suffix in FORMATS]
        raise WorkingsError(
            f"--format: no format {kind!r}{nearest(kind, known)}; one of {', '.join(known)}"
        )
    opened = api.open_run(name, runs, progress(), trust)
    folder = to or opened.folder.path / "figures"
    with explain(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for title, chart in opened.charts().items():
        write_file(folder / f"{title}.{kind}", render(chart, f".{kind}"))
        print(folder / f"{title}.{kind}")
