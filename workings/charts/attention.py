"""The attention weights of a text: what every token attends to."""

from collections.abc import Sequence

import altair as alt

from workings.charts.style import panels, weight_colour


def attention(
    tokens: Sequence[str], weights: Sequence[Sequence[Sequence[Sequence[float]]]]
) -> alt.FacetChart:
    """What every token attends to: a square for each pair, a panel for each layer and head.

    weights: by layer, head, token that looks, token that is looked at; each row adds up to 1.
    """
    labels = [f"{position} {token}" for position, token in enumerate(tokens, start=1)]
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
    side = max(90, min(260, 16 * len(tokens)))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X(field="to", type="ordinal", sort=labels, title="attends to"),
            y=alt.Y(field="from", type="ordinal", sort=labels, title="token"),
            color=weight_colour(),
            tooltip=[alt.Tooltip(field=name) for name in ("from", "to", "weight")],
        )
        .properties(width=side, height=side)
        .facet(
            facet=panels(rows, "panel"),
            columns=max(len(heads) for heads in weights),
        )
        .properties(title="Attention weights")
    )
