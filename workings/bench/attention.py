"""Attention: the time and memory of ours as the length grows, against those of softmax attention
and of a package for the same polynomial."""

# D width of a head

import functools
import itertools
import operator
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from workings import charts
from workings.bench import attention_sides as attentions
from workings.bench.attention_sides import OTHERS
from workings.bench.sides import Side, Turn, median, ratio
from workings.bench.sweep import Rounds, at_size, team
from workings.cost.measure import slope
from workings.errors import WorkingsError

WIDTHS = (16, 32, 64)
LENGTHS = tuple(512 * 2**n for n in range(7))
QUICK_WIDTHS, QUICK_LENGTHS = (16,), (512, 4096)
IDLE = 64  # tokens at which a process is as good as idle
FITTED = 3  # of the longest lengths, for an exponent
AIMED = 8192  # tokens, of the summary

Say = Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """What is computed, at every length."""

    width: int
    causal: bool
    backward: bool

    def __str__(self) -> str:
        return f"D={self.width}, {kind(self.causal, self.backward)}"


def kind(causal: bool, backward: bool) -> str:
    seen = "causal" if causal else "not causal"
    return f"{seen}, {'forward and backward' if backward else 'forward'}"


def run(rounds: int, seconds: float, quick: bool, say: Say) -> dict[str, Any]:
    """Every comparison; each row has `name`, `ratio`, both times (seconds) and peaks (bytes)."""
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
    rows: list[dict[str, Any]] = []
    for causal, backward, width in itertools.product((True, False), (False, True), widths):
        case = Case(width, causal, backward)
        measured = list(case_rows(case, lengths, threads, Rounds(rounds, seconds), say))
        rows += with_exponents(measured)
    return {"rows": rows, "difference": apart}


def tolerable(apart: dict[str, dict[str, float]]) -> bool:
    """Every attention gave what its formula gives, to the rounding of 32-bit numbers."""
    return all(error < 1e-4 for one in apart.values() for error in one.values())


def case_rows(
    case: Case, lengths: Sequence[int], threads: int, rounds: Rounds, say: Say
) -> Iterator[dict[str, Any]]:
    names = [name for name in ("ours", *OTHERS) if name != "package" or _package_takes(case)]
    sides = {name: Side(attentions.work, (name, *asdict(case).values()), False) for name in names}
    with team(sides, threads) as turn:
        idle = {name: turn(name, IDLE, 2).peak for name in names}
        for length in sorted(lengths):  # a peak is that of the process so far
            fitting = [name for name in names if _fits(name, case.width, length, say)]
            turns = at_size(turn, fitting, length, rounds)
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
) -> dict[str, Any]:
    both = min(len(turns["ours"]), len(turns[other]))  # rounds in which both took part
    ours, theirs = turns["ours"], turns[other]
    tail = f"{threads} thread{'s' if threads > 1 else ''}, against {other}"
    return {
        "name": f"{case}, {length:,} tokens, {tail}",
        "ratio": ratio(theirs[:both], ours[:both]),
        "ours_seconds": median(ours),
        "theirs_seconds": median(theirs),
        "ours_peak_bytes": max(turn.peak for turn in ours),
        "theirs_peak_bytes": max(turn.peak for turn in theirs),
        "ours_idle_bytes": idle["ours"],
        "theirs_idle_bytes": idle[other],
        "rounds": both,
        "against": other,
        "length": length,
        "threads": threads,
        **asdict(case),
    }


def with_exponents(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of one case, with a of the time ∝ length^a at the longest lengths; None of one."""
    fitted: dict[str, dict[str, float | None]] = {}
    for other in {row["against"] for row in rows}:
        some = [row for row in rows if row["against"] == other]
        fitted[other] = {"theirs_exponent": exponent(some, "theirs_seconds")}
    at = {row["length"]: row for row in rows}
    ours = exponent([at[length] for length in sorted(at)], "ours_seconds")
    return [{**row, "ours_exponent": ours, **fitted[row["against"]]} for row in rows]


def exponent(rows: list[dict[str, Any]], field: str) -> float | None:
    longest = rows[-FITTED:]
    if len(longest) < 2:
        return None
    return slope([row["length"] for row in longest], [row[field] for row in longest])


def summary(rows: list[dict[str, Any]]) -> list[tuple[str, float]]:
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


def peak_ratio(row: dict[str, Any]) -> float:
    return row["ours_peak_bytes"] / row["theirs_peak_bytes"]


def work_bytes(row: dict[str, Any], side: str) -> float:
    """Peak memory beyond that of the process when it has hardly anything to do."""
    return row[f"{side}_peak_bytes"] - row[f"{side}_idle_bytes"]


def work_ratio(row: dict[str, Any]) -> float:
    theirs = work_bytes(row, "theirs")
    return work_bytes(row, "ours") / theirs if theirs > 0 else float("nan")


def chart(rows: list[dict[str, Any]]) -> Any:
    """Time over length, forward and backward: a panel for each width, causal and not."""
    widths = sorted({row["width"] for row in rows})
    lines = [
        _own_legends(functools.reduce(operator.or_, [_panel(rows, w, causal) for w in widths]))
        for causal in (True, False)
    ]
    return _own_legends(functools.reduce(operator.and_, lines))


def _own_legends(panels: Any) -> Any:
    """A legend for each panel: the fitted exponents differ between them."""
    return panels.resolve_scale(color="independent", shape="independent", strokeDash="independent")


def _panel(rows: list[dict[str, Any]], width: int, causal: bool) -> Any:
    case = Case(width, causal, True)
    some = [row for row in rows if all(row[name] == x for name, x in asdict(case).items())]
    points = [_point(row, "ours", "ours") for row in some if row["against"] == OTHERS[0]]
    for other in OTHERS:
        points += [_point(row, other, "theirs") for row in some if row["against"] == other]
    return charts.growth(
        points, "length", "seconds", "series", str(case), "length, tokens", "time", "s"
    )


def _point(row: dict[str, Any], name: str, side: str) -> dict[str, Any]:
    return {
        "length": row["length"],
        "seconds": row[f"{side}_seconds"],
        "series": f"{name}{growth(row[f'{side}_exponent'], ', ')}",
    }


def growth(exponent: float | None, before: str = "") -> str:
    return "" if exponent is None else f"{before}length^{exponent:.2f}"
