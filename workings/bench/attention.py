"""Attention: the time and memory of ours as the length grows, against those of softmax attention
and of a package for the same polynomial."""

# D width of a head

import functools
import itertools
import operator
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import altair as alt
import torch

from workings import charts
from workings.bench import attention_sides as attentions
from workings.bench.attention_sides import OTHERS
from workings.bench.rows import Difference, Row, Say, on_threads, peaks, row
from workings.bench.sides import Side, Turn, median, team
from workings.bench.sweep import Rounds, at_size
from workings.cost.measure import slope
from workings.errors import WorkingsError

WIDTHS = (64, 32, 16)  # first what most models have, where it gains least
LENGTHS = tuple(512 * 2**n for n in range(7))
QUICK_WIDTHS, QUICK_LENGTHS = (64, 16), (512, 4096)
IDLE = 64  # tokens at which a process is as good as idle
FITTED = 3  # of the longest lengths, for an exponent
Panels = alt.Chart | alt.HConcatChart | alt.VConcatChart
AIMED = 8192  # tokens, of the summary


@dataclass(frozen=True)
class Case:
    """What is computed, at every length."""

    width: int
    causal: bool
    backward: bool

    def __str__(self) -> str:
        return f"D={self.width}, {kind(self.causal, self.backward)}"


class Measured(Row):
    """A comparison at one length, with the memory of each process before it had much to do."""

    ours_idle_bytes: float
    theirs_idle_bytes: float
    rounds: int  # in which both sides took part
    against: str
    length: int
    threads: int
    width: int
    causal: bool
    backward: bool


class AttentionRow(Measured):
    """A comparison with each side's exponent a of time ∝ length^a; None where it was not fitted."""

    ours_exponent: float | None
    theirs_exponent: float | None


def kind(causal: bool, backward: bool) -> str:
    """What is measured, in words."""
    seen = "causal" if causal else "not causal"
    return f"{seen}, {'forward and backward' if backward else 'forward'}"


def run(rounds: int, seconds: float, quick: bool, say: Say) -> list[AttentionRow]:
    """Every comparison, of every case at every length."""
    widths, lengths = (QUICK_WIDTHS, QUICK_LENGTHS) if quick else (WIDTHS, LENGTHS)
    threads = torch.get_num_threads()
    apart = {}
    for width, causal in itertools.product(widths, (True, False)):
        name = f"D={width}, {'causal' if causal else 'not causal'}"
        apart[name] = attentions.difference(width, causal)
        say(f"apart from the formula by: {name} {apart[name]}")
    if not tolerable(apart):
        raise WorkingsError(f"an attention does not give what its formula gives: {apart}")
    if not attentions.package_is_there():
        say(f"{attentions.PACKAGE.replace('_', '-')} is not installed, so it is left out")
    rows: list[AttentionRow] = []
    for causal, backward, width in itertools.product((True, False), (False, True), widths):
        case = Case(width, causal, backward)
        measured = list(case_rows(case, lengths, threads, Rounds(rounds, seconds), say))
        rows += with_exponents(measured)
    return rows


def tolerable(apart: Mapping[str, Difference]) -> bool:
    """Every attention gave what its formula gives, to the rounding of 32-bit numbers."""
    return all(error < 1e-4 for errors in apart.values() for error in errors.values())


def case_rows(
    case: Case, lengths: Sequence[int], threads: int, rounds: Rounds, say: Say
) -> Iterator[Measured]:
    """A row for every length of a case and every other attention that fits into memory there."""
    names = [name for name in ("ours", *OTHERS) if name != "package" or _package_takes(case)]
    sides = {name: Side(attentions.work, (name, *asdict(case).values()), False) for name in names}
    with team(sides, threads) as take_turn:
        idle = {name: take_turn(name, IDLE, 2).peak for name in names}
        for length in sorted(lengths):  # a peak is that of the process so far
            fitting = [name for name in names if _fits(name, case.width, length, say)]
            turns = at_size(take_turn, fitting, length, rounds)
            times = [f"{name} {median(turns[name]) * 1e3:,.1f} ms" for name in fitting]
            say(f"{case}, {length:,} tokens, {threads} thread(s): {', '.join(times)}")
            for other in fitting[1:]:
                yield _row(case, length, threads, other, turns, idle)


def _package_takes(case: Case) -> bool:
    return not case.causal and attentions.package_is_there()


def _fits(name: str, width: int, length: int, say: Say) -> bool:
    needed, free = attentions.needed(name, width, length), attentions.free_memory()
    if needed <= free / 2:
        return True
    say(
        f"D={width}, {length:,} tokens: {name} would need {needed / 1e9:,.1f} GB, more than half "
        f"of the {free / 1e9:,.1f} GB that are free, so it is left out"
    )
    return False


