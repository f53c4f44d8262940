"""workings bench."""

import sys
from typing import Annotated, Any

import typer

from workings.cli import show
from workings.cli.options import Json

BENCHES = ("language",)


def add_to(app: typer.Typer) -> None:
    app.command()(bench)


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help=", ".join(BENCHES))] = "language",
    rounds: Annotated[int, typer.Option(min=1, help="Turns of every side.")] = 15,
    seconds: Annotated[float, typer.Option(min=0.0, help="Length of a turn.")] = 0.5,
    as_json: Json = False,
) -> None:
    """Measure our speed against what you would write instead, on this machine, side by side.

    A ratio is the median over the rounds of their time over ours: above 1, ours is faster.
    """
    from workings.bench import language
    from workings.errors import WorkingsError, nearest

    if name not in BENCHES:
        raise WorkingsError(
            f"no benchmark {name!r}{nearest(name, BENCHES)}; there is: {', '.join(BENCHES)}"
        )
    measured = language.run(rounds, seconds, lambda text: print(text, file=sys.stderr, flush=True))
    if not language.tolerable(measured["difference"]):
        raise WorkingsError(f"the two sides do not compute the same: {measured['difference']}")
    if as_json:
        show.print_json(measured["rows"])
        return
    columns = ["measured", "theirs", "ours", "ratio", "of matmul rate", "peak theirs → ours"]
    show.table("", columns, [_cells(row) for row in measured["rows"]])


def _cells(row: dict[str, Any]) -> list[str]:
    share = row.get("share_of_matmul_rate")
    peaks = [row.get(f"{side}_peak_bytes") for side in ("theirs", "ours")]
    return [
        row["name"],
        f"{row['theirs_seconds'] * 1e3:,.1f} ms",
        f"{row['ours_seconds'] * 1e3:,.1f} ms",
        f"{row['ratio']:.2f}×",
        f"{share:.0%}" if share else "",
        " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks if peak),
    ]
