"""`workings cache`: what is kept to be faster the next time, and removing it."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json
from workings.errors import WorkingsError, nearest

KINDS = {
    "text": "token ids of texts",
    "speech": "features of recordings",
    "summary": "parsed functions",
    "given": "data given from Python: runs on it cannot be resumed without",
    "page": "the page's list of runs, and what it started",
    "defects": "tracebacks of defects, to report",
}


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(cache)


def cache(
    clear: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Remove this part of it; repeat as needed."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """What is in the cache, how large it is; --clear removes a part of it."""
    from workings.data import SOURCES, sources

    parts = _parts(sources.cache())
    for name in clear or []:
        if name not in parts:
            known = ", ".join(parts) or "nothing"
            raise WorkingsError(
                f"--clear {name}: is not in the cache{nearest(name, parts)}; {known} is"
            )
    for name in clear or []:
        path = sources.cache() / name
        if yes or typer.confirm(f"remove {path} ({parts[name] / 1e6:.1f} MB)?"):
            shutil.rmtree(path)
            print(f"removed {path}")
    if clear:
        return
    if as_json:
        show.print_json({"folder": str(sources.cache()), "bytes": parts})
        return
    named = {Path(source.folder).parts[0] for source in SOURCES.values() if source.folder}
    rows = [
        [name, f"{size / 1e6:,.1f} MB", KINDS.get(name, "a data set" if name in named else "")]
        for name, size in parts.items()
    ]
    show.table(f"{sources.cache()}", ["part", "size", "what it is"], rows, 3)


def _parts(folder: Path) -> dict[str, int]:
    """The bytes of every folder in the cache."""
    if not folder.is_dir():
        return {}
    return {
        inside.name: sum(file.stat().st_size for file in inside.rglob("*") if file.is_file())
        for inside in sorted(folder.iterdir())
        if inside.is_dir() and not inside.is_symlink()
    }
