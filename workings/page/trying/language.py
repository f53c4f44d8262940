"""Text that goes on from a prompt, token by token, with what else could have come."""

from collections.abc import Iterator
from typing import Any

import torch

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.schema import build
from workings.tasks.language.generate import stepper
from workings.tasks.language.sampling import Sampling, choose
from workings.tasks.language.task import LanguageTask
from workings.tasks.language.vocabulary import Vocabulary

ALTERNATIVES = 8
MOST_ATTENDED = 48  # tokens of a map


def _vocabulary(run: Run) -> Vocabulary:
    if not isinstance(run.task, LanguageTask):
        raise WorkingsError(f"{run.folder.path}: is no language model")
    return run.task.vocabulary


def first(run: Run) -> dict[str, Any]:
    """A prompt to begin with, in the language of the model."""
    vocabulary = _vocabulary(run)
    level = vocabulary.config.level
    likely = [word for word in vocabulary.types if word.isalpha() and len(word) > 1]
    prompt = "The " if level == "char" else " ".join(likely[:1])
    return {
        "level": level,
        "prompt": prompt,
        "vocabulary": len(vocabulary.types),
        "attention": isinstance(run.model, AttentionLanguageModel),
    }


def generate(path: str, trust: bool, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """First the prompt as it was read, then a token at a time.

    asked: prompt; after: tokens that go on from it already; length, seed, temperature, top_k,
    top_p, greedy.
    """
    run = run_at(path, trust)
    vocabulary = _vocabulary(run)
    keys = ("temperature", "top_k", "top_p", "greedy")
    sampling = build(Sampling, {key: asked[key] for key in keys if key in asked}, "sampling")
    ids = vocabulary.encode(asked["prompt"])
    unknown = sorted(set(vocabulary.unknown_in(asked["prompt"])))
    yield {"prompt": vocabulary.join(ids), "unknown": unknown}
    ids += [_id(vocabulary, token) for token in asked["after"]]
    with torch.inference_mode():
        step = stepper(run.model, len(ids) + 1 + asked["length"])
        generator = torch.Generator().manual_seed(asked["seed"])
        for token in [vocabulary.start, *ids]:
            logits_BV = step(torch.tensor([token]))
        for number in range(asked["length"]):
            token_B, p_B = choose(logits_BV, sampling, generator)
            token = int(token_B)
            yield {**_token(vocabulary, ids, token, float(p_B)), **_others(vocabulary, logits_BV)}
            ids.append(token)
            if number + 1 < asked["length"]:
                logits_BV = step(token_B)


def _id(vocabulary: Vocabulary, token: str) -> int:
    if token not in vocabulary.ids:
        raise WorkingsError(f"{token!r}: the model knows no such token")
    return vocabulary.ids[token]


def _token(vocabulary: Vocabulary, before: list[int], token: int, p: float) -> dict[str, Any]:
    """A token, and how the text goes on with it: with a space before it, or without."""
    name = vocabulary.types[token]
    if token == vocabulary.eos:
        return {"token": name, "text": " ⏎\n", "p": p}
    if before and before[-1] == vocabulary.eos:
        return {"token": name, "text": name, "p": p}
    written, now = vocabulary.join(before), vocabulary.join([*before, token])
    text = now[len(written) :] if now.startswith(written) else f" {name}"
    return {"token": name, "text": text, "p": p}


def _others(vocabulary: Vocabulary, logits_BV: torch.Tensor) -> dict[str, Any]:
    p_V = logits_BV[0].softmax(0)
    best = p_V.topk(min(ALTERNATIVES, len(p_V)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return {"others": [[vocabulary.types[token], round(p, 5)] for token, p in pairs]}


def attention(path: str, trust: bool, prompt: str) -> Iterator[dict[str, Any]]:
    """What each token of a text attends to, by layer and head; of a long text its end."""
    run = run_at(path, trust)
    vocabulary = _vocabulary(run)
    most = min(MOST_ATTENDED, getattr(run.model, "context", MOST_ATTENDED) - 1)
    tokens, weights = run.attention(vocabulary.join(vocabulary.encode(prompt)[-most:]))
    shown = [[[[round(w, 3) for w in row] for row in head] for head in each] for each in weights]
    yield {"tokens": tokens, "weights": shown}
