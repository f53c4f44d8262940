"""The vocabulary: which types are kept, in which order, and text to ids and back."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.vocabulary import EOS, UNK, Vocabulary, count

Build = Callable[..., Vocabulary]
MARKS = "the cat ( dog ) sat , ran ; why ? now ! 50 % of $ it : [ yes ] ' \" -- end ."


def of(path: Path, content: str, **options: Any) -> Vocabulary:
    path.write_text(content)
    config = TextConfig(train=(str(path),), **{"min_count": 1, **options})
    return Vocabulary.build([whole(path)], config)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return lambda content, **options: of(tmp_path / "text.txt", content, **options)


def test_types_stand_by_count_then_by_alphabet(build: Build) -> None:
    vocabulary = build("b b b c c a a d\nd d d d\n")
    assert vocabulary.types == ["d", "b", EOS, "a", "c", UNK]


def test_a_prompt_to_try_is_a_frequent_word_of_the_text(build: Build) -> None:
    rare = " ".join(f"einmaliges{number}" for number in range(60))
    assert build(f"nous , nous , étions à à à à l' l' étions\n{rare}\n").frequent() == "étions"
    assert build("ab ba 1 1\n", level="char").frequent() in "ab"
    assert build("1 2 3\n").frequent() == "a"


def test_a_type_has_the_id_of_its_place(build: Build) -> None:
    vocabulary = build("b b b c c a a d\n")
    assert [vocabulary.ids[token] for token in vocabulary.types] == list(range(len(vocabulary)))


@pytest.mark.parametrize("size", [4, 5, 6, 7, 100])
def test_no_more_types_than_asked_and_the_most_frequent(build: Build, size: int) -> None:
    vocabulary = build("a a a a a b b b b c c c d d e\n", vocabulary=size)
    assert len(vocabulary) == min(size, 7)
    assert set(vocabulary.types) == {EOS, UNK, *"abcde"[: size - 2]}


def test_the_size_counts_the_characters_and_unk(build: Build) -> None:
    vocabulary = build("aaaabbbccd", level="char", vocabulary=3)
    assert vocabulary.types == ["a", "b", UNK]


@pytest.mark.parametrize(("least", "kept"), [(1, "abcd"), (2, "bcd"), (3, "cd")])
def test_a_type_seen_less_often_is_not_kept(build: Build, least: int, kept: str) -> None:
    vocabulary = build("a b b c c c d d d d\n", min_count=least)
    assert set(vocabulary.types) == {EOS, UNK, *kept}


@pytest.mark.parametrize("tokens", ["words", "spaces"])
def test_unk_is_there_once_though_the_text_has_it(build: Build, tokens: str) -> None:
    vocabulary = build("a <unk> b <unk> <unk>\n", tokens=tokens)
    assert vocabulary.types == [UNK, EOS, "a", "b"]
    assert vocabulary.encode("<unk>") == [vocabulary.unknown]


def test_unk_and_eos_are_there_though_the_text_has_neither(build: Build) -> None:
    assert {UNK, EOS} <= set(build("a b\n").types)
    assert UNK in build("ab", level="char").types
    assert EOS not in build("ab", level="char").types


def test_a_word_outside_is_unknown(build: Build) -> None:
    vocabulary = build("a b c\n")
    assert vocabulary.encode("a zebra c") == [
        vocabulary.ids["a"],
        vocabulary.unknown,
        vocabulary.ids["c"],
    ]
    assert vocabulary.unknown_in("a zebra\nc yak") == ["zebra", "yak"]


def test_a_text_is_encoded_as_the_training_text_was_read(build: Build) -> None:
    vocabulary = build("the fox . ran\n")
    assert vocabulary.join(vocabulary.encode("The Fox.")) == "the fox."


def test_a_line_end_is_eos_for_words_and_itself_for_characters(build: Build) -> None:
    words, characters = build("a b\n"), build("a b\n", level="char")
    assert words.encode("a\nb")[1] == words.eos == words.ids[EOS]
    assert characters.encode("a\nb")[1] == characters.ids["\n"]
    assert characters.eos is None


def test_before_the_first_token_stands_a_line_end(build: Build) -> None:
    words, characters = build("a b\n"), build("a b\n", level="char")
    assert words.types[words.start] == EOS
    assert characters.types[characters.start] == "\n"


def test_before_characters_without_lines_stands_unk(build: Build) -> None:
    vocabulary = build("ab", level="char")
    assert vocabulary.types[vocabulary.start] == UNK


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(["\n", *MARKS.split()]), min_size=1, max_size=12))
def test_joined_words_are_read_as_the_same_words(
    tmp_path_factory: pytest.TempPathFactory, some: list[str]
) -> None:
    vocabulary = of(tmp_path_factory.mktemp("join") / "text.txt", MARKS)
    # Two full stops side by side would read as an ellipsis.
    ids = vocabulary.encode(re.sub(r"(\. )+\.", ".", " ".join(some)))
    assert vocabulary.encode(vocabulary.join(ids)) == ids


def test_joined_words_read_as_text_does(build: Build) -> None:
    content = "yes, the (old) dog: $50!\nwhy?"
    assert (v := build(content)).join(v.encode(content)) == content


def test_joined_words_of_a_spaced_text_keep_their_spaces(build: Build) -> None:
    content = "yes , the dog : $ 50 !\nwhy ?"
    assert (v := build(content, tokens="spaces")).join(v.encode(content)) == content


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text("ab \néß漢🙂", max_size=20))
def test_joined_characters_are_the_text(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    path = tmp_path_factory.mktemp("join") / "text.txt"
    vocabulary = of(path, "ab \néß漢🙂", level="char")
    assert vocabulary.join(vocabulary.encode(content)) == content


@pytest.mark.parametrize("level", ["word", "char"])
def test_json_keeps_every_type_and_id(build: Build, level: str) -> None:
    vocabulary = build('a "b" c\\d é 漢 🙂\u2028 e\n', level=level)
    again = Vocabulary.from_json(vocabulary.to_json(), vocabulary.config)
    assert again.types == vocabulary.types
    assert again.ids == vocabulary.ids
    assert (again.unknown, again.start) == (vocabulary.unknown, vocabulary.start)


@pytest.mark.parametrize("content", ["word\nword\nword\n", "\n\n", "<unk> <eos> a\n"])
def test_a_text_of_one_word_is_refused_with_a_way_out(build: Build, content: str) -> None:
    with pytest.raises(WorkingsError, match=r"a model needs two or more: give more text$"):
        build(content)


def test_a_text_whose_words_are_all_rare_is_refused_with_a_way_out(build: Build) -> None:
    with pytest.raises(WorkingsError, match=r"0 distinct word.*set data\.min_count=1"):
        build("all words differ\n", min_count=2)


@pytest.mark.parametrize(("level", "least"), [("word", 4), ("char", 3)])
def test_a_vocabulary_without_room_is_refused(build: Build, level: str, least: int) -> None:
    with pytest.raises(WorkingsError, match=rf"data\.vocabulary: .*set at least {least}$"):
        build("a b c\n", level=level, vocabulary=least - 1)
    assert len(build("a b c\n", level=level, vocabulary=least)) == least


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.text("ab \n漢🙂", min_size=1, max_size=40))
def test_characters_are_counted_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    path = tmp_path_factory.mktemp("count") / "text.txt"
    path.write_text(content)
    config = TextConfig(train=(str(path),), level="char")
    assert count([whole(path), whole(path)], config) == Counter(content * 2)


def test_words_of_all_pieces_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("a b a\nc")
    config = TextConfig(train=(str(path),))
    assert count([whole(path), whole(path)], config) == {"a": 4, "b": 2, "c": 2, "\n": 4}


def test_a_prompt_of_characters_is_folded_as_the_text_was(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("Abba\n" * 9)
    config = TextConfig(train=(str(path),), level="char", lowercase=True)
    vocabulary = Vocabulary.build([whole(path)], config)
    assert vocabulary.encode("AB") == vocabulary.encode("ab")
    assert vocabulary.unknown_in("AB") == []


def test_half_a_character_in_a_stored_vocabulary_is_named() -> None:
    with pytest.raises(WorkingsError, match=r"vocabulary.json: is damaged .*surrogates"):
        Vocabulary.from_json(rb'["<unk>", "<eos>", "\udc80"]', TextConfig())


def test_a_text_without_spaces_is_one_of_characters(build: Build) -> None:
    letters = "的一是在不了有和人这中大为上个国我以要他"
    lines = [f"{letters[n:]}们时来用他{n * '要'}" for n in range(9)]
    with pytest.raises(WorkingsError, match=r"two or more: its words have no spaces .*level=char$"):
        build("\n".join(lines), min_count=2)
    assert len(build("\n".join(lines), min_count=2, level="char")) > 20
    with pytest.raises(WorkingsError, match=r"give more text or set data.min_count=1$"):
        build("some words once", min_count=2)
    with pytest.raises(WorkingsError, match=r"give more text$"):
        build("a", min_count=1)
