"""The language task: predict each token from all those before it.

What it reads is in `reads_text`; this is how it learns, what it reports and what it can do.
"""

# B streams, T window, V vocabulary

import functools
import math
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.data import sources
from workings.errors import WorkingsError
from workings.nn.language import LanguageModel
from workings.tasks import examples
from workings.tasks.config import OwnModel
from workings.tasks.embedding import Embedding
from workings.tasks.examples import Examples
from workings.tasks.language import files as text
from workings.tasks.language import ids, leaks, mixtures, models, ngram
from workings.tasks.language.embedding import text_vectors, word_vectors
from workings.tasks.language.gates import GateValues, gates_of, has_gates
from workings.tasks.language.generate import (
    Sample,
    TextRequest,
    TokenAttention,
    attention_of,
    sample_texts,
)
from workings.tasks.language.ids import Ids
from workings.tasks.language.portable import portable
from workings.tasks.language.reads_text import Batch, ReadsText
from workings.tasks.language.stream import Stream
from workings.tasks.language.text_overlap import Marks
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.portable import Portable
from workings.tasks.task import Carry, Metrics, Tick
from workings.tree import flatten, map_tensors

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

LONGEST_WORDS = 40  # bytes in the mean: above, as in Chinese, no spaces divide the text into words
FOLLOWED = 40  # tokens of the text along which gates are drawn


