"""The full name of a figure: `test.perplexity`, or with its variant `train.perplexity@lowest`.

A published figure is compared only with one that is measured the same way. Without a variant a
figure is that of the weights that validation chose.
"""

from typing import NamedTuple

VARIANTS = {
    "lowest": "the lowest of all epochs",
    "highest": "the highest of all epochs",
    "last": "of the last epoch",
    "other": "measured in another way: shown, not compared",
}
COUNTS = ("epochs", "best_epoch")  # of a run: equal to what was published, or not
OF_A_RUN = ("parameters", "seconds", *COUNTS)  # figures without a split

HIGHER_IS_BETTER = frozenset(
    (
        *("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "known_words"),
        *("jaccard_characters", "cosine_characters", "damerau_levenshtein_characters"),
        *("jaccard_words", "cosine_words", "damerau_levenshtein_words"),
        *("f1", "f1_code2seq", "exact_match", "rouge_l", "bleu"),
        *("mrr", "hits_1", "hits_3", "hits_10"),
    )
)
LOWER_IS_BETTER = (
    "loss",
    "perplexity",
    "error",
    "error_rate",
    "perplexity_per_word",
    "bits_per_char",
    "bits_per_byte",
    "seconds",
    "parameters",
    "unknown_share",
)


class MetricName(NamedTuple):
    """A full name, taken apart."""

    split: str  # empty for what has none: `parameters`
    name: str
    variant: str  # empty: of the best epoch


def parts(metric: str) -> MetricName:
    """Take a full name apart."""
    plain, _, variant = metric.partition("@")
    split, _, name = plain.rpartition(".")
    return MetricName(split, name, variant)


def lower_is_better(metric: str) -> bool | None:
    """Which way a figure goes, where its name tells."""
    name = parts(metric).name
    if name in HIGHER_IS_BETTER or name.startswith("accuracy_"):  # of images moved by some pixels
        return False
    return True if name.endswith(LOWER_IS_BETTER) else None


def within(interval: tuple[float, float], metric: str) -> tuple[float, float]:
    """An interval cut to where a figure can be: shares from 0 to 1, the others not below 0."""
    low, high = interval
    lower = lower_is_better(metric)
    if lower is None:
        return interval  # of a measurement: not known
    return max(0.0, low), high if lower else min(1.0, high)


def difference_within(interval: tuple[float, float], metric: str) -> tuple[float, float]:
    """An interval of a difference cut to where it can be: of two shares, from -1 to 1."""
    low, high = interval
    is_share = lower_is_better(metric) is False
    return (max(-1.0, low), min(1.0, high)) if is_share else interval


def words(metric: str) -> str:
    """A name in words: `test.word_error_rate` is `test word error rate`."""
    split, name, variant = parts(metric)
    split = "train less valid" if split == "gap" else split
    plain = f"{split} {name}".strip().replace("_", " ").replace(".", " ")
    return f"{plain}, {VARIANTS.get(variant, variant).partition(':')[0]}" if variant else plain
