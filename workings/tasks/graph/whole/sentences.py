"""Sentences as graphs: a word is a node, joined to the next one; the class is an era, or the order.

An era is told by words. Whether words stand as they were written, backwards or shuffled is told by
their order alone; and backwards is the same graph, whose edges have no direction.
"""

# G sentences, N words of all sentences, V words of the vocabulary

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from workings.data.set_description import Splits
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.features.texts import words_of
from workings.tasks.graph.whole.graph_set import GraphSet, build_set
from workings.tasks.language.tokenizer import end_sentences

ERAS = (1790, 1850, 1910, 1970, 2030)  # the first year of each, and that after the last
ORDERS = ("as written", "backwards", "shuffled")
SHORTEST, LONGEST = 6, 30  # words of a sentence
EACH = 30  # sentences of an address at most, evenly from its beginning to its end
VOCABULARY = 600  # the most frequent words of the training sentences; all others are one


class Sentence(NamedTuple):
    """A sentence, and where it is from."""

    words: tuple[str, ...]
    split: str
    address: str  # YEAR-PRESIDENT-NUMBER
    number: int  # in its address, from 1


def read(files: Splits, classes: Literal["eras", "orders"]) -> GraphSet:
    """The sentences of addresses, `YEAR-PRESIDENT-NUMBER.txt`; those of one are in one split."""
    sentences = _sentences(files)
    if classes == "eras":
        labels = [_era(int(sentence.address[:4])) for sentence in sentences]
    else:
        draw = np.random.default_rng(1)
        labels = [ORDERS[number % len(ORDERS)] for number in range(len(sentences))]
        sentences = [
            sentence._replace(words=_ordered(sentence.words, label, draw))
            for sentence, label in zip(sentences, labels, strict=True)
        ]
    lengths = [len(sentence.words) for sentence in sentences]
    chains = [np.array(list(itertools.pairwise(range(length)))).T for length in lengths]
    names = [f"{sentence.address}:{sentence.number}" for sentence in sentences]
    splits = {split: np.flatnonzero([s.split == split for s in sentences]) for split in files}
    where = str(files["train"][0].parent)
    graphs = build_set(where, lengths, chains, False, _words(sentences), labels, names, splits)
    return replace(graphs, unit="sentence")


def _sentences(files: Splits) -> list[Sentence]:
    """Those of all addresses, none twice: of equal ones the first is kept."""
    kept: dict[tuple[str, ...], Sentence] = {}
    for split, addresses in files.items():
        for sentence in itertools.chain.from_iterable(_of(each, split) for each in addresses):
            kept.setdefault(sentence.words, sentence)
    return list(kept.values())


def _of(address: Path, split: str) -> list[Sentence]:
    """Some sentences of an address, neither short nor long."""
    lines = end_sentences(address.read_text(encoding="utf-8")).splitlines()
    texts = [words for line in lines if (words := words_of(line))]
    fitting = [
        Sentence(tuple(words), split, address.stem, number)
        for number, words in enumerate(texts, 1)
        if SHORTEST <= len(words) <= LONGEST
    ]
    evenly = np.linspace(0, len(fitting) - 1, min(EACH, len(fitting))).round().astype(int)
    return [fitting[at] for at in evenly]


def _era(year: int) -> str:
    first, after = next(pair for pair in itertools.pairwise(ERAS) if year < pair[1])
    return f"{first}-{after - 1}"


def _ordered(words: tuple[str, ...], order: str, draw: np.random.Generator) -> tuple[str, ...]:
    if order == "backwards":
        return words[::-1]
    return tuple(draw.permutation(words).tolist()) if order == "shuffled" else words


def _words(sentences: list[Sentence]) -> Rows:
    """A column for each frequent word of the training sentences, and one for all others, N×V."""
    counts = Counter(word for each in sentences if each.split == "train" for word in each.words)
    known = sorted(counts, key=lambda word: (-counts[word], word))[:VOCABULARY]
    column = {word: at for at, word in enumerate(known)}
    column_N = np.array([column.get(word, len(known)) for each in sentences for word in each.words])
    ones_N = np.ones(len(column_N), np.float32)
    return Rows.of(np.arange(len(column_N)), column_N, ones_N, (len(column_N), len(known) + 1))
