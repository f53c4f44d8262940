"""What every token attends to."""

from collections.abc import Sequence
from typing import Any

import altair as alt


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
