"""`workings transcribe`: what is said in sound files, by a trained speech model."""

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import chart_files, row_files, show
from workings.cli.shared.options import Json, RowFile, RunName, Runs, Trust
from workings.errors import WorkingsError

if TYPE_CHECKING:
    from workings.tasks.speech.long_audio import Heard


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(transcribe)


def transcribe(
    name: RunName,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Sound files: WAV, FLAC, OGG, MP3, AIFF."),
    ],
    beam: Annotated[
        int, typer.Option(min=1, max=64, help="Texts kept at a time; 1: the likeliest token each.")
    ] = 1,
    alignment: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also chart what each token listens to: .svg .png .pdf .html .json",
        ),
    ] = None,
    output: RowFile = None,
    runs: Runs = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """What is said in sound files, of any length, rate and number of channels.

    Long ones are cut where they are quiet, into pieces no longer than the run's longest training
    clip. A silent one gives no text. --json gives every token with its probability, and the
    pieces with their times in seconds.
    """
    from workings.run import run as api
    from workings.run.progress import progress

    if alignment is not None and len(files) > 1:
        raise WorkingsError("--alignment: charts one file; give only that one")
    chart_files.check("--alignment", alignment)
    row_files.check("--output", output)
    opened = api.open_run(name, runs, progress(), trust)
    transcripts: list[Heard] = []
    for file in files:
        heard = opened.transcribe(Path(file), beam, alignment is not None)
        transcripts.append(heard)
        if heard.silent:
            show.say(f"warning: {file}: is silent, there is nothing to write down", error=True)
        if not as_json:
            show.say(heard.text if len(files) == 1 else f"{file}: {heard.text}", flush=True)
    if output is not None:
        row_files.write(output, [_plain(heard) for heard in transcripts])
    if as_json:
        show.print_json([_plain(heard) for heard in transcripts])
    if alignment is not None:
        _chart(transcripts[0], alignment)


def _plain(heard: "Heard") -> dict[str, object]:
    """With the keys of every prediction; the probability is the mean of its characters'."""
    values = dataclasses.asdict(heard)
    for key in ("alignment", "file", "text"):
        del values[key]
    probability = None if heard.silent else math.exp(heard.score)
    alike = {"input": heard.file, "prediction": heard.text, "probability": probability}
    return alike | values


def _chart(heard: "Heard", path: Path) -> None:
    from workings import charts

    if not heard.alignment:
        raise WorkingsError(f"--alignment: {heard.file} is silent, there is nothing to chart")
    drawn = [charts.alignment(*piece) for piece in heard.alignment]
    chart_files.write(path, charts.stacked(drawn))
