"""A corpus as ids on disk, memory-mapped: it never has to fit into memory."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workings.data import sources
from workings.files import new_folder
from workings.tasks.language.chunks import encode_words
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece, blocks
from workings.tasks.language.subwords import Subwords, texts
from workings.tasks.language.tokenizer import codes
from workings.tasks.language.vocabulary import EOS, UNK, TokenIds, Vocabulary

FORMAT = 4  # raised when other ids, or other things about them, are kept than before


@dataclass(frozen=True)
class Ids:
    """One split as ids, mapped from disk; `all` starts with the context of its first token."""

    all: np.ndarray
    unknown: int  # how many are <unk>
    bytes: int = 0  # of the text that they stand for; 0: not known
    spelled: int = 0  # how often the text itself has <unk>
    words: int = 0  # of the text, as white space divides it

    @property
    def tokens(self) -> int:
        """Tokens to predict."""
        return len(self.all) - 1

    @property
    def whole(self) -> bool:
        """Whether the ids say all of a known text: no word of it was replaced by <unk>."""
        return self.bytes > 0 and self.unknown == self.spelled


def encode(parts: dict[str, list[Piece]], vocabulary: Vocabulary, key: str) -> dict[str, Ids]:
    """Each split as ids on disk, kept in the cache under `key`, memory-mapped."""
    folder = sources.cache() / "text" / key
    about = _cached(folder, vocabulary)
    if about is None:
        shutil.rmtree(folder, ignore_errors=True)
        with new_folder(folder) as temporary:
            _encode_to(temporary, parts, vocabulary)
        about = _cached(folder, vocabulary)
        assert about is not None
    return {
        split: Ids(np.memmap(folder / f"{split}.ids", _dtype(vocabulary), "r"), *counts)
        for split, (_, *counts) in about.items()
    }


def _cached(folder: Path, vocabulary: Vocabulary) -> dict[str, list[int]] | None:
    """By split the number of ids and the counts of `Ids`; None where not all of it is cached."""
    try:
        about = json.loads((folder / "ids.json").read_bytes())
        width = np.dtype(_dtype(vocabulary)).itemsize
        sizes = {split: (folder / f"{split}.ids").stat().st_size for split in about}
        return about if all(sizes[s] == n * width for s, (n, *_) in about.items()) else None
    except (OSError, ValueError, TypeError):
        return None


def _encode_to(folder: Path, parts: dict[str, list[Piece]], vocabulary: Vocabulary) -> None:
    about = {}
    for split, pieces in parts.items():
        with (folder / f"{split}.ids").open("wb") as file:
            file.write(np.array([vocabulary.start], _dtype(vocabulary)).tobytes())
            count, unknown = 1, 0
            spelled = sum(_spelled(piece) for piece in pieces) if vocabulary.eos is not None else 0
            for piece in pieces:
                for ids in _encoded(piece, vocabulary):
                    count += len(ids)
                    if vocabulary.unknown is not None:
                        unknown += int((ids == vocabulary.unknown).sum())
                    file.write(ids.tobytes())
            file.flush()
            os.fsync(file.fileno())
            size = sum(piece.end - piece.start for piece in pieces)
            words = sum(len(block.split()) for piece in pieces for block in blocks(piece))
            about[split] = count, unknown, size, spelled, words
    (folder / "ids.json").write_text(json.dumps(about))


def _spelled(piece: Piece) -> int:
    """How often a text has the word <unk> itself."""
    return sum(block.split().count(UNK) for block in blocks(piece) if UNK in block)


def _encoded(piece: Piece, vocabulary: Vocabulary) -> Iterator[np.ndarray]:
    config, dtype = vocabulary.config, _dtype(vocabulary)
    if isinstance(vocabulary, Subwords):
        for text in texts([piece], config):
            yield np.array(vocabulary.numbers(text), dtype)
    elif config.level == "word":
        ids = TokenIds(vocabulary.ids | {"\n": vocabulary.ids[EOS]})
        ids.unknown = vocabulary.ids.unknown
        yield from encode_words(piece, config, ids, dtype)
    else:
        table: np.ndarray = np.full(0x110000, vocabulary.ids.unknown, dtype)
        for token, number in vocabulary.ids.items():
            if len(token) == 1:
                table[ord(token)] = number
        for points in codes(piece, config):
            yield table[points]


def _dtype(vocabulary: Vocabulary) -> type:
    return np.uint16 if len(vocabulary) <= 1 << 16 else np.int32


def key(checksum: str, config: TextConfig, vocabulary: Vocabulary) -> str:
    """A name for the ids of this content, read this way, with this vocabulary."""
    without = {"name", "train", "valid", "test", "allow_overlap"}
    preprocessing = config.model_dump_json(exclude=without)
    return hashlib.sha256(
        f"{FORMAT} {checksum} {preprocessing}".encode() + vocabulary.to_json()
    ).hexdigest()[:32]
