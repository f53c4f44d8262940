"""`workings bench`: our speed against what a user would write instead, one command a comparison."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from workings.cli import bench_attention
from workings.cli.shared import chart_files, show
from workings.cli.shared.options import LARGEST_SEED, Json, TimesChart
from workings.errors import WorkingsError

if TYPE_CHECKING:
    from workings.bench.graphs import GraphRow
    from workings.bench.images import ImageRow
    from workings.bench.rows import Row

AnyRow = TypeVar("AnyRow", bound="Row")

app = typer.Typer(
    help="Measure our speed against what you would write instead, on this machine, side by side. A "
    "ratio is the median over the rounds of their time over ours: above 1, ours is faster.",
    no_args_is_help=True,
)
Rounds = Annotated[int, typer.Option(min=1, help="Turns of every side, at most.")]
Seconds = Annotated[float, typer.Option(min=0.0, help="Length of a turn, at most.")]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print(
    rows: Sequence[AnyRow],
    as_json: bool,
    columns: list[str],
    cells: Callable[[AnyRow], list[str]],
    left: int = 1,
) -> None:
    if as_json:
        show.print_json(rows)
    else:
        show.table("", columns, [cells(row) for row in rows], left)


def _times(row: "Row", digits: int) -> list[str]:
    """Their time and ours."""
    return [f"{row[key] * 1e3:,.{digits}f} ms" for key in ("theirs_seconds", "ours_seconds")]


def _peaks(row: "Row") -> str:
    peaks = (row.get("theirs_peak_bytes"), row.get("ours_peak_bytes"))
    return " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks if peak)


@app.command()
def language(rounds: Rounds = 15, seconds: Seconds = 0.5, as_json: Json = False) -> None:
    """Training, generation and evaluation of language models against the ordinary loop."""
    from workings.bench import language as bench

    def cells(row: "Row") -> list[str]:
        share = row.get("share_of_matmul_rate")
        figures = [f"{row['ratio']:.2f}×", f"{share:.0%}" if share else "", _peaks(row)]
        return [row["name"], *_times(row, 1), *figures]

    columns = ["measured", "theirs", "ours", "ratio", "of matmul rate", "peak theirs → ours"]
    _print(bench.run(rounds, seconds, _say), as_json, columns, cells)


@app.command()
def attention(
    rounds: Rounds = 15,
    seconds: Seconds = 0.5,
    quick: Annotated[
        bool, typer.Option("--quick", help="Two lengths and two widths of a head.")
    ] = False,
    chart: TimesChart = None,
    as_json: Json = False,
) -> None:
    """Attention linear in the length against scaled_dot_product_attention."""
    from workings.bench import attention as bench

    chart_files.check("--chart", chart)
    rows = bench.run(rounds, seconds, quick, _say)
    if chart is not None:
        chart_files.write(chart, bench.chart(rows))
    if as_json:
        show.print_json(rows)
    else:
        bench_attention.print_tables(rows)


@app.command()
def images(rounds: Rounds = 15, seconds: Seconds = 0.5, as_json: Json = False) -> None:
    """Our training step against TensorDataset, DataLoader and the same network as nn.Sequential.

    At batches of 8 and 128, with pooling and with strides. A ratio is the median over the rounds
    of their time over ours: above 1, ours is faster.
    """
    from workings.bench import images as bench

    def cells(row: "ImageRow") -> list[str]:
        rates = (row["theirs_images_per_second"], row["ours_images_per_second"])
        figures = [f"{row['ratio']:.2f}×", *(f"{rate:,.0f}" for rate in rates)]
        return [row["name"], *_times(row, 2), *figures]

    columns = ["measured", "theirs", "ours", "ratio", "theirs images/s", "ours images/s"]
    _print(bench.run(rounds, seconds, _say), as_json, columns, cells)


@app.command()
def graphs(
    rounds: Rounds = 15,
    seconds: Seconds = 0.5,
    quick: Annotated[bool, typer.Option("--quick", help="Cora only; or small graphs.")] = False,
    growth: Annotated[
        str, typer.Option(metavar="gcn|gat", help="Instead: how ours grows with the edges.")
    ] = "",
    near: Annotated[
        bool, typer.Option("--near", help="With --growth: edges join nodes of near numbers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """A training step of ours against torch_geometric's: its edge lists and its CSR adjacency.

    On Cora, and on a random graph of ogbn-arxiv's size (which takes 9 GB, and some minutes). A
    ratio is the median over the rounds of their time over ours: above 1, ours is faster.
    """
    from workings.bench import graph_growth
    from workings.bench import graphs as bench

    if growth not in ("", "gcn", "gat"):
        raise WorkingsError(f"--growth {growth}: is measured of gcn and of gat")
    if near and not growth:
        raise WorkingsError("--near: says between which nodes edges grow; give --growth gcn or gat")
    if growth:
        grown = graph_growth.run(growth, quick, near, rounds, seconds, _say)
        if as_json:
            show.print_json(grown)
            return
        lines = [
            [
                row["measured"],
                f"{row['edges']:,}",
                f"{row['seconds'] * 1e3:,.1f} ms",
                f"{row['peak_bytes'] / 1e6:,.0f} MB",
            ]
            for row in grown
        ]
        title = f"{growth}, on one thread, edges between {'near' if near else 'any two'} nodes"
        show.table(title, ["measured", "edges", "time", "peak"], lines, 1)
        for method, power in graph_growth.exponents(grown).items():
            print(f"{method}: time grows as edges^{power:.2f}")
        return

    def cells(row: "GraphRow") -> list[str]:
        share = row["ours_peak_bytes"] / row["theirs_peak_bytes"]
        figures = [f"{row['ratio']:.1f}×", _peaks(row), f"{share:.0%}"]
        return [row["name"], f"torch_geometric, {row['against']}", *_times(row, 1), *figures]

    columns = ["measured", "against", "theirs", "ours", "ratio", "peak theirs → ours", "of theirs"]
    _print(bench.run(rounds, seconds, quick, _say), as_json, columns, cells, left=2)


@app.command()
def speech(
    name: Annotated[
        str, typer.Argument(metavar="DATA", help="A named speech set that is here.")
    ] = "ljspeech-mini",
    rounds: Rounds = 7,
    seconds: Seconds = 1.0,
    as_json: Json = False,
) -> None:
    """Training on batches of like length, and decoding that remembers, against the usual ways.

    Theirs is the same network with every clip padded to 2,754 frames, and a decoder that reads
    the text so far again for each token. A ratio is the median over the rounds of their time
    over ours.
    """
    from workings.bench import speech as bench

    def cells(row: "Row") -> list[str]:
        rates = (row.get("theirs_clips_per_second"), row.get("ours_clips_per_second"))
        clips = " → ".join(f"{rate:.1f}" for rate in rates if rate)
        return [row["name"], *_times(row, 0), f"{row['ratio']:.2f}×", clips, _peaks(row)]

    columns = ["measured", "theirs", "ours", "ratio", "clips/s theirs → ours", "peak theirs → ours"]
    _print(bench.run(name, rounds, seconds, _say), as_json, columns, cells)


@app.command()
def busy(rounds: Rounds = 5, seconds: Seconds = 0.5, as_json: Json = False) -> None:
    """Training images on a busy machine, by how OpenMP's threads wait for each other.

    Images a second at batch 8, alone and beside one and two programs that each use a core. This
    command lets threads wait asleep, unless OMP_WAIT_POLICY says otherwise.
    """
    from workings.bench import busy as bench

    rows = bench.run(rounds, seconds, _say)
    if as_json:
        show.print_json(rows)
        return
    columns = ["images/s", *(f"beside {count}" if count else "alone" for count in bench.PROGRAMS)]
    lines = [
        [row["name"], *(f"{rate:,.0f}" for rate in row["images_per_second"].values())]
        for row in rows
    ]
    show.table("", columns, lines)


@app.command()
def scaling(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="[CONFIG]…", help="Of shipped configs; else two.")
    ] = None,
    rounds: Rounds = 7,
    seconds: Seconds = 3.0,
    quick: Annotated[bool, typer.Option("--quick", help="Two short rounds.")] = False,
    as_json: Json = False,
) -> None:
    """One process of one thread against two: a step of the same batch, in turn."""
    from workings.bench import scaling as bench

    names = tuple(what or bench.CONFIGS)
    rows = bench.run(names, 2 if quick else rounds, 0.2 if quick else seconds, _say)
    if as_json:
        show.print_json(rows)
        return
    lines = [
        [
            row["name"],
            *(f"{row['seconds'][count] * 1e3:,.1f} ms" for count in bench.COUNTS),
            f"{row['gain']:.2f}",
        ]
        for row in rows
    ]
    show.table("", ["a step", "1 process", "2 processes", "gain"], lines)


@app.command()
def claims(
    count: Annotated[
        int, typer.Option(min=1, help="Random claims, about half of them right.")
    ] = 200,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST_SEED, help="Of the claims; another one gives others.")
    ] = 0,
    repair: Annotated[bool, typer.Option("--repair", help="Repair the wrong ones, too.")] = False,
    as_json: Json = False,
) -> None:
    """Verdicts on random claims against torch's own derivatives: how many are false."""
    from workings.bench.claims import run

    def say(number: int) -> None:
        if number % 100 == 0:
            _say(f"{number} of {count}")

    tally = run(count, seed, repair, say)
    if as_json:
        rows = [[right, verdict, number] for (right, verdict), number in tally.verdicts.items()]
        show.print_json(
            {"count": count, "seed": seed, "verdicts": rows, "false": tally.false,
             "undecided": tally.undecided, "wrong": tally.wrong, "repaired": tally.repaired}
        )  # fmt: skip
    else:
        named = sorted(tally.verdicts.items(), reverse=True)
        cells = [["right" if right else "wrong", verdict, str(n)] for (right, verdict), n in named]
        show.table("", ["claim", "verdict", "claims"], cells, 2)
        for line in tally.false:
            print(f"false: {line}")
        repaired = f", {tally.repaired} of {tally.wrong} wrong ones repaired" if repair else ""
        without = f" ({tally.unknown} more have a value at no draw)" if tally.unknown else ""
        found = f"{len(tally.false)} false verdicts in {count - tally.unknown} claims"
        print(f"{found}{without}{repaired}")
    if tally.false:
        raise typer.Exit(1)


@app.command()
def page(
    runs: Annotated[int, typer.Option(min=1, help="Run folders to make and list.")] = 10_000,
    curves: Annotated[int, typer.Option(min=1, help="Runs whose curves are read.")] = 200,
    beside: Annotated[
        list[str] | None,
        typer.Option(metavar="mlflow|tensorboard", help="Their servers too, if installed."),
    ] = None,
    as_json: Json = False,
) -> None:
    """The page with very many runs: listed first, again, by a new server; curves of some."""
    from workings.bench import page as bench

    rows = bench.run(runs, curves, beside or [], _say)
    if as_json:
        show.print_json(rows)
    else:
        cells = [[r["name"], f"{r['cpu_seconds']:.2f} s", f"{r['seconds']:.2f} s"] for r in rows]
        show.table("", ["measured", "processor", "clock"], cells)
