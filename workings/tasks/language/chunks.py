"""Text cut at white space into chunks, each kind of chunk numbered: what makes tokenising fast.

No token goes over white space, and most chunks occur often. So a kind of chunk is tokenised once,
and a corpus is counted and encoded as numbers of kinds, by NumPy. What `words` of the tokenizer
gives is the definition; a test holds that this is the same.
"""

# N chunks of a block, M of them that were not found at once

import collections
import itertools
import re
from array import array
from collections.abc import Iterator

import numpy as np

from workings.tasks.language.config import TextConfig
from workings.tasks.language.files import Piece
from workings.tasks.language.lines import text_blocks
from workings.tasks.language.tokenizer import end_sentences, tokenise, without_blank_lines

LINE_END = "\0"  # the chunk that ends a line: no text file has a zero byte
MOST_KINDS = 1 << 20  # that are remembered, so that memory stays flat
SLOT_BITS = 18
WIDTH = 16  # bytes of the chunks that NumPy compares; longer ones are looked up one by one
WIDE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
SPACE = np.array([code < 128 and chr(code).isspace() for code in range(256)])
FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)  # as masks
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))  # odd, bits at random


def marked_blocks(piece: Piece, config: TextConfig) -> Iterator[str]:
    """The text block by block, a line's end as the chunk LINE_END."""
    ended = True
    for block in text_blocks(piece, config):
        text = end_sentences(block) if config.sentences else block
        text = without_blank_lines(text, config).replace("\n", f" {LINE_END} ").lstrip()
        if ended and config.lines != "every" and text.startswith(LINE_END):
            text = text[1:]  # a blank line; a block that begins within a line may end it so
        if text and not text.isspace():
            ended = text.rstrip().endswith(LINE_END)
            yield text
    if not ended:
        yield LINE_END  # a last line without its newline is a line


def kind_tokens(kind: bytes, config: TextConfig) -> list[str]:
    """The tokens of a chunk."""
    chunk = kind.decode()
    return ["\n"] if chunk == LINE_END else tokenise(chunk, config)


class Kinds:
    """The kinds of chunks met so far, numbered in the order in which they were met.

    A chunk of up to 16 bytes is two whole numbers. Its slot in a table, by a hash of both, holds
    the kind that came first; what is not there is looked up in a dict, each kind once a block.
    """

    def __init__(self) -> None:
        self.number: dict[bytes, int] = {}
        self.low = np.zeros(1 << SLOT_BITS, np.uint64)
        self.high = np.zeros(1 << SLOT_BITS, np.uint64)
        self.in_slot = np.full(1 << SLOT_BITS, -1)

    def numbers(self, text: str) -> np.ndarray:
        """The number of every chunk of a text, in order."""
        if not text.isascii():
            text = WIDE_SPACE.sub(" ", text)
        content = text.encode()
        padded = np.frombuffer(content + bytes(WIDTH), np.uint8)
        inside = np.zeros(len(content) + 2, bool)
        inside[1:-1] = ~SPACE[padded[: len(content)]]
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        starts_N, ends_N = edges[::2], edges[1::2]
        lengths_N = ends_N - starts_N
        eight = np.ndarray(len(content) + 9, "<u8", padded, strides=(1,))  # from every byte on
        low_N = eight[starts_N] & FIRST_BYTES[np.minimum(lengths_N, 8)]
        high_N = eight[starts_N + 8] & FIRST_BYTES[np.clip(lengths_N - 8, 0, 8)]
        hash_N = low_N * MIX[0] + high_N * MIX[1]
        slot_N = (hash_N >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
        number_N = self.in_slot[slot_N]
        short_N = lengths_N <= WIDTH
        known_N = short_N & (number_N >= 0)
        known_N &= (self.low[slot_N] == low_N) & (self.high[slot_N] == high_N)
        missed_M = np.flatnonzero(~known_N)
        if not len(missed_M):
            return number_N

        def look_up(chunks: np.ndarray) -> np.ndarray:
            ranges = zip(starts_N[chunks].tolist(), ends_N[chunks].tolist(), strict=True)
            kinds = (content[start:end] for start, end in ranges)
            numbers = (self.number.setdefault(kind, len(self.number)) for kind in kinds)
            return np.fromiter(numbers, np.int64, len(chunks))

        _, first, which_M = np.unique(hash_N[missed_M], return_index=True, return_inverse=True)
        examples = missed_M[first]
        like_M = examples[which_M]  # a chunk with the same hash: most often the same chunk
        same_M = short_N[missed_M] & short_N[like_M]
        same_M &= (low_N[missed_M] == low_N[like_M]) & (high_N[missed_M] == high_N[like_M])
        number_N[missed_M] = look_up(examples)[which_M]
        number_N[missed_M[~same_M]] = look_up(missed_M[~same_M])
        free = examples[short_N[examples] & (self.in_slot[slot_N[examples]] < 0)]
        self.low[slot_N[free]], self.high[slot_N[free]] = low_N[free], high_N[free]
        self.in_slot[slot_N[free]] = number_N[free]
        return number_N


def count_words(piece: Piece, config: TextConfig, counter: collections.Counter[str]) -> None:
    """Add how often each token occurs in a piece."""
    kinds, times = Kinds(), np.zeros(0, np.int64)
    for text in marked_blocks(piece, config):
        if len(kinds.number) > MOST_KINDS:
            _add_tokens(kinds, times, config, counter)
            kinds, times = Kinds(), np.zeros(0, np.int64)
        counted = np.bincount(kinds.numbers(text), minlength=len(kinds.number))
        counted[: len(times)] += times
        times = counted
    _add_tokens(kinds, times, config, counter)


def _add_tokens(
    kinds: Kinds, times: np.ndarray, config: TextConfig, counter: collections.Counter[str]
) -> None:
    for kind, count in zip(kinds.number, times.tolist(), strict=True):
        for token in kind_tokens(kind, config):
            counter[token] += count


def encode_words(
    piece: Piece, config: TextConfig, ids: dict[str, int], dtype: type
) -> Iterator[np.ndarray]:
    """The ids of all tokens of a piece, block by block; `ids` knows or makes up that of any."""
    kinds, starts, flat = Kinds(), array("q", [0]), array("q")
    for text in marked_blocks(piece, config):
        if len(kinds.number) > MOST_KINDS:
            kinds, starts, flat = Kinds(), array("q", [0]), array("q")
        number_N = kinds.numbers(text)
        for kind in itertools.islice(kinds.number, len(starts) - 1, None):
            flat.extend(ids[token] for token in kind_tokens(kind, config))
            starts.append(len(flat))
        # The ids of kind k are flat[starts[k] : starts[k + 1]].
        start_K = np.array(starts)
        flat_ids: np.ndarray = np.array(flat, dtype)
        length_N = np.diff(start_K)[number_N]
        before_N = np.cumsum(length_N) - length_N  # tokens of the block before each chunk
        positions = np.repeat(start_K[number_N] - before_N, length_N)
        yield flat_ids[positions + np.arange(len(positions))]
