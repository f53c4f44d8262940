"""Generating text: a state carried token by token, never the prefix run again."""

# B samples, V vocabulary

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from workings.data.vocabulary import EOS, Vocabulary
from workings.errors import WorkingsError
from workings.tasks.sampling import Sampling, choose


@dataclass(frozen=True)
class Sample:
    """One generated text; a token's probability is the model's own, before any filtering."""

    prompt: str
    text: str  # the prompt and what follows it
    tokens: list[dict[str, Any]]  # {"token", "probability"} of each generated token
    ended: bool  # by <eos>, not by the length
    unknown: list[str]  # prompt words outside the vocabulary


@torch.no_grad()
def generate(
    model: nn.Module,
    vocabulary: Vocabulary,
    prompt: str | None,
    samples: int,
    length: int,
    seed: int,
    sampling: Sampling,
    unknown: bool = True,
) -> list[Sample]:
    """`samples` texts of at most `length` tokens that go on from the prompt, up to <eos>.

    Without a prompt a text begins as a line does. `unknown=False` never chooses <unk>.
    """
    given = [] if prompt is None else vocabulary.encode(prompt)
    if prompt is not None and not given:
        raise WorkingsError("--prompt: is empty; give some words, or leave it out")
    if samples < 1 or length < 1:
        raise WorkingsError("--samples and --length: must be at least 1")
    device = next(model.parameters()).device
    generator = torch.Generator(device).manual_seed(seed)
    model.eval()
    x_BT = torch.tensor([[vocabulary.start, *given]] * samples, device=device)
    chosen: list[Tensor] = []
    likely: list[Tensor] = []
    done = torch.zeros(samples, dtype=torch.bool, device=device)
    state = None
    for _ in range(length):
        logits_BTV, state = model(x_BT, state)
        logits_BV = logits_BTV[:, -1]
        p_BV = logits_BV.softmax(1)
        if not unknown:
            logits_BV[:, vocabulary.unknown] = float("-inf")
        token_B = choose(logits_BV, sampling, generator)
        chosen.append(token_B)
        likely.append(p_BV.gather(1, token_B[:, None])[:, 0])
        if vocabulary.eos is not None:
            done |= token_B == vocabulary.eos
            if done.all():
                break
        x_BT = token_B[:, None]
    rows = zip(torch.stack(chosen, 1).tolist(), torch.stack(likely, 1).tolist(), strict=True)
    missing = vocabulary.unknown_in(prompt or "")
    return [_sample(vocabulary, prompt or "", given, *row, missing) for row in rows]


def _sample(
    vocabulary: Vocabulary,
    prompt: str,
    given: list[int],
    ids: list[int],
    probabilities: list[float],
    missing: list[str],
) -> Sample:
    ended = vocabulary.eos is not None and vocabulary.eos in ids
    if ended:
        ids = ids[: ids.index(vocabulary.ids[EOS]) + 1]
    tokens = [
        {"token": vocabulary.types[i], "probability": p}
        for i, p in zip(ids, probabilities, strict=False)
    ]
    text = vocabulary.join(given + (ids[:-1] if ended else ids))
    return Sample(prompt, text, tokens, ended, missing)
