"""Decoding a transcript from a model: greedily, or with a beam search."""

# B clips, K beams, V symbols

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from workings.tasks.speech import alphabet
from workings.tasks.speech.alphabet import Alphabet


class Writing(Protocol):
    """Transcripts being decoded, one for each row of a batch."""

    def step(self, tokens_B: Tensor) -> Tensor:
        """The logits B×V of the next token, after these."""

    def pick(self, rows: Tensor) -> None:
        """Go on with these rows only, some perhaps several times."""


class Rerun:
    """Decoding with a model that keeps no state: everything so far is computed for each token."""

    def __init__(self, model: nn.Module, x_BTF: Tensor, frames_B: Tensor) -> None:
        self.model, self.sound, self.frames = model, x_BTF, frames_B
        self.tokens = torch.zeros(len(x_BTF), 0, dtype=torch.long, device=x_BTF.device)

    @torch.no_grad()
    def step(self, tokens_B: Tensor) -> Tensor:
        """See `Writing`."""
        self.tokens = torch.cat([self.tokens, tokens_B[:, None]], 1)
        return self.model(self.sound, self.frames, self.tokens)[:, -1]

    def pick(self, rows: Tensor) -> None:
        """See `Writing`."""
        self.sound, self.frames = self.sound[rows], self.frames[rows]
        self.tokens = self.tokens[rows]


def begin(model: nn.Module, x_BTF: Tensor, frames_B: Tensor) -> Writing:
    """Begin to decode, with the model's own cached state if it has one."""
    start = getattr(model, "start", None)
    if start is not None:
        return start(x_BTF, frames_B)
    return Rerun(model, x_BTF, frames_B)


@dataclass(frozen=True)
class Transcript:
    """A text, its tokens (the end among them, if it came) and each one's probability."""

    text: str
    tokens: list[int]
    probabilities: list[float]
    score: float  # mean log-probability of its tokens


def _transcript(tokens: list[int], logs: list[float], letters: Alphabet) -> Transcript:
    probabilities = [float(torch.tensor(log).exp()) for log in logs]
    mean = sum(logs) / max(1, len(logs))
    return Transcript(letters.decode(tokens), tokens, probabilities, mean)


@torch.no_grad()
def greedy(
    model: nn.Module,
    x_BTF: Tensor,
    frames_B: Tensor,
    most: int,
    letters: Alphabet,
) -> list[Transcript]:
    """The likeliest token each time, until every text has ended, `most` tokens at most."""
    writing = begin(model, x_BTF, frames_B)
    tokens_B = torch.full((len(x_BTF),), alphabet.BEGIN, device=x_BTF.device)
    ended_B = torch.zeros_like(tokens_B, dtype=torch.bool)
    written, logs = [], []
    for _ in range(most):
        log_BV = _log_probabilities(writing.step(tokens_B))
        log_B, tokens_B = log_BV.max(1)
        written.append(tokens_B)
        logs.append(log_B)
        ended_B |= tokens_B == alphabet.END
        if ended_B.all():
            break
    rows = zip(torch.stack(written, 1).tolist(), torch.stack(logs, 1).tolist(), strict=True)
    return [_transcript(*_until_end(tokens, log), letters) for tokens, log in rows]


def _log_probabilities(logits_BV: Tensor) -> Tensor:
    """Of what can be written: never padding, never another beginning."""
    logits_BV = logits_BV.clone()
    logits_BV[:, [alphabet.PAD, alphabet.BEGIN]] = -torch.inf
    return logits_BV.log_softmax(1)


def _until_end(tokens: list[int], logs: list[float]) -> tuple[list[int], list[float]]:
    end = tokens.index(alphabet.END) + 1 if alphabet.END in tokens else len(tokens)
    return tokens[:end], logs[:end]


@torch.no_grad()
def beam(
    model: nn.Module,
    x_TF: Tensor,
    most: int,
    width: int,
    length_power: float = 1.0,
    letters: Alphabet = alphabet.PUBLISHED,
) -> Transcript:
    """The best of `width` texts kept at a time, by log P(text) / length^length_power.

    The power 1 compares means a token, 0 plain probabilities, which favour short texts.

    Shapes: x_TF, one clip.
    """
    frames_B = torch.tensor([len(x_TF)], device=x_TF.device)
    writing = begin(model, x_TF[None], frames_B)
    total_K = torch.zeros(1, device=x_TF.device)
    open_: list[tuple[list[int], list[float]]] = [([], [])]
    done: list[tuple[float, list[int], list[float]]] = []
    last_K = torch.tensor([alphabet.BEGIN], device=x_TF.device)
    for length in range(1, most + 1):
        log_KV = _log_probabilities(writing.step(last_K))
        sums = (total_K[:, None] + log_KV).flatten()
        best = sums.topk(min(2 * width, len(sums)))  # enough: at most `width` of them end
        kept: list[tuple[int, int]] = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_KV.shape[1])
            if value == -torch.inf:
                continue
            if token == alphabet.END:
                tokens, logs = open_[row]
                log = float(log_KV[row, token])
                done.append((value / length**length_power, [*tokens, token], [*logs, log]))
            elif len(kept) < width:
                kept.append((row, token))
        rows = [row for row, _ in kept]
        open_ = [
            ([*open_[row][0], token], [*open_[row][1], float(log_KV[row, token])])
            for row, token in kept
        ]
        total_K = torch.stack([sums[row * log_KV.shape[1] + token] for row, token in kept])
        done = sorted(done, key=lambda text: -text[0])[:width]
        if len(done) == width and _settled(done, total_K, length, most, length_power):
            break
        writing.pick(torch.tensor(rows, device=x_TF.device))
        last_K = torch.tensor([token for _, token in kept], device=x_TF.device)
    if not done:  # none has ended: the likeliest as far as it goes
        return _transcript(*open_[int(total_K.argmax())], letters)
    return _transcript(*done[0][1:], letters)


def _settled(
    done: list[tuple[float, list[int], list[float]]],
    total_K: Tensor,
    length: int,
    most: int,
    length_power: float,
) -> bool:
    """Whether no open text can still overtake the worst one done: a sum only falls."""
    at_best = float(total_K.max()) / max(length, most) ** length_power
    return at_best <= done[-1][0]
