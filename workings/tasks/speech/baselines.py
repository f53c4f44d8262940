"""What can be written without listening: figures that a speech model should beat."""

# N training clips, M clips

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from workings.tasks.speech.scores import scores
from workings.tasks.task import Metrics


class Said(NamedTuple):
    """What is said in some clips, and how many frames each lasts."""

    texts: Sequence[str]
    frames: np.ndarray


def baselines(
    train: Said, others: dict[str, Said], vocabulary: Collection[str]
) -> dict[str, Metrics]:
    """The scores of each way to write, by split; vocabulary: the words of the training texts."""
    often = most_frequent(train.texts)
    written = {
        "most frequent text": {s: [often] * len(clips.texts) for s, clips in others.items()},
        "text of the clip nearest in length": {
            split: nearest_in_length(train, clips.frames) for split, clips in others.items()
        },
    }
    return {
        name: {
            f"{split}.{metric}": value
            for split, texts in by_split.items()
            for metric, value in scores(texts, list(others[split].texts), vocabulary).items()
        }
        for name, by_split in written.items()
    }


def most_frequent(texts: Sequence[str]) -> str:
    """The text that occurs most often, the first of them in a tie."""
    return Counter(texts).most_common(1)[0][0]


def nearest_in_length(train: Said, frames_M: np.ndarray) -> list[str]:
    """For each length the text of the training clip nearest to it; the shorter one in a tie."""
    order_N = np.argsort(train.frames, kind="stable")
    sorted_N = np.asarray(train.frames)[order_N]
    above_M = np.searchsorted(sorted_N, frames_M).clip(0, len(order_N) - 1)
    below_M = (above_M - 1).clip(0)
    nearer = np.abs(frames_M - sorted_N[below_M]) <= np.abs(sorted_N[above_M] - frames_M)
    return [train.texts[order_N[n]] for n in np.where(nearer, below_M, above_M)]
