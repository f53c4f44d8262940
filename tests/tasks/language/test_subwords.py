"""Subwords: learned from the training text alone, every text has its ids and comes back whole."""

import itertools
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.errors import WorkingsError
from workings.run.training import train
from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import whole
from workings.tasks.language.subwords import BYTES, Subwords
from workings.tasks.language.task import LanguageTask

pytest.importorskip("tokenizers")
TEXT = "the lower the newer, the newest is the lowest; größer und größte\n" * 20


def learned(path: Path, text: str = TEXT, **options: Any) -> Subwords:
    path.write_text(text)
    config = TextConfig(train=(str(path),), level="bpe", **{"vocabulary": 300, **options})
    return Subwords.build([whole(path)], config)


@pytest.fixture(scope="module")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> Subwords:
    return learned(tmp_path_factory.mktemp("text") / "text.txt")


@settings(deadline=None, max_examples=100)
@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_every_text_comes_back(subwords: Subwords, text: str) -> None:
    assert subwords.join(subwords.encode(text)) == text
    assert subwords.unknown_in(text) == []


def merged(word: bytes, merges: list[tuple[str, str]]) -> list[str]:
    """By the definition: again and again the earliest learned of the pairs that are there."""
    letter = {byte: symbol for symbol, byte in BYTES.items()}
    symbols, rank = [letter[byte] for byte in word], {pair: n for n, pair in enumerate(merges)}
    while pairs := [pair for pair in itertools.pairwise(symbols) if pair in rank]:
        first = min(pairs, key=rank.__getitem__)
        at = list(itertools.pairwise(symbols)).index(first)
        symbols[at : at + 2] = ["".join(first)]
    return symbols


@pytest.mark.parametrize("word", ["lowest", " newest", " größte", "unseen", "\n", " low—er"])
def test_a_word_is_cut_as_its_definition_says(subwords: Subwords, word: str) -> None:
    parts = [" low", "—", "er"] if "—" in word else [word]  # no merge goes over a dash
    expected = [piece for part in parts for piece in merged(part.encode(), subwords.merges)]
    assert [subwords.pieces[number] for number in subwords.encode(word)] == expected


def test_the_most_frequent_pieces_come_first(subwords: Subwords) -> None:
    ids = subwords.encode(TEXT)
    counts = [ids.count(number) for number in range(len(subwords))]
    assert counts == sorted(counts, reverse=True)
    assert 258 <= len(subwords) <= 300
    assert subwords.types[subwords.start] == "\n"
    assert " the" in subwords.types


def test_learning_is_the_same_each_time(subwords: Subwords, tmp_path: Path) -> None:
    assert learned(tmp_path / "text.txt").to_json() == subwords.to_json()


def test_reading_back_gives_the_same(subwords: Subwords) -> None:
    again = Subwords.from_json(subwords.to_json(), subwords.config)
    assert again.types == subwords.types
    assert again.encode("the newest größte") == subwords.encode("the newest größte")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda stored: [], "damaged"),
        (lambda stored: stored | {"pieces": [*stored["pieces"], "A"]}, "twice"),
        (lambda stored: stored | {"pieces": stored["pieces"][:100]}, "single bytes"),
        (lambda stored: stored | {"pieces": [*stored["pieces"], "\u4e2d"]}, "sequences of bytes"),
        (lambda stored: stored | {"merges": [["x", "y"]]}, "make a third"),
        (lambda stored: stored | {"merges": [["t"]]}, "make a third"),
        (lambda stored: stored | {"merges": [[1, 2]]}, "damaged"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(subwords: Subwords, change: Any, words: str) -> None:
    content = json.dumps(change(json.loads(subwords.to_json()))).encode()
    with pytest.raises(WorkingsError, match=words):
        Subwords.from_json(content, subwords.config)


def test_what_cannot_be_learned_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkingsError, match="at least 258"):
        learned(tmp_path / "text.txt", vocabulary=200)
    with pytest.raises(WorkingsError, match="give more text"):
        learned(tmp_path / "text.txt", "ab", min_count=5)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(WorkingsError, match=r"pip install 'workings\[subwords\]'"):
        learned(tmp_path / "text.txt")


def test_a_run_of_subwords_says_its_units(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LanguageTask, "baselines", lambda self: {})
    tail = tmp_path / "tail.txt"
    tail.write_text("zzzz zzzz zzzz the old fox\n" * 9)
    values = {
        "task": "language",
        "data": {"train": [str(book)], "valid": [str(tail)], "level": "bpe", "vocabulary": 280},
        "model": {"kind": "lstm", "embed": 8, "hidden": 8},
        "train": {"epochs": 1, "batch": 4, "window": 8, "device": "cpu"},
    }
    run = train(values, str(tmp_path / "run"))
    assert isinstance(run.task, LanguageTask)
    vocabulary = run.task.vocabulary
    assert not any("zz" in name for name in vocabulary.types)  # it is not in the training text
    assert "subwords" in run.task.describe()
    metrics, text = run.evaluate("valid"), tail.read_text()
    nats = metrics["loss"] * len(vocabulary.encode(text))
    assert metrics["tokens"] == len(vocabulary.encode(text))
    assert metrics["perplexity"] == pytest.approx(math.exp(metrics["loss"]))
    assert metrics["bits_per_byte"] == pytest.approx(nats / math.log(2) / len(text.encode()))
    assert metrics["perplexity_per_word"] == pytest.approx(math.exp(nats / len(text.split())))
    assert "bits_per_char" not in metrics
    (sample,) = run.generate("the old", length=12, unknown=False)
    assert sample.text.startswith("the old")
    tokens = "".join(str(token["token"]) for token in sample.tokens)
    assert "<" in tokens or sample.text == "the old" + tokens


def test_a_text_without_spaces_takes_no_time_with_the_square_of_its_length(tmp_path: Path) -> None:
    text = TEXT + "ab" * 100_000  # 12 s where it is one word
    start = time.process_time()
    subwords = learned(tmp_path / "text.txt", text)
    assert subwords.join(subwords.encode(text)) == text
    assert time.process_time() - start < 6


def test_a_text_without_spaces_has_no_perplexity_of_words(tmp_path: Path) -> None:
    metrics = {}
    for name, space in (("spaced", " "), ("unspaced", "")):
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(space.join("天地玄黄宇宙洪荒日月盈昃") * 3 for _ in range(60)))
        values = {
            "task": "language",
            "data": {"train": [str(path)], "level": "char"},
            "model": {"kind": "rnn", "embed": 4, "hidden": 4},
            "train": {"epochs": 1, "batch": 2, "window": 8, "device": "cpu"},
        }
        metrics[name] = train(values, str(tmp_path / name)).evaluate("test")
    assert "perplexity_per_word" in metrics["spaced"]
    assert "perplexity_per_word" not in metrics["unspaced"]
    assert metrics["unspaced"]["bits_per_char"] > 0
