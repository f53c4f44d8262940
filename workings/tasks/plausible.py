"""Whether a test figure is too good to be true, beside what simple methods reach."""

import math
from collections.abc import Mapping

from workings.tasks.task import Metrics

# Of the best baseline's loss in nats, a share that no model of a text's own words (or characters,
# which a trigram predicts badly) is known to come below.
FAR_BELOW = {"word": 0.5, "char": 0.35}
PREDICTABLE = 3.0  # a baseline's perplexity, below which a text is so regular that all is plausible
FEWEST = 50  # test examples: of fewer, all may be right by chance
GOOD = 0.98  # a baseline's accuracy (or ROC-AUC), beside which a perfect one is plausible
UNLIKELY = 1e-3  # that the best baseline would get all examples right, if it had the same luck
CHECK = "check that nothing of the test data, or of what is predicted, reaches the model"


def questions(metrics: Metrics, baselines: Mapping[str, Metrics]) -> list[str]:
    """Why figures, by full name (`test.perplexity`), are doubted; none where they are plausible."""
    asked = [_perplexity(metrics, baselines), *(_perfect(metrics, baselines, n) for n in PERFECT)]
    return [question for question in asked if question]


def _perplexity(metrics: Metrics, baselines: Mapping[str, Metrics]) -> str:
    name = "test.perplexity"
    best = min((figures[name] for figures in baselines.values() if name in figures), default=0.0)
    level = "char" if "test.bits_per_char" in metrics else "word"
    if best < PREDICTABLE or math.log(metrics[name]) >= FAR_BELOW[level] * math.log(best):
        return ""
    return (
        f"the test perplexity, {metrics[name]:.2f}, is far below that of every baseline, "
        f"{best:.1f} at best: {CHECK}"
    )


# The metrics that have a best value, with what counts the examples they are of.
PERFECT = {
    "accuracy": ("images", "nodes", "graphs"),
    "roc_auc": ("edges",),
    "exact_match": ("summaries",),
}


def _perfect(metrics: Metrics, baselines: Mapping[str, Metrics], metric: str) -> str:
    name = f"test.{metric}"
    examples = max(metrics.get(f"test.{unit}", 0) for unit in PERFECT[metric])
    best = max((figures[name] for figures in baselines.values() if name in figures), default=1.0)
    if metrics.get(name, 0.0) < 0.99995 or examples < FEWEST or best >= GOOD:
        return ""
    if best**examples > UNLIKELY:
        return ""
    return (
        f"the test {metric.replace('_', ' ')} is {metrics[name]:.4f} of {examples:,.0f} examples, "
        f"where the best baseline has {best:.3f}: {CHECK}"
    )
