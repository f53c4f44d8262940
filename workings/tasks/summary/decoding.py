"""Writing a summary with a model: greedily for a batch, or with a beam for one snippet."""

# B snippets, S tokens, X words with those to be copied, K beams

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from workings.tasks.summary.batches import Batch
from workings.tasks.summary.vocabulary import BEGIN, END, PAD, UNKNOWN, Vocabulary


class Writing(Protocol):
    """Summaries being written, one for each row of a batch."""

    def step(self, words_B: Tensor) -> Tensor:
        """log P of the next word B×X, after these (as types)."""

    def pick(self, rows: Tensor) -> None:
        """Go on with these rows only, some perhaps several times."""


class Rerun:
    """Writing with a model that keeps no state: everything so far is computed for each word."""

    def __init__(self, model: nn.Module, batch: Batch) -> None:
        self.model, self.source = model, batch.source
        rows = len(batch.source.tokens_BS)
        self.words_BL = batch.read_BL.new_zeros(rows, 0)
        self.rows = torch.arange(rows, device=batch.read_BL.device)

    @torch.no_grad()
    def step(self, words_B: Tensor) -> Tensor:
        """See `Writing`."""
        self.words_BL = torch.cat([self.words_BL, words_B[:, None]], 1)
        if len(self.rows) == len(self.source.tokens_BS):
            return self.model(self.source, self.words_BL)[:, -1]
        # A beam: the one snippet of the batch is read anew for each of its summaries.
        each = [self.model(self.source, words_L[None])[:, -1] for words_L in self.words_BL]
        return torch.cat(each)

    def pick(self, rows: Tensor) -> None:
        """See `Writing`."""
        self.words_BL, self.rows = self.words_BL[rows], self.rows[rows]


def begin(model: nn.Module, batch: Batch) -> Writing:
    """Begin to write, with the model's own cached state if it has one."""
    start = getattr(model, "start", None)
    return Rerun(model, batch) if start is None else start(batch.source)


@dataclass(frozen=True)
class Written:
    """The words of a summary, and log P of each of them and of the end, if it came."""

    words: tuple[str, ...]
    logs: tuple[float, ...]

    @property
    def probability(self) -> float:
        """Of the whole summary."""
        return math.exp(sum(self.logs))


def _possible(log_BX: Tensor) -> Tensor:
    """log P of what can be written: never padding, a beginning or the unknown word."""
    log_BX = log_BX.clone()
    log_BX[:, [PAD, BEGIN, UNKNOWN]] = -torch.inf
    return log_BX


def _types(words_B: Tensor, outputs: int, extra_types_BK: Tensor) -> Tensor:
    """The types as which words are read: a copied one may be unknown."""
    if not extra_types_BK.shape[1]:
        return words_B
    extra_B = (words_B - outputs).clamp_min(0)
    copied_B = extra_types_BK.gather(1, extra_B[:, None])[:, 0]
    return torch.where(words_B < outputs, words_B, copied_B)


def _word(number: int, extra: tuple[str, ...], vocabulary: Vocabulary) -> str:
    outputs = vocabulary.outputs
    return vocabulary.types[number] if number < outputs else extra[number - outputs]


@torch.no_grad()
def greedy(model: nn.Module, batch: Batch, vocabulary: Vocabulary, most: int) -> list[Written]:
    """The likeliest word each time, until every summary has ended, `most` words at most."""
    writing = begin(model, batch)
    types_B = torch.full_like(batch.read_BL[:, 0], BEGIN)
    ended_B = torch.zeros_like(types_B, dtype=torch.bool)
    words, logs = [], []
    for _ in range(most + 1):
        log_B, words_B = _possible(writing.step(types_B)).max(1)
        words.append(words_B)
        logs.append(log_B)
        ended_B |= words_B == END
        if ended_B.all():
            break
        types_B = _types(words_B, vocabulary.outputs, batch.extra_types_BK)
    rows = zip(torch.stack(words, 1).tolist(), torch.stack(logs, 1).tolist(), strict=True)
    return [
        _ended(numbers, log, batch.extra[row], vocabulary, most)
        for row, (numbers, log) in enumerate(rows)
    ]


def _ended(
    numbers: list[int], logs: list[float], extra: tuple[str, ...], vocabulary: Vocabulary, most: int
) -> Written:
    end = numbers.index(END) if END in numbers else min(len(numbers), most)
    words = tuple(_word(number, extra, vocabulary) for number in numbers[:end])
    return Written(words, tuple(logs[: end + 1] if END in numbers else logs[:end]))


@torch.no_grad()
def beam(
    model: nn.Module, batch: Batch, vocabulary: Vocabulary, most: int, width: int
) -> list[Written]:
    """The likeliest summaries of the one snippet of a batch, `width` at most, the best first.

    By the probability of the whole summary; those that have not ended after `most` words are none.
    """
    writing = begin(model, batch)
    last_K = batch.read_BL.new_full((1,), BEGIN)
    total_K = torch.zeros(1, device=last_K.device)
    open_: list[tuple[list[int], list[float]]] = [([], [])]
    done: list[tuple[float, list[int], list[float]]] = []
    for _ in range(most + 1):
        log_KX = _possible(writing.step(last_K))
        sums = (total_K[:, None] + log_KX).flatten()
        best = sums.topk(min(2 * width, len(sums)))
        kept: list[tuple[int, int, float]] = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, number = divmod(index, log_KX.shape[1])
            if value == -math.inf:
                continue
            numbers, logs = open_[row]
            if number == END:
                done.append((value, numbers, [*logs, float(log_KX[row, number])]))
            elif len(kept) < width:
                kept.append((row, number, value))
        done = sorted(done, key=lambda each: -each[0])[:width]
        if not kept or (len(done) == width and kept[0][2] <= done[-1][0]):
            break
        open_ = [
            ([*open_[row][0], number], [*open_[row][1], float(log_KX[row, number])])
            for row, number, _ in kept
        ]
        rows = torch.tensor([row for row, _, _ in kept], device=last_K.device)
        writing.pick(rows)
        total_K = torch.tensor([value for _, _, value in kept], device=last_K.device)
        words_K = torch.tensor([number for _, number, _ in kept], device=last_K.device)
        extra_types = batch.extra_types_BK.expand(len(kept), -1)
        last_K = _types(words_K, vocabulary.outputs, extra_types)
    extra = batch.extra[0]
    if not done:  # none has ended: the likeliest as far as it goes
        done = [(0.0, open_[0][0][:most], open_[0][1][:most])]
    return [
        Written(tuple(_word(number, extra, vocabulary) for number in numbers), tuple(logs))
        for _, numbers, logs in done
    ]
