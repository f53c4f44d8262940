"""The known words nearest to one that is not known: but for accents and case, then by spelling."""

import difflib
import unicodedata
from collections.abc import Sequence

MOST = 3  # words that are offered


def nearest_words(word: str, known: Sequence[str]) -> list[str]:
    """At most three known words, the nearest first; none where all are far away."""
    folded: dict[str, list[str]] = {}
    for each in known:
        folded.setdefault(_fold(each), []).append(each)
    alike = folded.get(_fold(word), [])
    close = difflib.get_close_matches(_fold(word), folded, n=MOST, cutoff=0.7)
    others = [each for fold in close for each in folded[fold] if each not in alike]
    return [*alike, *others][:MOST]


def _fold(word: str) -> str:
    """Small letters without accents."""
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))
