"""The ways in which a text can be read, the likeliest first, each with how it was read."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import combinations

from workings.formula import nodes as f
from workings.formula.parsing.parse import parse
from workings.formula.resolution.names import Names, Resolver
from workings.formula.resolution.points import with_wide_bars

MOST = 8  # readings of one text


@dataclass(frozen=True)
class Reading:
    """A statement with its names looked up, and in plain words how it was read."""

    statement: f.Statement
    notes: tuple[str, ...]
    names: Names
    """the names, so that other formulas of the document can be read in the same way"""


def readings(
    text: str, names: Names, words: Collection[str] = (), functions: Collection[str] = ()
) -> list[Reading]:
    """The readings of a text under these names; an error if there is none.

    `names.flipped` says which ambiguities are read in their less likely way: a document is
    consistent where all its claims are right under the same.
    """
    statement = parse(text, words, {*functions, *names.functions})
    return readings_of(statement, text, names)


def readings_of(
    statement: f.Statement, text: str, names: Names, more: Collection[str] = ()
) -> list[Reading]:
    """The readings of what was parsed already; `more` can be read in another way elsewhere."""
    first, alternatives = read(statement, text, names)
    readings = [first]
    keys = sorted({*alternatives, *more})
    flips = [frozenset(flipped) for size in (1, 2) for flipped in combinations(keys, size)]
    for flip in flips[: MOST - 1]:
        reading, _ = read(statement, text, replace(names, flipped=names.flipped ^ flip))
        readings.append(reading)
    return readings


def read(statement: f.Statement, text: str, names: Names) -> tuple[Reading, set[str]]:
    """The likeliest reading, and what in it can be read in another way."""
    resolver = Resolver(names, text)
    written = tuple(with_wide_bars(side, text) for side in statement.sides)
    sides = resolver.sides(written, frozenset(names.indices))
    resolved = f.Statement(sides, statement.relations)
    return Reading(resolved, tuple(resolver.notes.values()), names), resolver.alternatives
