"""How much of one text stands in another one too, line by line and in long runs of tokens."""

# N tokens, S stretches (lines, or runs of a fixed length)

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

# Tokens that are looked at; of a longer text, blocks that are evenly spread.
MOST = {"train": 3_000_000, "valid": 300_000, "test": 300_000}
BLOCK = 2_000
PLACES = 8  # of a text, at most, where stretches of it are set beside the rest
PLACE = 500  # tokens of such a stretch, at least where there are so many
SLOT_BITS = 22
FACTOR = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
FEWEST = 100  # tokens in common: fewer are no evidence
UNKNOWN_SHARE = 0.25  # of a stretch: with more <unk>, equal ids are not equal words


@dataclass(frozen=True)
class Marks:
    """How a text's ids are to be read: its ids for a line's end and <unk>, and what is long."""

    line_end: int
    unknown: int
    line: int  # tokens of a line that two texts rarely share by chance
    run: int  # tokens on end, anywhere, that they rarely share
    unit: str  # what a token is called, in the plural

    @classmethod
    def of(cls, line_end: int, unknown: int | None, level: str) -> "Marks":
        """Those of a text of words, subwords or characters."""
        unknown = -1 if unknown is None else unknown  # no id at all
        if level == "word":
            return cls(line_end, unknown, line=5, run=12, unit="words")
        if level == "bpe":
            return cls(line_end, unknown, line=8, run=20, unit="subwords")
        return cls(line_end, unknown, line=25, run=50, unit="characters")


@dataclass(frozen=True)
class Stretches:
    """Parts of a text: where they begin and end, a hash of their tokens, and whether they count.

    What is short, or has many unknown words, is a part of the text and counts as not found.
    """

    starts_S: np.ndarray
    ends_S: np.ndarray
    hash_S: np.ndarray
    counts_S: np.ndarray

    def take(self, chosen_S: np.ndarray) -> "Stretches":
        """Some of them."""
        columns = (self.starts_S, self.ends_S, self.hash_S, self.counts_S)
        return Stretches(*(column[chosen_S] for column in columns))

    def found_in(self, other: "Stretches", fewest: int) -> float:
        """The share, by length, that the other one has too; each is counted once however often.

        fewest: tokens that must be found for it to be more than 0.
        """
        first = np.unique(self.hash_S, return_index=True)[1]
        weight_S = np.ones(len(first)) if self.overlapping else (self.ends_S - self.starts_S)[first]
        found_S = self.counts_S[first] & _among(self.hash_S[first], other.hash_S[other.counts_S])
        shared = float(weight_S[found_S].sum())
        return shared / float(weight_S.sum()) if shared >= fewest else 0.0

    @property
    def overlapping(self) -> bool:
        """Whether each begins a token after the one before, and so counts for one token."""
        return len(self.starts_S) > 1 and bool(self.starts_S[1] < self.ends_S[0])


