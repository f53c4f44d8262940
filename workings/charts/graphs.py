"""Charts of graphs: the receptive field, oversmoothing, and the attention on edges."""

import altair as alt

from workings.charts.style import (
    PALETTE,
    Properties,
    Rows,
    colours,
    panels,
    series_colour,
    weight_colour,
)


def drawn(
    nodes: Rows,
    edges: Rows,
    title: str,
    colour: str,
    width: str = "",
    steps: bool = False,
) -> alt.LayerChart:
    """A graph as dots and lines.

    nodes: `name`, `x`, `y` and the field that colours them; edges: `x`, `y`, `x2`, `y2` and, where
    it is given, the field that is their width. steps: colours are an ordered scale, not classes.
    """
    axis: Properties = {"axis": None, "scale": alt.Scale(nice=False, zero=False, padding=24)}
    lines = alt.Chart(alt.Data(values=[dict(edge) for edge in edges])).encode(
        x=alt.X(field="x", type="quantitative", **axis),
        y=alt.Y(field="y", type="quantitative", **axis),
        x2="x2:Q",
        y2="y2:Q",
    )
    if width:
        lines = lines.mark_rule(color="#555", opacity=0.7).encode(
            size=alt.Size(
                field=width,
                type="quantitative",
                title=width,
                scale=alt.Scale(domain=[0, 1], range=[0.3, 6]),
            ),
            tooltip=[alt.Tooltip(field=name) for name in ("from", "to", width)],
        )
    else:
        lines = lines.mark_rule(color="#bbb", strokeWidth=1)
    names = sorted({node[colour] for node in nodes}, key=lambda name: (str(type(name)), name))
    scale = alt.Scale(scheme="viridis", domain=names, reverse=True)
    if not steps:
        scale = alt.Scale(domain=names, range=colours(names))
    base = alt.Chart(alt.Data(values=[dict(node) for node in nodes])).encode(
        x=alt.X(field="x", type="quantitative", **axis),
        y=alt.Y(field="y", type="quantitative", **axis),
    )
    dots = base.mark_circle(size=320, opacity=1, stroke="white").encode(
        color=alt.Color(field=colour, type="ordinal", title=colour, scale=scale),
        tooltip=[alt.Tooltip(field="name"), alt.Tooltip(field=colour)],
    )
    labels = base.mark_text(fontSize=10, dy=-16, color="#222").encode(text="name:N")
    layers = alt.layer(lines, dots, labels).properties(width=460, height=380, title=title)
    return layers.configure_view(stroke=None)


def fields(rows: Rows, title: str) -> alt.Chart:
    """How many nodes are known after each update; rows: `updates`, `nodes`, `series`."""
    x = _layers("updates", "updates (layers)")
    y = alt.Y(field="nodes", type="quantitative", title="nodes that a node knows of")
    chart = _by_layer(rows, title, x, y, series="series", legend=None)
    return chart.encode(
        tooltip=[alt.Tooltip(field=name) for name in ("series", "updates", "nodes")]
    )


def smoothing(rows: Rows, title: str) -> alt.Chart:
    """Mean distance of two nodes' states by depth; rows: `depth`, `normalisation`, `distance`."""
    x = _layers("depth", "depth (layers)")
    y = alt.Y(
        field="distance",
        type="quantitative",
        title="mean distance of two nodes' states (mean square 1)",
        scale=alt.Scale(zero=True),
    )
    chart = _by_layer(rows, title, x, y, series="normalisation", legend="Â")
    return chart.encode(
        tooltip=[
            alt.Tooltip(field="normalisation"),
            alt.Tooltip(field="depth"),
            alt.Tooltip(field="distance", format=".4f"),
        ]
    )


def _layers(field: str, title: str) -> alt.X:
    """A horizontal axis of whole numbers of layers."""
    axis = alt.Axis(tickMinStep=1, grid=False)
    return alt.X(field=field, type="quantitative", title=title, axis=axis)


def _by_layer(
    rows: Rows,
    title: str,
    x: alt.X,
    y: alt.Y,
    series: str,
    legend: str | None,
) -> alt.Chart:
    """A line with points for each series."""
    names = list(dict.fromkeys(str(row[series]) for row in rows))
    return (
        alt.Chart(alt.Data(values=[dict(row) for row in rows]), title=title)
        .mark_line(point=alt.OverlayMarkDef(size=40), strokeWidth=2)
        .encode(x=x, y=y, color=series_colour(series, names, legend))
        .properties(width=440, height=280)
    )


def attention_spread(rows: Rows, title: str) -> alt.FacetChart:
    """How uneven attention is: edges by attention times neighbours, a panel a layer.

    rows: `layer`, `from`, `to`, `edges`: bins of attention × neighbours, 1 being an even share.
    """
    return (
        alt.Chart(alt.Data(values=[dict(row) for row in rows]))
        .mark_bar(color=PALETTE[0])
        .encode(
            x=alt.X(
                "from:Q",
                bin=alt.BinParams(binned=True),
                title="attention × neighbours (1: an even share)",
            ),
            x2="to:Q",
            y=alt.Y(field="edges", type="quantitative", title="edges"),
            tooltip=[alt.Tooltip(field=name) for name in ("layer", "from", "to", "edges")],
        )
        .properties(width=280, height=220)
        .facet(facet=panels(rows, "layer"), columns=2)
        .properties(title=title)
    )


def attention_of_node(rows: Rows, title: str) -> alt.FacetChart:
    """What one node attends to; rows: `layer`, `head`, `to`, `weight`."""
    names = list(dict.fromkeys(str(row["to"]) for row in rows))
    return (
        alt.Chart(alt.Data(values=[dict(row) for row in rows]))
        .mark_rect()
        .encode(
            x=alt.X(field="head", type="ordinal", title="head"),
            y=alt.Y(field="to", type="nominal", sort=names, title="attends to"),
            color=weight_colour(),
            tooltip=[alt.Tooltip(field=name) for name in ("layer", "head", "to", "weight")],
        )
        .properties(height=alt.Step(18), width=alt.Step(24))
        .facet(facet=panels(rows, "layer"), columns=3)
        .resolve_scale(x="independent")
        .properties(title=title)
    )
