"""What a speech model makes of each clip: its loss, its edits, its similarities."""

# B clips, L tokens, V symbols

from collections.abc import Callable, Sequence

import numpy as np
import torch
from rapidfuzz.distance import Levenshtein
from torch import nn
from torch.nn import functional as F

from workings.tasks.speech import alphabet
from workings.tasks.speech.alphabet import Alphabet
from workings.tasks.speech.clips import Batch, Clips
from workings.tasks.speech.decoding import greedy
from workings.tasks.speech.scores import SIMILARITIES
from workings.tasks.task import Tick


@torch.no_grad()
def columns(
    model: nn.Module,
    clips: Clips,
    collate: Callable[[Clips, list[int]], Batch],
    batch: int,
    decoded: int,
    max_tokens: int,
    letters: Alphabet,
    tick: Tick,
) -> dict[str, np.ndarray]:
    """The columns of `workings.tasks.examples`; edits and similarities of the first `decoded`."""
    was_training = model.training
    model.eval()
    nll, tokens = np.zeros(len(clips), np.float32), np.zeros(len(clips), np.int32)
    written: list[str] = []
    for start in range(0, len(clips), batch):
        numbers = list(range(start, min(start + batch, len(clips))))
        x_BTF, frames_B, tokens_BL = collate(clips, numbers)
        logits_BLV, wanted_BL = model(x_BTF, frames_B, tokens_BL[:, :-1]), tokens_BL[:, 1:]
        loss_BL = F.cross_entropy(
            logits_BLV.transpose(1, 2), wanted_BL, ignore_index=alphabet.PAD, reduction="none"
        )
        nll[numbers] = loss_BL.double().sum(1).cpu().numpy()
        tokens[numbers] = (wanted_BL != alphabet.PAD).sum(1).cpu().numpy()
        some = max(0, min(decoded - start, len(numbers)))
        if some:
            texts = greedy(model, x_BTF[:some], frames_B[:some], max_tokens, letters)
            written += [transcript.text for transcript in texts]
        tick(start + len(numbers))
    model.train(was_training)
    return {"nll": nll, "tokens": tokens} | scores_by_clip(written, clips.texts[: len(written)])


def scores_by_clip(written: Sequence[str], said: Sequence[str]) -> dict[str, np.ndarray]:
    """Edits with the lengths they are set against, and every similarity, clip by clip."""
    pairs = list(zip(written, said, strict=True))
    in_words = [(written.split(), said.split()) for written, said in pairs]
    counts = {
        "edits": [Levenshtein.distance(written, said) for written, said in pairs],
        "characters": [len(said) for _, said in pairs],
        "word_edits": [Levenshtein.distance(written, said) for written, said in in_words],
        "words": [len(said) for _, said in in_words],
    }
    similarities = {
        name: np.array([measure(written, said) for written, said in pairs], np.float32)
        for name, measure in SIMILARITIES.items()
    }
    return {name: np.array(each, np.int32) for name, each in counts.items()} | similarities
