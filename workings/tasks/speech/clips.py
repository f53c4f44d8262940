"""Clips of speech with their text, collated into padded batches and bucketed by length."""

# T frames, F bands, L tokens

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from workings.nn.threads import each_part
from workings.tasks.speech import alphabet
from workings.tasks.speech.alphabet import Alphabet


class Clips(ABC):
    """Some clips, each with the number of its frames and its text in the alphabet."""

    texts: Sequence[str]
    frames: np.ndarray  # of each clip, before anything is read or computed

    def __len__(self) -> int:
        return len(self.texts)

    @abstractmethod
    def features(self, number: int) -> Tensor:
        """Log-mel features of a clip, T×F."""


def ids_of(text: str, most: int, letters: Alphabet = alphabet.PUBLISHED) -> list[int]:
    """begin, the text, end; a text that needs more than `most` after begin has no end."""
    return [alphabet.BEGIN, *letters.encode(text), alphabet.END][: most + 1]


Batch = tuple[Tensor, Tensor, Tensor]  # features B×T×F, frames B, tokens B×L


def collate(
    clips: Clips,
    numbers: Sequence[int],
    most: int,
    frames: int = 0,
    letters: Alphabet = alphabet.PUBLISHED,
) -> Batch:
    """Clips as a batch, padded to the longest of them, or to `frames` if that is more."""
    features: list[Tensor] = [torch.empty(0)] * len(numbers)

    def work(part: slice) -> None:
        features[part] = [clips.features(number) for number in numbers[part]]

    each_part(work, len(numbers), len(numbers))
    lengths = [len(x_TF) for x_TF in features]
    x_BTF = features[0].new_zeros(len(features), max(*lengths, frames, 1), features[0].shape[1])
    for row_TF, x_TF in zip(x_BTF, features, strict=True):
        row_TF[: len(x_TF)] = x_TF
    ids = [ids_of(clips.texts[number], most, letters) for number in numbers]
    tokens_BL = torch.full((len(ids), max(map(len, ids))), alphabet.PAD)
    for tokens_L, clip_ids in zip(tokens_BL, ids, strict=True):
        tokens_L[: len(clip_ids)] = torch.tensor(clip_ids)
    return x_BTF, torch.tensor(lengths), tokens_BL


def by_length(
    frames: np.ndarray, batch: int, draw: np.random.Generator, short_first: bool
) -> list[np.ndarray]:
    """Batches of clips of like length, in random order, or from the shortest to the longest.

    The clips are shuffled, sorted by length in pools of 16 batches, cut into batches.
    """
    order = draw.permutation(len(frames))
    pool = len(order) if short_first else 16 * batch
    batches: list[np.ndarray] = []
    for start in range(0, len(order), pool):
        pooled = order[start : start + pool]
        pooled = pooled[np.argsort(frames[pooled], kind="stable")]
        batches += [pooled[i : i + batch] for i in range(0, len(pooled), batch)]
    if short_first:
        return batches
    return [batches[number] for number in draw.permutation(len(batches))]
