"""Whether two measures of string similarity that go by one name are the same."""

import random
from collections.abc import Callable
from dataclasses import replace

from rapidfuzz.distance import OSA, DamerauLevenshtein

from workings.claims.evidence import Evidence
from workings.claims.result import Repair, Result
from workings.claims.sets import Claim
from workings.claims.verdict import Verdict
from workings.errors import WorkingsError, nearest
from workings.string_similarity import (
    cosine_words,
    jaccard_characters,
    jaccard_words,
    ochiai_characters,
)

PAIRS = 400
WORDS = "the a cat sat on mat two to tow cast acts ca abc and of dog god".split()  # noqa: SIM905

Similarity = Callable[[str, str], float]
SIMILARITIES: dict[str, Similarity] = {
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
    first, second = claim.same
    result = Result(
        Verdict.HOLDS,
        Evidence(pairs_of_sentences=PAIRS),
        name=claim.name,
        source=claim.source,
        statement=claim.statement,
        formula=" = ".join(claim.same),
    )
    pair = _differ(SIMILARITIES[first], SIMILARITIES[second])
    if pair is None:
        return result
    values = {name: round(SIMILARITIES[name](*pair), 4) for name in claim.same}
    return replace(
        result,
        verdict=Verdict.WRONG_VALUE,
        evidence=replace(result.evidence, counterexample={"strings": pair, **values}),
        repair=Repair(f"name the variant: {first}", f"not {second}"),
    )


def _differ(first: Similarity, second: Similarity) -> tuple[str, str] | None:
    """Two sentences on which two measures differ, if there are some among random ones."""
    rng = random.Random(1)
    for _ in range(PAIRS):
        a, b = (" ".join(rng.choices(WORDS, k=rng.randint(1, 3))) for _ in range(2))
        if abs(first(a, b) - second(a, b)) > 1e-12:
            return a, b
    return None
