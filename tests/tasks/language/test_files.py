"""Text files: read in blocks, split by position, refused with a reason."""

import codecs
import gzip
import itertools
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from workings.data import sources
from workings.data.sources import Source
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.language import files as text
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.files import Piece, blocks, pieces, whole
from workings.tasks.language.task import LanguageTask

LINES = "".join(f"line {i} of {i * i} words\n" for i in range(200)).encode()
SPLITS = ("train", "valid", "test")


def write(folder: Path, *contents: bytes) -> list[str]:
    paths = [folder / f"{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return [str(path) for path in paths]


def content(some: list[Piece]) -> bytes:
    return b"".join(piece.path.read_bytes()[piece.start : piece.end] for piece in some)


def read(path: Path, block: int = text.BLOCK) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "BLOCK", block)
        return list(blocks(whole(path)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    files=st.lists(st.text("ab é\n", min_size=1, max_size=60), min_size=1, max_size=3),
    valid=st.sampled_from([0.0, 0.05, 0.3, 0.5]),
    test=st.sampled_from([0.0, 0.05, 0.3, 0.5]),
)
def test_splits_cover_every_byte_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, files: list[str], valid: float, test: float
) -> None:
    contents = [one.encode() for one in files]
    paths = write(tmp_path_factory.mktemp("split"), *contents)
    split = pieces(TextConfig(train=paths, valid_share=valid, test_share=test))
    assert b"".join(content(split[name]) for name in SPLITS) == b"".join(contents)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.37])
def test_text_is_cut_at_the_start_of_a_line_near_the_share(tmp_path: Path, share: float) -> None:
    paths = write(tmp_path, LINES)
    split = pieces(TextConfig(train=paths, valid_share=share, test_share=share))
    longest = max(map(len, LINES.splitlines(keepends=True)))
    for name in ("valid", "test"):
        (piece,) = split[name]
        assert LINES[piece.start - 1 : piece.start] == b"\n"
        assert abs(piece.end - piece.start - share * len(LINES)) <= longest


def test_a_text_of_one_line_is_cut_at_the_start_of_a_word(tmp_path: Path) -> None:
    line = b"word " * 100
    (piece,) = pieces(TextConfig(train=write(tmp_path, line)))["test"]
    assert line[piece.start - 1 : piece.start + 1] == b" w"


@pytest.mark.parametrize("line", ["x" * 1000, "é" * 500, "ab " * 300 + "\n"])
def test_a_text_of_one_line_is_cut_between_words_or_characters(tmp_path: Path, line: str) -> None:
    split = pieces(TextConfig(train=write(tmp_path, line.encode())))
    parts = [content(split[name]).decode() for name in SPLITS]
    assert "".join(parts) == line
    assert all(parts)
    assert all(part.endswith(" ") for part in parts[:2] if " " in line)


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WorkingsError, match="not a regular file"):
        whole(tmp_path / "pipe")


def test_no_training_file_is_not_the_default_set() -> None:
    with pytest.raises(ValidationError, match="names no file"):
        TextConfig.model_validate({"train": []})


def test_characters_without_any_break_are_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workings.tasks.language.files.BLOCK", 16)
    (tmp_path / "long.txt").write_text("aé漢😀" * 50)
    parts = list(blocks(whole(tmp_path / "long.txt"), anywhere=True))
    assert "".join(parts) == "aé漢😀" * 50
    assert max(len(part.encode()) for part in parts) <= 20


def test_a_cut_may_take_whole_files(tmp_path: Path) -> None:
    paths = write(tmp_path, LINES, LINES, LINES, LINES)
    split = pieces(TextConfig(train=paths, valid_share=0.25, test_share=0.5))
    assert [[piece.path.name for piece in split[name]] for name in SPLITS] == [
        ["0.txt"],
        ["1.txt"],
        ["2.txt", "3.txt"],
    ]


def test_given_splits_are_not_cut(tmp_path: Path) -> None:
    train, valid, test = write(tmp_path, LINES, b"to check\n", b"to test\n")
    split = pieces(TextConfig(train=train, valid=valid, test=test))
    assert [content(split[name]) for name in SPLITS] == [LINES, b"to check\n", b"to test\n"]


def test_only_the_split_that_is_not_given_is_cut(tmp_path: Path) -> None:
    train, valid = write(tmp_path, LINES, b"to check\n")
    split = pieces(TextConfig(train=train, valid=valid))
    assert content(split["valid"]) == b"to check\n"
    assert content(split["train"]) + content(split["test"]) == LINES
    assert split["test"]


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    words=st.text(st.sampled_from("ab é漢🙂\n\r"), min_size=1, max_size=80),
    block=st.sampled_from([1, 2, 3, 5, 16]),
)
def test_blocks_of_any_size_are_the_whole_text(
    tmp_path_factory: pytest.TempPathFactory, words: str, block: int
) -> None:
    path = tmp_path_factory.mktemp("blocks") / "text.txt"
    path.write_bytes(words.encode())
    lines = words if "\n" in words else words.replace("\r", "\n")  # as old Macs end them
    assert "".join(read(path, block)) == lines


