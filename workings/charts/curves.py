"""Learning curves: a metric by epoch, one line a split or a run."""

import altair as alt

from workings.charts.style import Properties, Rows, series_colour

MOST = 2000  # points of a line: more than it has pixels


def curves(
    rows: Rows,
    metric: str,
    title: str = "",
    series: str = "split",
    unit: str = "",
    log: bool = False,
    x: str = "epoch",
) -> alt.Chart:
    """The metric by epoch, or by step.

    rows: one an evaluation, with `epoch` (or what x names), the metric and what tells the series
    apart; one without a number there (null, or no such metric) leaves a gap. log: for a metric of
    a wide range. Of a line of very many points, the extremes of each stretch are drawn.
    """
    lines: dict[str, list[Properties]] = {}
    for row in rows:
        if isinstance(row.get(metric), (int, float)):
            point = {x: row[x], "value": row[metric], "series": str(row[series])}
            lines.setdefault(point["series"], []).append(point)
    names, points = list(lines), [point for line in lines.values() for point in _thinned(line)]
    label = metric.replace("_", " ") + (f" ({unit})" if unit else "")
    base = alt.Chart(alt.Data(values=points), title=title or label).encode(
        x=alt.X(field=x, type="quantitative", title=x, axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y(
            field="value",
            type="quantitative",
            title=label,
            scale=alt.Scale(zero=False, nice=True, type="log" if log else "linear"),
        ),
        color=series_colour("series", names),
        tooltip=[
            alt.Tooltip(field="series", type="nominal"),
            alt.Tooltip(field=x, type="quantitative"),
            alt.Tooltip(field="value", type="quantitative", title=label, format=".5~g"),
        ],
    )
    marked = len(points) <= 60 * max(1, len(names))
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=25) if marked else False)
    return line.properties(width=440, height=280)


def _thinned(points: list[Properties]) -> list[Properties]:
    if len(points) <= MOST:
        return points
    size, kept = 2 * -(-len(points) // MOST), set[int]()
    for start in range(0, len(points), size):
        stretch = range(start, min(start + size, len(points)))
        kept |= {min(stretch, key=lambda n: points[n]["value"])}
        kept |= {max(stretch, key=lambda n: points[n]["value"])}
    return [points[number] for number in sorted(kept)]
