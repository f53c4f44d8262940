"""`workings data functions`: the functions of installed packages as a data set."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json
from workings.errors import WorkingsError


def functions(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="JSON lines to write.")],
    packages: Annotated[
        str,
        typer.Option(
            metavar="NAME,…", help="Packages, as they are imported; none: the standard library."
        ),
    ] = "",
    target: Annotated[
        Literal["name", "docstring"],
        typer.Option(help="The summary: the name, or the docstring's first sentence."),
    ] = "name",
    min_statements: Annotated[
        int, typer.Option(min=1, help="A function with fewer, besides its docstring, is left out.")
    ] = 2,
    special_methods: Annotated[
        bool, typer.Option("--special-methods", help="Also __init__ and others like it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Python functions of this machine as tokens, edges and summaries, to train on.

    The sources are parsed, never imported or run. Functions with the same tokens are written once.
    """
    from workings.tasks.summary import make_set
    from workings.tasks.summary.config import SummaryData

    if out.exists():
        raise WorkingsError(f"{out}: is there already; choose another --out or remove it")
    if not out.parent.is_dir():
        raise WorkingsError(f"--out: there is no folder {out.parent}")
    names = [name.strip() for name in packages.split(",") if name.strip()]
    data = SummaryData(
        target=target, min_statements=min_statements, special_methods=special_methods
    )
    about = make_set.write(out, names, data)
    if as_json:
        show.print_json({"file": str(out), **about})
        return
    show.say(
        f"{out}: {about['functions']:,} functions of {about['projects']:,} projects, "
        f"{about['files']:,} files; {about['duplicates']:,} duplicates left out"
    )
    if about["not_parsed"]:
        show.say(f"{about['not_parsed']:,} files do not parse and are left out")
    print(f"next: workings train summary --data {out}")
