"""Text files: how they are read, how they are split, and their content block by block."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import model_validator

from workings.data import sources
from workings.errors import WorkingsError, nearest
from workings.schema import Config, Share, Size

BLOCK = 1 << 23  # bytes read at a time: a corpus never has to fit into memory


class TextConfig(Config):
    """Where the text is and how it is read."""

    name: str = ""
    """a named data set (see `workings data list`); sotu when no file is given either"""
    train: tuple[str, ...] = ()
    """training text files"""
    valid: tuple[str, ...] = ()
    """validation text files; when none is given, a part of the training text is cut off"""
    test: tuple[str, ...] = ()
    """test text files; when none is given, the end of the training text is cut off"""
    valid_share: Share = 0.05
    """share of the text cut off for validation, by position"""
    test_share: Share = 0.05
    """share of the text cut off for test, by position"""
    level: Literal["word", "char"] = "word"
    """what a token is: a word, with one <eos> a line (blank lines are skipped), or a character"""
    tokens: Literal["words", "spaces"] = "words"
    """words: punctuation marks are tokens of their own; spaces: split at white space only"""
    lowercase: bool = True
    """fold capitals (by default at word level only)"""
    sentences: bool = False
    """end a line after every sentence, not only where the file does"""
    vocabulary: Size = 10_000
    """most types kept, the most frequent first, <unk> and <eos> among them"""
    min_count: Size = 2
    """a type seen less often in the training text becomes <unk>"""

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, values: Any) -> Any:
        """A named set says how it is meant to be read; characters keep their case."""
        if not isinstance(values, dict):
            return values
        given = {k: _paths(v) if k in ("train", "valid", "test") else v for k, v in values.items()}
        if "train" in given and not given["train"] and not given.get("name"):
            raise ValueError("data.train names no file")
        if not given.get("name") and not given.get("train"):
            given["name"] = "sotu"
        if not given.get("train") and (given.get("valid") or given.get("test")):
            raise ValueError("valid and test files go with train files: give data.train too")
        if given.get("name") and given.get("train"):
            raise ValueError("give data.name or data.train, not both")
        named = given.get("name")
        known = isinstance(named, str) and named
        reading = sources.source(str(named), "language").defaults if known else {}
        settled = {**reading, **given}
        if settled.get("level") == "char":
            settled.setdefault("lowercase", False)
        return settled

    def files(self) -> sources.Splits:
        """The files of each split that is given as files."""
        if self.name:
            return sources.splits(self.name)
        splits = {"train": self.train, "valid": self.valid, "test": self.test}
        return {split: [Path(p) for p in paths] for split, paths in splits.items() if paths}


def _paths(value: Any) -> Any:
    """One path or several, made absolute: a run can be resumed from any folder."""
    if isinstance(value, str):
        value = (value,)
    if isinstance(value, (list, tuple)) and all(isinstance(path, str) for path in value):
        return tuple(str(Path(path).expanduser().absolute()) for path in value)
    return value


# Parts of a file's name that say which split it is.
SPLIT_WORDS = {"train": {"train"}, "valid": {"valid", "validation", "val", "dev"}, "test": {"test"}}


def from_paths(paths: list[Path]) -> dict[str, Any]:
    """The config keys of a set's name, a folder, or files; see SPLIT_WORDS for their splits."""
    if len(paths) == 1 and str(paths[0]) in sources.SOURCES and not paths[0].exists():
        return {"name": str(paths[0])}
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            hint = nearest(str(path), sources.SOURCES)
            raise WorkingsError(f"{path}: no such file, folder or data set{hint}")
        files += (inside := sorted(path.glob("*.txt"))) if path.is_dir() else [path]
        if path.is_dir() and not inside:
            raise WorkingsError(f"{path}: the folder holds no .txt file")
    found: dict[str, list[str]] = {}
    for file in files:
        parts = re.split(r"[^a-z]+", file.name.lower())
        named = [split for split, words in SPLIT_WORDS.items() if words & set(parts)]
        found.setdefault(named[0] if len(named) == 1 else "", []).append(str(file))
    if "train" not in found:
        return {"train": [str(file) for file in files]}
    for unnamed in found.get("", []):
        raise WorkingsError(
            f"{unnamed}: some files are named train, valid or test and this one is not: "
            "name them all so, or give them as data.train, data.valid, data.test with --set"
        )
    return dict(found)


@dataclass(frozen=True)
class Piece:
    """A range of bytes of one file."""

    path: Path
    start: int
    end: int


def whole(path: Path) -> Piece:
    """All of a file that can be read as text, or an error that names it."""
    if path.is_dir():
        raise WorkingsError(f"{path}: is a folder; name the text file in it")
    if path.exists() and not path.is_file():
        raise WorkingsError(f"{path}: is not a regular file; write the text to one first")
    try:
        with path.open("rb"):
            size = path.stat().st_size
    except FileNotFoundError:
        raise WorkingsError(f"{path}: no such file") from None
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    if size == 0:
        raise WorkingsError(f"{path}: is empty; a language model needs text")
    return Piece(path, 0, size)


def pieces(config: TextConfig) -> dict[str, list[Piece]]:
    """What each split reads; a split without files is cut off the end of the training text."""
    given = {split: [whole(path) for path in paths] for split, paths in config.files().items()}
    shares = {
        split: share
        for split, share in (("test", config.test_share), ("valid", config.valid_share))
        if split not in given
    }
    cut: dict[str, list[Piece]] = {}
    total = sum(piece.end for piece in given["train"])
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
        left.append(Piece(last.path, last.start, at))
        if at < last.end:
            tail.insert(0, Piece(last.path, at, last.end))
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
                yield _decode(piece.path, read[:cut], offset)
            offset, rest = offset + cut, read[cut:]


def _last_break(content: bytes) -> int:
    """Where a block may end: after its last line, or its last word; 0 where it has neither."""
    return 1 + (content.rfind(b"\n") if b"\n" in content else content.rfind(b" "))


def _last_character(content: bytes) -> int:
    """Where the last character begins: what follows may not be whole."""
    return next((i for i in range(len(content) - 1, 0, -1) if content[i] & 0xC0 != 0x80), 0)


def _decode(path: Path, content: bytes, offset: int) -> str:
    binary = content.find(b"\0")
    if binary >= 0:
        raise WorkingsError(
            f"{path}: byte {offset + binary} is zero: this is a binary file, not text"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorkingsError(
            f"{path}: not UTF-8 at byte {offset + error.start} (0x{content[error.start]:02x}); "
            f"convert it: iconv -f WINDOWS-1252 -t UTF-8 {path.name}"
        ) from None
