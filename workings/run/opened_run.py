"""A run that is opened: its config, its task, the model with its best weights, its metrics."""

import functools
import math
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from torch import nn

from workings.errors import WorkingsError
from workings.run.config import RunConfig
from workings.run.folder import examples_file, kept_source, made_here
from workings.run.folder.records import MetricsLine, Result
from workings.run.folder.run_folder import RunFolder
from workings.run.given_data import files
from workings.run.machine import environment
from workings.run.progress import Logged, Progress
from workings.run.run_html import run_html
from workings.run.weights import best_weights, load_weights
from workings.tasks import abilities
from workings.tasks.task import Metrics, Tick

VERBS = {
    "generate": abilities.Generates,
    "predict": abilities.Predicts,
    "transcribe": abilities.Transcribes,
    "summarise": abilities.Summarises,
    "embed": abilities.Embeds,
    "evaluate": abilities.EvaluatesFiles,
}
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Opened = TypeVar("Opened", bound="OpenedRun")


def prepared(
    method: "Callable[Concatenate[Opened, Arguments], Answer]",
) -> "Callable[Concatenate[Opened, Arguments], Answer]":
    """A method that works with the run's threads and allocator, and leaves the caller's alone."""

    def inside(run: Opened, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        with environment.prepared(run.config.train):
            return method(run, *args, **kwargs)

    functools.update_wrapper(inside, method)
    return inside


class OpenedRun:
    """A run with its config, its task, and the model with its best weights; it can be evaluated."""

    def __init__(
        self,
        where: RunFolder,
        progress: Progress | None = None,
        config: RunConfig | None = None,
        model: nn.Module | None = None,
        trust: bool = False,
    ) -> None:
        """config, model: those of a run just trained, with its best weights; else from the disk.

        trust: as in `open_run`.
        """
        if model is None:
            where.require_own_files()
            made_here.require(where, trust)
        self.progress = progress or Logged()
        self.folder, self.config = where, config or where.config(self.progress.warn)
        self.task = self.config.build_task(where.assets(self.config))
        device = environment.device(self.config.train)
        self.task.to(device)
        if model is None:
            if differs := kept_source.difference(where, self.config):
                self.progress.warn(differs)
            tensors = best_weights(where, self.progress)
            with environment.prepared(self.config.train):
                model = self.task.build().to(device)
            load_weights(model, tensors)
        self.model = model.eval()

    def __repr__(self) -> str:
        return f"<Run {self.folder.path}: {self.task.name}, {self.config.kind}>"

    def _repr_html_(self) -> str:
        """A notebook shows what it is, and its figures."""
        return run_html(self)

    @property
    def result(self) -> Result | None:
        """The figures of a finished run."""
        return self.folder.result()

    @property
    def history(self) -> list[MetricsLine]:
        """A row for every evaluation: step, epoch, split, and its metrics."""
        return self.folder.metrics()

    @prepared
    def evaluate(self, split: str = "test", data: object = None, streams: int = 0) -> Metrics:
        """Metrics of a split, or of the user's own data; text as parallel streams if asked.

        data: paths, or Python objects as `train` takes them.
        """

        def tick(done: int) -> None:
            self.progress.evaluating("your data" if data else split, done, self.task.unit)

        try:
            if data is None:
                self.require_same_data()
                if not streams:
                    self._keep_examples(tick)
                    return self._computed(self.task.evaluate(self.model, split, tick))
                if not isinstance(self.task, abilities.EvaluatesStreams):
                    raise self.cannot("evaluate_streams")
                return self._computed(self.task.evaluate_streams(self.model, split, streams, tick))
            if not isinstance(self.task, abilities.EvaluatesFiles):
                raise self.cannot("evaluate_files")
            paths = files(type(self.task), data)
            return self._computed(self.task.evaluate_files(self.model, paths, tick))
        finally:
            self.progress.close()

    def _computed(self, metrics: Metrics) -> Metrics:
        """The metrics, whose loss is a number: without one, classes are given all the same."""
        if math.isnan(metrics.get("loss", 0.0)):
            raise WorkingsError(
                f"{self.folder.path}: the loss is not a number: the model overflows on this data, "
                "and no figure of it would mean anything"
            )
        return metrics

    @prepared
    def evaluate_mixture(
        self, split: str = "test", cache: bool = False, ngram: bool = False
    ) -> Metrics:
        """A language model with a cache of its last states, with counts of n-grams, or both."""
        if not isinstance(self.task, abilities.EvaluatesMixtures):
            raise self.cannot("evaluate_mixture")
        self.require_same_data()
        try:
            return self.task.evaluate_mixture(
                self.model,
                split,
                cache,
                ngram,
                lambda done: self.progress.evaluating(split, done, self.task.unit),
            )
        finally:
            self.progress.close()

    def _keep_examples(self, tick: Tick) -> None:
        """Write down what it makes of each example, where an older version did not."""
        try:
            self.keep_examples(tick)
        except WorkingsError as error:  # a folder that cannot be written is evaluated all the same
            self.progress.warn(f"{examples_file.NAME} is not written: {error}")

    @prepared
    def keep_examples(self, tick: Tick) -> None:
        """Write down what a finished run makes of each example; not where it has been done."""
        if self.folder.result() and not (self.folder.path / examples_file.NAME).exists():
            self.require_same_data()
            with self.folder.hold():
                examples_file.keep(self.folder.path, self.task, self.model, tick)

    def require_same_data(self) -> None:
        """The figures of a run are about its data: other data is given by path."""
        if self.folder.about().get("data") != self.task.checksum():
            raise WorkingsError(
                f"{self.folder.path}: its data has changed since it was trained; "
                "bring it back, or name the new files with --data"
            )

    def cannot(self, ability: str) -> WorkingsError:
        """What is said where its task has no such ability: what it can do instead."""
        words = ability.replace("_", " ")
        article = "an" if self.task.name[0] in "aeiou" else "a"
        can = [name for name, kind in VERBS.items() if isinstance(self.task, kind)]
        return WorkingsError(
            f"{self.folder.path}: {article} {self.task.name} run cannot {words}; "
            f"it can {', '.join(can)}"
        )
