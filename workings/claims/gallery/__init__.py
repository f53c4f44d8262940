"""Equations of public notes and books, with what reading them found: a measure of the checker.

A file of this folder is a source: a repository at a commit, and passages of it, each with the
declarations that its statements need. Whether a statement is right was decided by reading it where
it stands, before the checker saw it; the wrong ones were also computed without this package.
"""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from pydantic import Field

from workings.claims.check import check_set
from workings.claims.result import Result
from workings.claims.sets import ClaimSet, from_values
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError
from workings.schema import Config

__all__ = ["Checked", "Entry", "Passage", "Source", "Statement", "check_entry", "entries"]

SEED = 1
"""so that the page and the tests say the same each time"""


class Statement(Config):
    """A formula as it stands in its source, and whether it is right."""

    claim: str
    """in LaTeX; the lines of a derivation are joined, without their marks and labels"""
    line: int = 0
    """of the file, where it stands there word for word"""
    verbatim: bool = True
    """false: steps are left out, or it is written for a case; the note says which"""
    expected: Literal["right", "wrong"] = "right"
    """found by reading it in its place, before the checker saw it"""
    right: str = ""
    """how a wrong one would be right"""
    deliberate: bool = False
    """its author shows a wrong one on purpose"""
    note: str = ""
    """what a reader of the formula alone would not know"""
    einstein: bool = False
    """indices that stand twice in a product are summed over, as the text says"""
    symbols: dict[str, str] = Field(default_factory=dict)
    """beside those of its passage"""
    equations: tuple[str, ...] = ()
    """beside those of its passage"""


class Passage(Config):
    """A part of a file in which names keep their meaning."""

    file: str
    symbols: dict[str, str] = Field(default_factory=dict)
    equations: tuple[str, ...] = ()
    steps: int = 0
    layout: Literal["", "numerator", "denominator"] = ""
    """of Jacobians, where the text says it"""
    note: str = ""
    """what was chosen where the text leaves it open"""
    claims: tuple[Statement, ...]


class Source(Config):
    """A repository of notes."""

    title: str
    repository: str
    commit: str
    licence: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class Entry:
    """A statement with the passage and the source that it stands in."""

    source: Source
    passage: Passage
    statement: Statement

    @property
    def place(self) -> str:
        """Where it stands: repository, file and line."""
        line = f":{self.statement.line}" if self.statement.line else ""
        return f"{self.source.repository}/{self.passage.file}{line}"

    def claim_set(self, formula: str = "") -> ClaimSet:
        """The set of this statement alone, or of another formula in its place."""
        claim: dict[str, object] = {"name": self.place, "claim": formula or self.statement.claim}
        if self.passage.layout:
            claim["layout"] = self.passage.layout
        values = {
            "symbols": self.passage.symbols | self.statement.symbols,
            "equations": self.passage.equations + self.statement.equations,
            "steps": self.passage.steps,
            "claims": (claim,),
        }
        return from_values(values, self.place)


@dataclass(frozen=True)
class Checked:
    """An entry and what the checker said of it; `reason` is why it was not read."""

    entry: Entry
    result: Result | None
    reason: str = ""

    @property
    def decided(self) -> bool:
        """Whether a verdict was given at all."""
        return self.result is not None

    @property
    def agrees(self) -> bool:
        """Whether the verdict is what reading the statement found.

        A derivative that holds transposed is right where the text uses the other layout.
        """
        if self.result is None:
            return False
        verdict = self.result.verdict
        holds = verdict.holds or verdict is Verdict.TRIVIAL
        if self.entry.statement.expected == "wrong":
            return not holds
        return holds or verdict is Verdict.TRANSPOSED


def entries() -> Iterator[Entry]:
    """Every statement of every source, in the order of the files' names."""
    folder = resources.files(__package__)
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        if path.name.endswith(".toml"):
            values = tomllib.loads(path.read_text(encoding="utf-8"))
            source = Source.model_validate_json(json.dumps(values))  # which has lists for tuples
            for passage in source.passages:
                for statement in passage.claims:
                    yield Entry(source, passage, statement)


def check_entry(entry: Entry, formula: str = "", seed: int = SEED) -> Checked:
    """The verdict on an entry; what the checker does not understand is not read."""
    try:
        (result,) = check_set(entry.claim_set(formula), seed=seed)
    except WorkingsError as error:
        return Checked(entry, None, str(error).removeprefix(f"{entry.place}: "))
    if result.verdict in (Verdict.NOT_READ, Verdict.UNDECIDED):
        return Checked(entry, None, result.why)
    return Checked(entry, result)
