"""Every chart, as an Altair definition, and its rendering to a file's bytes."""

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import altair as alt

# Okabe and Ito's colours, told apart with any kind of colour blindness, without the faint yellow.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


def growth(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    series: str,
    title: str,
    x_title: str,
    y_title: str,
    y_unit: str = "",
    dashed: Iterable[str] = (),
) -> alt.Chart:
    """How y grows with x, one line a series, on logarithmic scales: a power is a straight line.

    rows: one a point, with the three named fields, x and y positive. y_unit takes the prefixes of
    the axis (`ms`). dashed: series that are not measured.
    """
    names = list(dict.fromkeys(row[series] for row in rows))
    if len(names) > len(PALETTE):
        raise ValueError(f"a chart has at most {len(PALETTE)} series (got {len(names)})")
    dashes = [[5, 4] if name in set(dashed) else [1, 0] for name in names]
    y_label = f"format(datum.value, '~s') + '{y_unit}'"
    return (
        alt.Chart(alt.Data(values=[dict(row) for row in rows]), title=title)
        .mark_line(point=alt.OverlayMarkDef(size=45, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                field=x,
                type="quantitative",
                title=x_title,
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(values=sorted({row[x] for row in rows}), format=",", grid=False),
            ),
            y=alt.Y(
                field=y,
                type="quantitative",
                title=y_title,
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(values=_ticks([row[y] for row in rows]), labelExpr=y_label),
            ),
            # The same field and domain in all three: one legend.
            color=alt.Color(
                field=series,
                type="nominal",
                title=None,
                scale=alt.Scale(domain=names, range=PALETTE[: len(names)]),
                legend=alt.Legend(symbolStrokeWidth=2, labelLimit=300),
            ),
            shape=alt.Shape(
                field=series, type="nominal", title=None, scale=alt.Scale(domain=names)
            ),
            strokeDash=alt.StrokeDash(
                field=series,
                type="nominal",
                title=None,
                scale=alt.Scale(domain=names, range=dashes),
            ),
            tooltip=[
                alt.Tooltip(field=series, type="nominal", title="series"),
                alt.Tooltip(field=x, type="quantitative", title=x_title, format=","),
                alt.Tooltip(field=y, type="quantitative", title=y_title, format=".3~s"),
            ],
        )
        .properties(width=440, height=300)
    )


def attention(tokens: Sequence[str], weights: Sequence[Sequence[Sequence[Sequence[float]]]]) -> Any:
    """What every token attends to: a square for each pair, a panel for each layer and head.

    weights: by layer, head, token that looks, token that is looked at; each row adds up to 1.
    """
    labels = [f"{place + 1} {token}" for place, token in enumerate(tokens)]
    rows = [
        {
            "panel": f"layer {layer + 1}, head {head + 1}",
            "from": labels[i],
            "to": labels[j],
            "weight": round(weight, 5),
        }
        for layer, heads in enumerate(weights)
        for head, square in enumerate(heads)
        for i, line in enumerate(square)
        for j, weight in enumerate(line[: i + 1])
    ]
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    side = max(90, min(260, 16 * len(tokens)))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X(field="to", type="ordinal", sort=labels, title="attends to"),
            y=alt.Y(field="from", type="ordinal", sort=labels, title="token"),
            color=alt.Color(
                field="weight",
                type="quantitative",
                title="weight",
                scale=alt.Scale(scheme="blues", domain=[0, 1]),
            ),
            tooltip=[alt.Tooltip(field=name) for name in ("from", "to", "weight")],
        )
        .properties(width=side, height=side)
        .facet(
            facet=alt.Facet(field="panel", type="nominal", sort=panels, title=None),
            columns=max(len(heads) for heads in weights),
        )
        .properties(title="Attention weights")
    )


def _ticks(values: Sequence[float]) -> list[float]:
    """Whole decades; between few of them, 2 and 5 as well."""
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    return [step * 10.0**decade for decade in range(first, last + 1) for step in steps]


def render(chart: Any, suffix: str) -> bytes:
    """The chart as a file of this kind; .html is interactive and needs no network."""
    if suffix not in FORMATS:
        shown = suffix or "a file without a suffix"
        raise ValueError(f"no chart can be written as {shown}; there is: {', '.join(FORMATS)}")
    if suffix == ".html":
        return str(chart.to_html(inline=True)).encode()
    if suffix == ".json":
        return chart.to_json().encode()
    file = io.BytesIO() if suffix in (".png", ".pdf") else io.StringIO()
    kind = cast(Literal["png", "svg", "pdf"], suffix[1:])
    chart.save(file, format=kind, scale_factor=2 if suffix == ".png" else 1)
    content = file.getvalue()
    return content if isinstance(content, bytes) else content.encode()
