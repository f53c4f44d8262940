"""The tables of `workings bench attention`: times by width and length, and how they grow."""

from typing import TYPE_CHECKING

from workings.cli.shared import show

if TYPE_CHECKING:
    from workings.bench.attention import AttentionRow

    ByLength = dict[int, dict[str, AttentionRow]]  # the rows of a width, by what they are against


def print_tables(rows: "list[AttentionRow]") -> None:
    """A table for each kind of attention, forward alone and with backward, and a summary."""
    from workings.bench.attention import summary

    for causal in (True, False):
        for backward in (False, True):
            _print_kind(rows, causal, backward)
    lines = [[name, f"{value:.2f}×"] for name, value in summary(rows)]
    show.table("in short; ratios of times are theirs over ours", ["", "ratio"], lines)


def _print_kind(rows: "list[AttentionRow]", causal: bool, backward: bool) -> None:
    """A line for each width and length; below those of a width, how the times grow."""
    from workings.bench.attention import kind

    some = [row for row in rows if (row["causal"], row["backward"]) == (causal, backward)]
    others = list(dict.fromkeys(row["against"] for row in some))
    lines = []
    for width in sorted({row["width"] for row in some}, reverse=True):
        by_length: ByLength = {}
        for row in some:
            if row["width"] == width:
                by_length.setdefault(row["length"], {})[row["against"]] = row
        lines += [_line(width, length, at, others) for length, at in by_length.items()]
        lines.append(_growth_line(by_length, others))
    columns = ["D", "tokens", "ours"]
    for other in others:
        columns += [other, "ratio", "rounds"]
    show.table(
        f"{kind(causal, backward)}, {some[0]['threads']} thread(s)",
        [*columns, "peak sdpa → ours"],
        lines,
    )


def _line(width: int, length: int, at: "dict[str, AttentionRow]", others: list[str]) -> list[str]:
    sdpa = at["sdpa"]
    line = [str(width), f"{length:,}", _milliseconds(sdpa["ours_seconds"])]
    for other in others:
        row = at.get(other)
        line += (
            [_milliseconds(row["theirs_seconds"]), f"{row['ratio']:.2f}×", str(row["rounds"])]
            if row
            else ["", "", ""]
        )
    peaks = (sdpa["theirs_peak_bytes"], sdpa["ours_peak_bytes"])
    return [*line, " → ".join(f"{peak / 1e6:,.0f} MB" for peak in peaks)]


def _growth_line(by_length: "ByLength", others: list[str]) -> list[str]:
    from workings.bench.attention import growth

    last = {other: row for at in by_length.values() for other, row in at.items()}
    line = ["", "grows as", growth(last["sdpa"]["ours_exponent"])]
    for other in others:
        line += [growth(last[other]["theirs_exponent"]) if other in last else "", "", ""]
    return [*line, ""]


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"
