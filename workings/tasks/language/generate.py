"""Generating text: a state carried token by token, never the prefix run again."""

# B samples, V vocabulary

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.language import LanguageModel
from workings.nn.matmul import by_torch
from workings.nn.threads import on_one_thread
from workings.tasks.language.nearest_words import nearest_words
from workings.tasks.language.sampling import PLAIN, Sampling, choose
from workings.tasks.language.vocabulary import EOS, Vocabulary

# Of a token's products, measured: the samples from which on oneDNN makes them sooner, and the
# multiply-adds of the largest from which on two threads do.
FEW, ALONE = 3, 2**26


class GeneratedToken(TypedDict):
    """A token, and its probability under the model before any filtering."""

    token: str
    probability: float


@dataclass(frozen=True)
class TextRequest:
    """Which texts are asked for."""

    prompt: str | None = None  # without one, a text begins as a line does
    samples: int = 1  # how many texts
    length: int = 100  # most tokens of a text, after the prompt
    seed: int = 1
    sampling: Sampling = PLAIN  # how the next token is chosen
    unknown: bool = False  # whether <unk> may be chosen, which is no word
    past_end: bool = False  # whether a text goes on after <eos>, up to its length


TokenAttention = tuple[list[str], list[list[list[list[float]]]]]
"""Tokens, and the weights by layer, head, token and token attended to."""


@dataclass(frozen=True)
class Sample:
    """One generated text; a token's probability is the model's own, before any filtering."""

    prompt: str
    text: str  # the prompt and what follows it
    tokens: list[GeneratedToken]  # those that were generated
    ended: bool  # by <eos>, not by the length
    unknown: list[str]  # prompt words outside the vocabulary
    nearest: dict[str, list[str]]  # for each of them, the known words most like it


@torch.inference_mode()
def continue_tokens(
    model: nn.Module,
    context: list[int],
    samples: int,
    length: int,
    seed: int,
    sampling: Sampling,
    eos: int | None = None,
    excluded: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Token ids that go on from the context, samples × (at most) length, and their probabilities.

    Ends early when every row has chosen `eos`; never chooses the token `excluded`.
    """
    largest = max((weight.numel() for weight in model.parameters() if weight.dim() == 2), default=0)
    with by_torch(samples < FEW), on_one_thread(samples * largest < ALONE):
        return _continued(model.eval(), context, samples, length, seed, sampling, eos, excluded)


def _continued(
    model: nn.Module,
    context: list[int],
    samples: int,
    length: int,
    seed: int,
    sampling: Sampling,
    eos: int | None,
    excluded: int | None,
) -> tuple[Tensor, Tensor]:
    device = next(model.parameters()).device
    generator = torch.Generator(device).manual_seed(seed)
    step = stepper(model, samples * (len(context) + length))
    for token in context:
        logits_BV = step(torch.full((samples,), token, device=device))
    chosen: list[Tensor] = []
    likely: list[Tensor] = []
    done = torch.zeros(samples, dtype=torch.bool, device=device)
    for number in range(length):
        token_B, p_B = choose(logits_BV, sampling, generator, excluded)
        chosen.append(token_B)
        likely.append(p_B)
        if eos is not None:
            done |= token_B == eos
            if done.all():
                break
        if number + 1 < length:
            logits_BV = step(token_B)
    return torch.stack(chosen, 1), torch.stack(likely, 1)


def stepper(model: nn.Module, tokens: int) -> Callable[[Tensor], Tensor]:
    """Token ids in, logits of the next out; the model's own, or one around its forward pass."""
    if isinstance(model, LanguageModel):
        return model.stepper(tokens)
    state: object = None

    def step(x_B: Tensor) -> Tensor:
        nonlocal state
        logits_BTV, state = model(x_B[:, None], state)
        return logits_BTV[:, -1]

    return step


def sample_texts(model: nn.Module, vocabulary: Vocabulary, request: TextRequest) -> list[Sample]:
    """The texts that are asked for, each up to <eos> unless it may go on."""
    prompt = request.prompt or ""
    given = vocabulary.encode(prompt)
    if request.prompt is not None and not given:
        raise WorkingsError("--prompt: is empty; give some words, or leave it out")
    if request.samples < 1 or request.length < 1:
        raise WorkingsError("--samples and --length: must be at least 1")
    chosen, likely = continue_tokens(
        model,
        [vocabulary.start, *given],
        request.samples,
        request.length,
        request.seed,
        request.sampling,
        None if request.past_end else vocabulary.eos,
        None if request.unknown else vocabulary.unknown,
    )
    rows = zip(chosen.tolist(), likely.tolist(), strict=True)
    missing = vocabulary.unknown_in(prompt)
    nearest = {word: nearest_words(word, vocabulary.types) for word in dict.fromkeys(missing)}
    end = None if request.past_end else vocabulary.eos
    return [_sample(vocabulary, prompt, given, *row, nearest, end) for row in rows]


@torch.inference_mode()
def attention_of(model: nn.Module, vocabulary: Vocabulary, prompt: str) -> TokenAttention:
    """A prompt's tokens, and every layer's and head's attention between them."""
    if not isinstance(model, AttentionLanguageModel):
        raise WorkingsError('--attention: the model has none (model.kind = "attention" has)')
    ids = [vocabulary.start, *vocabulary.encode(prompt)]
    if len(ids) == 1 or len(ids) > model.context:
        raise WorkingsError(
            f"--attention: a prompt of 1 to {model.context - 1} tokens was expected, "
            f"got {len(ids) - 1}"
        )
    model.eval()
    device = next(model.parameters()).device
    weights = model.weights(torch.tensor(ids, device=device))
    return [vocabulary.types[i] for i in ids], [layer.tolist() for layer in weights]


def _sample(
    vocabulary: Vocabulary,
    prompt: str,
    given: list[int],
    ids: list[int],
    probabilities: list[float],
    nearest: dict[str, list[str]],
    end: int | None,
) -> Sample:
    ended = end is not None and end in ids
    if ended:
        ids = ids[: ids.index(vocabulary.ids[EOS]) + 1]
    tokens: list[GeneratedToken] = [
        {"token": vocabulary.types[i], "probability": p}
        for i, p in zip(ids, probabilities, strict=False)
    ]
    text = vocabulary.join(given + (ids[:-1] if ended else ids))
    return Sample(prompt, text, tokens, ended, list(nearest), nearest)
