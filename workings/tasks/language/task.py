"""The language task: predict each token from all those before it."""

# B streams, T window, V vocabulary

import functools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.data import sources
from workings.errors import WorkingsError
from workings.nn.language import LanguageModel
from workings.schema import build
from workings.tasks import examples
from workings.tasks.config import OwnModel
from workings.tasks.embedding import Embedding, before_output
from workings.tasks.examples import Examples
from workings.tasks.language import config, ids, leaks, mixtures, models, ngram
from workings.tasks.language import files as text
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.gates import GateValues, gates_of, has_gates
from workings.tasks.language.generate import (
    Sample,
    TextRequest,
    TokenAttention,
    attention_of,
    sample_texts,
)
from workings.tasks.language.ids import Ids
from workings.tasks.language.lines import fitting as fitting_lines
from workings.tasks.language.portable import portable
from workings.tasks.language.text_overlap import Marks
from workings.tasks.language.vocabulary import Vocabulary
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.portable import Portable
from workings.tasks.task import Carry, Metrics, Task, Tick, with_defaults
from workings.tree import flatten, map_tensors

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

FOLLOWED = 40  # tokens of the text along which gates are drawn
FEWEST_STEPS = 100  # of an epoch, below which a default batch is made smaller
Batch = tuple[Tensor, Tensor]  # the tokens, and for each of them the next one


