"""The language task: predict each token from all those before it."""

# B streams, T window, V vocabulary

import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.data import sources
from workings.errors import WorkingsError, explain_out_of_memory
from workings.nn.attention.decoder import AttentionConfig
from workings.nn.language import LanguageModel
from workings.nn.recurrent.gru import GRUConfig
from workings.nn.recurrent.lstm import LSTMConfig
from workings.nn.recurrent.rnn import RNNConfig
from workings.schema import Size
from workings.tasks.language import files as text
from workings.tasks.language import ids
from workings.tasks.language.files import TextConfig
from workings.tasks.language.generate import Sample, attention_of, generate
from workings.tasks.language.ids import Ids
from workings.tasks.language.ngram import KneserNey, Unigram
from workings.tasks.language.sampling import Sampling
from workings.tasks.language.vocabulary import Vocabulary
from workings.tasks.own import build_own, try_out
from workings.tasks.task import Metrics, OwnModel, Task, Tick, TrainConfig
from workings.tree import flatten, map_tensors


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


class LanguageTrain(TrainConfig):
    """Training of a language model: truncated back-propagation through time."""

    batch: Size = 64
    """parallel streams in a step"""
    window: Size = 35
    """tokens back through which the gradient goes (num_steps); the state goes on beyond"""
    eval_window: Size = 512
    """tokens evaluated at a time; the state goes on, so it changes the memory, not the value"""


