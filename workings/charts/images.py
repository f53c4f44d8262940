"""Charts of an image classifier: confusion matrix, mistakes, first filters, calibration."""

# M filters, C channels, H height, W width, k side of a kernel

import base64
import io
from collections.abc import Sequence

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from workings.charts.style import PALETTE, Rows

CELL = 34  # pixels of a confusion matrix's cell
PICTURE, CAPTION, GAP = 84, 34, 22  # pixels of a mistake's picture, of the text below, between two


def confusion(
    names: Sequence[str], counts: Sequence[Sequence[int]], title: str = ""
) -> alt.LayerChart:
    """Counts by true and by predicted class; the colour is the share of the true class."""
    rows = [
        {
            "true": names[i],
            "predicted": names[j],
            "images": count,
            "share": count / max(1, sum(line)),
            "label": f"{count:,}" if count else "",
        }
        for i, line in enumerate(counts)
        for j, count in enumerate(line)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            field="predicted",
            type="ordinal",
            sort=list(names),
            title="taken for",
            axis=alt.Axis(labelAngle=-45, labelLimit=140),
        ),
        y=alt.Y(
            field="true",
            type="ordinal",
            sort=list(names),
            title="is",
            axis=alt.Axis(labelLimit=140),
        ),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            field="share",
            type="quantitative",
            title="share of the class",
            scale=alt.Scale(range=["#f4f8fc", PALETTE[0]], domain=[0, 1]),
            legend=alt.Legend(format=".0%"),
        ),
        tooltip=[alt.Tooltip(field=name) for name in ("true", "predicted", "images")]
        + [alt.Tooltip(field="share", type="quantitative", format=".1%")],
    )
    figures = base.mark_text(fontSize=10).encode(
        text=alt.Text(field="label", type="nominal"),
        color=alt.condition("datum.share > 0.5", alt.value("white"), alt.value("#333")),
    )
    side = max(160, CELL * len(names))
    return (cells + figures).properties(width=side, height=side, title=title or "Confusion matrix")


def mistakes(examples: Rows, columns: int = 6, title: str = "") -> alt.LayerChart:
    """Pictures that were taken for something else, the surest mistake first.

    examples: each with `pixels` (uint8, C×H×W), `true`, `predicted` and `confidence`.
    """
    rows = [
        {
            "url": _url(np.asarray(example["pixels"], np.uint8)),
            "x": number % columns * (PICTURE + GAP) + PICTURE / 2,
            "y": number // columns * (PICTURE + CAPTION) + PICTURE / 2,
            "below": number // columns * (PICTURE + CAPTION) + PICTURE + 8,
            "lines": [
                f"is {example['true']}",
                f"→ {example['predicted']} {example['confidence']:.0%}",
            ],
        }
        for number, example in enumerate(examples)
    ]
    across = min(columns, max(1, len(rows)))
    down = -(-len(rows) // columns)
    width, height = across * (PICTURE + GAP), down * (PICTURE + CAPTION)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(field="x", type="quantitative", axis=None, scale=alt.Scale(domain=[0, width])),
    )

    def vertical(field: str) -> alt.Y:
        scale = alt.Scale(domain=[height, 0])  # from the top down
        return alt.Y(field=field, type="quantitative", axis=None, scale=scale)

    pictures = base.mark_image(width=PICTURE, height=PICTURE).encode(
        url=alt.Url(field="url", type="nominal"), y=vertical("y")
    )
    captions = base.mark_text(fontSize=10, lineHeight=12, baseline="top").encode(
        text=alt.Text(field="lines", type="nominal"), y=vertical("below")
    )
    return (
        (pictures + captions)
        .properties(width=width, height=height, title=title or "The surest mistakes")
        .configure_view(stroke=None)
    )


def _url(pixels_CHW: np.ndarray) -> str:
    """A PNG of it in the page itself, its pixels enlarged and not blurred."""
    from PIL import Image

    grey = len(pixels_CHW) == 1
    shown = Image.fromarray(pixels_CHW[0] if grey else pixels_CHW.transpose(1, 2, 0))
    times = max(1, round(2 * PICTURE / max(shown.size)))
    shown = shown.resize((shown.width * times, shown.height * times), Image.Resampling.NEAREST)
    file = io.BytesIO()
    shown.save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def filters(weights: ArrayLike, columns: int = 8, title: str = "") -> alt.FacetChart:
    """The kernels of a layer, a panel each: what is bright where it is blue and dark where red.

    weights: M×C×k×k; of several channels the mean is shown.
    """
    kernels = np.asarray(weights, np.float64).mean(1)
    most = max(float(np.abs(kernels).max()), 1e-12)
    rows = [
        {"filter": number + 1, "row": i, "column": j, "weight": round(float(weight), 5)}
        for number, kernel in enumerate(kernels)
        for i, line in enumerate(kernel)
        for j, weight in enumerate(line)
    ]
    side = 54
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X(field="column", type="ordinal", axis=None),
            y=alt.Y(field="row", type="ordinal", axis=None),
            color=alt.Color(
                field="weight",
                type="quantitative",
                title="weight",
                scale=alt.Scale(scheme="redblue", domain=[-most, most]),
            ),
            tooltip=[alt.Tooltip(field=name) for name in ("filter", "row", "column", "weight")],
        )
        .properties(width=side, height=side)
        .facet(
            facet=alt.Facet(field="filter", type="ordinal", title=None),
            columns=columns,
            spacing=8,
        )
        .properties(title=title or "Filters of the first layer")
    )


def reliability(rows: Rows, title: str = "") -> alt.LayerChart:
    """How often the model is right, by how sure it is: on the diagonal it knows what it knows.

    rows: one a bin, with `confidence`, `accuracy` and `examples`.
    """
    diagonal = (
        alt.Chart(alt.Data(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        .mark_line(color="#999", strokeDash=[4, 4])
        .encode(x=alt.X(field="x", type="quantitative"), y=alt.Y(field="y", type="quantitative"))
    )
    base = alt.Chart(alt.Data(values=[dict(row) for row in rows])).encode(
        x=alt.X(
            field="confidence",
            type="quantitative",
            title="confidence (mean of a bin)",
            scale=alt.Scale(domain=[0, 1]),
        ),
        y=alt.Y(
            field="accuracy",
            type="quantitative",
            title="share that is right",
            scale=alt.Scale(domain=[0, 1]),
        ),
    )
    points = base.mark_circle(color=PALETTE[0], opacity=0.85).encode(
        size=alt.Size(
            field="examples",
            type="quantitative",
            title="images",
            scale=alt.Scale(range=[20, 400]),
        ),
        tooltip=[
            alt.Tooltip(field="confidence", type="quantitative", format=".3f"),
            alt.Tooltip(field="accuracy", type="quantitative", format=".3f"),
            alt.Tooltip(field="examples", type="quantitative", format=","),
        ],
    )
    return (diagonal + points).properties(width=300, height=300, title=title or "Calibration")
