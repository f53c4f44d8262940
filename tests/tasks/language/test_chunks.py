"""Chunks: counted and encoded as the plain way, word by word, does it."""

import collections
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.tasks.language import chunks, files
from workings.tasks.language.chunks import Kinds, count_words, encode_words
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece
from workings.tasks.language.tokenizer import words

MANY = st.sampled_from(
    [" ", "\n", "a", "B", "é", "Σ", "'", "’", ".", "7", ",", "<unk>", "-", "\u2028"]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1),
    st.lists(MANY, min_size=1, max_size=80).map("".join),
    st.lists(st.sampled_from(["the ", "internationalisation ", "Mr. X. A dog.\n"]), min_size=1).map(
        "".join
    ),
)


class Made(dict[str, int]):
    """Ids in the order in which tokens are met."""

    def __missing__(self, token: str) -> int:
        self[token] = len(self)
        return self[token]


def both_ways(path: Path, config: TextConfig) -> None:
    piece = Piece(path, 0, path.stat().st_size)
    plain = [token for block in words(piece, config) for token in block]
    counter: collections.Counter[str] = collections.Counter()
    count_words(piece, config, counter)
    assert counter == collections.Counter(plain)
    ids = Made({token: number for number, token in enumerate(dict.fromkeys(plain))})
    encoded = [number for block in encode_words(piece, config, ids, np.int32) for number in block]
    assert encoded == [ids[token] for token in plain]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    content=TEXTS,
    options=st.fixed_dictionaries(
        {
            "tokens": st.sampled_from(["words", "spaces"]),
            "lowercase": st.booleans(),
            "sentences": st.booleans(),
            "lines": st.sampled_from(["line", "every"]),
        }
    ),
    block=st.sampled_from([5, 40, 1 << 20]),
)
def test_any_text_is_counted_and_encoded_as_in_the_plain_way(
    tmp_path_factory: pytest.TempPathFactory, content: str, options: dict[str, Any], block: int
) -> None:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_bytes(content.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "BLOCK", block)
        both_ways(path, TextConfig(train=(str(path),), **options))


@pytest.mark.parametrize(("slots", "most"), [(1, 3), (2, 1 << 20), (18, 5)])
def test_full_slots_and_forgotten_kinds_change_nothing(
    slots: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(0)
    kinds = ["".join(draw.choice(list("abé"), size)) for size in draw.integers(1, 40, 200)]
    lines = [" ".join(draw.choice(kinds, 9)) for _ in range(300)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(chunks, "SLOT_BITS", slots)
    monkeypatch.setattr(chunks, "MOST_KINDS", most)
    monkeypatch.setattr(files, "BLOCK", 700)
    both_ways(path, TextConfig(train=(str(path),)))


def test_chunks_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "MIX", (np.uint64(0), np.uint64(0)))
    text = "a b a internationalisation internationalised b c internationalisation"
    for _ in range(2):
        assert Kinds().numbers(text).tolist()[:3:2] == [0, 0]
    kinds = Kinds()
    names = [list(kinds.number)[number].decode() for number in kinds.numbers(text)]
    assert names == text.split()
    assert [list(kinds.number)[number].decode() for number in kinds.numbers(text)] == names


def test_white_space_is_what_python_and_its_regular_expressions_take_for_it() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    space = [character for character in every if character.isspace()]
    assert space == re.findall(r"\s", "".join(every))
    assert [c for c in space if ord(c) >= 128] == chunks.WIDE_SPACE.findall("".join(every))
    assert [ord(c) for c in space if ord(c) < 128] == np.flatnonzero(chunks.SPACE).tolist()
