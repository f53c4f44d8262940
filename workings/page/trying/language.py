"""Text that goes on from a prompt, token by token, with what else could have come."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import torch

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.lstm import LSTM
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.schema import build
from workings.tasks.language.generate import stepper
from workings.tasks.language.sampling import Sampling, choose
from workings.tasks.language.task import LanguageTask
from workings.tasks.language.vocabulary import Vocabulary

if TYPE_CHECKING:
    from workings.page.try_api import TextAsked

ALTERNATIVES = 8
MOST_ATTENDED = 48  # tokens of a map


def _vocabulary(run: Run) -> Vocabulary:
    if not isinstance(run.task, LanguageTask):
        raise WorkingsError(f"{run.folder.path}: is no language model")
    return run.task.vocabulary


def first(run: Run) -> dict[str, object]:
    """A prompt to begin with, in the language of the model."""
    vocabulary = _vocabulary(run)
    level = vocabulary.config.level
    likely = [word for word in vocabulary.types if word.isalpha() and len(word) > 1]
    prompt = "The " if level != "word" else " ".join(likely[:1])
    return {
        "level": level,
        "prompt": prompt,
        "vocabulary": len(vocabulary.types),
        "attention": isinstance(run.model, AttentionLanguageModel),
        "gates": bool(_lstm_layers(run)),
    }


def generate(path: str, trust: bool, asked: "TextAsked") -> Iterator[dict[str, object]]:
    """First the prompt as it was read, then a token at a time."""
    run = run_at(path, trust)
    vocabulary = _vocabulary(run)
    given: Mapping[str, object] = asked
    keys = ("temperature", "top_k", "top_p", "greedy")
    sampling = build(Sampling, {key: given[key] for key in keys if key in given}, "sampling")
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
            token_B, p_B = choose(logits_BV, sampling, generator, vocabulary.unknown)
            token = int(token_B)
            yield {**_token(vocabulary, ids, token, float(p_B)), **_others(vocabulary, logits_BV)}
            ids.append(token)
            if number + 1 < asked["length"]:
                logits_BV = step(token_B)


def _id(vocabulary: Vocabulary, token: str) -> int:
    if token not in vocabulary.ids:
        raise WorkingsError(f"{token!r}: the model knows no such token")
    return vocabulary.ids[token]


def _token(vocabulary: Vocabulary, before: list[int], token: int, p: float) -> dict[str, object]:
    """A token, and how the text goes on with it: with a space before it, or without."""
    name = vocabulary.types[token]
    if token == vocabulary.eos:
        return {"token": name, "text": " ⏎\n", "p": p}
    if before and before[-1] == vocabulary.eos:
        return {"token": name, "text": name, "p": p}
    written, now = vocabulary.join(before), vocabulary.join([*before, token])
    text = now[len(written) :] if now.startswith(written) else f" {name}"
    return {"token": name, "text": text, "p": p}


def _others(vocabulary: Vocabulary, logits_BV: torch.Tensor) -> dict[str, object]:
    p_V = logits_BV[0].softmax(0)
    best = p_V.topk(min(ALTERNATIVES, len(p_V)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return {"others": [[vocabulary.types[token], round(p, 5)] for token, p in pairs]}


def attention(path: str, trust: bool, prompt: str) -> Iterator[dict[str, object]]:
    """What each token of a text attends to, by layer and head; of a long text its end."""
    run = run_at(path, trust)
    vocabulary = _vocabulary(run)
    most = min(MOST_ATTENDED, getattr(run.model, "context", MOST_ATTENDED) - 1)
    tokens, weights = run.attention(vocabulary.join(vocabulary.encode(prompt)[-most:]))
    shown = [[[[round(w, 3) for w in row] for row in head] for head in each] for each in weights]
    yield {"tokens": tokens, "weights": shown}


def _lstm_layers(run: Run) -> list[LSTM]:
    model = run.model
    layers = list(model.layers) if isinstance(model, RecurrentLanguageModel) else []
    return [layer for layer in layers if isinstance(layer, LSTM)]


def gates(path: str, trust: bool, prompt: str) -> Iterator[dict[str, object]]:
    """How far the gates of an LSTM are open at each token of a text, by layer and unit."""
    run = run_at(path, trust)
    vocabulary, layers = _vocabulary(run), _lstm_layers(run)
    if not layers:
        raise WorkingsError(f"{run.folder.path}: has no gates to show; an LSTM has")
    ids = [vocabulary.start, *vocabulary.encode(prompt)[-MOST_ATTENDED:]]
    with torch.inference_mode():
        h_TBD = run.model.embedding(torch.tensor([ids]).t())  # type: ignore[operator]
        shown = []
        for layer in layers:
            shown.append(opened_by(layer, h_TBD))
            h_TBD, _ = layer(h_TBD, None)
    layers_shown = [{name: _rounded(gate_TD) for name, gate_TD in each.items()} for each in shown]
    yield {"tokens": [vocabulary.types[token] for token in ids], "layers": layers_shown}


def _rounded(gate_TD: torch.Tensor) -> list[list[float]]:
    return [[round(value, 3) for value in row] for row in gate_TD.tolist()]


def opened_by(layer: LSTM, x_T1d: torch.Tensor) -> dict[str, torch.Tensor]:
    """The input, forget and output gates at every step, T×D each."""
    state, gates = None, []
    for x_1d in x_T1d:
        z_14D = layer.project(x_1d)
        before_14D = 0.0 if state is None else state[0] @ layer.weight_hh_l0.t()
        i_1D, f_1D, _, o_1D = (z_14D + before_14D).chunk(4, 1)
        gates.append((i_1D.sigmoid()[0], f_1D.sigmoid()[0], o_1D.sigmoid()[0]))
        _, state = layer.step(z_14D, state)
    columns = zip(*gates, strict=True)
    return dict(zip(("input", "forget", "output"), map(torch.stack, columns), strict=True))
