"""The texts of nodes as features: TF-IDF, shares of words, or the words in order for an encoder."""

# N nodes, V words, T words of the longest text

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import Graph

MOST_WORDS = 10_000  # of the vocabulary: those in most texts
LONGEST = 200  # words of a text that a recurrent encoder reads
WORD = re.compile(r"\w+")
UNKNOWN = 1  # the token of a word that is not in the vocabulary; 0 stands after the end


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return WORD.findall(text.lower())


@dataclass(frozen=True)
class Words:
    """The words that the texts of a graph have, and how rare each is: ln((1 + N)/(1 + n)) + 1."""

    words: tuple[str, ...]
    idf: tuple[float, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Words":
        """Those in two texts or more, the most frequent first; n of N texts have a word."""
        counts = Counter(word for text in texts for word in set(words_of(text)))
        known = [word for word, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])) if n > 1]
        known = known[:MOST_WORDS]
        idf = [float(np.log((1 + len(texts)) / (1 + counts[word])) + 1) for word in known]
        return cls(tuple(known), tuple(idf))

    def rows(self, texts: Sequence[str], rare: bool) -> Rows:
        """Of each text the share of each word; rare: times idf, and of length 1 (TF-IDF)."""
        number = {word: at for at, word in enumerate(self.words)}
        entries = [
            (row, number[word], count)
            for row, text in enumerate(texts)
            for word, count in Counter(words_of(text)).items()
            if word in number
        ]
        table = np.array(entries, np.float64).reshape(-1, 3)
        row, column, value = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]
        if rare:
            value = value * np.array(self.idf)[column]
        size = np.bincount(row, value**2 if rare else value, len(texts))
        size = np.sqrt(size) if rare else size
        return Rows.of(row, column, value / size[row], (len(texts), len(self.words)))

    def tokens(self, texts: Sequence[str]) -> np.ndarray:
        """The words of each text by number, N×T; 0 after its end."""
        number = {word: at + 2 for at, word in enumerate(self.words)}
        lists = [[number.get(word, UNKNOWN) for word in words_of(t)[:LONGEST]] for t in texts]
        tokens_NT = np.zeros((len(texts), max(1, max(map(len, lists)))), np.int64)
        for row, listed in enumerate(lists):
            tokens_NT[row, : len(listed)] = listed
        return tokens_NT


def require_text(graph: Graph) -> None:
    """Refuse a graph without texts, or with nothing but empty ones."""
    if not graph.texts:
        raise WorkingsError(
            f"data.text: {graph.where} gives its nodes no text: a column, attribute or array `text`"
        )
    if not any(words_of(text) for text in graph.texts):
        raise WorkingsError(f"data.text: {graph.where}: the text of every node is empty")


def empty_texts(graph: Graph) -> tuple[str, ...]:
    """A note of how many nodes have no words, if any."""
    count = sum(not words_of(text) for text in graph.texts)
    return (f"{count:,} nodes have an empty text",) if count else ()
