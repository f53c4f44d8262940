"""workings bench graphs."""

import sys
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json
from workings.errors import WorkingsError


def add_to(app: typer.Typer) -> None:
    app.command(name="graphs")(graphs)


def graphs(
    rounds: Annotated[int, typer.Option(min=1, help="Turns of every side, at most.")] = 15,
    seconds: Annotated[float, typer.Option(min=0.0, help="Length of a turn, at most.")] = 0.5,
    quick: Annotated[bool, typer.Option("--quick", help="Cora only.")] = False,
    as_json: Json = False,
) -> None:
    """A training step of ours against torch_geometric's: its edge lists and its CSR adjacency.

    On Cora, and on a random graph of ogbn-arxiv's size (which takes 9 GB, and some minutes). A
    ratio is the median over the rounds of their time over ours: above 1, ours is faster.
    """
    from workings.bench import graphs as bench

    measured = bench.run(rounds, seconds, quick, lambda text: print(text, file=sys.stderr))
    if not bench.tolerable(measured["difference"]):
        raise WorkingsError(f"the two sides do not compute the same: {measured['difference']}")
    if as_json:
        show.print_json(measured["rows"])
        return
    columns = ["measured", "against", "theirs", "ours", "ratio", "peak theirs → ours", "of theirs"]
    show.table("", columns, [_cells(row) for row in measured["rows"]], 2)


def _cells(row: dict[str, Any]) -> list[str]:
    theirs, ours = row["theirs_peak_bytes"], row["ours_peak_bytes"]
    return [
        row["name"],
        f"torch_geometric, {row['against']}",
        f"{row['theirs_seconds'] * 1e3:,.1f} ms",
        f"{row['ours_seconds'] * 1e3:,.1f} ms",
        f"{row['ratio']:.1f}×",
        f"{theirs / 1e6:,.0f} → {ours / 1e6:,.0f} MB",
        f"{ours / theirs:.0%}",
    ]
