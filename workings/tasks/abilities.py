"""What only some tasks can do with a trained model: a protocol for each, asked by isinstance."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from torch import nn

from workings.tasks.task import Metrics, Tick

if TYPE_CHECKING:
    import altair

    from workings.tasks.embedding import Embedding
    from workings.tasks.graph.views.edge_attention import EdgeAttention
    from workings.tasks.language.gates import GateValues
    from workings.tasks.language.generate import Sample, TextRequest, TokenAttention
    from workings.tasks.portable import Portable
    from workings.tasks.speech.long_audio import Heard
    from workings.tasks.summary.summarise import Summarised

    Chart = altair.TopLevelMixin


@runtime_checkable
class EvaluatesFiles(Protocol):
    """Metrics of the user's own files."""

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """The files are read as the run's own data was, with its vocabulary or classes."""


@runtime_checkable
class EvaluatesStreams(Protocol):
    """Metrics of a split read as parallel streams, as a batched evaluation reports them."""

    def evaluate_streams(self, model: nn.Module, split: str, streams: int, tick: Tick) -> Metrics:
        """Each stream begins with a zero state; what does not divide evenly is left out."""


@runtime_checkable
class EvaluatesMixtures(Protocol):
    """Metrics of a model mixed with a cache of its last states, or with counts of n-grams."""

    def evaluate_mixture(
        self, model: nn.Module, split: str, cache: bool, ngram: bool, tick: Tick
    ) -> Metrics:
        """The weights of the mixture are chosen on the validation split."""


@runtime_checkable
class Generates(Protocol):
    """Text that goes on from a prompt."""

    def sample(self, model: nn.Module, request: "TextRequest") -> "list[Sample]":
        """As many texts as the request asks for, each token with its probability."""


@runtime_checkable
class ShowsAttention(Protocol):
    """What each token of a prompt attends to."""

    def attention(self, model: nn.Module, prompt: str) -> "TokenAttention":
        """The tokens of the prompt, and the weights by layer and head."""


@runtime_checkable
class ShowsGates(Protocol):
    """The gates of recurrent units along a text."""

    def gates(self, model: nn.Module, text: str) -> "GateValues":
        """The value of every gate at every token."""


@runtime_checkable
class ShowsEdgeAttention(Protocol):
    """What each node of a graph attends to."""

    def edge_attention(self, model: nn.Module) -> "EdgeAttention":
        """The weights of all edges, by layer and head."""


@runtime_checkable
class Predicts(Protocol):
    """A class, with probabilities, of each thing that is named."""

    def predict(self, model: nn.Module, what: list[str]) -> list[dict[str, object]]:
        """A row for each name; for everything where nothing is named."""


@runtime_checkable
class PredictsArrays(Protocol):
    """Probabilities, a row for each row of an array: pixels, numbers of nodes, ids of tokens."""

    def predict_array(self, model: nn.Module, array: np.ndarray) -> np.ndarray:
        """Its rows are those of the array, its columns the classes or types."""


@runtime_checkable
class Recommends(Protocol):
    """The likeliest new edges of a node of a graph, by a relation."""

    def recommend(
        self, model: nn.Module, source: str, relation: str, top: int
    ) -> list[dict[str, object]]:
        """The likeliest `top` targets, each with its probability, the best first."""


@runtime_checkable
class Transcribes(Protocol):
    """What is said in a sound file."""

    def transcribe(
        self, model: nn.Module, path: Path, beam: int = 1, alignment: bool = False
    ) -> "Heard":
        """A file of any length, in segments; alignment: with where each token was heard."""


@runtime_checkable
class Summarises(Protocol):
    """A few words for every function or text of a file."""

    def summarise(self, model: nn.Module, path: Path, top: int = 3) -> "list[Summarised]":
        """Each with its likeliest `top` summaries and their probabilities."""


@runtime_checkable
class Draws(Protocol):
    """Charts of a trained model, by name, besides its learning curves."""

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """They are drawn from the trained model and the test split."""


@runtime_checkable
class Embeds(Protocol):
    """Vectors of what is named; of all words, nodes, or things of the test split if nothing is."""

    def embed(self, model: nn.Module, what: list[str]) -> "Embedding":
        """A row for each name, in the order in which they are given."""


@runtime_checkable
class Exports(Protocol):
    """The model as a stand-alone module, with real inputs and what the model gives for them."""

    def portable(self, model: nn.Module) -> "Portable":
        """WorkingsError where the architecture has no stand-alone form."""