class LanguageTask(Task[TextConfig, LanguageTrain, Batch]):
    """Language modelling, at word or character level, with a state carried through the text."""

    name = "language"
    unit = "tokens"
    best = "perplexity"
    lower_is_better = True
    Data = TextConfig
    Train = LanguageTrain
    LOCATION = ("name", "train", "valid", "test")
    PREPROCESSING = (
        *("level", "tokens", "lowercase", "lines", "sentences", "vocabulary", "min_count"),
    )
    ASSETS = ("vocabulary.json",)
    BEFORE = MappingProxyType({"lines": "line", "licence": "keep"})
    METRICS = ("loss", "perplexity", "bits_per_char", "bits_per_byte", "tokens", "unknown_share")
    extra_metrics = ("bits_per_char", "bits_per_byte")
    MODELS = models.MODELS
    OWN = ("loss",)

    def use_assets(self, assets: dict[str, bytes]) -> None:
        self.vocabulary = Vocabulary.from_json(assets["vocabulary.json"], self.data)

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str | list[str]]:
        return config.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return path.suffix == ".txt" or (path.is_dir() and any(path.glob("*.txt")))

    @classmethod
    def show(cls, data: TextConfig) -> dict[str, object]:
        task = cls(data, None, LanguageTrain(), 0, {})
        chosen = task.settle()
        kind = "characters" if data.level == "char" else "words"
        about: dict[str, object] = {
            f"{split} {kind}": f"{part.tokens:,}, {part.unknown / max(1, part.tokens):.2%} <unk>"
            for split, part in task.splits.items()
        }
        about["types"] = len(task.vocabulary)
        about["most frequent"] = " ".join(map(repr, task.vocabulary.types[:12]))
        for number, choice in enumerate(chosen, 1):
            about[f"chosen {number}"] = choice
        about["begins"] = task.vocabulary.join(task.splits["train"].all[1:60].tolist())
        return about | {"sha256": task.checksum()}

    @classmethod
    def adapt(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The attention model reads whole blocks of its context."""
        model, train = values.get("model", {}), values.get("train", {})
        if not (isinstance(model, dict) and isinstance(train, dict)):
            return values
        if model.get("kind") != "attention":
            return values
        context = model.get("context", models.AttentionConfig.model_fields["context"].default)
        if not isinstance(context, int) or context < 1:
            return values  # an error that names it follows
        window = train.get("window", LanguageTrain.model_fields["window"].default)
        if "window" not in train:
            return with_defaults(values, "train", window=math.ceil(window / context) * context)
        if isinstance(window, int) and window % context:
            raise WorkingsError(
                f"train.window: {window} is no multiple of model.context = {context}, the tokens "
                "that are read as a block"
            )
        return values

    def settle(self) -> list[str]:
        """How the text of the user's own files is written, and a batch that fits its length."""
        if self.data.name:
            return []
        chosen: list[str] = []
        if self.data.licence == "auto":
            skip = self.data.model_copy(update={"licence": "skip"})
            found = text.pieces(skip) != self.pieces
            self.data = skip if found else skip.model_copy(update={"licence": "keep"})
            del self.pieces  # they are read anew
            if found:
                chosen.append(
                    "Project Gutenberg's header and licence left out (data.licence = skip)"
                )
        if self.data.lines == "auto":
            lines = "line" if self.data.level == "char" else fitting_lines(self.pieces["train"])
            self.data = self.data.model_copy(update={"lines": lines})
            if lines != "line":
                words = {"paragraph": "joined into paragraphs", "stream": "joined into one text"}
                chosen.append(f"hard-wrapped lines {words[lines]} (data.lines = {lines})")
        return [*chosen, *self._settle_model(), *self._settle_batch()]

    def _settle_model(self) -> list[str]:
        """An LSTM with dropout, where the config names no model: the first is a plain RNN."""
        given = self.model.model_fields_set if self.model else {"kind"}
        if not isinstance(self.model, models.RNNConfig) or given & {"kind", "activation"}:
            return []
        wished = {name: getattr(self.model, name) for name in given}
        if wished.get("hidden", 0) != wished.get("embed", 0):  # tied weights need equal widths
            wished = {"tied": False, **wished}
        fitting = models.LSTM_OF_OWN_TEXT | wished
        self.model = build(models.LSTMConfig, fitting, "model")
        trained = {
            key: value
            for key, value in config.TRAINING_OF_OWN_TEXT.items()
            if key not in self.train.model_fields_set
        }
        # A schedule is made for the epochs, the optimizer and the rate that go with it.
        if not self.train.model_fields_set & {"lr", "optimizer", "schedule"}:
            self.train = self.train.model_copy(update=trained)
        return [
            "an LSTM with dropout, its learning rate falling to 0 (model.kind = lstm; of the plain "
            "one: --set model.kind=rnn)"
        ]

    def _settle_batch(self) -> list[str]:
        """Fewer streams, where there would be few steps an epoch; the smallest data, a window."""
        tokens, batch, window = self.splits["train"].tokens, self.train.batch, self.train.window
        given = self.train.model_fields_set
        if "batch" not in given:
            while batch > 1 and tokens < FEWEST_STEPS * batch * window:
                batch //= 2
        if "window" not in given and self.kind != "attention":
            window = max(1, min(window, tokens // (2 * batch)))
        settled = {"batch": batch, "window": window}
        if settled == {"batch": self.train.batch, "window": self.train.window}:
            return []
        self.train = self.train.model_copy(update=settled)
        return [f"{batch} streams of {window} tokens a step, for {tokens:,} tokens of text"]

    @functools.cached_property
    def pieces(self) -> dict[str, list[text.Piece]]:
        """The stretches of files that each split reads."""
        if self.data.name:
            sources.verify(self.data.name)
        return text.pieces(self.data)

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:
        """The types of the training text that are kept."""
        return Vocabulary.build(self.pieces["train"], self.data)

    @functools.cached_property
    def splits(self) -> dict[str, Ids]:
        """Each split as token ids."""
        key = ids.key(self.checksum(), self.data, self.vocabulary)
        return ids.encode(self.pieces, self.vocabulary, key)

    @functools.cached_property
    def _checksum(self) -> str:
        _ = self.pieces  # an unreadable file is named there
        return sources.checksum(self.data.files())

    def checksum(self) -> str:
        return self._checksum

    def assets(self) -> dict[str, bytes]:
        return {"vocabulary.json": self.vocabulary.to_json()}

    def describe(self) -> str:
        sizes = ", ".join(f"{split} {part.tokens:,}" for split, part in self.splits.items())
        unknown = self.splits["train"].unknown / max(1, self.splits["train"].tokens)
        name = self.data.name or ", ".join(Path(path).name for path in self.data.train)
        kind = "characters" if self.data.level == "char" else "words"
        return (
            f"{name}: {sizes} {kind}; {len(self.vocabulary):,} types, "
            f"{unknown:.1%} of the training text <unk>"
        )

    def sizes(self) -> dict[str, int]:
        return {"vocabulary": len(self.vocabulary)}

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
        x_BN, y_BN = (all_ids[i : i + B * row].reshape(B, row) for i in (0, 1))
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
        # By it models of characters and of words are compared, where both say all of the text.
        bits = loss * part.tokens / math.log(2)
        by_byte = {"bits_per_byte": bits / part.bytes} if part.whole else {}
        return self.training_metrics(loss) | by_byte | counts

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

    @torch.no_grad()
    def _mean_loss(self, model: nn.Module, ids: np.ndarray, streams: int, tick: Tick) -> float:
        was_training = model.training
        model.eval()
        row = (len(ids) - 1) // streams
        x_BN, y_BN = (ids[i : i + streams * row].reshape(streams, row) for i in (0, 1))
        T = max(1, self.train.eval_window // streams)
        total = 0.0
        carry: Carry = None
        for start in range(0, row, T):
            x_BT, y_BT = (self._tensor(ids_BN[:, start : start + T]) for ids_BN in (x_BN, y_BN))
            loss, tokens, carry = self.loss(model, (x_BT, y_BT), carry)
            total += loss.item() * tokens
            tick(min(start + T, row) * streams)
        model.train(was_training)
        return total / (row * streams)

    @torch.no_grad()
    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """The loss of every line, the tokens read as `evaluate` reads them."""
        was_training = model.training
        model.eval()
        all_ids, T, parts = self.splits[split].all, self.train.eval_window, []
        carry: Carry = None
        for start in range(0, len(all_ids) - 1, T):
            y_T = self._tensor(all_ids[start + 1 : start + 1 + T])
            x_BT = self._tensor(all_ids[start : start + len(y_T)])[None]
            logits_BTV, state = model(x_BT, carry)
            carry = map_tensors(Tensor.detach, state)
            parts.append(F.cross_entropy(logits_BTV[0].float(), y_T, reduction="none").cpu())
            tick(start + len(y_T))
        model.train(was_training)
        targets = np.asarray(all_ids[1:])
        types = "\n".join(self.vocabulary.types)
        return Examples(
            "line",
            examples.identity(self.data.level, types, targets.astype(np.int32)),
            examples.lines(torch.cat(parts).numpy(), targets, self.vocabulary.start),
        )

    def training_metrics(self, loss: float) -> Metrics:
        metrics = {"loss": loss, "perplexity": math.exp(loss) if loss < 700 else math.inf}
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
        request = TextRequest(samples=3, length=200, seed=self.seed, unknown=False)
        return [sample.text for sample in self.sample(model, request)]

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        return [
            f'{command("generate")} --prompt "our country" --samples 3',
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
        vocabulary = self.vocabulary
        if what:
            unknown = [text for text in what if not vocabulary.encode(text)]
            if unknown:
                raise WorkingsError(f"embed: {unknown[0]!r} holds no words")
            model.eval()
            vectors = [self._text_vector(model, vocabulary.encode(text)) for text in what]
            return Embedding("sentence", list(what), np.stack(vectors))
        table = getattr(model, "embedding", None)
        if not isinstance(table, nn.Embedding):
            raise WorkingsError(f"embed: {self.kind} has no `embedding` of words; give sentences")
        weights = table.weight.detach().float().cpu().numpy()
        return Embedding("word", list(vocabulary.types), weights)

    def _text_vector(self, model: nn.Module, ids: list[int]) -> np.ndarray:
        x_BT = torch.tensor([[self.vocabulary.start, *ids]], device=self.device)
        seen = before_output(model, x_BT).float().cpu()
        return seen.flatten(0, 1)[1:].mean(0).numpy()

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
