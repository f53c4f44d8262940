"""What a line of a text is: one of the file, a paragraph joined from hard-wrapped ones, or none."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece, blocks

# Both begin where the white space does: tried at each of a million spaces, they would not end.
PARAGRAPH = re.compile(r"(?<!\s)[^\S\n]*\n\s*\n\s*")  # a blank line, or more of them
WRAP = re.compile(r"(?<!\s)\s*\n\s*")
LOOK = 1 << 20  # bytes of a text that tell how it is written
WRAPPED = 0.75  # share of the lines that are as full as they can be, from which on they are wrapped
SHORTEST, LONGEST = 40, 120  # characters of the longest lines where lines are wrapped
EVERY = 200  # lines: without one blank line in so many there are no paragraphs

Lines = Literal["line", "paragraph", "stream"]


def text_blocks(piece: Piece, config: TextConfig, anywhere: bool = False) -> Iterator[str]:
    """The text of a piece block by block (see `blocks`), its lines joined as the config says."""
    if config.lines == "stream":
        for block in blocks(piece, anywhere):
            yield WRAP.sub(" ", block)
    elif config.lines == "paragraph":
        yield from _paragraphs(blocks(piece, anywhere))
    else:
        yield from blocks(piece, anywhere)


def _paragraphs(texts: Iterator[str]) -> Iterator[str]:
    """Each paragraph as one line; the last one of a block waits for the next block."""
    rest = ""
    for text in texts:
        *whole, rest = PARAGRAPH.split(rest + text)
        if whole:
            yield "".join(WRAP.sub(" ", paragraph) + "\n" for paragraph in whole)
    if rest.strip():
        yield WRAP.sub(" ", rest.rstrip())


def fitting(pieces: Sequence[Piece]) -> Lines:
    """How a text is written: hard-wrapped in paragraphs, hard-wrapped without any, or by lines.

    Lines are hard-wrapped if most of them could not take the first word of the next one.
    """
    first = next((piece for piece in pieces if piece.end > piece.start), None)
    if first is None:
        return "line"
    piece = replace(first, end=min(first.end, first.start + LOOK))
    text = next(blocks(piece, anywhere=True), "") if piece.end == first.end else _beginning(piece)
    lines = [line.strip() for line in text.split("\n")]
    lengths = sorted(len(line) for line in lines if line)
    if len(lengths) < 10:
        return "line"
    width = lengths[int(0.9 * len(lengths))]
    if not SHORTEST <= width <= LONGEST:
        return "line"
    pairs = [(line, after) for line, after in itertools.pairwise(lines) if line and after]
    full = sum(len(line) + 1 + len(after.split()[0]) >= width - 3 for line, after in pairs)
    if len(pairs) < len(lengths) / 4 or full < WRAPPED * len(pairs):
        return "line"
    blank = sum(not line for line in lines[:-1])  # what follows the last line's end is no line
    return "paragraph" if blank * EVERY >= len(lengths) else "stream"


def _beginning(piece: Piece) -> str:
    """The first bytes of a long file as text, without a character that is cut in two."""
    with piece.path.open("rb") as file:
        file.seek(piece.start)
        return file.read(piece.end - piece.start).decode(piece.encoding, errors="ignore")
