"""workings runs list, compare, remove, charts."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json, RunName, Runs, Trust

app = typer.Typer(help="List, compare, draw and remove runs.", no_args_is_help=True)


@app.command(name="list")
def list_(runs: Runs = None, as_json: Json = False) -> None:
    """The runs there are, with their state and figures."""
    from workings.errors import WorkingsError
    from workings.run import folder

    rows = []
    for one in folder.listed(folder.root(runs)):
        try:
            rows.append(_summary(one))
        except WorkingsError as error:
            print(f"warning: left out, {error}", file=sys.stderr)
    if as_json:
        show.print_json(rows)
    elif not rows:
        print(f"no runs in {folder.root(runs)}; `workings train language` makes one")
    else:
        keys = ["run", "task", "model", "state", "epochs", "valid", "test", "metric", "made"]
        show.table("", keys, [[show.number(row[key]) for key in keys] for row in rows], left=4)


def _summary(one: Any) -> dict[str, Any]:
    from workings.tasks import TASKS

    config, result = one.config(), one.result()
    best = TASKS[config.task].best
    lines = [line.get(best) for line in one.metrics() if line.get("split") == "valid"]
    valid = [value for value in lines if isinstance(value, float)]
    pick = min if TASKS[config.task].lower_is_better else max
    return {
        "run": one.path.name,
        "task": config.task,
        "model": config.model.kind,
        "state": one.state(),
        "epochs": len(lines),
        "valid": pick(valid) if valid else None,
        "test": result["metrics"][f"test.{best}"] if result else None,
        "metric": best,
        "made": str(one.about().get("made", ""))[:16].replace("T", " "),
    }


@app.command()
def compare(
    names: Annotated[list[str], typer.Argument(metavar="RUN RUN…", help="Runs to compare.")],
    runs: Runs = None,
    as_json: Json = False,
) -> None:
    """Runs side by side: the config fields in which they differ, and their figures."""
    from workings.errors import WorkingsError
    from workings.run import folder

    if len(names) < 2:
        raise WorkingsError("runs compare: give two or more runs")
    found = [folder.RunFolder.find(name, folder.root(runs)) for name in names]
    configs = [one.config().flat() for one in found]
    keys = dict.fromkeys(key for config in configs for key in config)
    differ = [key for key in keys if len({str(config.get(key)) for config in configs}) > 1]
    rows: list[list[Any]] = [[key, *(config.get(key) for config in configs)] for key in differ]
    results: list[Mapping[str, Any]] = [one.result() or {} for one in found]
    measured = dict.fromkeys(key for result in results for key in result.get("metrics", {}))
    rows += [[key, *(r.get("metrics", {}).get(key) for r in results)] for key in measured]
    rows += [
        [key, *(result.get(key) for result in results)]
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
    from workings.run import folder

    found = [folder.RunFolder.find(name, folder.root(runs)) for name in names]
    for one in found:
        size = sum(file.stat().st_size for file in one.path.rglob("*") if file.is_file())
        if yes or typer.confirm(f"remove {one.path} ({size / 1e6:.1f} MB)?"):
            one.remove()
            print(f"removed {one.path}")


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
