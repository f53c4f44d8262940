"""Sides whose work grows with a size: they take turns at one size after another.

A side may take milliseconds at one size and a minute at another: each has a share of time at every
size, and where that is used up it sits out the rounds that are left.
"""

from collections.abc import Iterable
from typing import NamedTuple

from workings.bench.sides import TakeTurn, Turn, order

SHARE = 2.0  # seconds of a side at one size, about
LEAST = 3  # rounds at least, for a median,
LONG = 2.0  # unless one repetition takes this many seconds: then it is run once


class Rounds(NamedTuple):
    """At most so many turns of a side at one size, each at most about so many seconds long."""

    most: int
    seconds: float


def at_size(
    take_turn: TakeTurn, names: Iterable[str], size: int, rounds: Rounds
) -> dict[str, list[Turn]]:
    """Turns of every side; the first side takes part as long as any other does."""
    names = list(names)
    turns: dict[str, list[Turn]] = {}
    counts, repeats = {}, {}
    for name in names:
        once = take_turn(name, size, 1)
        if once.seconds >= LONG:
            turns[name], counts[name], repeats[name] = [once], 0, 1
            continue
        once = take_turn(name, size, 1)  # the one before warmed up
        turns[name] = []
        length = min(rounds.seconds, SHARE / rounds.most)
        repeats[name] = max(1, round(length / once.seconds))
        affordable = int(SHARE / (repeats[name] * once.seconds))
        counts[name] = min(rounds.most, max(LEAST, affordable))
    first, *others = names
    if counts[first] and others:
        counts[first] = max(1, *(counts[name] for name in others))
    for number in range(max(counts.values())):
        for name in order(names, number):
            if number < counts[name]:
                turns[name].append(take_turn(name, size, repeats[name]))
    return turns
