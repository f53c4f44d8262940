"""What each word of a summary looks at: the attention over the tokens of its source."""

from collections.abc import Sequence

import altair as alt

from workings.charts.style import weight_colour

MOST = 60  # tokens shown: those that are looked at most, in their order


def looked_at(
    words: Sequence[str], tokens: Sequence[str], weights: Sequence[Sequence[float]]
) -> alt.Chart:
    """A square for each word and token, as dark as the word looks there.

    weights: by word and token; each row adds up to 1 over all tokens, also those not shown.
    """
    most = [max(column) for column in zip(*weights, strict=True)]
    shown = sorted(sorted(range(len(tokens)), key=lambda position: -most[position])[:MOST])
    labels = {position: f"{position + 1} {tokens[position]}" for position in shown}
    names = [f"{position} {word}" for position, word in enumerate(words, start=1)]
    rows = [
        {"word": name, "token": labels[position], "weight": round(row[position], 4)}
        for name, row in zip(names, weights, strict=True)
        for position in shown
    ]
    order = list(labels.values())
    return (
        alt.Chart(alt.Data(values=rows), title="What each word of the summary looks at")
        .mark_rect()
        .encode(
            x=alt.X(field="token", type="ordinal", sort=order, title="token"),
            y=alt.Y(field="word", type="ordinal", sort=names, title="word"),
            color=weight_colour(),
            tooltip=[alt.Tooltip(field=name) for name in ("word", "token", "weight")],
        )
        .properties(width=max(120, 14 * len(shown)), height=max(40, 22 * len(words)))
    )
