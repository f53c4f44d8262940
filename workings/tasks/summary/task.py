"""The summary task: a few words for a function or a text (sequence → graph → sequence).

What it reads is in `reads_snippets`; this is how it learns, what it reports and what it can do.
"""

# B snippets, L words, X words with those to be copied

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.tasks import examples
from workings.tasks.config import OwnModel
from workings.tasks.examples import Examples
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.speech.clips import by_length
from workings.tasks.summary import baselines, config, corpus, leaks, models
from workings.tasks.summary.batches import Batch, Encoded, collate, encode, to_device
from workings.tasks.summary.decoding import Written, greedy
from workings.tasks.summary.reads_snippets import ReadsSnippets
from workings.tasks.summary.scores import VARIANTS, by_summary, scores
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.summarise import Summarised, attention, summarise_file
from workings.tasks.summary.vocabulary import PAD, UNKNOWN
from workings.tasks.task import Carry, Metrics, Tick

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

SAMPLES = 8  # summaries shown beside the right ones


class SummaryTask(ReadsSnippets):
    """Summaries word by word.

    The best weights are those with the highest F1 when the model writes by itself.
    """

    sharded = True
    best = "f1"
    lower_is_better = False
    METRICS = ("loss", "summaries", *VARIANTS)
    extra_metrics = ("exact_match", "rouge_l", "bleu", "f1_code2seq")
    MODELS = models.MODELS
    OWN = ("loss", "metrics")
    bfloat16 = False  # the sparse product of the edges has no such kernel

    _samples: Sequence[dict[str, str]] = ()  # of the last evaluation

    def sizes(self) -> dict[str, int]:
        known = self.vocabulary
        return {"types": len(known), "outputs": known.outputs, "kinds": len(known.kinds)}

    def try_own(self, model: nn.Module, kind: str) -> None:
        try_summary(model, kind, self.sizes())

    @property
    def steps(self) -> int:
        return math.ceil(self.units / self.train.batch)

    @property
    def units(self) -> int:
        return len(self.snippets("train"))

    def batches(self, epoch: int, position: int) -> Iterator[Batch]:
        """Snippets of like length together, ordered by seed and epoch."""
        train = self.encoded["train"]
        lengths = np.array([len(each.tokens_S) for each in train])
        draw = np.random.default_rng([self.seed, epoch])
        order = by_length(lengths, self.train.batch, draw, False)
        for numbers in map(self.shard.take, order[position:]):
            yield self._collate([train[number] for number in numbers])

    def _collate(self, snippets: Sequence[Encoded]) -> Batch:
        return to_device(collate(snippets, self.vocabulary), self.device)

    def loss(self, model: nn.Module, batch: Batch, carry: Carry) -> tuple[Tensor, int, Carry]:
        if self.train.loss and model.training:
            log_BLX, real_BL = model(batch.source, batch.read_BL), batch.written_BL != PAD
            loss = self.criterion(log_BLX[real_BL], batch.written_BL[real_BL])
            return loss, len(batch.read_BL), None
        nll_BL = self._nll(model, batch)
        return nll_BL.sum() / self.terms(batch, 0), len(batch.read_BL), None

    def terms(self, batch: Batch, units: int) -> int:
        return int((batch.written_BL != PAD).sum())

    def _nll(self, model: nn.Module, batch: Batch) -> Tensor:
        log_BLX = model(batch.source, batch.read_BL)
        return nll(log_BLX, batch.written_BL, self.vocabulary.outputs)

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        own = isinstance(self.model, OwnModel)
        yield from leaks.sees_ahead(model, self.kind, self.sizes(), own)
        yield from leaks.same_snippets(self.corpus.splits)

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        return self._evaluated(model, self.snippets(split), self.encoded[split], tick)

    def _evaluated(
        self, model: nn.Module, snippets: list[Snippet], encoded: list[Encoded], tick: Tick
    ) -> Metrics:
        losses, words, written = self._each(model, encoded, tick)
        right = [each.summary for each in snippets]
        texts = [each.words for each in written]
        self._samples = [
            {
                "label": snippet.label,
                "summary": " ".join(snippet.summary),
                "written": " ".join(text),
            }
            for snippet, text in zip(snippets[:SAMPLES], texts[:SAMPLES], strict=True)
        ]
        loss = float(losses.sum() / words.sum())
        own = self.own_metrics(list(map(" ".join, texts)), list(map(" ".join, right)))
        return {"loss": loss, "summaries": len(snippets)} | scores(texts, right) | own

    @torch.no_grad()
    def _each(
        self, model: nn.Module, encoded: list[Encoded], tick: Tick
    ) -> tuple[np.ndarray, np.ndarray, list[Written]]:
        """-log P of each right summary given its words so far, their number, what it writes."""
        was_training = model.training
        model.eval()
        losses, words = np.zeros(len(encoded)), np.zeros(len(encoded), np.int32)
        written: list[Written | None] = [None] * len(encoded)
        # Longest first: what does not fit into memory fails at once.
        order = sorted(range(len(encoded)), key=lambda number: -len(encoded[number].tokens_S))
        for start in range(0, len(order), self.train.eval_batch):
            numbers = order[start : start + self.train.eval_batch]
            batch = self._collate([encoded[number] for number in numbers])
            losses[numbers] = self._nll(model, batch).double().sum(1).cpu().numpy()
            words[numbers] = (batch.written_BL != PAD).sum(1).cpu().numpy()
            texts = greedy(model, batch, self.vocabulary, self.data.words)
            for number, text in zip(numbers, texts, strict=True):
                written[number] = text
            tick(start + len(numbers))
        model.train(was_training)
        return losses, words, [text for text in written if text is not None]

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """Loss, F1, exact match and ROUGE-L of every summary."""
        snippets = self.snippets(split)
        losses, words, written = self._each(model, self.encoded[split], tick)
        right = [each.summary for each in snippets]
        columns = {"nll": losses.astype(np.float32), "tokens": words}
        columns |= by_summary([each.words for each in written], right)
        asked = "\n".join(" ".join((*each.tokens, "\t", *each.summary)) for each in snippets)
        return Examples("snippet", examples.identity(self.checksum(), asked), columns)

    def details(self) -> dict[str, object]:
        return {"summaries": list(self._samples), "variants": VARIANTS}

    def baselines(self) -> dict[str, Metrics]:
        """The most frequent summary, and that of the nearest neighbour."""
        train, test = self.snippets("train"), self.snippets("test")
        right = [each.summary for each in test]
        written = {
            "most frequent": [baselines.most_frequent(train)] * len(test),
            "nearest neighbour (TF-IDF)": baselines.nearest(train, test),
        }
        return {
            name: {f"test.{metric}": value for metric, value in scores(each, right).items()}
            for name, each in written.items()
        }

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of the user's own functions or texts, read as this run's were."""
        own = from_own(paths)
        keys = {"name": "", "subset": 0, "split": "random", **own}
        snippets = corpus.read(self.data.model_copy(update=keys)).everything()
        self.vocabulary.require_kinds(snippets, own["path"])
        encoded = [encode(each, self.vocabulary) for each in snippets]
        return self._evaluated(model, snippets, encoded, tick)

    def summarise(self, model: nn.Module, path: Path, top: int = 3) -> list[Summarised]:
        """A few words for every function or text of a file; see `summarise_file`."""
        return summarise_file(model, path, self.data, self.vocabulary, self.device, top)

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """What the model looks at in the first test snippet while it writes."""
        from workings import charts

        batch = self._collate(self.encoded["test"][:1])
        (written,) = greedy(model, batch, self.vocabulary, self.data.words)
        attended = attention(model, batch, written, self.vocabulary)
        if not attended:
            return {}
        tokens, weights = self.snippets("test")[0].tokens, [each for each, _ in attended]
        return {"attention": charts.looked_at(written.words, tokens, weights)}

    def illustrate(self, model: nn.Module) -> list[str]:
        """What it writes of the first test snippets, below what is right."""
        return [
            f"right    {sample['summary']}\nwritten  {sample['written']}"
            for sample in self._samples[:3]
        ]

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        return [f"{command('summarise')} YOUR_FILE.py", f"{command('eval')} --data YOUR_FOLDER"]


def nll(log_BLX: Tensor, written_BL: Tensor, outputs: int) -> Tensor:
    """-log P of each word, 0 at the padding.

    A word that could only be copied, by a model that cannot copy, counts as the unknown word.
    """
    log_BL = log_BLX.gather(2, written_BL[..., None])[..., 0]
    impossible_BL = (written_BL >= outputs) & log_BL.isneginf()
    log_BL = torch.where(impossible_BL, log_BLX[..., UNKNOWN], log_BL)
    return -log_BL.masked_fill(written_BL == PAD, 0.0)


def from_own(paths: list[Path]) -> dict[str, str]:
    """The keys of a file or folder of the user's, which is no named set."""
    keys = config.from_paths(paths)
    if "name" in keys:
        raise WorkingsError(f"--data {keys['name']}: give a file or a folder")
    return {"path": str(Path(keys["path"]).absolute())}


def try_summary(model: nn.Module, kind: str, sizes: dict[str, int]) -> None:
    """Say at once when a summariser of the user's is not one."""
    extended = sizes["outputs"] + 2
    wanted = f"forward(source, words_BL) must give log P of shape B×L×{extended}, X of the source"

    def trial(model: nn.Module) -> Tensor:
        words_BL = torch.ones(2, 4, dtype=torch.long)
        return model(leaks.example(sizes), words_BL)

    given = try_out(model, kind, wanted, trial, "two snippets of 5 tokens and 4 words")
    if given != (2, 4, extended):
        raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {given} for B = 2, L = 4")
