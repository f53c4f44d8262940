"""Prose as snippets: words with the edges next, same word and same sentence."""

import re
from collections.abc import Iterator

import numpy as np

from workings.tasks.summary.snippet import Snippet, pairs
from workings.tasks.summary.subwords import words

KINDS = ("next", "same word", "sentence")
_TOKENS = re.compile(r"[^\W_]+|[^\w\s]")
_BLANK = re.compile(r"\n[ \t\r]*\n")
_ENDS = frozenset(".!?")


def sentence_graph(text: str) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """A text's words and marks, and its edges.

    next: to the token after; same word: to where the same word stood last; sentence: from a
    sentence's first token to each of its others.
    """
    tokens = tuple(token.lower() for token in _TOKENS.findall(text))
    last: dict[str, int] = {}
    same, sentence, first = [], [], 0
    for position, token in enumerate(tokens):
        if token in last:
            same.append((position, last[token]))
        if token.isalnum():
            last[token] = position
        if position != first:
            sentence.append((first, position))
        if token in _ENDS:
            first = position + 1
    chain = [(position, position + 1) for position in range(len(tokens) - 1)]
    return tokens, dict(zip(KINDS, map(pairs, (chain, same, sentence)), strict=True))


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """What stands between blank lines, with the number of its first line."""
    line = 1
    text = text.replace("\r\n", "\n")
    for part in _BLANK.split(text + "\n"):
        before = len(part) - len(part.lstrip("\n"))
        if part.strip():
            yield line + before, part.strip("\n")
        line += part.count("\n") + 2


def of_text(text: str) -> Iterator[Snippet]:
    """Texts separated by blank lines, the first line of each its summary."""
    for line, block in blocks(text):
        headline, _, body = block.partition("\n")
        tokens, edges = sentence_graph(body)
        yield Snippet(tokens, edges, words(headline), headline, line)


def unlabelled(text: str) -> Iterator[Snippet]:
    """Texts separated by blank lines, without summaries."""
    for line, block in blocks(text):
        tokens, edges = sentence_graph(block)
        yield Snippet(tokens, edges, (), block[:40].replace("\n", " "), line)