def _row(
    case: Case,
    length: int,
    threads: int,
    other: str,
    turns: dict[str, list[Turn]],
    idle: dict[str, float],
) -> Measured:
    ours, theirs = turns["ours"], turns[other]
    name = f"{case}, {length:,} tokens, {on_threads(threads)}, against {other}"
    return {
        **row(name, ours, theirs),
        **peaks(ours, theirs),
        "ours_idle_bytes": idle["ours"],
        "theirs_idle_bytes": idle[other],
        "rounds": min(len(ours), len(theirs)),
        "against": other,
        "length": length,
        "threads": threads,
        "width": case.width,
        "causal": case.causal,
        "backward": case.backward,
    }


def with_exponents(rows: list[Measured]) -> list[AttentionRow]:
    """The rows of one case, with the exponents of both sides at the longest lengths."""
    theirs = {
        other: exponent({r["length"]: r["theirs_seconds"] for r in rows if r["against"] == other})
        for other in {row["against"] for row in rows}
    }
    ours = exponent({row["length"]: row["ours_seconds"] for row in rows})
    return [
        {**row, "ours_exponent": ours, "theirs_exponent": theirs[row["against"]]} for row in rows
    ]


def exponent(seconds: Mapping[int, float]) -> float | None:
    """a of time ∝ length^a over the longest lengths, given the seconds at each; None of one."""
    longest = sorted(seconds)[-FITTED:]
    if len(longest) < 2:
        return None
    return slope(longest, [seconds[length] for length in longest])


def summary(rows: list[AttentionRow]) -> list[tuple[str, float]]:
    """What the figures come to; a ratio of times above 1, and one of memory below 1, is for us."""
    against = {name: [row for row in rows if row["against"] == name] for name in OTHERS}
    sdpa = against["sdpa"]
    lines = [
        (row["name"], row["ratio"])
        for row in sdpa
        if row["causal"] and row["backward"] and row["length"] == AIMED
    ]
    for name, some in against.items():
        if some:
            least = min(some, key=lambda row: row["ratio"])
            lines.append((f"least of all against {name}: {least['name']}", least["ratio"]))
            middle = statistics.median(row["ratio"] for row in some)
            lines.append((f"median of all against {name}", middle))
    most = max(sdpa, key=peak_ratio)
    lines.append((f"most peak memory, ours over theirs: {most['name']}", peak_ratio(most)))
    longest = [row for row in sdpa if row["length"] == max(row["length"] for row in sdpa)]
    most = max(longest, key=work_ratio)
    label = "most of it beyond an idle process, at the longest length"
    lines.append((f"{label}: {most['name']}", work_ratio(most)))
    return lines


def peak_ratio(row: AttentionRow) -> float:
    """Ours over theirs, of the most memory that each process ever had."""
    return row["ours_peak_bytes"] / row["theirs_peak_bytes"]


def work_ratio(row: AttentionRow) -> float:
    """Ours over theirs, of the memory beyond that of a process with hardly anything to do."""
    ours = row["ours_peak_bytes"] - row["ours_idle_bytes"]
    theirs = row["theirs_peak_bytes"] - row["theirs_idle_bytes"]
    return ours / theirs if theirs > 0 else float("nan")


def chart(rows: list[AttentionRow]) -> Panels:
    """Time over length, forward and backward: a panel for each width, causal and not."""
    widths = sorted({row["width"] for row in rows})
    lines = [
        _own_legends(functools.reduce(operator.or_, [_panel(rows, w, causal) for w in widths]))
        for causal in (True, False)
    ]
    return _own_legends(functools.reduce(operator.and_, lines))


def _own_legends(panels: Panels) -> Panels:
    """A legend for each panel: the fitted exponents differ between them."""
    return panels.resolve_scale(color="independent", shape="independent", strokeDash="independent")


def _panel(rows: list[AttentionRow], width: int, causal: bool) -> alt.Chart:
    case = Case(width, causal, True)
    some = [r for r in rows if (r["width"], r["causal"], r["backward"]) == (width, causal, True)]
    points = [
        _point(row["length"], "ours", row["ours_seconds"], row["ours_exponent"])
        for row in some
        if row["against"] == OTHERS[0]
    ]
    points += [
        _point(row["length"], row["against"], row["theirs_seconds"], row["theirs_exponent"])
        for row in some
    ]
    return charts.growth(
        points, "length", "seconds", "series", str(case), "length, tokens", "time", "s"
    )


def _point(length: int, name: str, seconds: float, exponent: float | None) -> dict[str, object]:
    return {"length": length, "seconds": seconds, "series": f"{name}{growth(exponent, ', ')}"}


def growth(exponent: float | None, before: str = "") -> str:
    """How a time grows with the length, in words; nothing where that was not fitted."""
    return "" if exponent is None else f"{before}length^{exponent:.2f}"
