"""The gates of recurrent units along a text."""

from collections.abc import Mapping, Sequence

import altair as alt

CELL = 16  # pixels of a square


def gates(
    tokens: Sequence[str], units: Sequence[int], values: Mapping[str, Sequence[Sequence[float]]]
) -> alt.VConcatChart:
    """A panel for each gate, and one for the cell: a square for each unit and token.

    values: by gate, unit and token. Gates go from 0 to 1, the cell to either side of 0.
    """
    labels = [f"{position} {token}" for position, token in enumerate(tokens, start=1)]
    return alt.vconcat(
        *(_panel(name, labels, units, table) for name, table in values.items())
    ).resolve_scale(color="independent")


def _panel(
    name: str, labels: Sequence[str], units: Sequence[int], table: Sequence[Sequence[float]]
) -> alt.Chart:
    rows = [
        {"unit": str(unit), "token": label, "value": round(value, 4)}
        for unit, line in zip(units, table, strict=True)
        for label, value in zip(labels, line, strict=True)
    ]
    if name == "cell":
        most = max((abs(value) for line in table for value in line), default=1.0) or 1.0
        scale = alt.Scale(scheme="blueorange", domain=[-most, most])
    else:
        scale = alt.Scale(scheme="blues", domain=[0, 1])
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X(field="token", type="ordinal", sort=list(labels), title=None),
            y=alt.Y(field="unit", type="ordinal", sort=[str(u) for u in units], title="unit"),
            color=alt.Color(field="value", type="quantitative", scale=scale, title=name),
            tooltip=[alt.Tooltip(field=key) for key in ("unit", "token", "value")],
        )
        .properties(
            width=CELL * len(labels),
            height=CELL * len(units),
            title=name if name == "cell" else f"{name} gate",
        )
    )