class LanguageTask(ReadsText):
    """Language modelling, at word or character level, with a state carried through the text."""

    sharded = True
    best = "perplexity"
    lower_is_better = True
    METRICS = (
        *("loss", "perplexity", "perplexity_per_word", "bits_per_char", "bits_per_byte"),
        *("tokens", "unknown_share"),
    )
    extra_metrics = ("perplexity_per_word", "bits_per_char", "bits_per_byte")
    MODELS = models.MODELS
    OWN = ("loss",)

    def try_own(self, model: nn.Module, kind: str) -> None:
        for shape in ((self.train.batch, self.train.window), (1, self.train.eval_window)):
            try_language(model, kind, shape, len(self.vocabulary))

    @functools.cached_property
    def _row(self) -> int:
        """Tokens in each of the B streams; what does not divide evenly is left out of training."""
        tokens, batch, window = self.splits["train"].tokens, self.train.batch, self.train.window
        if tokens < batch * window:
            raise WorkingsError(
                f"the training text has {tokens:,} tokens, too short for one window of "
                f"{batch} × {window}: lower train.batch or train.window, or give more text"
            )
        for split in ("valid", "test"):
            if self.splits[split].tokens < 1:
                raise WorkingsError(
                    f"the {split} split is empty: give more text, data.{split}, "
                    f"or a larger data.{split}_share"
                )
        return tokens // batch

    @property
    def steps(self) -> int:
        return math.ceil(self._row / self.train.window)

    @property
    def units(self) -> int:
        return self._row * self.train.batch

    def batches(self, epoch: int, position: int) -> Iterator[Batch]:
        """Windows of all streams, x and y one token apart; the last one may be shorter."""
        row, B, T = self._row, self.train.batch, self.train.window
        all_ids = self.splits["train"].all
        whole = (all_ids[i : i + B * row].reshape(B, row) for i in (0, 1))
        x_BN, y_BN = map(self.shard.take, whole)
        for start in range(position * T, row, T):
            yield self._tensor(x_BN[:, start : start + T]), self._tensor(y_BN[:, start : start + T])

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array.astype("int64")).to(self.device)

    def loss(self, model: nn.Module, batch: Batch, carry: Carry) -> tuple[Tensor, int, Carry]:
        x_BT, y_BT = batch
        own = bool(self.train.loss) and model.training  # perplexity is that of the cross-entropy
        if isinstance(model, LanguageModel) and not own:
            loss, state = model.loss(x_BT, y_BT, carry)
        else:
            logits_BTV, state = model(x_BT, carry)
            criterion = self.criterion if own else F.cross_entropy
            loss = criterion(logits_BTV.flatten(0, 1), y_BT.flatten())
        return loss, y_BT.numel(), map_tensors(Tensor.detach, state)

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        return self.evaluate_ids(model, self.splits[split], tick)

    def evaluate_ids(self, model: nn.Module, part: Ids, tick: Tick) -> Metrics:
        """Every token predicted once, in one stream from the first to the last, state carried."""
        loss = self._mean_loss(model, part.all, 1, tick)
        counts = {"tokens": part.tokens, "unknown_share": part.unknown / part.tokens}
        return self.training_metrics(loss) | self._of_the_text(loss * part.tokens, part) | counts

    def _of_the_text(self, nats: float, part: Ids) -> Metrics:
        """What does not depend on what a token is, where the ids say all of the text.

        By it models of words, of subwords and of characters can be compared.
        """
        if not part.whole:
            return {}
        metrics = {"bits_per_byte": nats / math.log(2) / part.bytes}
        if self.data.level != "word" and part.words and part.bytes <= LONGEST_WORDS * part.words:
            metrics["perplexity_per_word"] = _exp(nats / part.words)
        return metrics

    def evaluate_streams(self, model: nn.Module, split: str, streams: int, tick: Tick) -> Metrics:
        """As a batched evaluation reports it: parallel streams, each from a zero state.

        What does not divide evenly is left out. For comparing with figures published so.
        """
        ids = self.splits[split].all
        if not 1 <= streams < len(ids):
            raise WorkingsError(f"--streams: must be from 1 to {len(ids) - 1:,}")
        loss = self._mean_loss(model, ids, streams, tick)
        return self.training_metrics(loss) | {"tokens": (len(ids) - 1) // streams * streams}

    def evaluate_mixture(
        self, model: nn.Module, split: str, cache: bool, ngram: bool, tick: Tick
    ) -> Metrics:
        """The model with a cache of its last states, with counts of n-grams, or with both."""
        texts = {each: part.all for each, part in self.splits.items()}
        types, window = len(self.vocabulary), self.train.eval_window
        return mixtures.evaluate(model, texts, split, types, window, cache, ngram, tick)

    def _mean_loss(self, model: nn.Module, ids: np.ndarray, streams: int, tick: Tick) -> float:
        return float(self.stream.losses(model, ids, streams, tick).mean(dtype=np.float64))

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """The loss of every line, the tokens read as `evaluate` reads them."""
        all_ids = self.splits[split].all
        targets = np.asarray(all_ids[1:])
        types = "\n".join(self.vocabulary.types)
        return Examples(
            "line",
            examples.identity(self.data.level, types, targets.astype(np.int32)),
            examples.lines(
                self.stream.losses(model, all_ids, 1, tick), targets, self.vocabulary.start
            ),
        )

    @functools.cached_property
    def stream(self) -> Stream:
        """How a text is evaluated."""
        return Stream(self.train.eval_window, self._tensor)

    def training_metrics(self, loss: float) -> Metrics:
        metrics = {"loss": loss, "perplexity": _exp(loss)}
        if self.data.level == "char":
            metrics["bits_per_char"] = loss / math.log(2)
        return metrics

    def training_variant(self) -> str:
        sampled = getattr(self.model, "softmax_sampled", 0)
        return super().training_variant() + (", sampled softmax" if sampled else "")

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        own, types = isinstance(self.model, OwnModel), len(self.vocabulary)
        # Of our own models a few tokens tell it; a window is what an own class was tried with.
        steps = min(32, self.train.window) if own and self.train.window > 1 else 8
        steps = min(steps, self.train.eval_window)
        yield from leaks.sees_ahead(model, self.kind, steps, types, own)
        if own:
            yield from leaks.other_loss(model, self.kind, steps, types)
        same = [] if self.data.name else list(leaks.same_files(self.data.files()))
        marks = Marks.of(self.vocabulary.start, self.vocabulary.unknown, self.data.level)
        yield from same or leaks.same_text({s: part.all for s, part in self.splits.items()}, marks)

    def first_loss(self) -> float:
        """ln |V|, which an untrained softmax gives."""
        return math.log(len(self.vocabulary))

    def baselines(self) -> dict[str, Metrics]:
        return ngram.baselines(
            {split: part.all for split, part in self.splits.items()}, len(self.vocabulary)
        )

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of the user's own text, in this model's vocabulary."""
        parts = {"text": [text.readable(path, self.data) for path in paths]}
        digest = sources.checksum({"text": paths})
        key = ids.key(digest, self.data, self.vocabulary)
        encoded = ids.encode(parts, self.vocabulary, key)["text"]
        if not encoded.tokens:
            raise WorkingsError(f"{paths[0]}: holds no words; give some text")
        return self.evaluate_ids(model, encoded, tick)

    def illustrate(self, model: nn.Module) -> list[str]:
        """Three generated texts."""
        request = TextRequest(samples=3, length=200, seed=self.seed)
        return [sample.text for sample in self.sample(model, request)]

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        return [
            f"{command('generate')} --prompt {shlex.quote(self.vocabulary.frequent())} --samples 3",
            f"{command('eval')} --data YOUR_TEXT.txt",
        ]

    def attention(self, model: nn.Module, prompt: str) -> TokenAttention:
        """The prompt's tokens, and every head's attention between them."""
        return attention_of(model, self.vocabulary, prompt)

    @torch.no_grad()
    def predict_array(self, model: nn.Module, array: np.ndarray) -> np.ndarray:
        """The probabilities B×V of the token after each text, given as ids B×T."""
        types = len(self.vocabulary)
        if array.ndim != 2 or not array.size or not np.issubdtype(array.dtype, np.integer):
            raise WorkingsError("predict: give an array of token ids, texts × tokens")
        if not 0 <= array.min() <= array.max() < types:
            raise WorkingsError(f"predict: token ids are 0 to {types - 1}")
        logits_BTV, _ = model(self._tensor(array), None)
        return logits_BTV[:, -1].float().softmax(1).cpu().numpy()

    def embed(self, model: nn.Module, what: list[str]) -> Embedding:
        """The vector of every word; of texts, if given: the mean of what the output layer sees."""
        if what:
            return text_vectors(model, self.vocabulary, what, self.device)
        return word_vectors(model, self.vocabulary, self.kind)

    def portable(self, model: nn.Module) -> Portable:
        """The model with its state, verified on the beginning of the test text."""
        return portable(model, self.kind, self.vocabulary, self.splits["test"].all)

    def gates(self, model: nn.Module, text: str) -> GateValues:
        """The gates of an LSTM along a text."""
        return gates_of(model, self.vocabulary, self.vocabulary.encode(text))

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """Of an LSTM, its gates along a text of its own: its data may be elsewhere."""
        if not has_gates(model):
            return {}
        request = TextRequest(length=FOLLOWED, seed=self.seed, past_end=True)
        ids = self.vocabulary.encode(self.sample(model, request)[0].text)
        return {"gates": gates_of(model, self.vocabulary, ids).chart()} if ids else {}

    def sample(self, model: nn.Module, request: TextRequest) -> list[Sample]:
        """Texts that go on from a prompt, in this task's vocabulary."""
        return sample_texts(model, self.vocabulary, request)


def _exp(nats: float) -> float:
    return math.exp(nats) if nats < 700 else math.inf


def try_language(model: nn.Module, kind: str, shape: tuple[int, int], vocabulary: int) -> None:
    """Say at once when a language model of the user's is not one."""
    wanted = f"forward(tokens_BT, state) must give (logits of shape B×T×{vocabulary}, state)"

    def trial(model: nn.Module) -> Tensor:
        x_BT = torch.zeros(shape, dtype=torch.long)
        logits, state = model(x_BT, None)
        model(x_BT, map_tensors(Tensor.detach, state))
        flatten(state, "state", {})  # a checkpoint must be able to hold it
        return logits

    given = try_out(model, kind, wanted, trial, f"tokens of shape {shape}")
    if given != (*shape, vocabulary):
        raise WorkingsError(
            f"model.kind: {kind}: {wanted}; it gave {given} for tokens of shape {shape}"
        )
