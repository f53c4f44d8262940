"""workings bench images."""

import sys
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json
from workings.errors import WorkingsError


def add_to(app: typer.Typer) -> None:
    app.command(name="images")(images)


def images(
    rounds: Annotated[int, typer.Option(min=1, help="Turns of every side, at most.")] = 15,
    seconds: Annotated[float, typer.Option(min=0.0, help="Length of a turn, at most.")] = 0.5,
    as_json: Json = False,
) -> None:
    """Our training step against TensorDataset, DataLoader and the same network as nn.Sequential.

    At batches of 8 and 128, with pooling and with strides. A ratio is the median over the rounds
    of their time over ours: above 1, ours is faster.
    """
    from workings.bench import images as bench

    measured = bench.run(rounds, seconds, lambda text: print(text, file=sys.stderr, flush=True))
    if not bench.tolerable(measured["difference"]):
        raise WorkingsError(f"the two sides do not compute the same: {measured['difference']}")
    if as_json:
        show.print_json(measured["rows"])
        return
    columns = ["measured", "theirs", "ours", "ratio", "theirs images/s", "ours images/s"]
    show.table("", columns, [_cells(row) for row in measured["rows"]])


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["name"],
        f"{row['theirs_seconds'] * 1e3:,.2f} ms",
        f"{row['ours_seconds'] * 1e3:,.2f} ms",
        f"{row['ratio']:.2f}×",
        f"{row['theirs_images_per_second']:,.0f}",
        f"{row['ours_images_per_second']:,.0f}",
    ]
