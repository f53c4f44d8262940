"""A language model as a stand-alone module with its state, and real text to verify it on."""

# B batch, T time

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.attention.taylor.layer import TaylorAttention
from workings.nn.recurrent.gru import GRU
from workings.nn.recurrent.language_model import RecurrentLanguageModel
from workings.nn.recurrent.lstm import LSTM
from workings.nn.recurrent.rnn import RNN
from workings.nn.standalone import attention, recurrent
from workings.tasks.language.vocabulary import Vocabulary
from workings.tasks.portable import Case, Part, Portable, cannot_leave

STREAMS, TOKENS = 3, 8  # of the text that the stand-alone model is verified on
KINDS: dict[type, str] = {RNN: "rnn", LSTM: "lstm", GRU: "gru"}
Shapes = dict[
    str, tuple[str | int, ...]
]  # by the name of a tensor; a size that has a name may vary
HOW = """\
ids = {token: number for number, token in enumerate(config["vocabulary"])}
state, text = model.start(), [config["start"]]
for _ in range(20):  # the likeliest token each time
    logits, *state = model(torch.tensor([text[-1:]]), *state)
    text.append(int(logits[0, -1].argmax()))
print(" ".join(config["vocabulary"][number] for number in text[1:]))
"""


def portable(model: nn.Module, kind: str, vocabulary: Vocabulary, ids: np.ndarray) -> Portable:
    """The model with its state as tensors; ids: a text that it is verified on."""
    config: recurrent.Config | attention.Config
    if isinstance(model, RecurrentLanguageModel):
        part, config = _recurrent(model, ids)
    elif isinstance(model, AttentionLanguageModel):
        part, config = _attention(model, ids)
    else:
        raise cannot_leave(kind)
    use = {
        "vocabulary": vocabulary.types,
        "level": vocabulary.config.level,
        "lowercase": vocabulary.config.lowercase,
        "start": vocabulary.start,
        "unknown": vocabulary.unknown,
    }
    standalone = "recurrent" if isinstance(model, RecurrentLanguageModel) else "attention"
    return Portable([part], part.module, standalone, config, use, HOW)


def _recurrent(model: RecurrentLanguageModel, ids: np.ndarray) -> tuple[Part, recurrent.Config]:
    layers = list(model.layers)
    kind = KINDS[type(layers[0])]
    widths = [model.embedding.weight.shape[1], *(_width(layer) for layer in layers)]
    config: recurrent.Config = {
        "kind": kind,
        "vocabulary": len(model.embedding.weight),
        "widths": widths,
        "activation": getattr(layers[0], "activation", ""),
    }
    module = recurrent.Model(config).eval()
    names = [f"{name}{n}" for n in range(len(layers)) for name in recurrent.STATES[kind]]
    states: Shapes = dict(
        zip(names, [("batch", each.shape[1]) for each in module.start()], strict=True)
    )

    def plain(state: list[Tensor | tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
        flat = [
            each for layer in state for each in (layer if isinstance(layer, tuple) else [layer])
        ]
        return tuple(each[0] if each.dim() == 3 else each for each in flat)

    return _part(model, module, states, plain, ids), config


def _width(layer: nn.Module) -> int:
    if isinstance(layer, RNN):
        return len(layer.b)
    assert isinstance(layer, LSTM | GRU)  # KINDS has no other
    return layer.hidden_size


def _attention(model: AttentionLanguageModel, ids: np.ndarray) -> tuple[Part, attention.Config]:
    first, blocks = model.layers()[0], len(model.blocks)
    heads, width = first.attention.heads, first.attention.width
    order = first.attention.order if isinstance(first.attention, TaylorAttention) else 0
    config: attention.Config = {
        "kind": "attention",
        "vocabulary": len(model.embedding.weight),
        "width": width,
        "heads": heads,
        "layers": blocks,
        "context": model.context,
        "inner": first.inner.out_features,
        "order": order,
    }
    module = attention.Model(config).eval()
    names = [f"{name}{n}" for n in range(blocks) for name in ("keys", "values")]
    states: Shapes = dict.fromkeys(names, ("batch", heads, "read", width // heads))
    return _part(model, module, states, None, ids[: STREAMS * model.context]), config


@torch.no_grad()
def _part(
    model: nn.Module,
    module: recurrent.Model | attention.Model,
    states: Shapes,
    plain: Callable[..., tuple[Tensor, ...]] | None,
    ids: np.ndarray,
) -> Part:
    """Cases: some tokens from the beginning, then some more with the state, then a single one."""
    module.load_state_dict(model.state_dict())
    model.eval()
    T = min(TOKENS, max(2, getattr(model, "context", 3 * TOKENS) // 3), len(ids) // STREAMS // 3)
    text = np.array(ids[: STREAMS * (2 * T + 1)], "int64").reshape(STREAMS, -1)
    x_BT = torch.from_numpy(text)
    cases: list[Case] = []
    state: object = None
    before = module.start(STREAMS)
    for tokens_BT in (x_BT[:, :T], x_BT[:, T : 2 * T], x_BT[:, 2 * T :]):
        logits, state = model(tokens_BT, state)
        after = plain(state) if plain else module(tokens_BT, *before)[1:]
        # Where the live state has another form, the logits that follow from it are compared.
        cases.append(((tokens_BT, *before), (logits, *after)))
        before = after
    inputs: Shapes = {"tokens": ("batch", "time"), **states}
    outputs = ("logits", *(f"{name}_after" for name in states))
    meaning = {
        "tokens": "their numbers in the vocabulary of config.json",
        "logits": "of the token after each; softmax gives the probabilities",
        **dict.fromkeys(states, _state_meaning(states)),
    }
    return Part("model", module, inputs, outputs, [cases[1], cases[0], cases[2]], meaning)


def _state_meaning(states: Shapes) -> str:
    grows = any("read" in sizes for sizes in states.values())
    start = "empty (read = 0)" if grows else "zeros"
    return f"{start} before the first token, then what the call before gave as _after"
