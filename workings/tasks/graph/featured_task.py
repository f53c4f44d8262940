"""What one graph and many graphs share as a task: scaled features, and which score decides."""

import functools
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Generic

from workings.schema import Config
from workings.tasks.graph import config
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.features.feature_scale import WORDS, ColumnScale, fitting
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.model_shape import ModelShape
from workings.tasks.graph.training import FEW, METRICS
from workings.tasks.task import BatchT, Task

if TYPE_CHECKING:
    from workings.tasks.graph.whole.graph_set import GraphSet


class FeaturedTask(Task[GraphConfig, GraphTrain, BatchT], Generic[BatchT]):
    """A problem over nodes with features, in one graph or in many."""

    name = "graph"
    best = "accuracy"
    lower_is_better = False
    Data = GraphConfig
    Train = GraphTrain
    LOCATION = ("name", "path")
    ASSETS = ("graph.json",)
    METRICS = METRICS
    bfloat16 = False  # PyTorch multiplies sparse matrices in float32

    def __init__(
        self,
        data: GraphConfig,
        model: Config | None,
        train: GraphTrain,
        seed: int,
        assets: dict[str, bytes],
    ) -> None:
        super().__init__(data, model, train, seed, assets)
        self._set_metrics()

    @functools.cached_property
    @abstractmethod
    def shape(self) -> ModelShape:
        """The widths of the model, and its classes."""

    @abstractmethod
    def source(self) -> "Graph | GraphSet":
        """The graph or graphs whose features are read."""

    @abstractmethod
    def scores(self) -> tuple[str, ...]:
        """The metrics that results show, the deciding one first."""

    @abstractmethod
    def validated(self) -> tuple[int, str]:
        """How many validation examples an accuracy is over, and what they are; 0: no accuracy."""

    def _set_metrics(self) -> None:
        """These are of a run, not of the class: nodes and edges have scores of their own."""
        by_loss = self.train.select == "loss"
        self.headline, *others = self.scores()
        self.best, self.lower_is_better = "loss" if by_loss else self.headline, by_loss
        self.extra_metrics = (*others, "loss") if by_loss else tuple(others)

    def use_assets(self, assets: dict[str, bytes]) -> None:
        """Take the widths, the classes and the scale of the features from a run folder."""
        self.shape = ModelShape.from_json(assets["graph.json"])

    def assets(self) -> dict[str, bytes]:
        """The widths, the classes and the scale of the features."""
        return {"graph.json": self.shape.to_json()}

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str]:
        """One file or folder, or the name of a set."""
        return config.from_paths(paths)

    @property
    def normalise(self) -> str:
        """How features are normalised: as the config says, or as fits them."""
        given = self.data.normalise_features
        return fitting(self.source().features) if given == "auto" else given

    def column_scale(self) -> ColumnScale | None:
        """The mean and deviation of each column, where features are standardised."""
        source = self.source()
        standard = self.normalise == "standard" and source.features is not None
        return ColumnScale.of(source.x()) if standard else None

    def settle(self) -> list[str]:
        """How features are normalised, of the user's own data, and what decides which is best."""
        features = [] if self.data.name else self._settle_features()
        return [*features, *self._settle_select()]

    def _settle_features(self) -> list[str]:
        if self.data.normalise_features != "auto":
            return []
        how = self.normalise
        self.data = self.data.model_copy(update={"normalise_features": how})
        if self.source().features is None:
            return []
        return [f"features {WORDS[how]} (data.normalise_features = {how})"]

    def _settle_select(self) -> list[str]:
        """An accuracy over few examples has ties and luck; their loss is finer."""
        if "select" in self.train.model_fields_set or self.model is None:
            return []
        examples, unit = self.validated()
        if not 0 < examples < FEW:
            return []
        self.train = self.train.model_copy(update={"select": "loss"})
        self._set_metrics()
        return [
            f"the epoch of the lowest validation loss is best, of {examples} {unit} (train.select)"
        ]
