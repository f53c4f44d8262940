"""Snippets as numbers, and batches of them: padded, with one graph of all their edges."""

# B snippets, S tokens, L words, E edges, X words with those to be copied, K of the latter

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from workings.nn.summary import Source, TypedEdges
from workings.tasks.summary.snippet import PLACEHOLDERS, Snippet
from workings.tasks.summary.vocabulary import BEGIN, END, PAD, UNKNOWN, Vocabulary


@dataclass(frozen=True)
class Encoded:
    """A snippet in numbers.

    `extra` are its tokens that are no words of the vocabulary: they can be copied, and are numbered
    from the vocabulary's last word on.
    """

    tokens_S: np.ndarray
    copies_S: np.ndarray  # the word that each token is
    edges_3E: np.ndarray  # source, target, kind
    read_L: np.ndarray  # begin, and the words of the summary, as types
    written_L: np.ndarray  # the words, and end, as words of this snippet
    extra: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Snippets side by side, with what was written of each."""

    source: Source
    read_BL: Tensor
    written_BL: Tensor
    extra: Sequence[tuple[str, ...]]  # of each row, the words from number V on
    extra_types_BK: Tensor  # and the types as which they are read


def encode(snippet: Snippet, vocabulary: Vocabulary) -> Encoded:
    """The numbers of a snippet."""
    outputs, known = vocabulary.outputs, vocabulary.number
    extra: dict[str, int] = {}

    def word(token: str) -> int:
        if token in PLACEHOLDERS:
            return PAD  # stands for something else: no word
        number = known(token)
        if UNKNOWN < number < outputs:
            return number
        return extra.setdefault(token, outputs + len(extra))

    tokens = [known(token) for token in snippet.tokens]
    copies = [word(token) for token in snippet.tokens]
    kinds = [
        np.vstack([ends.T, np.full(len(ends), number, np.int32)])
        for number, kind in enumerate(vocabulary.kinds)
        if len(ends := snippet.edges.get(kind, np.zeros((0, 2), np.int32)))
    ]
    edges = np.hstack(kinds) if kinds else np.zeros((3, 0), np.int32)
    written = [_written(each, known(each), outputs, extra) for each in snippet.summary]
    read = [known(each) for each in snippet.summary]
    return Encoded(
        np.array(tokens, np.int32),
        np.array(copies, np.int32),
        edges.astype(np.int32),
        np.array([BEGIN, *read], np.int32),
        np.array([*written, END], np.int32),
        tuple(extra),
    )


def _written(word: str, number: int, outputs: int, extra: dict[str, int]) -> int:
    return number if UNKNOWN < number < outputs else extra.get(word, UNKNOWN)


def collate(snippets: Sequence[Encoded], vocabulary: Vocabulary) -> Batch:
    """Snippets as a batch, padded to the longest of them."""
    S = max(len(each.tokens_S) for each in snippets)
    K = max(len(each.extra) for each in snippets)
    tokens_BS = _padded([each.tokens_S for each in snippets], S)
    copies_BS = _padded([each.copies_S for each in snippets], S)
    edges = [
        each.edges_3E + np.array([[row * S], [row * S], [0]], np.int64)
        for row, each in enumerate(snippets)
    ]
    typed = TypedEdges.of(
        torch.from_numpy(np.hstack(edges)), len(snippets) * S, len(vocabulary.kinds)
    )
    lengths_B = torch.tensor([len(each.tokens_S) for each in snippets])
    L = max(len(each.read_L) for each in snippets)
    extra_types = [np.array([vocabulary.number(w) for w in each.extra]) for each in snippets]
    return Batch(
        Source(tokens_BS, lengths_B, typed, copies_BS, vocabulary.outputs + K),
        _padded([each.read_L for each in snippets], L),
        _padded([each.written_L for each in snippets], L),
        [each.extra for each in snippets],
        _padded(extra_types, K, UNKNOWN),
    )


def to_device(batch: Batch, device: torch.device) -> Batch:
    """The same on that device."""
    return Batch(
        batch.source.to(device),
        batch.read_BL.to(device),
        batch.written_BL.to(device),
        batch.extra,
        batch.extra_types_BK.to(device),
    )


def _padded(rows: Sequence[np.ndarray], width: int, value: int = PAD) -> Tensor:
    table = np.full((len(rows), width), value, np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)
