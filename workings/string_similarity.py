"""String similarities, from 0 to 1 (equal), each in the variants that go by the same name."""

from collections import Counter
from math import sqrt

from rapidfuzz.distance import OSA


def jaccard_characters(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of multisets of characters."""
    first, second = Counter(a), Counter(b)
    union = (first | second).total()
    return (first & second).total() / union if union else 1.0


def jaccard_words(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of sets of words."""
    first, second = set(a.split()), set(b.split())
    return len(first & second) / len(first | second) if first | second else 1.0


def ochiai_characters(a: str, b: str) -> float:
    """|A ∩ B| / √(|A| |B|) of multisets of characters: what textdistance calls cosine."""
    shared = (Counter(a) & Counter(b)).total()
    return shared / sqrt(len(a) * len(b)) if a and b else float(a == b)


def cosine_words(a: str, b: str) -> float:
    """The cosine of the angle between two vectors of word frequencies."""
    first, second = Counter(a.split()), Counter(b.split())
    dot = sum(first[word] * second[word] for word in first)
    norms = sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
    return dot / norms if norms else float(first == second)


def restricted_damerau_levenshtein_characters(a: str, b: str) -> float:
    """1 - d / max(|a|, |b|), d edits or swaps of neighbours, none edited twice (OSA)."""
    return OSA.normalized_similarity(a, b)


def restricted_damerau_levenshtein_words(a: str, b: str) -> float:
    """The same with words in place of characters."""
    return OSA.normalized_similarity(a.split(), b.split())