class LanguageTask(Task):
    """Language modelling, at word or character level, with a state carried through the text."""

    name = "language"
    unit = "tokens"
    best = "perplexity"
    lower_is_better = True
    Data = TextConfig
    Train = LanguageTrain
    FILES = ("name", "train", "valid", "test")
    READING = ("level", "tokens", "lowercase", "sentences", "vocabulary", "min_count")
    ASSETS = ("vocabulary.json",)
    METRICS = ("loss", "perplexity", "bits_per_char", "tokens", "unknown_share")
    ALSO = ("bits_per_char",)
    MODELS = {  # noqa: RUF012
        "rnn": RNNConfig,
        "lstm": LSTMConfig,
        "gru": GRUConfig,
        "attention": AttentionConfig,
    }

    def __init__(
        self,
        data: TextConfig,
        model: Any,
        train: LanguageTrain,
        seed: int,
        assets: dict[str, bytes],
    ) -> None:
        self.data, self.model, self.train, self.seed = data, model, train, seed
        self.device = torch.device("cpu")
        if "vocabulary.json" in assets:
            self.vocabulary = Vocabulary.from_json(assets["vocabulary.json"], data)

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, Any]:
        return text.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return path.suffix == ".txt" or (path.is_dir() and any(path.glob("*.txt")))

    @classmethod
    def show(cls, data: Any) -> dict[str, Any]:
        task = cls(data, None, LanguageTrain(), 0, {})
        kind = "characters" if data.level == "char" else "words"
        about: dict[str, Any] = {
            f"{split} {kind}": f"{one.tokens:,}, {one.unknown / max(1, one.tokens):.2%} <unk>"
            for split, one in task.splits.items()
        }
        about["types"] = len(task.vocabulary)
        about["most frequent"] = " ".join(map(repr, task.vocabulary.types[:12]))
        about["begins"] = task.vocabulary.join(task.splits["train"].all[1:60].tolist())
        return about | {"sha256": task.checksum()}

    @functools.cached_property
    def pieces(self) -> dict[str, list[text.Piece]]:
        if self.data.name:
            sources.verify(self.data.name)
        return text.pieces(self.data)

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary.build(self.pieces["train"], self.data)

    @functools.cached_property
    def splits(self) -> dict[str, Ids]:
        parts = self.pieces
        return ids.encode(
            parts, self.vocabulary, ids.key(self.checksum(), self.data, self.vocabulary)
        )

    @functools.cached_property
    def _checksum(self) -> str:
        _ = self.pieces  # an unreadable file is named there
        return sources.checksum(self.data.files())

    def checksum(self) -> str:
        return self._checksum

    def assets(self) -> dict[str, bytes]:
        return {"vocabulary.json": self.vocabulary.to_json()}

    def describe(self) -> str:
        sizes = ", ".join(f"{split} {one.tokens:,}" for split, one in self.splits.items())
        unknown = self.splits["train"].unknown / max(1, self.splits["train"].tokens)
        name = self.data.name or ", ".join(Path(path).name for path in self.data.train)
        kind = "characters" if self.data.level == "char" else "words"
        return (
            f"{name}: {sizes} {kind}; {len(self.vocabulary):,} types, "
            f"{unknown:.1%} of the training text <unk>"
        )

    def build(self) -> nn.Module:
        if isinstance(self.model, OwnModel):
            V, train = len(self.vocabulary), self.train
            model = build_own(self.model.kind, self.model.args, vocabulary=V)
            for shape in ((train.batch, train.window), (1, train.eval_window)):
                try_language(model, self.model.kind, shape, V)
            return model
        with explain_out_of_memory("model"):
            return self.model.build(len(self.vocabulary))

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

    def batches(self, epoch: int, position: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Windows of all streams, x and y one token apart; the last one may be shorter."""
        row, B, T = self._row, self.train.batch, self.train.window
        all_ids = self.splits["train"].all
        x_BN, y_BN = (all_ids[i : i + B * row].reshape(B, row) for i in (0, 1))
        for start in range(position * T, row, T):
            yield self._tensor(x_BN[:, start : start + T]), self._tensor(y_BN[:, start : start + T])

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(array.astype("int64")).to(self.device)

    def loss(self, model: nn.Module, batch: Any, carry: Any) -> tuple[Tensor, int, Any]:
        x_BT, y_BT = batch
        if isinstance(model, LanguageModel):
            loss, state = model.loss(x_BT, y_BT, carry)
        else:
            logits_BTV, state = model(x_BT, carry)
            loss = F.cross_entropy(logits_BTV.flatten(0, 1), y_BT.flatten())
        return loss, y_BT.numel(), map_tensors(Tensor.detach, state)

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        return self.evaluate_ids(model, self.splits[split], tick)

    def evaluate_ids(self, model: nn.Module, one: Ids, tick: Tick) -> Metrics:
        """Every token predicted once, in one stream from the first to the last, state carried."""
        loss = self._mean_loss(model, one.all, 1, tick)
        counts = {"tokens": one.tokens, "unknown_share": one.unknown / one.tokens}
        return self.running(loss) | counts

    def evaluate_streams(self, model: nn.Module, split: str, streams: int, tick: Tick) -> Metrics:
        """As a batched evaluation reports it: parallel streams, each from a zero state.

        What does not divide evenly is left out. For comparing with figures published so.
        """
        ids = self.splits[split].all
        if not 1 <= streams < len(ids):
            raise WorkingsError(f"--streams: must be from 1 to {len(ids) - 1:,}")
        loss = self._mean_loss(model, ids, streams, tick)
        return self.running(loss) | {"tokens": (len(ids) - 1) // streams * streams}

    @torch.no_grad()
    def _mean_loss(self, model: nn.Module, ids: Any, streams: int, tick: Tick) -> float:
        was_training = model.training
        model.eval()
        row = (len(ids) - 1) // streams
        x_BN, y_BN = (ids[i : i + streams * row].reshape(streams, row) for i in (0, 1))
        T = max(1, self.train.eval_window // streams)
        total, carry = 0.0, None
        for start in range(0, row, T):
            batch = (self._tensor(ids_BN[:, start : start + T]) for ids_BN in (x_BN, y_BN))
            loss, tokens, carry = self.loss(model, tuple(batch), carry)
            total += loss.item() * tokens
            tick(min(start + T, row) * streams)
        model.train(was_training)
        return total / (row * streams)

    def running(self, loss: float) -> Metrics:
        metrics = {"loss": loss, "perplexity": math.exp(loss) if loss < 700 else math.inf}
        if self.data.level == "char":
            metrics["bits_per_char"] = loss / math.log(2)
        return metrics

    def running_variant(self) -> str:
        sampled = getattr(self.model, "softmax_sampled", 0)
        return super().running_variant() + (", sampled softmax" if sampled else "")

    def first_loss(self) -> float:
        """ln |V|, which an untrained softmax gives."""
        return math.log(len(self.vocabulary))

    def baselines(self) -> dict[str, Metrics]:
        train, types = self.splits["train"].all, len(self.vocabulary)
        result = {}
        models: list[Any] = [Unigram(train, types)]
        if types < KneserNey.most_types:
            models.append(KneserNey(train, types))
        for model in models:
            result[model.name] = {
                f"{split}.perplexity": math.exp(model.loss(self.splits[split].all))
                for split in ("valid", "test")
            }
        return result

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of the user's own text, in this model's vocabulary."""
        parts = {"text": [text.whole(path) for path in paths]}
        digest = sources.checksum({"text": paths})
        key = ids.key(digest, self.data, self.vocabulary)
        one = ids.encode(parts, self.vocabulary, key)["text"]
        if not one.tokens:
            raise WorkingsError(f"{paths[0]}: holds no words; give some text")
        return self.evaluate_ids(model, one, tick)

    def illustrate(self, model: nn.Module) -> list[str]:
        """Three generated texts."""
        samples = self.generate(model, samples=3, length=200, seed=self.seed, unknown=False)
        return [sample.text for sample in samples]

    def next(self, command: Callable[[str], str]) -> list[str]:
        return [
            f'{command("generate")} --prompt "our country" --samples 3',
            f"{command('eval')} --data YOUR_TEXT.txt",
        ]

    def attention(self, model: nn.Module, prompt: str) -> Any:
        """The prompt's tokens, and every head's attention between them."""
        return attention_of(model, self.vocabulary, prompt)

    def generate(
        self,
        model: nn.Module,
        prompt: str | None = None,
        samples: int = 1,
        length: int = 100,
        seed: int = 1,
        sampling: Sampling | None = None,
        unknown: bool = True,
    ) -> list[Sample]:
        """Text that goes on from the prompt; see `generate`."""
        return generate(
            model, self.vocabulary, prompt, samples, length, seed, sampling or Sampling(), unknown
        )