def test_blocks_end_with_a_line_where_they_can(tmp_path: Path) -> None:
    (path,) = write(tmp_path, LINES)
    parts = read(Path(path), block=100)
    assert len(parts) > 10
    assert all(part.endswith("\n") for part in parts)


def test_blocks_within_a_long_line_end_with_a_word(tmp_path: Path) -> None:
    (path,) = write(tmp_path, b"some words " * 50)
    parts = read(Path(path), block=16)
    assert len(parts) > 10
    assert all(part.endswith(" ") for part in parts)


def test_a_very_long_word_stays_whole(tmp_path: Path) -> None:
    word = "é" * 500
    (path,) = write(tmp_path, f"a {word} b\n".encode())
    assert any(word in part for part in read(Path(path), block=16))


def test_a_text_without_a_last_newline_is_read_to_its_end(tmp_path: Path) -> None:
    (path,) = write(tmp_path, b"first line\nlast line")
    assert read(Path(path), block=16)[-1] == "last line"


@pytest.mark.parametrize("block", [1, 16, 1000])
def test_a_byte_order_mark_is_not_text(tmp_path: Path, block: int) -> None:
    (path,) = write(tmp_path, b"\xef\xbb\xbfone\ntwo \xef\xbb\xbf\n")
    assert "".join(read(Path(path), block)) == "one\ntwo \ufeff\n"


def test_a_piece_is_only_its_own_bytes(tmp_path: Path) -> None:
    (path,) = write(tmp_path, LINES)
    assert "".join(blocks(Piece(Path(path), 10, 50))).encode() == LINES[10:50]


def test_a_file_that_shrinks_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    (path,) = write(tmp_path, b"short\n")
    with pytest.raises(WorkingsError, match="became shorter"):
        list(blocks(Piece(Path(path), 0, 100)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match=r"absent\.txt: no such file"):
        whole(tmp_path / "absent.txt")


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    (path,) = write(tmp_path, b"")
    with pytest.raises(WorkingsError, match=r"0\.txt: is empty"):
        whole(Path(path))


def test_a_folder_is_not_a_text(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match=r"is a folder; name the file in it"):
        whole(tmp_path)


@pytest.mark.parametrize("block", [16, text.BLOCK])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"a good line\n" * 9])
def test_a_zero_byte_is_named_with_its_place(tmp_path: Path, before: bytes, block: int) -> None:
    (path,) = write(tmp_path, before + b"ab\0cd\nand more\n")
    with pytest.raises(WorkingsError, match=rf"0\.txt: byte {len(before) + 2} is zero"):
        read(Path(path), block)


@pytest.mark.parametrize("block", [16, text.BLOCK])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", "ein schöner Tag\n".encode() * 9])
def test_a_byte_that_is_not_utf8_is_named_with_its_place(
    tmp_path: Path, before: bytes, block: int
) -> None:
    (path,) = write(tmp_path, before + b"caf\x81 noir\nand more\n")
    with pytest.raises(
        WorkingsError, match=rf"0\.txt: not UTF-8 at byte {len(before) + 3} \(0x81\)"
    ):
        read(Path(path), block)


def test_without_a_name_or_a_file_the_set_is_sotu() -> None:
    assert TextConfig().name == "sotu"


def test_a_file_may_be_given_without_a_list() -> None:
    given = {"train": "/a.txt", "valid": "/b.txt", "test": "/c.txt"}
    config = TextConfig.model_validate(given)
    assert (config.train, config.valid, config.test) == (("/a.txt",), ("/b.txt",), ("/c.txt",))


def test_paths_hold_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    config = TextConfig(train=("a.txt", "~/b.txt"))
    assert config.train == (str(tmp_path / "a.txt"), "/home/somebody/b.txt")


@pytest.mark.parametrize(
    "name", [name for name, one in sources.SOURCES.items() if one.task == "language"]
)
def test_a_named_set_is_read_as_it_is_meant_to_be(name: str) -> None:
    config = TextConfig(name=name)
    reading = sources.SOURCES[name].defaults
    assert reading
    assert {key: getattr(config, key) for key in reading} == reading


def test_a_named_set_may_be_read_in_another_way() -> None:
    config = TextConfig(name="ptb", tokens="words", min_count=5)
    assert (config.tokens, config.min_count) == ("words", 5)


