"""Count-based baselines for a language model: unigram, interpolated Kneser-Ney trigram."""

import math
from collections.abc import Iterator

import numpy as np

# Tokens counted at most, and evaluated at a time: a corpus need not fit into memory.
MOST = 20_000_000
CHUNK = 1_000_000


class Unigram:
    """P(w) = (c(w) + 1) / (N + V): add-one, so that no type has probability zero."""

    name = "unigram"

    def __init__(self, ids: np.ndarray, types: int) -> None:
        counts = np.bincount(ids[1 : 1 + MOST], minlength=types) + 1
        self.log_p = np.log(counts / counts.sum())

    def loss(self, ids: np.ndarray) -> float:
        """Mean negative log probability of ids[1:], in nats."""
        total = sum(self.log_p[w].sum() for _, _, w in _chunks(ids))
        return float(-total / (len(ids) - 1))


class _Order:
    """One order of the model: discounted relative frequencies of the pair (context, word)."""

    def __init__(self, context: np.ndarray, word: np.ndarray, types: int, times: np.ndarray | None):
        # Distinct (context, word) with their counts, sorted by key; the key holds both.
        keys = context * types + word
        if times is None:
            self.keys, self.counts = np.unique(keys, return_counts=True)
        else:
            order = np.argsort(keys)
            self.keys, self.counts = keys[order], times[order]
        once, twice = (self.counts == 1).sum(), (self.counts == 2).sum()
        self.discount = once / (once + 2 * twice) if once and twice else 0.5
        self.types = types
        self.contexts, start = np.unique(self.keys // types, return_index=True)
        self.totals = np.add.reduceat(self.counts, start)
        self.followers = np.diff(np.append(start, len(self.keys)))

    def p(self, context: np.ndarray, word: np.ndarray, lower: np.ndarray) -> np.ndarray:
        """max(c - D, 0)/total + (D · followers / total) · lower; `lower` where nothing is known."""
        count = _look_up(self.keys, self.counts, context * self.types + word)
        total = _look_up(self.contexts, self.totals, context)
        followers = _look_up(self.contexts, self.followers, context)
        with np.errstate(divide="ignore", invalid="ignore"):
            mixed = (np.maximum(count - self.discount, 0) + self.discount * followers * lower) / (
                total
            )
        return np.where(total > 0, mixed, lower)


def _look_up(keys: np.ndarray, values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)


class KneserNey:
    """Interpolated Kneser-Ney trigram (Kneser and Ney, 1995; Chen and Goodman, 1999).

    Trigrams by their counts; bigrams and unigrams by how many distinct words they follow; one
    discount D = n₁/(n₁ + 2n₂) an order; below the unigram the uniform distribution.
    """

    most_types = 2**21  # a trigram's three ids make one 64-bit key

    def __init__(self, ids: np.ndarray, types: int) -> None:
        self.types = types
        self.name = "Kneser-Ney trigram" + (" (first 20 M tokens)" if len(ids) > MOST + 1 else "")
        u, v, w = _trigrams(ids[: 1 + MOST])
        self.third = _Order(u * types + v, w, types, None)
        # Distinct trigrams vote once for their last bigram, distinct bigrams once for their word.
        pairs, votes = np.unique(self.third.keys % types**2, return_counts=True)
        self.second = _Order(pairs // types, pairs % types, types, votes)
        words, votes = np.unique(self.second.keys % types, return_counts=True)
        self.first = _Order(np.zeros_like(words), words, types, votes)

    def p(self, u: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """P(w | u v)."""
        uniform = np.full(len(w), 1 / self.types)
        first = self.first.p(np.zeros_like(w), w, uniform)
        return self.third.p(u * self.types + v, w, self.second.p(v, w, first))

    def loss(self, ids: np.ndarray) -> float:
        """Mean negative log probability of ids[1:], in nats."""
        total = sum(np.log(self.p(*chunk)).sum() for chunk in _chunks(ids))
        return float(-total / (len(ids) - 1))


def token_probabilities(model: KneserNey, ids: np.ndarray) -> np.ndarray:
    """P of each of ids[1:] after those before it."""
    return np.concatenate([model.p(*chunk) for chunk in _chunks(ids)])


def _trigrams(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    whole = np.concatenate([ids[:1], ids]).astype(np.int64)  # the first word's context, twice
    return whole[:-2], whole[1:-1], whole[2:]


def _chunks(ids: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The trigrams of a long text, some at a time."""
    yield _trigrams(ids[: CHUNK + 1])
    for start in range(CHUNK + 1, len(ids), CHUNK):
        chunk = ids[start - 2 : start + CHUNK].astype(np.int64)
        yield chunk[:-2], chunk[1:-1], chunk[2:]


def baselines(splits: dict[str, np.ndarray], types: int) -> dict[str, dict[str, float]]:
    """Perplexity on validation and test, by model; all are counted on the training split."""
    models: list[Unigram | KneserNey] = [Unigram(splits["train"], types)]
    if types < KneserNey.most_types:
        models.append(KneserNey(splits["train"], types))
    return {
        model.name: {
            f"{split}.perplexity": math.exp(model.loss(splits[split]))
            for split in ("valid", "test")
        }
        for model in models
    }
