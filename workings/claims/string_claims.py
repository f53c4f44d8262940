"""Whether two measures of how like strings are, that go by one name, are the same."""

import random
from collections.abc import Callable
from typing import Any

from rapidfuzz.distance import OSA, DamerauLevenshtein

from workings.claims.compare import HOLDS, WRONG_VALUE
from workings.claims.result import Result
from workings.claims.sets import Claim
from workings.errors import WorkingsError, nearest
from workings.string_similarity import (
    cosine_words,
    jaccard_characters,
    jaccard_words,
    ochiai_characters,
)

PAIRS = 400
WORDS = "the a cat sat on mat two to tow cast acts ca abc and of dog god".split()  # noqa: SIM905


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