class Common:
    """What the splits of a text have in common; their stretches are compared by 64-bit hashes."""

    def __init__(self, splits: Mapping[str, np.ndarray], marks: Marks) -> None:
        self.marks, self.whole = marks, splits
        self.texts = {split: _bounded(ids[1:], MOST[split]) for split, ids in splits.items()}
        self.cut: dict[str, list[Stretches]] = {}

    def looked_at(self, split: str) -> float:
        """The share of a split's tokens that is looked at."""
        return max(1, len(self.texts[split])) / max(1, len(self.whole[split]) - 1)

    def share(self, split: str, other: str) -> float:
        """The share of a split that stands in the other one too, in lines or in long runs.

        Where only a part of the other one is looked at, only a part of the share is found.
        """
        pairs = zip(self._stretches(split), self._stretches(other), strict=True)
        return min(
            1.0,
            max(mine.found_in(theirs, FEWEST) for mine, theirs in pairs) / self.looked_at(other),
        )

    def natural(self, split: str, length: int) -> float:
        """The share that stretches of a split, so long in all, have in common with its rest."""
        tokens = len(self.texts[split])
        length = min(length, tokens // 3)
        places = max(1, min(PLACES, length // PLACE))
        each = length // places
        starts = np.linspace(0, tokens - each, places).astype(np.int64)
        shares = []
        for part in self._stretches(split):
            at_S = np.searchsorted(starts, part.starts_S, side="right") - 1
            inside_S = part.ends_S <= starts[at_S] + each
            # What begins inside and ends outside is of neither.
            outside_S = part.starts_S >= starts[at_S] + each
            shares.append(part.take(inside_S).found_in(part.take(outside_S), 1))
        return min(1.0, max(shares) / self.looked_at(split))

    def _stretches(self, split: str) -> list[Stretches]:
        """Its runs and its lines."""
        if split not in self.cut:
            text_N, marks = self.texts[split], self.marks
            sums = Sums(text_N)
            unknown_N = np.concatenate([[0], np.cumsum(text_N == marks.unknown)])
            self.cut[split] = []
            for starts_S, ends_S, least in (
                (*_runs(text_N, marks.run), marks.run),
                (*_lines(text_N, marks.line_end), marks.line),
            ):
                unknown_S = unknown_N[ends_S] - unknown_N[starts_S]
                length_S = ends_S - starts_S
                counts_S = (length_S >= least) & (unknown_S <= UNKNOWN_SHARE * length_S)
                hash_S = sums.hashes(starts_S, ends_S)
                self.cut[split].append(Stretches(starts_S, ends_S, hash_S, counts_S))
        return self.cut[split]


def _runs(text_N: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    starts_S = np.arange(max(0, len(text_N) - length + 1))
    return starts_S, starts_S + length


def _lines(text_N: np.ndarray, line_end: int) -> tuple[np.ndarray, np.ndarray]:
    ends = np.flatnonzero(text_N == line_end)
    return np.concatenate([[0], ends + 1]), np.append(ends, len(text_N))


def _bounded(text_N: np.ndarray, most: int) -> np.ndarray:
    """The text, or blocks of it, evenly spread, where it is long."""
    if len(text_N) <= most:
        return np.asarray(text_N)
    starts = np.linspace(0, len(text_N) - BLOCK, most // BLOCK).astype(np.int64)
    return np.concatenate([text_N[start : start + BLOCK] for start in starts])


class Sums:
    """Σ r^k v(token k) up to each position, modulo 2^64: any stretch is hashed from two of them."""

    def __init__(self, text_N: np.ndarray) -> None:
        draw = np.random.default_rng(0)
        values = draw.integers(0, 1 << 64, int(text_N.max(initial=0)) + 1, np.uint64)
        self.sums_N = np.zeros(len(text_N) + 1, np.uint64)
        np.cumsum(values[text_N] * _powers(FACTOR, len(text_N)), out=self.sums_N[1:])
        self.back_N = _powers(pow(FACTOR, -1, 1 << 64), len(text_N) + 1)

    def hashes(self, starts_S: np.ndarray, ends_S: np.ndarray) -> np.ndarray:
        """Of stretches: the same wherever they stand."""
        return (self.sums_N[ends_S] - self.sums_N[starts_S]) * self.back_N[starts_S]


def _powers(factor: int, count: int) -> np.ndarray:
    return np.cumprod(np.full(count, factor, np.uint64))


def _among(mine_S: np.ndarray, theirs_S: np.ndarray) -> np.ndarray:
    """Which of the hashes are among the others: first by some of their bits, which is fast."""
    shift = np.uint64(64 - SLOT_BITS)
    slots = np.zeros(1 << SLOT_BITS, bool)
    slots[(mine_S >> shift).astype(np.int64)] = True
    likely = theirs_S[slots[(theirs_S >> shift).astype(np.int64)]]
    return np.isin(mine_S, likely)
