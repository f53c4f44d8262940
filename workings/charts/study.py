"""Charts of a study: learning curves of all rows, measured against published, cost and quality."""

import itertools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

import altair as alt

from workings.charts.style import PALETTE, Properties, Rows, VegaLite, colours

Layers = alt.LayerChart | alt.FacetChart  # what Altair's stubs say that layers are
Channel = TypeVar("Channel")  # of altair: colour, shape, dash

# Besides its colour a row has a shape, or on a long line a dash: 7 of one and 5 of the other.
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
WIDTH, HEIGHT = 560, 300
MOST_NAMES = 24  # in a legend


def learning(points: Rows, rows: Sequence[str], x: str, y: str) -> Layers:
    """A metric over epochs, a line for each row: its mean, and a band of ± a deviation.

    points: `row`, `x`, `mean`, and `low` and `high` where several seeds were run. rows: all of the
    study, in order, so that a row has its colour in every chart. x, y: the axes' titles.
    """
    up, across = _axis("mean", points, y), _positions(points, x)
    picked, fade = _picked()
    marked = len(points) <= 40 * len({point["row"] for point in points})
    look = _look(points, rows) if marked else _dashed(points, rows)
    line = (
        alt.Chart()
        .mark_line(
            strokeWidth=2, point=alt.OverlayMarkDef(size=36, filled=True) if marked else False
        )
        .encode(x=alt.X(**across), y=alt.Y(**up), opacity=fade, tooltip=_tooltip(x, y), **look)
    )
    layers: list[alt.Chart] = [line]
    if any(point.get("low") is not None for point in points):
        faint = alt.condition(picked, alt.value(0.18), alt.value(0.03))
        layers.insert(
            0,
            alt.Chart()
            .mark_area()
            .encode(
                x=alt.X(**across),
                y=alt.Y(**(up | {"field": "low"})),
                y2=alt.Y2(field="high"),
                color=look["color"],
                opacity=faint,
            ),
        )
    return _whole(points, rows, layers, picked)


def quality(points: Rows, rows: Sequence[str], x: str, y: str) -> Layers:
    """What a row costs against how good it is: a point for each, a bar of ± a deviation.

    points: `row`, `x` the cost, `mean`, and `low` and `high` where several seeds were run.
    """
    across, up = _axis("x", points, x, zero=True, times=10), _axis("mean", points, y)
    picked, fade = _picked()
    look = _look(points, rows)
    encoding = {"x": alt.X(**across), "opacity": fade, "color": look["color"]}
    bar = alt.Chart().mark_rule(strokeWidth=2)
    point = alt.Chart().mark_point(filled=True, size=110, opacity=1)
    layers = [point.encode(y=alt.Y(**up), shape=look["shape"], tooltip=_tooltip(x, y), **encoding)]
    if any(point.get("low") is not None for point in points):
        spread = {"y": alt.Y(**(up | {"field": "low"})), "y2": alt.Y2(field="high")}
        layers.insert(0, bar.encode(**spread, **encoding))
    return _whole(points, rows, layers, picked)


