"""Text files: how they are split, and their content block by block."""

import codecs
import shlex
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
    returns: bool = False  # its lines end as those of old Macs do, in a carriage return alone


def whole(path: Path, encoding: str = "auto") -> Piece:
    """All of a file that begins as text, or an error that names it before all of it is read."""
    size = unpack.size(path)
    with path.open("rb") as file:
        beginning = file.read(1 << 16)
    _refuse_other_kinds(path, beginning)
    _refuse_binary(path, beginning, 0)
    returns = b"\r" in beginning and b"\n" not in beginning
    return Piece(path, 0, size, encodings.of(path) if encoding == "auto" else encoding, returns)


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
    for mark in (b"\r" if piece.returns else b"\n", b" "):
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


# What files begin with that are no text, or are text of another kind; a tar says so further on.
ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "compressed with gzip",
    **{b"BZh%d1AY&SY" % level: "compressed with bzip2" for level in range(1, 10)},
    b"\xfd7zXZ\x00": "compressed with xz",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
}
WIDE = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32"}
WIDE |= {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}  # begins as UTF-32 does
TAR_AT, TAR = 257, (b"ustar\0", b"ustar ")


def _refuse_other_kinds(path: Path, beginning: bytes) -> None:
    """Say what a file is that is not text in an encoding with one byte a letter."""
    kinds = [kind for mark, kind in ARCHIVES.items() if beginning.startswith(mark)]
    kinds += ["a tar archive"] if beginning[TAR_AT:].startswith(TAR) and b"\0" in beginning else []
    if kinds:
        raise WorkingsError(f"{path}: is {kinds[0]}, not text; unpack it, and give what was in it")
    for mark, encoding in WIDE.items():
        if beginning.startswith(mark):
            name = path.with_suffix(f".utf8{path.suffix}").name
            raise WorkingsError(
                f"{path}: is text in {encoding}, by its first bytes; save it as UTF-8: "
                f"iconv -f {encoding} -t UTF-8 {shlex.quote(str(path))} > {shlex.quote(name)}"
            )


def _refuse_binary(path: Path, content: bytes, offset: int) -> None:
    binary = content.find(b"\0")
    if binary >= 0:
        raise WorkingsError(
            f"{path}: byte {offset + binary} is zero: this is a binary file, not text"
        )


def _decode(piece: Piece, content: bytes, offset: int) -> str:
    _refuse_binary(piece.path, content, offset)
    try:
        text = content.decode(piece.encoding)
        return text.replace("\r", "\n") if piece.returns else text
    except UnicodeDecodeError as error:
        raise WorkingsError(
            f"{piece.path}: not {piece.encoding.upper()} at byte {offset + error.start} "
            f"(0x{content[error.start]:02x}); name its encoding: --set data.encoding=…"
        ) from None
