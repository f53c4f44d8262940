"""A corpus as ids on disk: the same however it is read, written once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workings.errors import WorkingsError
from workings.tasks.language import files as text
from workings.tasks.language import ids
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.ids import Ids
from workings.tasks.language.vocabulary import EOS, UNK, Vocabulary

PROSE = (
    "The quick brown fox, a fox, jumps.\n\n  over the lazy dog\nNaïve 漢字 🙂 don't 1,000.5\n" * 7
    + "averyveryverylongword" * 9
    + " & the end"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKINGS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(PROSE)
    return path


def vocabulary_of(path: Path, **options: Any) -> Vocabulary:
    config = TextConfig(train=(str(path),), **{"min_count": 2, **options})
    return Vocabulary.build([whole(path)], config)


def encoded(path: Path, vocabulary: Vocabulary, key: str = "key") -> Ids:
    return ids.encode({"train": [whole(path)]}, vocabulary, key)["train"]


def naive(content: str, vocabulary: Vocabulary) -> list[int]:
    """Character by character."""
    content = content.lower() if vocabulary.config.lowercase else content
    return [vocabulary.start] + [vocabulary.ids[character] for character in content]


def numbered(path: Path, types: int) -> Vocabulary:
    names = [EOS, UNK, *(f"w{number}" for number in range(types - 2))]
    return Vocabulary(names, TextConfig(train=(str(path),), tokens="spaces"))


@pytest.mark.parametrize("level", ["word", "char"])
def test_ids_are_the_same_for_any_block(
    path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    vocabulary = vocabulary_of(path, level=level)
    whole_text = encoded(path, vocabulary, "whole")
    for block in (1, 7, 16, 100):
        monkeypatch.setattr(text, "BLOCK", block)
        assert vocabulary_of(path, level=level).types == vocabulary.types
        blockwise = encoded(path, vocabulary, f"block-{block}")
        assert blockwise.all.tolist() == whole_text.all.tolist()
        assert blockwise.unknown == (whole_text.all[1:] == vocabulary.unknown).sum() > 0


def test_words_are_encoded_in_order_with_eos_for_every_line(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a b\n\na c")
    vocabulary = vocabulary_of(path, min_count=1)
    types = [vocabulary.types[i] for i in encoded(path, vocabulary).all]
    assert types == [EOS, "a", "b", EOS, "a", "c", EOS]


@pytest.mark.parametrize("lowercase", [False, True])
def test_characters_are_encoded_as_one_by_one(path: Path, lowercase: bool) -> None:
    vocabulary = vocabulary_of(path, level="char", lowercase=lowercase)
    assert encoded(path, vocabulary).all.tolist() == naive(PROSE, vocabulary)


@pytest.mark.parametrize("level", ["word", "char"])
def test_the_start_token_is_first_and_not_counted(path: Path, level: str) -> None:
    vocabulary = vocabulary_of(path, level=level)
    one = encoded(path, vocabulary)
    assert one.all[0] == vocabulary.start
    assert one.tokens == len(one.all) - 1


def test_pieces_follow_each_other_with_one_start(path: Path) -> None:
    vocabulary = vocabulary_of(path)
    once = encoded(path, vocabulary, "once").all.tolist()
    both = ids.encode({"train": [whole(path), whole(path)]}, vocabulary, "twice")["train"]
    assert both.all.tolist() == once + once[1:]


def test_unknown_tokens_are_counted_without_the_start(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("aaabbbxyz")
    vocabulary = vocabulary_of(path, level="char")
    assert vocabulary.start == vocabulary.unknown
    assert encoded(path, vocabulary).unknown == 3


def test_a_literal_unk_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a a <unk> b b once\n")
    assert encoded(path, vocabulary_of(path)).unknown == 2


@pytest.mark.parametrize(("types", "dtype"), [(1 << 16, np.uint16), ((1 << 16) + 1, np.int32)])
def test_ids_take_two_bytes_as_long_as_they_fit(tmp_path: Path, types: int, dtype: type) -> None:
    path = tmp_path / "text.txt"
    path.write_text(f"w0 w{types - 3}\n")
    found = encoded(path, numbered(path, types)).all
    assert found.dtype == dtype
    assert found.tolist() == [0, 2, types - 1, 0]


def test_ids_are_mapped_from_disk(path: Path) -> None:
    assert isinstance(encoded(path, vocabulary_of(path)).all, np.memmap)


def test_a_second_call_reads_what_the_first_wrote(path: Path, cache: Path) -> None:
    vocabulary = vocabulary_of(path)
    first = encoded(path, vocabulary)
    file = cache / "text" / "key" / "train.ids"
    before = file.stat()
    again = ids.encode({"train": [text.Piece(path / "not there", 0, 1)]}, vocabulary, "key")
    after = file.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert again["train"].all.tolist() == first.all.tolist()
    assert again["train"].unknown == first.unknown


def test_every_split_is_kept_under_its_name(path: Path) -> None:
    vocabulary = vocabulary_of(path)
    parts = {"train": [whole(path)], "valid": [text.Piece(path, 0, len("The quick"))], "test": []}
    found = ids.encode(parts, vocabulary, "key")
    assert [len(found[split].all) for split in ("valid", "test")] == [4, 1]


def test_a_text_that_cannot_be_read_leaves_nothing_behind(path: Path, cache: Path) -> None:
    vocabulary = vocabulary_of(path)
    path.write_bytes(PROSE.encode() + b"\x81")
    with pytest.raises(WorkingsError, match="not UTF-8"):
        encoded(path, vocabulary)
    assert list((cache / "text").iterdir()) == []


def test_a_key_depends_on_content_reading_and_vocabulary_only(path: Path) -> None:
    vocabulary, smaller = vocabulary_of(path), vocabulary_of(path, vocabulary=5)
    config = vocabulary.config
    key = ids.key("checksum", config, vocabulary)
    elsewhere = config.model_copy(update={"train": ("elsewhere.txt",)})
    assert ids.key("checksum", elsewhere, vocabulary) == key
    others = {
        ids.key("another", config, vocabulary),
        ids.key("checksum", config.model_copy(update={"test_share": 0.2}), vocabulary),
        ids.key("checksum", config, smaller),
    }
    assert len(others | {key}) == 4


@pytest.mark.parametrize("harm", ["shorter", "gone", "no json", "json of another kind"])
def test_a_damaged_cache_is_made_anew(path: Path, cache: Path, harm: str) -> None:
    vocabulary = vocabulary_of(path)
    expected = encoded(path, vocabulary).all.tolist()
    ids_file, about = cache / "text" / "key" / "train.ids", cache / "text" / "key" / "ids.json"
    if harm == "shorter":
        ids_file.write_bytes(ids_file.read_bytes()[:-2])
    elif harm == "gone":
        ids_file.unlink()
    else:
        about.write_text("{" if harm == "no json" else '{"train": 3}')
    assert encoded(path, vocabulary).all.tolist() == expected