def against(points: Rows, rows: Sequence[str], metric: str, tolerance: float) -> Layers:
    """Measured against published, a line a row; grey: what still agrees with the published one.

    points: `row`, `mean`, `low` and `high` (± a deviation, where several seeds were run),
    `published` where there is such a figure, and the `verdict` on it.
    """
    values = [{**p, "kind": "measured", "value": p["mean"]} for p in points]
    values += [
        {**p, "kind": "published", "value": p["published"]}
        | {"near": p["published"] * (1 - tolerance), "far": p["published"] * (1 + tolerance)}
        for p in points
        if p.get("published") is not None
    ]
    ends = [v[k] for v in values for k in ("value", "low", "high") if v.get(k) is not None]
    across = _axis("value", [{"value": end} for end in ends], metric)
    y = alt.Y(
        field="row", type="nominal", sort=list(rows), title=None, axis=alt.Axis(labelLimit=300)
    )
    kinds = ["measured", "published"]
    measured, published = (alt.FieldEqualPredicate(equal=kind, field="kind") for kind in kinds)

    def span(low: str, high: str, colour: str, **look: VegaLite) -> alt.Chart:
        ends = {"x": alt.X(**(across | {"field": low})), "x2": alt.X2(field=high)}
        return alt.Chart().mark_rule(**look).encode(y=y, color=alt.value(colour), **ends)

    point = (
        alt.Chart()
        .mark_point(size=90, filled=True, opacity=1)
        .encode(
            y=y,
            x=alt.X(**across),
            color=_nominal(alt.Color, "kind", kinds, PALETTE[:2], legend=_legend(kinds)),
            shape=_nominal(alt.Shape, "kind", kinds, ["circle", "diamond"], legend=_legend(kinds)),
            tooltip=[
                alt.Tooltip(field="row", type="nominal"),
                alt.Tooltip(field="mean", type="quantitative", title="measured", format=".5~g"),
                alt.Tooltip(field="published", type="quantitative", format=".5~g"),
                alt.Tooltip(field="verdict", type="nominal"),
            ],
        )
    )
    layers = [
        span("near", "far", "#888888", strokeWidth=11, opacity=0.3).transform_filter(published),
        span("low", "high", PALETTE[0], strokeWidth=2).transform_filter(measured),
        point,
    ]
    if all(value.get("low") is None for value in values):
        del layers[1]
    layered = alt.layer(*layers, data=alt.Data(values=values))
    column_of = {"column": column(kinds)}
    height = 26 * len({point["row"] for point in points})
    return layered.properties(width=WIDTH, height=height, usermeta=column_of)


def wide(values: Sequence[float], times: float = 4) -> bool:
    """Whether a range asks for a logarithmic scale: all above zero, the most `times` the least.

    What stays within 1 is likely a share, whose zero counts; and what vanishes may reach an exact
    zero: there it takes three decades, and four.
    """
    above = [value for value in values if value > 0]
    if not above or min(values) < 0:
        return False
    times = 1e4 if len(above) < len(values) else 1e3 if max(values) <= 1 else times
    return max(above) >= times * min(above)


def _axis(
    field: str,
    points: Rows,
    title: str,
    whole: bool = False,
    zero: bool = False,
    times: float = 4,
) -> Properties:
    """A quantitative axis over what the points have there."""
    values = [float(point[field]) for point in points if point.get(field) is not None]
    axis: Properties = {"labelOverlap": "greedy", "labelSeparation": 6, "tickCount": 6}
    scale: Properties = {"zero": zero, "nice": True} | ({} if zero else {"padding": 6})
    if whole:
        axis |= {"values": whole_ticks(values), "format": "d"}
        scale |= {"nice": False}
    elif wide(values, times):
        title += ", log scale"
        scale = {"type": "log", "nice": False, "padding": 8}
        axis |= {"format": "~s" if max(values) >= 1000 and min(values) >= 0.01 else "~g"}
    elif values and max(map(abs, values)) >= 10_000:
        axis |= {"format": "~s"}
    if len(set(values)) == 1 and not whole and not zero:
        around = abs(values[0]) / 10 or 1.0
        scale |= {"domain": [values[0] - around, values[0] + around], "nice": False}
    made = {"field": field, "type": "quantitative", "title": title}
    return made | {"scale": alt.Scale(**scale), "axis": alt.Axis(**axis)}


