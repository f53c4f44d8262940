"""A row of figures for each comparison, and the check that its sides computed the same."""

from collections.abc import Callable, Mapping
from typing import NotRequired, TypedDict

from workings.bench.sides import Turn, median, ratio
from workings.errors import WorkingsError

Say = Callable[[str], None]
Difference = dict[str, float]


class Row(TypedDict):
    """What a comparison gives: always its times, in seconds; the rest where it was measured."""

    name: str
    ratio: float  # the median over the rounds of their time over ours
    ours_seconds: float
    theirs_seconds: float
    ours_peak_bytes: NotRequired[float]
    theirs_peak_bytes: NotRequired[float]
    share_of_matmul_rate: NotRequired[float]  # of ours
    ours_clips_per_second: NotRequired[float]
    theirs_clips_per_second: NotRequired[float]


class Peaks(TypedDict):
    """The greatest memory of each side's process."""

    ours_peak_bytes: float
    theirs_peak_bytes: float


def row(name: str, ours: list[Turn], theirs: list[Turn]) -> Row:
    """The ratio over the rounds in which both sides took part, and each side's median time."""
    both = min(len(ours), len(theirs))
    return {
        "name": name,
        "ratio": ratio(theirs[:both], ours[:both]),
        "ours_seconds": median(ours),
        "theirs_seconds": median(theirs),
    }


def peaks(ours: list[Turn], theirs: list[Turn]) -> Peaks:
    """The greatest memory that each side's process ever had."""
    return {
        "ours_peak_bytes": max(turn.peak for turn in ours),
        "theirs_peak_bytes": max(turn.peak for turn in theirs),
    }


def on_threads(threads: int) -> str:
    """The number of threads, as the name of a row tells it."""
    return f"{threads} thread{'s' if threads > 1 else ''}"


def tolerable(differences: Mapping[str, Difference]) -> bool:
    """Whether loss and gradients are the same on both sides, to the rounding of 32-bit numbers."""
    return all(
        difference["loss"] < 1e-5 and difference["gradient"] < 1e-4
        for difference in differences.values()
    )


def require_same(differences: Mapping[str, Difference]) -> None:
    """Refuse to compare the speed of two sides that compute different things."""
    if not tolerable(differences):
        raise WorkingsError(f"the two sides do not compute the same: {dict(differences)}")
