"""workings bench speech."""

import sys
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json
from workings.errors import WorkingsError


def add_to(app: typer.Typer) -> None:
    app.command()(speech)


def speech(
    name: Annotated[
        str, typer.Argument(metavar="DATA", help="A named speech set that is here.")
    ] = "ljspeech-mini",
    rounds: Annotated[int, typer.Option(min=1, help="Turns of every side.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.0, help="Length of a turn, at most.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Training on batches of like length, and decoding that remembers, against the usual ways.

    Theirs is the same network with every clip padded to 2,754 frames, and a decoder that reads
    the text so far again for each token. A ratio is the median over the rounds of their time
    over ours.
    """
    from workings.bench import speech as bench

    measured = bench.run(name, rounds, seconds, _say)
    if not bench.tolerable(measured["difference"]):
        raise WorkingsError(f"the two sides do not compute the same: {measured['difference']}")
    if as_json:
        show.print_json(measured["rows"])
        return
    columns = ["measured", "theirs", "ours", "ratio", "clips/s theirs → ours", "peak theirs → ours"]
    show.table("", columns, [_cells(row) for row in measured["rows"]])


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _cells(row: dict[str, Any]) -> list[str]:
    sides = ("theirs", "ours")
    rates = [row.get(f"{side}_clips_per_second") for side in sides]
    peaks = [row.get(f"{side}_peak_bytes") for side in sides]
    return [
        row["name"],
        f"{row['theirs_seconds'] * 1e3:,.0f} ms",
        f"{row['ours_seconds'] * 1e3:,.0f} ms",
        f"{row['ratio']:.2f}×",
        " → ".join(f"{rate:.1f}" for rate in rates if rate),
        " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks if peak),
    ]
