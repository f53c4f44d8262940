"""workings bench."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from workings.cli import bench_graphs, bench_images, bench_speech, show
from workings.cli.options import Json
from workings.errors import WorkingsError

app = typer.Typer(
    help="Measure our speed against what you would write instead, on this machine, side by side. A "
    "ratio is the median over the rounds of their time over ours: above 1, ours is faster.",
    no_args_is_help=True,
)
Rounds = Annotated[int, typer.Option(min=1, help="Turns of every side, at most.")]
Seconds = Annotated[float, typer.Option(min=0.0, help="Length of a turn, at most.")]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@app.command(name="language")
def language_(rounds: Rounds = 15, seconds: Seconds = 0.5, as_json: Json = False) -> None:
    """Training, generation and evaluation of language models against the ordinary loop."""
    from workings.bench import language

    measured = language.run(rounds, seconds, _say)
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
        _milliseconds(row["theirs_seconds"]),
        _milliseconds(row["ours_seconds"]),
        f"{row['ratio']:.2f}×",
        f"{share:.0%}" if share else "",
        " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks if peak),
    ]


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


@app.command(name="attention")
def attention_(
    rounds: Rounds = 15,
    seconds: Seconds = 0.5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two lengths and one width of a head.")
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A chart of the times: .svg .png .pdf .html .json"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Attention linear in the length against scaled_dot_product_attention."""
    from workings import charts
    from workings.bench import attention
    from workings.files import write_file

    if chart is not None:
        _check_chart(chart)
    rows = attention.run(rounds, seconds, quick, _say)["rows"]
    if chart is not None:
        write_file(chart, charts.render(attention.chart(rows), chart.suffix))
    if as_json:
        show.print_json(rows)
        return
    for causal in (True, False):
        for backward in (False, True):
            _print_kind(rows, causal, backward)
    lines = [[name, f"{value:.2f}×"] for name, value in attention.summary(rows)]
    show.table("in short; ratios of times are theirs over ours", ["", "ratio"], lines)


def _check_chart(chart: Path) -> None:
    """Before anything is measured."""
    from workings.charts import FORMATS

    if chart.suffix not in FORMATS:
        raise WorkingsError(
            f"--chart: no chart can be written as {chart.name!r}; its name ends in one of "
            f"{', '.join(FORMATS)}"
        )
    if not chart.parent.is_dir():
        raise WorkingsError(f"--chart: there is no folder {chart.parent}")


def _print_kind(rows: list[dict[str, Any]], causal: bool, backward: bool) -> None:
    """A line for each width and length; below those of a width, how the times grow."""
    from workings.bench.attention import kind

    some = [row for row in rows if (row["causal"], row["backward"]) == (causal, backward)]
    others = list(dict.fromkeys(row["against"] for row in some))
    lines = []
    for width in sorted({row["width"] for row in some}):
        cells: dict[int, dict[str, Any]] = {}
        for row in some:
            if row["width"] == width:
                cells.setdefault(row["length"], {})[row["against"]] = row
        lines += [_line(width, length, by, others) for length, by in cells.items()]
        lines.append(_growth_line(cells, others))
    columns = ["D", "tokens", "ours"]
    for other in others:
        columns += [other, "ratio", "rounds"]
    show.table(
        f"{kind(causal, backward)}, {some[0]['threads']} thread(s)",
        [*columns, "peak sdpa → ours"],
        lines,
    )


def _line(width: int, length: int, by: dict[str, Any], others: list[str]) -> list[str]:
    line = [str(width), f"{length:,}", _milliseconds(by["sdpa"]["ours_seconds"])]
    for other in others:
        row = by.get(other)
        line += (
            [_milliseconds(row["theirs_seconds"]), f"{row['ratio']:.2f}×", str(row["rounds"])]
            if row
            else ["", "", ""]
        )
    peaks = [by["sdpa"][f"{side}_peak_bytes"] for side in ("theirs", "ours")]
    return [*line, " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks)]


def _growth_line(cells: dict[int, dict[str, Any]], others: list[str]) -> list[str]:
    from workings.bench.attention import growth

    every = {other: row for by in cells.values() for other, row in by.items()}
    line = ["", "grows as", growth(every["sdpa"]["ours_exponent"])]
    for other in others:
        line += [growth(every[other]["theirs_exponent"]) if other in every else "", "", ""]
    return [*line, ""]


for part in (bench_images, bench_graphs, bench_speech):
    part.add_to(app)
