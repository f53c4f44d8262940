"""`workings export`: a trained model as ONNX, or as a folder that needs torch alone."""

from pathlib import Path
from typing import Annotated

import typer

from workings.cli.shared import show
from workings.cli.shared.options import Json, RunName, Runs, Trust


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(export)


def export(
    name: RunName,
    to: Annotated[str, typer.Option(metavar="onnx|folder", help="The form.")] = "folder",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="A new folder; RUN-FORM if not given."),
    ] = None,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Write a trained model to a folder that works without Workings.

    folder: safetensors, the architecture and a loader, of torch alone. onnx: a file for onnxruntime
    (extra `export`), with the state of a language model among its inputs and outputs. Both are
    verified against the run on its own test data before anything is kept.
    """
    from workings.run import run as api
    from workings.run.export import form
    from workings.run.progress import progress

    wanted = form(to)
    opened = api.open_run(name, runs, progress(), trust)
    path = output or Path(f"{opened.folder.path.name}-{wanted}")
    difference = opened.export(path, wanted)
    if as_json:
        show.print_json(
            {"run": str(opened.folder.path), "path": str(path), "to": wanted}
            | {"difference": difference}
        )
        return
    show.say(f"{path}: verified on real inputs, largest difference {difference:.1g}")
    for file in sorted(path.iterdir()):
        show.say(f"  {file.name}  {file.stat().st_size:,} bytes")
