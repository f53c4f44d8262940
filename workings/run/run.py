"""A trained run as Python sees it: open one and use what its task can do."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
from torch import Tensor

from workings.run.folder import run_folder as folder
from workings.run.folder import step_log
from workings.run.folder.run_folder import RunFolder
from workings.run.machine import environment
from workings.run.opened_run import OpenedRun, prepared
from workings.run.progress import Progress
from workings.tasks import abilities
from workings.tasks.language.generate import TextRequest
from workings.tasks.language.sampling import PLAIN, Sampling

if TYPE_CHECKING:
    from workings.run.export import Form
    from workings.tasks.abilities import Chart
    from workings.tasks.embedding import Embedding
    from workings.tasks.graph.views.edge_attention import EdgeAttention
    from workings.tasks.language.gates import GateValues
    from workings.tasks.language.generate import Sample, TokenAttention
    from workings.tasks.speech.long_audio import Heard
    from workings.tasks.summary.summarise import Summarised


Named = str | int | Path | tuple[object, ...]


class Run(OpenedRun):
    """A trained run, and all that can be done with it; what its task cannot is refused."""

    @prepared
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
            raise self.cannot("generate")
        request = TextRequest(prompt, samples, length, seed, sampling, unknown, past_end)
        return self.task.sample(self.model, request)

    @prepared
    def attention(self, prompt: str) -> "TokenAttention":
        """A prompt's tokens, and the weights by layer, head, token and token attended to."""
        if not isinstance(self.task, abilities.ShowsAttention):
            raise self.cannot("attention")
        return self.task.attention(self.model, prompt)

    @prepared
    def gates(self, text: str) -> "GateValues":
        """The gates of an LSTM along a text."""
        if not isinstance(self.task, abilities.ShowsGates):
            raise self.cannot("gates")
        return self.task.gates(self.model, text)

    @prepared
    def edge_attention(self) -> "EdgeAttention":
        """What each node of a graph attends to."""
        if not isinstance(self.task, abilities.ShowsEdgeAttention):
            raise self.cannot("edge_attention")
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
                    raise self.cannot("predict an array")
                array = what.detach().cpu().numpy() if isinstance(what, Tensor) else what
                return self.task.predict_array(self.model.eval(), array)
            if not isinstance(self.task, abilities.Predicts):
                raise self.cannot("predict")
            alone = isinstance(what, str | int | Path)
            named = [what] if alone else [] if what is None else list(what)  # type: ignore[arg-type]
            return self.task.predict(self.model, list(map(_name, named)))

    @prepared
    def recommend(self, source: str, relation: str, top: int = 10) -> list[dict[str, object]]:
        """The likeliest new edges of a node of a graph, by a relation."""
        if not isinstance(self.task, abilities.Recommends):
            raise self.cannot("recommend")
        return self.task.recommend(self.model, source, relation, top)

    @prepared
    def transcribe(self, path: Path, beam: int = 1, alignment: bool = False) -> "Heard":
        """What is said in a sound file, with a beam of that width."""
        if not isinstance(self.task, abilities.Transcribes):
            raise self.cannot("transcribe")
        return self.task.transcribe(self.model, path, beam, alignment)

    @prepared
    def embed(self, what: list[str] | None = None) -> "Embedding":
        """The learned vectors of words, nodes, test pictures or test clips; of `what`, if given.

        what: sentences, nodes by name, or files of pictures or sounds.
        """
        if not isinstance(self.task, abilities.Embeds):
            raise self.cannot("embed")
        return self.task.embed(self.model, what or [])

    @prepared
    def export(self, path: Path | str, to: "Form" = "folder") -> float:
        """Write the model to a new folder, as ONNX or plain torch; verified on real inputs.

        Gives the largest difference between what it and the live model say of them.
        """
        from workings.run.export import export

        if not isinstance(self.task, abilities.Exports):
            raise self.cannot("export")
        about = {"task": self.task.name, "run": self.folder.path.name}
        return export(self.task.portable(self.model), to, Path(path), about)

    @prepared
    def summarise(self, path: Path, top: int = 3) -> "list[Summarised]":
        """Every function or text of a file in a few words, the likeliest `top` of each."""
        if not isinstance(self.task, abilities.Summarises):
            raise self.cannot("summarise")
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

    @prepared
    def task_charts(self) -> "dict[str, Chart]":
        """The charts of its task, by name; none where it draws none."""
        return self.task.charts(self.model) if isinstance(self.task, abilities.Draws) else {}


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
