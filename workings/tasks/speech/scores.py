"""Metrics of transcripts: error rates and string similarities, each named by its variant."""

from collections.abc import Collection, Sequence

from rapidfuzz.distance import Levenshtein

from workings import string_similarity as similarity
from workings.tasks.task import Metrics

# Similarities, the mean over the sentences: of characters as multisets, as textdistance computes
# them; of words as sets and frequency vectors.
SIMILARITIES = {
    "jaccard_characters": similarity.jaccard_characters,
    "cosine_characters": similarity.ochiai_characters,
    "damerau_levenshtein_characters": similarity.restricted_damerau_levenshtein_characters,
    "jaccard_words": similarity.jaccard_words,
    "cosine_words": similarity.cosine_words,
    "damerau_levenshtein_words": similarity.restricted_damerau_levenshtein_words,
}
VARIANTS = {
    "jaccard_characters": "shared / all, of characters as multisets, mean over the clips",
    "cosine_characters": "shared / √(one × other), of characters as multisets (Ochiai), mean",
    "damerau_levenshtein_characters": "1 - restricted distance / longer length, mean",
    "jaccard_words": "shared / all, of unique words, mean",
    "cosine_words": "cosine of word frequencies, mean",
    "damerau_levenshtein_words": "1 - restricted distance in words / longer length, mean",
    "character_error_rate": "edits of all clips / characters said in all",
    "word_error_rate": "edits of all clips, in words / words said in all",
    "digit_error_rate": "word error rate over sequences of digit words",
    "known_words": "share of the words written that are words of the training texts",
}


def plain_words(text: str) -> list[str]:
    """The words of a text, without the marks at their ends."""
    return [plain for word in text.split() if (plain := word.strip(",.?-"))]


def error_rate(written: Sequence[Sequence], said: Sequence[Sequence]) -> float:
    """Σ edits / Σ length, over all pairs: insertions count, so it may pass 1."""
    edits = sum(Levenshtein.distance(a, b) for a, b in zip(written, said, strict=True))
    return edits / max(1, sum(map(len, said)))


def scores(written: Sequence[str], said: Sequence[str], vocabulary: Collection[str]) -> Metrics:
    """Every score of some transcripts; vocabulary: the words of the training texts."""
    pairs = list(zip(written, said, strict=True))
    metrics = {
        name: sum(measure(a, b) for a, b in pairs) / max(1, len(pairs))
        for name, measure in SIMILARITIES.items()
    }
    words_written, words_said = ([text.split() for text in texts] for texts in (written, said))
    metrics["character_error_rate"] = error_rate(written, said)
    metrics["word_error_rate"] = error_rate(words_written, words_said)
    words = [word for text in written for word in plain_words(text)]
    metrics["known_words"] = sum(word in vocabulary for word in words) / max(1, len(words))
    return metrics
