"""A document as it is read: its displays, inline formulas, headings and comments, in order."""

from dataclasses import dataclass, field
from pathlib import Path

from workings.claims.documents.files.sources import Position, Sources, Text


@dataclass(frozen=True)
class Directive:
    """A comment for the checker, `workings: …`."""

    text: str
    offset: int


@dataclass(frozen=True)
class Display:
    """A displayed formula, with the comments for the checker that stand in it."""

    text: Text
    environment: str
    directives: tuple[Directive, ...] = ()
    lead: str = ""
    """the words before it"""
    unclosed: str = ""
    """what opens it, if nothing closes it: then it is not read"""


@dataclass(frozen=True)
class Inline:
    """A formula in the running text; it can declare a symbol."""

    text: Text


@dataclass(frozen=True)
class Heading:
    """Where a section begins: a definition behind it may shadow an older one."""

    offset: int


@dataclass(frozen=True)
class Note:
    """Something about the document that the author should know, such as a missing file."""

    offset: int
    message: str


Item = Directive | Display | Inline | Heading


@dataclass
class Document:
    """All that was read of a document, with the way back to its files."""

    path: Path
    sources: Sources = field(default_factory=Sources)
    items: list[Item] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    @property
    def displays(self) -> list[Display]:
        """The displayed formulas, in the order of the text."""
        return [item for item in self.items if isinstance(item, Display)]

    @property
    def formulas(self) -> list[str]:
        """All formulas as they are written, displayed or in sentences."""
        return [item.text.text for item in self.items if isinstance(item, Display | Inline)]

    def position(self, offset: int) -> Position:
        """Where an offset lies in the author's files."""
        return self.sources.position(offset)

    def note(self, offset: int, message: str) -> None:
        """Keep what the author should know of this place."""
        self.notes.append(Note(offset, message))
