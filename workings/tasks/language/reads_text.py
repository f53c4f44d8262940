"""Text as the language task reads it: splits of ids, and what is chosen by looking at it."""

import functools
import math
from pathlib import Path
from types import MappingProxyType

from torch import Tensor

from workings.data import sources
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.language import config, ids, models
from workings.tasks.language import files as text
from workings.tasks.language.config import LanguageTrain, TextConfig
from workings.tasks.language.ids import Ids
from workings.tasks.language.lines import fitting as fitting_lines
from workings.tasks.language.subwords import Subwords
from workings.tasks.language.vocabulary import Vocabulary
from workings.tasks.task import Task, with_defaults

FEWEST_STEPS = 100  # of an epoch, below which a default batch is made smaller
TOKENS = {"word": "words", "char": "characters", "bpe": "subwords"}
KINDS: dict[str, type[Vocabulary]] = {"word": Vocabulary, "char": Vocabulary, "bpe": Subwords}
Batch = tuple[Tensor, Tensor]  # the tokens, and for each of them the next one


class ReadsText(Task[TextConfig, LanguageTrain, Batch]):
    """What is read of text files, and what is chosen where the config leaves it open."""

    name = "language"
    unit = "tokens"
    Data = TextConfig
    Train = LanguageTrain
    LOCATION = ("name", "train", "valid", "test")
    PREPROCESSING = (
        *("level", "tokens", "lowercase", "lines", "sentences", "vocabulary", "min_count"),
    )
    ASSETS = ("vocabulary.json",)
    BEFORE = MappingProxyType({"lines": "line", "licence": "keep"})

    def use_assets(self, assets: dict[str, bytes]) -> None:
        self.vocabulary = KINDS[self.data.level].from_json(assets["vocabulary.json"], self.data)

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
        kind = TOKENS[data.level]
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
    def adapt(cls, values: dict[str, object]) -> dict[str, object]:
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
            has_licence = text.pieces(skip) != self.pieces
            self.data = skip if has_licence else skip.model_copy(update={"licence": "keep"})
            del self.pieces  # they are read again
            if has_licence:
                chosen.append(
                    "Project Gutenberg's header and licence left out (data.licence = skip)"
                )
        if self.data.encoding == "auto":
            parts = [piece for split in self.pieces.values() for piece in split]
            older = dict.fromkeys(p.path.name for p in parts if p.encoding != "utf-8")
            if older:
                chosen.append(
                    f"{', '.join(older)} read as Windows-1252, not being UTF-8 (data.encoding)"
                )
        if self.data.lines == "auto":
            lines = "line" if self.data.level != "word" else fitting_lines(self.pieces["train"])
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
        streams = "1 stream" if batch == 1 else f"{batch} streams"
        return [f"{streams} of {window} tokens a step, for {tokens:,} tokens of text"]

    @functools.cached_property
    def pieces(self) -> dict[str, list[text.Piece]]:
        """The stretches of files that each split reads."""
        if self.data.name:
            sources.verify(self.data.name)
        return text.pieces(self.data)

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:
        """The types of the training text that are kept."""
        return KINDS[self.data.level].build(self.pieces["train"], self.data)

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
        kind = TOKENS[self.data.level]
        return (
            f"{name}: {sizes} {kind}; {len(self.vocabulary):,} types, "
            f"{unknown:.1%} of the training text <unk>"
        )

    def sizes(self) -> dict[str, int]:
        return {"vocabulary": len(self.vocabulary)}
