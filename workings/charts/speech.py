"""The alignment of a transcript with its recording: where each token attends to."""

from collections.abc import Sequence

import altair as alt

TITLE = "What each token of the transcript listens to"
MOST = 160  # moments shown: more would be finer than the screen


def alignment(
    tokens: Sequence[str], times: Sequence[float], weights: Sequence[Sequence[float]]
) -> alt.Chart:
    """A square for each token and moment, as dark as the token looks there.

    weights: by token and moment; each row adds up to 1, and neighbouring moments are added up
    where there are more than the screen has room for.
    """
    together = -(-len(times) // MOST)
    starts = list(range(0, len(times), together))
    step = (times[1] - times[0]) * together if len(times) > 1 else 0.02
    ends = [times[start] for start in starts[1:]] + [times[starts[-1]] + step]
    labels = [f"{position} {_shown(token)}" for position, token in enumerate(tokens, start=1)]
    rows = [
        {
            "token": label,
            "from": times[start],
            "to": end,
            "weight": round(sum(row[start : start + together]), 4),
        }
        for label, row in zip(labels, weights, strict=True)
        for start, end in zip(starts, ends, strict=True)
    ]
    return (
        alt.Chart(alt.Data(values=rows), title=TITLE)
        .mark_rect()
        .encode(
            x=alt.X(
                field="from",
                type="quantitative",
                title="time (s)",
                scale=alt.Scale(domain=[times[0], ends[-1]], nice=False, zero=False),
            ),
            x2=alt.X2(field="to"),
            y=alt.Y(field="token", type="ordinal", sort=labels, title="token"),
            color=alt.Color(
                field="weight",
                type="quantitative",
                title="weight",
                scale=alt.Scale(scheme="blues", domainMin=0),
            ),
            tooltip=[alt.Tooltip(field=name) for name in ("token", "from", "to", "weight")],
        )
        .properties(width=520, height=max(60, 14 * len(tokens)))
    )


def _shown(token: str) -> str:
    return "␣" if token == " " else token


def stacked(charts: Sequence[alt.Chart]) -> alt.Chart | alt.VConcatChart:
    """One below the other, each with its own times, under one title."""
    if len(charts) == 1:
        return charts[0]
    rows = [chart.copy() for chart in charts]
    for row in rows:
        row.title = alt.Undefined
    return alt.vconcat(*rows, title=TITLE).resolve_scale(color="shared", y="independent")