def test_characters_keep_their_case_unless_told_and_words_do_not() -> None:
    assert TextConfig(train=("a",)).lowercase
    assert not TextConfig(train=("a",), level="char").lowercase
    assert not TextConfig(name="tiny-shakespeare").lowercase
    assert TextConfig(train=("a",), level="char", lowercase=True).lowercase


def test_a_name_and_a_file_together_are_refused() -> None:
    with pytest.raises(WorkingsError, match=r"give data\.name or data\.train, not both"):
        build(TextConfig, {"name": "ptb", "train": "a.txt"}, "data")


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(WorkingsError, match=r"no data set 'ptbb' \(did you mean ptb\?\)"):
        build(TextConfig, {"name": "ptbb"}, "data")


PROSE = "".join(
    f"The {a} fox, and a {b} Dog. Then (they) ran! Önce{a}{b}\n"
    for a, b in itertools.product(("red", "old", "big"), ("wet", "sad", "New"))
).encode()
PROSE = b"*** START OF THE PROJECT GUTENBERG EBOOK 1\n" + PROSE


def read_as(**options: Any) -> tuple[list[str], dict[str, list[int]]]:
    task = LanguageTask(TextConfig(**options), None, LanguageTrain(), 1, {})
    return task.vocabulary.types, {name: one.all.tolist() for name, one in task.splits.items()}


@pytest.mark.parametrize(
    "change",
    [
        {"valid_share": 0.3},
        {"test_share": 0.3},
        {"level": "char"},
        {"tokens": "spaces"},
        {"lowercase": False},
        {"lines": "stream"},
        {"licence": "skip"},
        {"encoding": "windows-1252"},
        {"sentences": True},
        {"vocabulary": 7},
        {"min_count": 1},
        {"valid": ["0.txt"]},
        {"test": ["0.txt"]},
        {"train": ["1.txt"]},
        {"train": [], "name": "tiny"},
    ],
    ids=lambda change: next(reversed(change)),
)
def test_every_field_changes_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    write(tmp_path, PROSE, PROSE[: len(PROSE) // 2])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path.parent))
    tiny = Source("tiny", "language", "", "", "", tmp_path.name, lambda f: {"train": [f / "1.txt"]})
    monkeypatch.setitem(sources.SOURCES, "tiny", tiny)
    assert read_as(train=["0.txt"]) != read_as(**{"train": ["0.txt"], **change})


def test_the_cases_above_are_all_the_fields() -> None:
    mark = test_every_field_changes_what_is_read.pytestmark[0]
    accepts = {"allow_overlap"}  # a warning or an error: what is read stays the same
    changed = {key for change in mark.args[1] for key in change}
    assert changed == set(TextConfig.model_fields) - accepts


@pytest.mark.parametrize("given", [{"name": "ptb", "test": "x"}, {"valid": "x"}, {"test": "x"}])
def test_splits_without_their_training_text_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=r"data\.train"):
        TextConfig.model_validate(given)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("größe\n".encode("utf-16"), "is text in UTF-16, by its first bytes; save it as UTF-8"),
        (codecs.BOM_UTF16_BE + "a\n".encode("utf-16-be"), "iconv -f UTF-16 -t UTF-8"),
        ("größe\n".encode("utf-32"), "iconv -f UTF-32 -t UTF-8"),
        (gzip.compress(b"words " * 100, mtime=0), "is compressed with gzip, not text; unpack it"),
        (bytes(99), "byte 0 is zero: this is a binary file"),
    ],
)
def test_what_a_file_is_that_is_no_text_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(WorkingsError, match=re.escape(said)):
        whole(path)


@pytest.mark.parametrize("kind", ["zip", "tar", "gztar", "bztar", "xztar"])
def test_an_archive_is_called_one(tmp_path: Path, kind: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("words\n" * 50)
    made = shutil.make_archive(str(tmp_path / "a"), kind, tmp_path / "in")
    with pytest.raises(WorkingsError, match=r"is (a \w+ archive|compressed with \w+), not text"):
        whole(Path(made))


def test_a_carriage_return_alone_ends_a_line(tmp_path: Path) -> None:
    lines = [f"line {number} of it" for number in range(50)]
    read = {}
    for name, end in {"mac": "\r", "unix": "\n"}.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(end.join([*lines, ""]), newline="")
        parts = pieces(TextConfig(train=(str(path),)))
        read[name] = {split: "".join(map(text_of, part)) for split, part in parts.items()}
    assert read["mac"] == read["unix"]
    assert "".join(read["mac"][split] for split in SPLITS).splitlines() == lines


def text_of(piece: Piece) -> str:
    return "".join(blocks(piece))
