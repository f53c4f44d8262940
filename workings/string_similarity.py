"""How like two strings are, in the variants that go by one name; 1 is equal."""

from collections import Counter
from math import sqrt

from rapidfuzz.distance import OSA


def jaccard_characters(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of multisets of characters."""
    one, other = Counter(a), Counter(b)
    union = (one | other).total()
    return (one & other).total() / union if union else 1.0


def jaccard_words(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of sets of words."""
    one, other = set(a.split()), set(b.split())
    return len(one & other) / len(one | other) if one | other else 1.0


def ochiai_characters(a: str, b: str) -> float:
    """|A ∩ B| / √(|A| |B|) of multisets of characters: what textdistance calls cosine."""
    shared = (Counter(a) & Counter(b)).total()
    return shared / sqrt(len(a) * len(b)) if a and b else float(a == b)


def cosine_words(a: str, b: str) -> float:
    """The cosine of the angle between two vectors of word frequencies."""
    one, other = Counter(a.split()), Counter(b.split())
    dot = sum(one[word] * other[word] for word in one)
    norms = sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return dot / norms if norms else float(one == other)


def restricted_damerau_levenshtein_characters(a: str, b: str) -> float:
    """1 - d / max(|a|, |b|), d edits or swaps of neighbours, none edited twice (OSA)."""
    return OSA.normalized_similarity(a, b)


def restricted_damerau_levenshtein_words(a: str, b: str) -> float:
    """The same with words in place of characters."""
    return OSA.normalized_similarity(a.split(), b.split())
