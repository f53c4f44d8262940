"""A leak: something of the answer that reaches the model, so that its figures are too good."""

from dataclasses import dataclass

GRAVE = 0.5  # a share of a split's examples that is an error, not only a warning
FEWEST = 3  # examples: fewer may be alike by chance


@dataclass(frozen=True)
class Leak:
    """What leaks, how to mend it, and the config key (`data.allow_overlap`) that accepts it."""

    text: str
    way_out: str
    accept: str
    grave: bool  # an error unless it is accepted; otherwise a warning


def overlap(
    what: str, split: str, other: str, same: int, seen: int, least: float, note: str = ""
) -> list[Leak]:
    """The leak that so many of a split's examples that were seen are in another split too, if any.

    least: the share from which on it is worth a word. Two splits that are not trained on may share
    what they like without the model knowing it: that is a warning at most.
    """
    share = same / max(1, seen)
    if share < least:
        return []
    return [
        Leak(
            f"data: {share:.0%} of the {split} {what} are among those of {other}{note}",
            f"take them out of {other}, or give other {split} {what}",
            "data.allow_overlap",
            share >= GRAVE and same >= FEWEST and other == "train",
        )
    ]