def whole_ticks(values: Sequence[float]) -> list[int]:
    """Multiples of 1, 2, 5, 10 … within the values: at most eight.

    Vega's own least step is lost where charts are laid over each other: epochs had halves.
    """
    if not values:
        return []
    low, high = math.ceil(min(values)), math.floor(max(values))
    powers = (times * 10**power for power in itertools.count() for times in (1, 2, 5))
    step = next(step for step in powers if (high - low) / step < 7.5)
    return list(range(-(-low // step) * step, high + 1, step))


def _positions(points: Rows, title: str) -> Properties:
    """The axis of what curves go over: one after the other as epochs, or growing as lengths."""
    positions = sorted({float(point["x"]) for point in points})
    gaps = [after - before for before, after in pairwise(positions)]
    whole = all(position.is_integer() for position in positions)
    if title in ("epoch", "step") or not gaps or (gaps[-1] < 2 * gaps[0] and whole):
        return _axis("x", points, title, whole=True)
    axis = _axis("x", points, title)
    if len(positions) <= 10:
        axis["axis"] = alt.Axis(values=positions, format=",~g", labelOverlap=True)
    return axis


def _picked() -> tuple[alt.Parameter, VegaLite]:
    """A click in the legend picks rows; the others fade."""
    picked = alt.selection_point(fields=["row"], bind="legend")
    return picked, alt.condition(picked, alt.value(1), alt.value(0.12))


def _look(points: Rows, rows: Sequence[str]) -> Properties:
    """Colour and shape of every row, with one legend of those that have points."""
    legend = _rows_legend(points, rows)
    shapes = [SHAPES[(n + n // len(PALETTE)) % len(SHAPES)] for n in range(len(rows))]
    return {
        "color": _nominal(alt.Color, "row", rows, colours(rows), legend),
        "shape": _nominal(alt.Shape, "row", rows, shapes, legend),
    }


def _dashed(points: Rows, rows: Sequence[str]) -> Properties:
    """The same for long lines, which have no marks: a dash tells them apart."""
    legend = _rows_legend(points, rows, symbolType="stroke", symbolSize=300)
    dashes = [DASHES[n % len(DASHES)] for n in range(len(rows))]
    return {
        "color": _nominal(alt.Color, "row", rows, colours(rows), legend),
        "strokeDash": _nominal(alt.StrokeDash, "row", rows, dashes, legend),
    }


def _rows_legend(points: Rows, rows: Sequence[str], **more: VegaLite) -> alt.Legend | None:
    """None where there is one row, or more of them than a legend can hold: tooltips name them."""
    drawn = {point["row"] for point in points}
    shown = [row for row in rows if row in drawn]
    return _legend(shown, **more) if 1 < len(rows) <= MOST_NAMES else None


def _nominal(
    kind: Callable[..., Channel],
    field: str,
    domain: Sequence[str],
    to: Sequence[VegaLite],
    legend: alt.Legend | None,
) -> Channel:
    scale = alt.Scale(domain=list(domain), range=list(to))
    return kind(field=field, type="nominal", title=None, scale=scale, legend=legend)


def _legend(names: Sequence[str], **more: VegaLite) -> alt.Legend:
    """Below the chart, in as many columns as there is room for."""
    columns = max(1, WIDTH // column(names))
    look: Properties = {
        "labelLimit": 320,
        "symbolStrokeWidth": 2,
        "symbolOpacity": 1,
        **more,
    }
    return alt.Legend(orient="bottom", columns=columns, values=list(names), **look)


def column(names: Sequence[str]) -> int:
    """Pixels that the longest of these takes in a legend; a page of another width counts again."""
    return 40 + 7 * min(45, max(map(len, names), default=0))


def _tooltip(x: str, y: str) -> list[alt.Tooltip]:
    number: Properties = {"type": "quantitative", "format": ".5~g"}
    return [
        alt.Tooltip(field="row", type="nominal"),
        alt.Tooltip(field="x", title=x, **number),
        alt.Tooltip(field="mean", title=y, **number),
        alt.Tooltip(field="seeds", title="seeds", type="quantitative"),
    ]


def _whole(
    points: Rows, rows: Sequence[str], layers: Sequence[alt.Chart], picked: alt.Parameter
) -> Layers:
    data = alt.Data(values=[dict(point) for point in points])
    layered = alt.layer(*layers, data=data).add_params(picked)
    return layered.properties(width=WIDTH, height=HEIGHT, usermeta={"column": column(rows)})
