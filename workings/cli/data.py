"""`workings data list`, `get` and `show`: the named data sets, and what is in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli import functions, speak
from workings.cli.shared import complete, show
from workings.cli.shared.options import Json, Set
from workings.errors import WorkingsError, nearest

if TYPE_CHECKING:
    from workings.tasks import Task

app = typer.Typer(help="Named data sets: list, download, look at.", no_args_is_help=True)
app.command()(speak.speak)
app.command()(functions.functions)
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="A data set's name.", autocompletion=complete.data_sets),
]


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """Every named data set, and whether it is here."""
    from workings.data import SOURCES, sources

    rows = []
    for name, source in SOURCES.items():
        folder = sources.find(name)
        where = str(folder) if folder else f"not here: {sources.way_to(name)}"
        where = where if source.folder else "built in"
        rows.append({"name": name, "task": source.task, "about": source.about, "where": where})
    if as_json:
        show.print_json(rows)
    else:
        show.table("", ["name", "task", "about", "where"], [list(r.values()) for r in rows], left=4)


@app.command()
def get(name: Name) -> None:
    """Download a named data set into the cache, checked against its checksum."""
    from workings.data import sources

    if sources.source(name).raw:
        from workings.tasks.graph.reading import named_graphs

        folder: Path | None = named_graphs.fetch(name)
    else:
        folder = sources.download(name)
    print(f"{name}: {folder or 'is built in, nothing to fetch'}")


@app.command(name="show")
def show_(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="A data set, file or folder.",
            autocompletion=complete.data_sets,
        ),
    ],
    task: Annotated[
        str, typer.Option(help="How to read a file: as this task would. Guessed if not given.")
    ] = "",
    settings: Set = None,
    as_json: Json = False,
) -> None:
    """What a data set holds: splits, sizes, licence, checksum, how it begins.

    --set data.KEY=VALUE reads it otherwise, as `train` would with the same setting.
    """
    from workings.data import SOURCES
    from workings.run import config as configs
    from workings.schema import build
    from workings.tasks import TASKS

    if name not in SOURCES and not Path(name).exists():
        hint = nearest(name, SOURCES)
        raise WorkingsError(
            f"{name}: no such file, folder or data set{hint}; `workings data list` has the sets"
        )
    if task and task not in TASKS:
        raise WorkingsError(
            f"--task: no task {task!r}{nearest(task, TASKS)}; known: {', '.join(TASKS)}"
        )
    if name in SOURCES:
        kind = TASKS[SOURCES[name].task]
    else:
        kind = TASKS[task] if task else _task_of(Path(name))
    values = configs.override({"data": kind.data_from([Path(name)])}, settings or [])
    for key in values:
        if key != "data":
            raise WorkingsError(f"--set {key}: only data.… says how data is read")
    data = build(kind.Data, configs.section_of(values, "data"), "data")
    about = kind.show(data)
    if name in SOURCES:
        source = SOURCES[name]
        about |= {"licence": source.licence, "splits made": source.split_method}
    if as_json:
        show.print_json(about)
    else:
        show.table(name, ["", ""], [[key, show.number(value)] for key, value in about.items()], 2)


def _task_of(path: Path) -> "type[Task]":
    """The task that knows such files; what none knows is read as text."""
    from workings.tasks import TASKS, reader_of

    task = reader_of(path)
    if task is None and path.is_dir():
        names = sorted(file.name for file in path.iterdir())
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise WorkingsError(
            f"{path}: looks like no task's data ({shown or 'it is empty'}): a graph is edges.csv "
            "and nodes.csv, pictures lie in class folders, recordings have a table of path and "
            "text or a .txt beside each, texts are .txt; --task says which it is"
        )
    return task or TASKS["language"]
