"""Tokens: words with one line end a line, or code points."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.tokenizer import codes, tokenise, words

PLAIN = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), min_size=1)


def tokens(path: Path, content: str, **options: Any) -> list[str]:
    path.write_bytes(content.encode())
    config = TextConfig(train=(str(path),), **options)
    return [token for block in words(whole(path), config) for token in block]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "text.txt"


def test_every_line_ends_with_one_line_end(path: Path) -> None:
    assert tokens(path, "a b\nc\n") == ["a", "b", "\n", "c", "\n"]


def test_blank_lines_are_none(path: Path) -> None:
    assert tokens(path, "\n\na\n \n\t\nb\n\n") == ["a", "\n", "b", "\n"]


def test_blank_lines_are_lines_where_every_line_counts(path: Path) -> None:
    assert tokens(path, "\n\na\n \n\t\nb\n\n", lines="every") == [*"\n\na\n\n\nb\n\n"]
    assert tokens(path, "a\n\n b", lines="every") == [*"a\n\nb\n"]


def test_a_last_line_without_its_newline_is_a_line(path: Path) -> None:
    assert tokens(path, "a\nb") == tokens(path, "a\nb\n") == ["a", "\n", "b", "\n"]


def test_windows_line_ends_are_line_ends(path: Path) -> None:
    assert tokens(path, "a b\r\n\r\nc\r\n") == tokens(path, "a b\nc\n")


@settings(max_examples=80, deadline=None, derandomize=True)
@given(content=PLAIN)
def test_there_are_as_many_line_ends_as_lines_that_are_not_blank(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    parts = tokens(tmp_path_factory.mktemp("lines") / "text.txt", content)
    assert parts.count("\n") == sum(bool(line.strip()) for line in content.split("\n"))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(content=PLAIN, way=st.sampled_from(["words", "spaces"]))
def test_no_letter_and_no_mark_is_lost(content: str, way: str) -> None:
    config = TextConfig.model_validate({"train": "a", "tokens": way})
    parts = tokenise(content, config)
    assert "".join(parts).replace("\n", "") == "".join(content.lower().split())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Hello, world!", "hello , world !"),
        ("don't the dogs' ones", "don't the dogs ' ones"),
        ("it’s", "it’s"),
        ("1,000.50 and 3.", "1,000.50 and 3 ."),
        ("$5 (five)", "$ 5 ( five )"),
        ("so -- well... then", "so -- well ... then"),
        ("a well-known thing", "a well - known thing"),
        ("a <unk> b <eos> c", "a <unk> b <eos> c"),
        ("Señor Ångström", "señor ångström"),
    ],
)
def test_punctuation_marks_are_words_of_their_own(content: str, expected: str) -> None:
    assert tokenise(content, TextConfig(train=("a",))) == expected.split()


def test_with_spaces_only_white_space_separates() -> None:
    parts = tokenise("Hello, world! don't\tstop.", TextConfig(train=("a",), tokens="spaces"))
    assert parts == ["hello,", "world!", "don't", "stop."]


def test_case_is_kept_when_asked() -> None:
    assert tokenise("The Fox", TextConfig(train=("a",), lowercase=False)) == ["The", "Fox"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("He came. She left! Why? I know.", 4),
        ('"He came." She left.', 2),
        ("He came.  (She left.)", 2),
        ("Mr. Smith met Dr. J. Doe and Mrs. Doe in St. Paul.", 1),
        ("See No. Five. It costs 3.5 dollars.", 2),
        ("he came. she left.", 1),
    ],
)
def test_a_sentence_is_a_line_when_asked(path: Path, content: str, lines: int) -> None:
    assert tokens(path, content, sentences=True).count("\n") == lines
    assert tokens(path, content).count("\n") == 1


def test_sentences_change_no_word(path: Path) -> None:
    content = 'He came. She said: "Why?" Nobody knew.\nThe end.\n'
    split = tokens(path, content, sentences=True)
    assert [t for t in split if t != "\n"] == [t for t in tokens(path, content) if t != "\n"]


@pytest.mark.parametrize("lowercase", [False, True])
def test_codes_are_the_code_points_of_every_character(path: Path, lowercase: bool) -> None:
    content = "Aé漢🙂\n\n b"
    path.write_text(content)
    config = TextConfig(train=(str(path),), level="char", lowercase=lowercase)
    codepoints = [int(code) for block in codes(whole(path), config) for code in block]
    assert codepoints == [ord(c) for c in (content.lower() if lowercase else content)]


def test_a_line_end_right_after_a_block_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a b \nc d\n\n\ne\n")
    config = TextConfig(train=(str(path),))
    whole_file = [token for block in words(whole(path), config) for token in block]
    for size in range(1, 12):
        monkeypatch.setattr("workings.tasks.language.files.BLOCK", size)
        assert [t for block in words(whole(path), config) for t in block] == whole_file
    assert whole_file == ["a", "b", "\n", "c", "d", "\n", "e", "\n"]
