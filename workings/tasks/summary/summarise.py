"""Summaries of a user's file: every function or text, with alternatives and what was looked at."""

# S tokens

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from workings.errors import WorkingsError
from workings.tasks.summary import corpus, functions, json_lines, prose
from workings.tasks.summary.batches import Batch, collate, encode, to_device
from workings.tasks.summary.config import SummaryData
from workings.tasks.summary.decoding import Written, beam
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.vocabulary import BEGIN, Vocabulary

WIDTH = 8  # summaries that the beam search keeps, or more where more are asked for


@dataclass(frozen=True)
class Look:
    """One word of a summary: the tokens it looked at most, with weights, and P(copied)."""

    word: str
    tokens: list[tuple[str, float]]
    copied: float


@dataclass(frozen=True)
class Summarised:
    """A function or text with the likeliest summaries, and what the first one looked at."""

    label: str
    line: int
    cut: int  # tokens that were not read
    summaries: list[tuple[str, float]]  # and the probability of each
    looked_at: list[Look]


def summarise_file(
    model: nn.Module,
    path: Path,
    data: SummaryData,
    vocabulary: Vocabulary,
    device: torch.device,
    top: int,
) -> list[Summarised]:
    """The `top` likeliest summaries of every function of a Python file, or of every text."""
    was_training = model.training
    model.eval()
    snippets = [each for each in _read(path) if each.tokens]
    vocabulary.require_kinds(snippets, str(path))
    done = [
        _summarised(
            model, each.shortened(data.max_tokens, data.words), data, vocabulary, device, top
        )
        for each in snippets
    ]
    model.train(was_training)
    if not done:
        raise WorkingsError(f"{path}: holds no function or text to summarise")
    return done


def _read(path: Path) -> Iterator[Snippet]:
    if not path.is_file():
        raise WorkingsError(f"{path}: no such file")
    if path.suffix in (".jsonl", ".ndjson"):
        yield from json_lines.read(path)
    elif path.suffix == ".py":
        try:
            content = corpus.read_text(path)
            yield from functions.of_source(content, None, 0)
        except functions.NotParsed as error:
            raise WorkingsError(f"{path}: is no Python that this version parses: {error}") from None
    else:
        yield from prose.unlabelled(corpus.decoded(path, corpus.read_text(path)))


def _summarised(
    model: nn.Module,
    snippet: Snippet,
    data: SummaryData,
    vocabulary: Vocabulary,
    device: torch.device,
    top: int,
) -> Summarised:
    batch = to_device(collate([encode(snippet, vocabulary)], vocabulary), device)
    written = beam(model, batch, vocabulary, data.words, max(WIDTH, top))[:top]
    summaries = [(" ".join(each.words), each.probability) for each in written]
    looks = looked_at(model, batch, snippet, written[0], vocabulary)
    return Summarised(snippet.label, snippet.line, snippet.cut, summaries, looks)


def looked_at(
    model: nn.Module, batch: Batch, snippet: Snippet, written: Written, vocabulary: Vocabulary
) -> list[Look]:
    """For each word of a summary the three tokens that it looked at most; none of an own model."""
    looks = []
    attended = attention(model, batch, written, vocabulary)
    for word, (weights, copied) in zip(written.words, attended, strict=False):
        positions = sorted(range(len(snippet.tokens)), key=lambda position: -weights[position])[:3]
        tokens = [(snippet.tokens[position], round(weights[position], 4)) for position in positions]
        looks.append(Look(word, tokens, round(copied, 4)))
    return looks


@torch.no_grad()
def attention(
    model: nn.Module, batch: Batch, written: Written, vocabulary: Vocabulary
) -> list[tuple[list[float], float]]:
    """Of each word of the one snippet's summary the weights of the tokens, and P(copied)."""
    if not hasattr(model, "start"):
        return []
    writing = model.start(batch.source)  # type: ignore[operator]
    attended = []
    for type_ in (BEGIN, *map(vocabulary.number, written.words[:-1])):
        writing.step(batch.read_BL.new_tensor([type_]))
        attended.append((writing.attention_BS[0].tolist(), 1 - float(writing.written_B[0])))
    return attended if written.words else []
