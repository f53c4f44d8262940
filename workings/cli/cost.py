"""`workings cost`: formulas of what a model costs."""

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workings.cli.shared import chart_files, show
from workings.cli.shared.options import Json, TimesChart
from workings.errors import WorkingsError

if TYPE_CHECKING:
    from workings.cost import Cost, Measured


def add_to(app: typer.Typer) -> None:
    """Put the command on the app."""
    app.command()(cost)


def cost(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A named architecture (`list` shows them), or your own package.module:Class.",
        ),
    ],
    symbols: Annotated[
        str | None,
        typer.Option(metavar="n,d", help="The sizes that the formulas are in; others are held."),
    ] = None,
    args: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUE,…",
            help="Arguments of the class: numbers, true, false, words, or arithmetic in the "
            "symbols, such as hidden_size=4*d.",
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="SHAPE",
            help="What forward is called with, such as n,d, `long B,T` for token ids or `bool n,n` "
            "for a mask; repeat for several. Without it, parameters alone are counted.",
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="n=512,d=64", help="Sizes for a table; repeat as needed."),
    ] = None,
    by_layer: Annotated[bool, typer.Option("--by-layer", help="Formulas of every layer.")] = False,
    claims: Annotated[
        list[str] | None,
        typer.Option(
            "--claim", metavar="O(…)", help="Decide an order of growth, O, Ω, Θ; repeatable."
        ),
    ] = None,
    counted: Annotated[
        str,
        typer.Option(
            help="What a claim counts: params, forward, backward, elementwise, moved, memory, "
            "operations (all of the forward pass)."
        ),
    ] = "forward",
    fixed: Annotated[
        str | None, typer.Option(metavar="d,h", help="Sizes that a claim holds fixed.")
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Time forward and backward at growing sizes.")
    ] = False,
    over: Annotated[
        str | None,
        typer.Option(metavar="n", help="The size that grows while measuring; else the first."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="About how long to measure.")] = 10.0,
    chart: TimesChart = None,
    as_json: Json = False,
) -> None:
    """Exact formulas of what a model costs: parameters, multiply-adds, memory, and their growth.

    The model is built at a grid of sizes without any values; every formula is proven at sizes that
    it was not fitted on.
    """
    if model == "list":
        _list(as_json)
        return
    from workings.cost import render as page
    from workings.cost.arguments import parse_args, parse_input, whole_sizes
    from workings.cost.cost import of_spec
    from workings.cost.counts.module import spec
    from workings.cost.format import aligned

    if chart is not None and not measure:
        raise WorkingsError("--chart: is a chart of the times; give --measure too")
    chart_files.check("--chart", chart)
    wanted = _names(symbols)
    asked = [whole_sizes(text) for text in at or []]
    given = parse_args(args, wanted) if args else {}
    named = spec(model, wanted, given, [parse_input(text) for text in inputs or []])
    formulas = of_spec(named, asked)
    for sizes in asked:
        formulas.check(sizes)
    held = _names(fixed) or ()
    for text in claims or []:
        _require_order(text)
    verdicts = [(counted, formulas.claim(text, counted, held)) for text in claims or []]
    times = _measured(formulas, over, asked[0] if asked else {}, seconds) if measure else None
    if chart is not None and times is not None:
        _draw(formulas, times, chart)
    if as_json:
        shown = formulas.to_dict() | {"claims": [page.claim_dict(*pair) for pair in verdicts]}
        show.print_json(shown | ({"measured": _as_dict(times)} if times else {}))
        return
    print(formulas)
    if by_layer:
        title, rows = page.by_layer(formulas)
        print(f"\n{title}\n{aligned(rows, indent='  ')}")
    for what, verdict in verdicts:
        print(f"\n{page.label(what)} is {verdict.claim}: {verdict.verdict}")
        print(f"  {verdict.evidence}")
    if times:
        _print_times(times)
        print(f"  chart: {chart}" if chart else "  --chart FILE draws them")


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise WorkingsError(f"{text!r}: expected names of sizes, each once, such as n,d")
    return names


def _list(as_json: bool) -> None:
    from workings.cost.architectures import ARCHITECTURES

    if as_json:
        show.print_json(
            {
                name: {
                    "about": known.about,
                    "symbols": {s: m for s, (m, _) in known.symbols.items()},
                }
                for name, known in ARCHITECTURES.items()
            }
        )
        return
    rows = [[name, ", ".join(a.symbols), a.about] for name, a in ARCHITECTURES.items()]
    show.table("", ["model", "symbols", "what it is"], rows, left=3)


def _measured(cost: "Cost", over: str | None, sizes: dict[str, int], seconds: float) -> "Measured":
    from workings.cost.measure import measure

    if not cost.symbols:
        raise WorkingsError("--measure: needs a symbol whose size grows; give --symbols")
    if "forward" not in cost.total:
        raise WorkingsError("--measure: needs to know what forward is called with; give --input")
    began = time.monotonic()

    def progress(text: str) -> None:
        if time.monotonic() - began > 2:
            print(f"measuring {text}", file=sys.stderr, flush=True)

    return measure(cost, over or cost.symbols[0], sizes, seconds, progress)


def _draw(cost: "Cost", times: "Measured", chart: Path) -> None:
    from workings import charts
    from workings.cost.format import sizes_text
    from workings.cost.measure import chart_rows

    rows = chart_rows(cost, times)
    held = sizes_text({**times.others, **cost.spec.held})
    meaning = cost.spec.meanings.get(times.symbol)
    drawn = charts.growth(
        rows,
        "size",
        "seconds",
        "series",
        f"{cost.spec.name}{', ' if held else ''}{held}",
        f"{times.symbol}, {meaning}" if meaning else times.symbol,
        "time of one pass",
        "s",
        dashed={series for row in rows if (series := str(row["series"])).endswith("scaled")},
    )
    chart_files.write(chart, drawn)


def _as_dict(times: "Measured") -> dict[str, object]:
    return {
        "symbol": times.symbol,
        "others": dict(times.others),
        "threads": times.threads,
        "points": [
            {times.symbol: p.size, "forward_seconds": p.forward, "backward_seconds": p.backward}
            for p in times.points
        ],
        "exponents": {
            which: {
                "measured": times.exponents[which],
                "theory": times.theory[which],
                "limit": times.limit[which],
            }
            for which in times.exponents
        },
    }


def _print_times(times: "Measured") -> None:
    from workings.cost.format import aligned, seconds_text, sizes_text

    others = f", {sizes_text(times.others)}" if times.others else ""
    print(f"\nmeasured on the CPU, {times.threads} thread(s){others}")
    rows = [[times.symbol, "forward", "backward"]]
    rows += [
        [f"{p.size:,}", seconds_text(p.forward), seconds_text(p.backward)] for p in times.points
    ]
    print(aligned(rows, 0, "  "))
    for which, exponent in times.exponents.items():
        print(
            f"  {which}: time grows as {times.symbol}^{exponent:.2f}; multiply-adds as "
            f"{times.symbol}^{times.theory[which]:.2f} over the same sizes, "
            f"{times.symbol}^{times.limit[which]} in the limit"
        )


def _require_order(text: str) -> None:
    """An order of growth must be said as one: 8 d^2 alone may be meant as the exact count."""
    if not re.match(r"\s*(?:\\(?:mathcal|mathrm)\s*\{?\s*O|\\?(?:Theta|Omega)|[OΘΩ])", text):
        raise WorkingsError(
            f"--claim {text!r}: an order of growth is written O({text}); an exact count is claimed "
            f"in a file, as count = '{text}', for `workings check`"
        )
