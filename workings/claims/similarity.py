"""How like two strings are, in the variants that go by one name; 1 is equal."""

import random
from collections import Counter
from collections.abc import Callable
from math import sqrt
from typing import Any

from rapidfuzz.distance import OSA, DamerauLevenshtein

from workings.claims.claimset import Claim
from workings.claims.compare import HOLDS, WRONG_VALUE
from workings.claims.result import Result
from workings.errors import WorkingsError, nearest

PAIRS = 400
WORDS = "the a cat sat on mat two to tow cast acts ca abc and of dog god".split()  # noqa: SIM905


def jaccard_characters(a: str, b: str) -> float:
    """|A ∩ B| / |A ∪ B| of multisets."""
    one, other = Counter(a), Counter(b)
    union = (one | other).total()
    return (one & other).total() / union if union else 1.0


def jaccard_words(a: str, b: str) -> float:
    one, other = set(a.split()), set(b.split())
    return len(one & other) / len(one | other) if one | other else 1.0


def ochiai_characters(a: str, b: str) -> float:
    """|A ∩ B| / √(|A| |B|) of multisets."""
    shared = (Counter(a) & Counter(b)).total()
    return shared / sqrt(len(a) * len(b)) if a and b else float(a == b)


def cosine_words(a: str, b: str) -> float:
    one, other = Counter(a.split()), Counter(b.split())
    dot = sum(one[word] * other[word] for word in one)
    norms = sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return dot / norms if norms else float(one == other)


SIMILARITIES: dict[str, Callable[[str, str], float]] = {
    "jaccard of characters, as multisets": jaccard_characters,
    "jaccard of words, as sets": jaccard_words,
    "ochiai of characters, as multisets": ochiai_characters,
    "cosine of word frequencies": cosine_words,
    "damerau-levenshtein, restricted": OSA.normalized_similarity,
    "damerau-levenshtein": DamerauLevenshtein.normalized_similarity,
}


def check_same(claim: Claim) -> Result:
    """Whether two measures agree on random sentences; else where they do not."""
    for name in claim.same:
        if name not in SIMILARITIES:
            hint = nearest(name, SIMILARITIES) or f" (known: {'; '.join(SIMILARITIES)})"
            raise WorkingsError(f"{claim.name}: no measure {name!r}{hint}")
    one, other = (SIMILARITIES[name] for name in claim.same)
    chance = random.Random(1)
    evidence: dict[str, Any] = {"pairs_of_sentences": PAIRS}
    verdict = HOLDS
    for _ in range(PAIRS):
        a, b = (" ".join(chance.choices(WORDS, k=chance.randint(1, 3))) for _ in range(2))
        if abs(one(a, b) - other(a, b)) > 1e-12:
            verdict = WRONG_VALUE
            evidence["counterexample"] = {
                "strings": [a, b],
                **{name: round(SIMILARITIES[name](a, b), 4) for name in claim.same},
            }
            break
    name, other_name = claim.same
    repair = {"formula": f"name the variant: {name}", "changes": f"not {other_name}"}
    fixed = None if verdict == HOLDS else repair
    return Result(claim.name, claim.source, claim.statement, verdict, evidence, fixed)
