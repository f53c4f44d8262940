"""The vectors that a language model has learned: of its words, and of texts."""

import numpy as np
import torch
from torch import nn

from workings.errors import WorkingsError
from workings.tasks.embedding import Embedding, before_output
from workings.tasks.language.vocabulary import Vocabulary

UNITS = {"word": "word", "char": "character", "bpe": "subword"}  # what a vector is of, by level


def word_vectors(model: nn.Module, vocabulary: Vocabulary, kind: str) -> Embedding:
    """A row of the embedding for every word; kind: what the model is called in a message."""
    table = getattr(model, "embedding", None)
    if not isinstance(table, nn.Embedding):
        raise WorkingsError(f"embed: {kind} has no `embedding` of words; give sentences")
    weights = table.weight.detach().float().cpu().numpy()
    return Embedding(UNITS[vocabulary.config.level], list(vocabulary.types), weights)


def text_vectors(
    model: nn.Module, vocabulary: Vocabulary, texts: list[str], device: torch.device
) -> Embedding:
    """Of every text, the mean over its tokens of what the output layer sees."""
    unknown = [text for text in texts if not vocabulary.encode(text)]
    if unknown:
        raise WorkingsError(f"embed: {unknown[0]!r} holds no words")
    model.eval()
    vectors = [_text_vector(model, vocabulary, text, device) for text in texts]
    return Embedding("sentence", list(texts), np.stack(vectors))


def _text_vector(
    model: nn.Module, vocabulary: Vocabulary, text: str, device: torch.device
) -> np.ndarray:
    x_BT = torch.tensor([[vocabulary.start, *vocabulary.encode(text)]], device=device)
    seen = before_output(model, x_BT).float().cpu()
    return seen.flatten(0, 1)[1:].mean(0).numpy()
