"""Functions and texts as the summary task reads them: splits, vocabulary, numbers."""

import functools
from pathlib import Path

from workings.errors import WorkingsError
from workings.tasks.batch_size import fitting_batch
from workings.tasks.summary import config, corpus
from workings.tasks.summary.batches import Batch, Encoded, encode
from workings.tasks.summary.config import SPLITS, SummaryData, SummaryTrain
from workings.tasks.summary.files import recognised
from workings.tasks.summary.snippet import Snippet
from workings.tasks.summary.vocabulary import Vocabulary
from workings.tasks.task import Task


class ReadsSnippets(Task[SummaryData, SummaryTrain, Batch]):
    """What is read of functions or texts, and what is chosen where the config leaves it open."""

    name = "summary"
    unit = "summaries"
    Data = SummaryData
    Train = SummaryTrain
    LOCATION = ("name", "path")
    PREPROCESSING = ("target", "max_tokens", "max_words", "vocabulary", "min_count")
    ASSETS = ("summary.json",)

    def use_assets(self, assets: dict[str, bytes]) -> None:
        self.vocabulary = Vocabulary.from_json(assets["summary.json"])

    def assets(self) -> dict[str, bytes]:
        return {"summary.json": self.vocabulary.to_json()}

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str]:
        return config.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return recognised(path)

    @classmethod
    def show(cls, data: SummaryData) -> dict[str, object]:
        task = cls(data, None, SummaryTrain(), 0, {})
        chosen = task.settle()
        about: dict[str, object] = {}
        for split, part in task.corpus.splits.items():
            tokens = sum(len(each.tokens) for each in part) / max(1, len(part))
            words = sum(len(each.summary) for each in part) / max(1, len(part))
            about[f"{split} summaries"] = (
                f"{len(part):,}, {tokens:.0f} tokens and {words:.1f} words each on average"
            )
        about["types"] = f"{len(task.vocabulary):,}, {task.vocabulary.outputs:,} can be written"
        edges = {
            kind: sum(len(each.edges.get(kind, ())) for each in task.corpus.everything())
            for kind in task.corpus.kinds
        }
        about["edges"] = ", ".join(f"{kind} {count:,}" for kind, count in edges.items())
        for number, line in enumerate([*chosen, *task.corpus.notes.lines()], 1):
            about[f"note {number}"] = line
        first = task.corpus.splits["train"][:1]
        about["begins"] = f"{' '.join(first[0].summary)}: {' '.join(first[0].tokens[:30])}"
        return about | {"sha256": task.checksum()}

    def settle(self) -> list[str]:
        """What the split keeps together, and a batch that fits.

        Where both are given, the standard library is not parsed for it, which takes a while.
        """
        given = self.data.split != "auto" and "batch" in self.train.model_fields_set
        if given and not self.data.path:
            return []
        chosen = []
        kind = self.corpus.kept_together
        if self.data.split == "auto" and kind:
            self.data = self.data.model_copy(update={"split": kind})
            kept = {"random": "at random"}.get(kind, f"by {kind}: each is in one split only")
            chosen.append(f"split {kept} (data.split = {kind})")
        count = self.units
        batch = fitting_batch(self.train.batch, count)
        if "batch" not in self.train.model_fields_set and batch < self.train.batch:
            self.train = self.train.model_copy(update={"batch": batch})
            chosen.append(f"batches of {batch}, for {count:,} training summaries")
        return chosen

    @functools.cached_property
    def corpus(self) -> corpus.Corpus:
        """All functions or texts, in their splits."""
        return corpus.read(self.data)

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:
        """The types of the training split."""
        most, least = self.data.vocabulary, self.data.min_count
        return Vocabulary.of(self.snippets("train"), most, least, self.corpus.kinds)

    def snippets(self, split: str) -> list[Snippet]:
        """Those of a split, which must have some."""
        part = self.corpus.splits[split]
        if not part:
            share = "" if split == "train" else f", or a larger data.{split}_share"
            raise WorkingsError(f"the {split} split is empty: give more to summarise{share}")
        return part

    @functools.cached_property
    def encoded(self) -> dict[str, list[Encoded]]:
        """The snippets in numbers, by split."""
        return {
            split: [encode(each, self.vocabulary) for each in self.snippets(split)]
            for split in SPLITS
        }

    def checksum(self) -> str:
        return self.corpus.checksum

    def describe(self) -> str:
        sizes = ", ".join(f"{split} {len(part):,}" for split, part in self.corpus.splits.items())
        name = self.data.name or Path(self.data.path).name
        return "; ".join([f"{name}: {sizes} summaries", *self.corpus.notes.lines()])
