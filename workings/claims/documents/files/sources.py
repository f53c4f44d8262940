"""The files of a document, and text that remembers where in them each character stands.

All files of a document share one range of offsets, so that a single number names a character of
one of them: macros and included files are expanded, and a position still leads to the author's
own line and column.
"""

import bisect
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workings.errors import WorkingsError
from workings.files import read_file

LARGEST = 4_000_000  # bytes of a document with all that it includes
# White space that says nothing, and that a search which looks for it twice would take hours over.
_WIDE = re.compile(r"(?<=[^\S\n]{20})[^\S\n]{2,}")
_BLANK_LINES = re.compile(r"(?<=\n)(?:[^\S\n]*\n){9,}")


@dataclass(frozen=True)
class Position:
    """A place in a file; in a notebook the line is that of the cell."""

    path: Path
    line: int
    column: int
    cell: int = 0

    def __str__(self) -> str:
        cell = f"{self.cell}:" if self.cell else ""
        return f"{self.path}:{cell}{self.line}:{self.column}"


@dataclass(frozen=True)
class Source:
    """A file, or a cell of a notebook."""

    path: Path
    text: str
    cell: int = 0

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of the first character of every line."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> Position:
        """The line and the column, both counted from 1."""
        line = bisect.bisect_right(self.line_starts, offset)
        return Position(self.path, line, offset - self.line_starts[line - 1] + 1, self.cell)

    def line(self, number: int) -> str:
        """The text of a line."""
        start = self.line_starts[number - 1]
        return self.text[start:].partition("\n")[0]


@dataclass
class Sources:
    """The files of one document, at offsets that follow each other."""

    files: list[Source] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)

    def add(self, source: Source) -> "Text":
        """Take a file in; its text, at its offsets, without the most of very wide gaps."""
        base = self.bases[-1] + len(self.files[-1].text) + 1 if self.files else 0
        self.files.append(source)
        self.bases.append(base)
        size = len(source.text)
        text = Text(source.text, range(base, base + size), range(base + 1, base + size + 1))
        return text.narrowed()

    def locate(self, offset: int) -> tuple[Source, int]:
        """The file that an offset lies in, and the offset within that file."""
        at = max(0, bisect.bisect_right(self.bases, offset) - 1)
        return self.files[at], min(offset - self.bases[at], len(self.files[at].text))

    def position(self, offset: int) -> Position:
        """Where an offset over all files lies in its own."""
        source, local = self.locate(offset)
        return source.position(local)

    def line_at(self, offset: int) -> str:
        """The author's own line that an offset lies in."""
        source, local = self.locate(offset)
        return source.line(source.position(local).line)


@dataclass(frozen=True, eq=False)
class Text:
    """Text whose characters each stand for a range of offsets; a macro's stand for its call."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> "Text":
        return Text(self.text[part], self.starts[part], self.ends[part])

    @property
    def offset(self) -> int:
        """Where it begins in the document; 0 for no text at all."""
        return self.starts[0] if self.starts else 0

    def offset_of(self, index: int) -> int:
        """Where its character at `index` stands; behind the last one, where the text ends."""
        if self.text and index < len(self.text):
            return self.starts[max(0, index)]
        return self.ends[-1] if self.ends else 0

    def strip(self, characters: str | None = None) -> "Text":
        """Without white space, or the given characters, at both ends."""
        start = len(self.text) - len(self.text.lstrip(characters))
        return self[start : max(start, len(self.text.rstrip(characters)))]

    def without_stops(self) -> "Text":
        """Without white space and stops at both ends; the point of .5 is none."""
        whole = self.strip(" \t\r\n.,;:")
        start = len(self.text) - len(self.text.lstrip(" \t\r\n.,;:"))
        is_point = start and self.text[start - 1] == "." and self.text[start : start + 1].isdigit()
        return self[start - 1 : start + len(whole)] if is_point else whole

    def removed(self, pattern: "re.Pattern[str]", instead: str = " ") -> "Text":
        """Without what matches; a space, or what is given, stands where it stood."""
        kept, at = [], 0
        for match in pattern.finditer(self.text):
            kept.append(self[at : match.start()])
            at = match.end()
        return join([*kept, self[at:]], instead) if kept else self

    def narrowed(self) -> "Text":
        """Without the most of very wide gaps; a break between paragraphs stays one."""
        return self.removed(_WIDE).removed(_BLANK_LINES, "\n\n")


def constant(text: str, start: int, end: int) -> Text:
    """Text whose characters all stand for one range, as a macro's body does for its call."""
    return Text(text, array("I", [start]) * len(text), array("I", [end]) * len(text))


def join(parts: Iterable[Text], separator: str = "") -> Text:
    """One text of several, the separators standing for nothing between them."""
    builder = Builder()
    for number, part in enumerate(parts):
        if number and separator:
            at = builder.ends[-1] if builder.ends else part.offset
            builder.add(constant(separator, at, at))
        builder.add(part)
    return builder.build()


class Builder:
    """A text that grows at its end."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.starts = array("I")
        self.ends = array("I")

    def __len__(self) -> int:
        return len(self.starts)

    def add(self, text: Text) -> None:
        """Append a text, with where each of its characters comes from."""
        self.parts.append(text.text)
        self.starts.extend(text.starts)
        self.ends.extend(text.ends)

    def build(self) -> Text:
        """All that was added as one text, which still knows where it comes from.

        Comments that were left out, or macros of spaces, may have made wide gaps of narrow ones.
        """
        return Text("".join(self.parts), self.starts, self.ends).narrowed()


def read_text(path: Path, texts: Mapping[Path, str] | None = None, most: int = LARGEST) -> str:
    """A file's text, or one line that says why it cannot be read; `texts` come before files."""
    try:
        if texts and (given := texts.get(path.resolve())) is not None:
            return given
        if path.is_dir():
            raise WorkingsError(f"{path}: is a folder; give the documents in it")
        if path.exists() and not path.is_file():
            raise WorkingsError(f"{path}: is not a file")
        if path.stat().st_size > most:
            raise WorkingsError(f"{path}: over {most:,} bytes, too large for a document")
        content = read_file(path, most)
    except (FileNotFoundError, ValueError):  # no name has a zero byte
        raise WorkingsError(
            f"{path}: no such file (names of shipped claims: `workings check --list`)"
        ) from None
    except OSError as error:
        raise WorkingsError(f"{path}: {error.strerror}") from None
    if b"\0" in content:
        raise WorkingsError(f"{path}: has NUL bytes, so it is not a text file")
    try:
        # Line ends stay as they are, so that an edited copy differs only where it was edited.
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorkingsError(
            f"{path}: is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from None
