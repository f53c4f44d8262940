"""Project Gutenberg's header and licence around a book: where the book itself begins and ends."""

import re
from pathlib import Path

LOOK = 1 << 16  # bytes at either end of a file that may hold them
START = re.compile(rb"^\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*\n", re.M | re.I)
END = re.compile(
    rb"^(?:\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the )?Project Gutenberg'?s?)",
    re.M | re.I,
)


def book(path: Path, size: int) -> tuple[int, int]:
    """The bytes of a file that are the book; all of them where nothing is around it."""
    with path.open("rb") as file:
        head = file.read(LOOK)
        tail_start = max(0, size - LOOK)
        file.seek(tail_start)
        tail = file.read(LOOK)
    began, ended = START.search(head), END.search(tail)
    start = began.end() if began else 0
    end = tail_start + ended.start() if ended else size
    return (start, end) if start < end else (0, size)
