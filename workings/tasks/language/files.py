"""Text files: how they are split, and their content block by block."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workings.data.readers import unpack
from workings.errors import WorkingsError
from workings.tasks.language import encodings
from workings.tasks.language.config import TextConfig
from workings.tasks.language.gutenberg import book

BLOCK = 1 << 23  # bytes read at a time: a corpus never has to fit into memory


@dataclass(frozen=True)
class Piece:
    """A range of bytes of one file."""

    path: Path
    start: int
    end: int
    encoding: str = "utf-8"


def whole(path: Path, encoding: str = "auto") -> Piece:
    """All of a file that begins as text, or an error that names it before all of it is read."""
    size = unpack.size(path)
    with path.open("rb") as file:
        _refuse_binary(path, file.read(1 << 16), 0)
    return Piece(path, 0, size, encodings.of(path) if encoding == "auto" else encoding)


def readable(path: Path, config: TextConfig) -> Piece:
    """What of a file is read: all, or the book without what Project Gutenberg puts around it."""
    piece = whole(path, config.encoding)
    if config.licence != "skip":
        return piece
    start, end = book(path, piece.end)
    return replace(piece, start=start, end=end)


def pieces(config: TextConfig) -> dict[str, list[Piece]]:
    """What each split reads; a split without files is cut off the end of the training text."""
    given = {
        split: [readable(path, config) for path in paths] for split, paths in config.files().items()
    }
    shares = {
        split: share
        for split, share in (("test", config.test_share), ("valid", config.valid_share))
        if split not in given
    }
    cut: dict[str, list[Piece]] = {}
    total = sum(piece.end - piece.start for piece in given["train"])
    for split, share in shares.items():
        given["train"], cut[split] = _cut(given["train"], int(total * share))
    return {split: (given | cut)[split] for split in ("train", "valid", "test")}


def _cut(train: list[Piece], size: int) -> tuple[list[Piece], list[Piece]]:
    """Cut about `size` bytes off the end, at the start of a line (or word) of the text."""
    left = list(train)
    tail: list[Piece] = []
    while left and size > 0:
        last = left.pop()
        length = last.end - last.start
        if length <= size:
            tail.insert(0, last)
            size -= length
            continue
        at = _boundary(last, last.end - size)
        left.append(replace(last, end=at))
        if at < last.end:
            tail.insert(0, replace(last, start=at))
        size = 0
    return left, tail


def _boundary(piece: Piece, near: int) -> int:
    """The start of a line soon after, else of a word, else of a character."""
    with piece.path.open("rb") as file:
        file.seek(near)
        ahead = file.read(min(1 << 16, piece.end - near))
    for mark in (b"\n", b" "):
        at = ahead.find(mark)
        if 0 <= at < len(ahead) - 1:
            return near + at + 1
    return near + next((i for i, byte in enumerate(ahead[:4]) if byte & 0xC0 != 0x80), 0)


def blocks(piece: Piece, anywhere: bool = False) -> Iterator[str]:
    """The piece's text in blocks that end with a line or word, or `anywhere` between characters."""
    with piece.path.open("rb") as file:
        file.seek(piece.start)
        if piece.start == 0 and file.read(3) != b"\xef\xbb\xbf":  # a byte-order mark is not text
            file.seek(0)
        offset, rest = file.tell(), b""
        while offset + len(rest) < piece.end:
            read = file.read(min(BLOCK, piece.end - offset - len(rest)))
            if not read:
                raise WorkingsError(f"{piece.path}: became shorter while it was read; try again")
            read = rest + read
            ended = offset + len(read) >= piece.end
            cut = len(read) if ended else _last_break(read)
            if anywhere and not ended:
                cut = cut or _last_character(read)
            if cut:
                yield _decode(piece, read[:cut], offset)
            offset, rest = offset + cut, read[cut:]


def _last_break(content: bytes) -> int:
    """Where a block may end: after its last line, or its last word; 0 where it has neither."""
    return 1 + (content.rfind(b"\n") if b"\n" in content else content.rfind(b" "))


def _last_character(content: bytes) -> int:
    """Where the last character begins: what follows may not be whole."""
    return next((i for i in range(len(content) - 1, 0, -1) if content[i] & 0xC0 != 0x80), 0)


def _refuse_binary(path: Path, content: bytes, offset: int) -> None:
    binary = content.find(b"\0")
    if binary >= 0:
        raise WorkingsError(
            f"{path}: byte {offset + binary} is zero: this is a binary file, not text"
        )


def _decode(piece: Piece, content: bytes, offset: int) -> str:
    _refuse_binary(piece.path, content, offset)
    try:
        return content.decode(piece.encoding)
    except UnicodeDecodeError as error:
        raise WorkingsError(
            f"{piece.path}: not {piece.encoding.upper()} at byte {offset + error.start} "
            f"(0x{content[error.start]:02x}); name its encoding: --set data.encoding=…"
        ) from None
