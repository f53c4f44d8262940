"""What every chart shares: its colours, and its rendering to a file's bytes."""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import altair as alt

# Okabe and Ito's colours, told apart with any kind of colour blindness, without the faint yellow.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"]

# A field of the data, or a property of a Vega-Lite chart; altair checks it against its schema.
VegaLite = Any
Rows = Sequence[Mapping[str, VegaLite]]  # what a chart draws: its fields by name
Properties = dict[str, VegaLite]  # of a part of a chart, by name
FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


def colours(names: Sequence[object]) -> list[str]:
    """Return a colour of the palette for each name; they repeat after the last one."""
    return [PALETTE[number % len(PALETTE)] for number in range(len(names))]


def series_colour(field: str, names: Sequence[str], title: str | None = None) -> alt.Color:
    """Colour the series that this field names, each with its own colour."""
    scale = alt.Scale(domain=list(names), range=colours(names))
    return alt.Color(field=field, type="nominal", title=title, scale=scale)


def weight_colour() -> alt.Color:
    """Colour attention weights: the darker, the nearer to 1."""
    scale = alt.Scale(scheme="blues", domain=[0, 1])
    return alt.Color(field="weight", type="quantitative", title="weight", scale=scale)


def panels(rows: Rows, field: str) -> alt.Facet:
    """Put each value of this field into a panel of its own, in the order of the rows."""
    names = list(dict.fromkeys(str(row[field]) for row in rows))
    return alt.Facet(field=field, type="nominal", sort=names, title=None)


def render(chart: alt.TopLevelMixin, suffix: str) -> bytes:
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
