"""A trained run as Python sees it: open one and use it."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

import numpy as np
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.run import (
    environment,
    examples_file,
    folder,
    kept_source,
    made_here,
    step_log,
)
from workings.run.config import RunConfig
from workings.run.folder import RunFolder
from workings.run.given_data import files
from workings.run.progress import Logged, Progress
from workings.run.records import MetricsLine, Result
from workings.run.run_html import run_html
from workings.run.weights import best_weights, load_weights
from workings.tasks import abilities
from workings.tasks.language.generate import TextRequest
from workings.tasks.language.sampling import PLAIN, Sampling
from workings.tasks.task import Metrics, Tick

if TYPE_CHECKING:
    from workings.run.export import Form
    from workings.tasks.abilities import Chart
    from workings.tasks.embedding import Embedding
    from workings.tasks.graph.edge_attention import EdgeAttention
    from workings.tasks.language.gates import GateValues
    from workings.tasks.language.generate import Sample, TokenAttention
    from workings.tasks.speech.long_audio import Heard
    from workings.tasks.summary.summarise import Summarised


Named = str | int | Path | tuple[object, ...]
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


def _prepared(
    method: "Callable[Concatenate[Run, Arguments], Answer]",
) -> "Callable[Concatenate[Run, Arguments], Answer]":
    """A method that works with the run's threads and allocator, and leaves the caller's alone."""

    def inside(run: "Run", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        with environment.prepared(run.config.train):
            return method(run, *args, **kwargs)

    functools.update_wrapper(inside, method)
    return inside


class Run:
    """A trained run: its config, its task, and the model with its best weights."""

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

    @_prepared
    def evaluate(self, split: str = "test", data: Any = None, streams: int = 0) -> Metrics:
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
                    return self.task.evaluate(self.model, split, tick)
                if not isinstance(self.task, abilities.EvaluatesStreams):
                    raise self._cannot("evaluate_streams")
                return self.task.evaluate_streams(self.model, split, streams, tick)
            if not isinstance(self.task, abilities.EvaluatesFiles):
                raise self._cannot("evaluate_files")
            return self.task.evaluate_files(self.model, files(type(self.task), data), tick)
        finally:
            self.progress.close()

    @_prepared
    def evaluate_mixture(
        self, split: str = "test", cache: bool = False, ngram: bool = False
    ) -> Metrics:
        """A language model with a cache of its last states, with counts of n-grams, or both."""
        if not isinstance(self.task, abilities.EvaluatesMixtures):
            raise self._cannot("evaluate_mixture")
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

    @_prepared
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

    @_prepared
    def generate(
        self,
        prompt: str | None = None,
        samples: int = 1,
        length: int = 100,
        seed: int = 1,
        sampling: Sampling = PLAIN,
        unknown: bool = False,
        past_end: bool = False,
    ) -> "list[Sample]":
        """Texts of at most `length` tokens that go on from the prompt.

        sampling: how the next token is chosen. unknown: whether it may be <unk>. past_end: go on
        after <eos>, to the full length.
        """
        if not isinstance(self.task, abilities.Generates):
            raise self._cannot("generate")
        request = TextRequest(prompt, samples, length, seed, sampling, unknown, past_end)
        return self.task.sample(self.model, request)

    @_prepared
    def attention(self, prompt: str) -> "TokenAttention":
        """A prompt's tokens, and the weights by layer, head, token and token attended to."""
        if not isinstance(self.task, abilities.ShowsAttention):
            raise self._cannot("attention")
        return self.task.attention(self.model, prompt)

    @_prepared
    def gates(self, text: str) -> "GateValues":
        """The gates of an LSTM along a text."""
        if not isinstance(self.task, abilities.ShowsGates):
            raise self._cannot("gates")
        return self.task.gates(self.model, text)

    @_prepared
    def edge_attention(self) -> "EdgeAttention":
        """What each node of a graph attends to."""
        if not isinstance(self.task, abilities.ShowsEdgeAttention):
            raise self._cannot("edge_attention")
        return self.task.edge_attention(self.model)

    @overload
    def predict(self, what: Named | Sequence[Named] | None = None) -> list[dict[str, object]]: ...

    @overload
    def predict(self, what: np.ndarray | Tensor) -> np.ndarray: ...

    def predict(
        self, what: Named | Sequence[Named] | np.ndarray | Tensor | None = None
    ) -> list[dict[str, object]] | np.ndarray:
        """What the model says of each thing named: files of images, nodes or pairs of a graph.

        Without a name, of every node of a graph. A pair is (a, b), or "a,b".

        Of an array, the probabilities as an array, a row for each row: images N×H×W, N×H×W×C or
        N×C×H×W (from 0 to 255, or to 1); numbers of nodes N, or of pairs N×2; token ids B×T, for
        the next token of each text.
        """
        with environment.prepared(self.config.train):
            if isinstance(what, np.ndarray | Tensor):
                if not isinstance(self.task, abilities.PredictsArrays):
                    raise self._cannot("predict an array")
                array = what.detach().cpu().numpy() if isinstance(what, Tensor) else what
                return self.task.predict_array(self.model.eval(), array)
            if not isinstance(self.task, abilities.Predicts):
                raise self._cannot("predict")
            alone = isinstance(what, str | int | Path)
            named = [what] if alone else [] if what is None else list(what)  # type: ignore[arg-type]
            return self.task.predict(self.model, list(map(_name, named)))

    @_prepared
    def recommend(self, source: str, relation: str, top: int = 10) -> list[dict[str, object]]:
        """The likeliest new edges of a node of a graph, by a relation."""
        if not isinstance(self.task, abilities.Recommends):
            raise self._cannot("recommend")
        return self.task.recommend(self.model, source, relation, top)

    @_prepared
    def transcribe(self, path: Path, beam: int = 1, alignment: bool = False) -> "Heard":
        """What is said in a sound file, with a beam of that width."""
        if not isinstance(self.task, abilities.Transcribes):
            raise self._cannot("transcribe")
        return self.task.transcribe(self.model, path, beam, alignment)

    @_prepared
    def embed(self, what: list[str] | None = None) -> "Embedding":
        """The learned vectors of words, nodes, test pictures or test clips; of `what`, if given.

        what: sentences, nodes by name, or files of pictures or sounds.
        """
        if not isinstance(self.task, abilities.Embeds):
            raise self._cannot("embed")
        return self.task.embed(self.model, what or [])

    @_prepared
    def export(self, path: Path | str, to: "Form" = "folder") -> float:
        """Write the model to a new folder, as ONNX or plain torch; verified on real inputs.

        Gives the largest difference between what it and the live model say of them.
        """
        from workings.run.export import export

        if not isinstance(self.task, abilities.Exports):
            raise self._cannot("export")
        about = {"task": self.task.name, "run": self.folder.path.name}
        return export(self.task.portable(self.model), to, Path(path), about)

    @_prepared
    def summarise(self, path: Path, top: int = 3) -> "list[Summarised]":
        """Every function or text of a file in a few words, the likeliest `top` of each."""
        if not isinstance(self.task, abilities.Summarises):
            raise self._cannot("summarise")
        return self.task.summarise(self.model, path, top)

    def charts(self) -> "dict[str, Chart]":
        """The learning curves of its metrics, and the charts of its task, by name."""
        from workings import charts

        rows, task = self.folder.metrics(), self.task
        names = dict.fromkeys(["loss", task.headline, task.best, *task.extra_metrics])
        logarithmic = ("loss", "perplexity")
        curves = {
            f"{name.replace('_', '-')}-by-epoch": charts.curves(rows, name, log=name in logarithmic)
            for name in names
            if any(isinstance(row.get(name), (int, float)) for row in rows)
        }
        steps = step_log.read(self.folder.path)
        if steps:
            curves["loss-by-step"] = charts.curves(steps, "loss", log=True, x="step")
        return curves | self.task_charts()

    @_prepared
    def task_charts(self) -> "dict[str, Chart]":
        """The charts of its task, by name; none where it draws none."""
        return self.task.charts(self.model) if isinstance(self.task, abilities.Draws) else {}

    def _cannot(self, ability: str) -> WorkingsError:
        words = ability.replace("_", " ")
        article = "an" if self.task.name[0] in "aeiou" else "a"
        can = [name for name, kind in VERBS.items() if isinstance(self.task, kind)]
        return WorkingsError(
            f"{self.folder.path}: {article} {self.task.name} run cannot {words}; "
            f"it can {', '.join(can)}"
        )


def _name(what: object) -> str:
    """What a file, a node or a pair of nodes goes by."""
    return ",".join(map(str, what)) if isinstance(what, tuple) else str(what)


def open_run(
    name: str, runs: Path | None = None, progress: Progress | None = None, trust: bool = False
) -> Run:
    """An existing run, by name or path.

    trust: import the class of its model, where that is the user's own and the run was not made by
    this user on this machine.
    """
    return Run(RunFolder.find(name, folder.root(runs)), progress, trust=trust)
