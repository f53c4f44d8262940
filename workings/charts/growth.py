"""How a cost or a time grows with a size."""

import math
from collections.abc import Iterable, Sequence

import altair as alt

from workings.charts.style import PALETTE, Rows


def growth(
    rows: Rows,
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


def _ticks(values: Sequence[float]) -> list[float]:
    """Whole decades; between few of them, 2 and 5 as well."""
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1,) if last - first > 3 else (1, 2, 5)
    return [step * 10.0**decade for decade in range(first, last + 1) for step in steps]
