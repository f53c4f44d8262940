"""Metrics of summaries, each named by its variant: sub-word F1, exact match, ROUGE-L, BLEU."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from workings.tasks.task import Metrics

Words = Sequence[str]
VARIANTS = {
    "f1": "of each summary's words as a multiset (ROUGE-1's F1), mean over the summaries",
    "f1_code2seq": "over all words together, a word is right where the summary has it (code2seq)",
    "exact_match": "share of the summaries that are right word for word",
    "rouge_l": "F1 of the longest common subsequence of words (ROUGE-L), mean over the summaries",
    "bleu": "corpus BLEU-4 of words with exponential smoothing, as sacrebleu's, from 0 to 1",
}


def f1(written: Words, right: Words) -> float:
    """2 |both| / (|written| + |right|), of words as multisets."""
    both = (Counter(written) & Counter(right)).total()
    return 2 * both / (len(written) + len(right)) if both else 0.0


def rouge_l(written: Words, right: Words) -> float:
    """2 LCS / (|written| + |right|)."""
    common = longest_common(written, right)
    return 2 * common / (len(written) + len(right)) if common else 0.0


def longest_common(words: Words, others: Words) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(others) + 1)
    for word in words:
        diagonal = 0
        for column, each in enumerate(others, 1):
            above = row[column]
            row[column] = diagonal + 1 if word == each else max(above, row[column - 1])
            diagonal = above
    return row[-1]


def f1_code2seq(written: Sequence[Words], right: Sequence[Words]) -> float:
    """2 TP / (2 TP + FP + FN) over all: TP and FP of the words written, FN of those missing."""
    true_positive = false_positive = false_negative = 0
    for words, others in zip(written, right, strict=True):
        inside = sum(word in others for word in words)
        true_positive, false_positive = true_positive + inside, false_positive + len(words) - inside
        false_negative += sum(word not in words for word in others)
    wrong = false_positive + false_negative
    return 2 * true_positive / (2 * true_positive + wrong) if true_positive else 0.0


def bleu(written: Sequence[Words], right: Sequence[Words], order: int = 4) -> float:
    """BP · exp(mean log p_n), n = 1 … 4; p_n without a match is halved each time (exponential)."""
    matches, totals = [0] * order, [0] * order
    for words, others in zip(written, right, strict=True):
        for n in range(order):
            mine, its = _ngrams(words, n + 1), _ngrams(others, n + 1)
            matches[n] += (mine & its).total()
            totals[n] += mine.total()
    if not any(matches) or not all(totals):
        return 0.0
    smooth, logs = 1.0, 0.0
    for match, total in zip(matches, totals, strict=True):
        if not match:
            smooth *= 2
        logs += math.log(match / total if match else 1 / (smooth * total))
    length, wanted = sum(map(len, written)), sum(map(len, right))
    penalty = 1.0 if length >= wanted else math.exp(1 - wanted / length)
    return penalty * math.exp(logs / order)


def _ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))


def by_summary(written: Sequence[Words], right: Sequence[Words]) -> dict[str, np.ndarray]:
    """F1, exact match and ROUGE-L of each summary."""
    each = list(zip(written, right, strict=True))
    return {
        "f1": np.array([f1(*pair) for pair in each], np.float32),
        "exact_match": np.array([tuple(a) == tuple(b) for a, b in each], np.uint8),
        "rouge_l": np.array([rouge_l(*pair) for pair in each], np.float32),
    }


def scores(written: Sequence[Words], right: Sequence[Words]) -> Metrics:
    """Every score of some summaries."""
    means = {
        name: float(column.astype(np.float64).mean()) if len(column) else 0.0
        for name, column in by_summary(written, right).items()
    }
    return means | {"f1_code2seq": f1_code2seq(written, right), "bleu": bleu(written, right)}
