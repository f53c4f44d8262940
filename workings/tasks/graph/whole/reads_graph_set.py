"""Many graphs as the graph task reads them: a set, its splits, the features of its nodes."""

# N nodes, F features, G graphs

import functools
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.featured_task import FeaturedTask
from workings.tasks.graph.features.feature_scale import WORDS
from workings.tasks.graph.features.same_columns import arranged
from workings.tasks.graph.graph import SPLITS
from workings.tasks.graph.model_shape import ModelShape
from workings.tasks.graph.whole import named_sets, set_files
from workings.tasks.graph.whole.graph_set import GraphSet
from workings.tasks.graph.whole.set_splits import settled_splits


class ReadsGraphSet(FeaturedTask[Tensor]):
    """What is read of a set of graphs: each has a class, and its nodes have features."""

    unit = "graphs"
    PREPROCESSING = ("predict", "directed", "features", "normalise_features")

    expected: tuple[str, ...] = ()  # what each feature is for a model that there is already

    def source(self) -> GraphSet:
        return self.graphs

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return False  # GraphTask answers for both

    @classmethod
    def show(cls, data: GraphConfig) -> dict[str, object]:
        task = cls(data, None, GraphTrain(), 1, {})
        graphs = task.graphs
        sizes_G = np.diff(graphs.start_G1)
        about: dict[str, object] = {
            "graphs": len(graphs),
            "nodes": f"{sizes_G.mean():.1f} on average, {sizes_G.min()} to {sizes_G.max():,}",
            "edges": f"{graphs.edges_2E.shape[1] / len(graphs):.1f} on average, by direction",
            "features": graphs.x().shape[1],
            "features are": WORDS[task.normalise],
            "folds": len(graphs.folds) or "none given",
        }
        about |= {
            f"class {name}": int((graphs.labels_G == label).sum())
            for label, name in enumerate(graphs.classes)
        }
        about |= {f"note {number}": note for number, note in enumerate(graphs.notes, 1)}
        if len(graphs.classes) > 1:
            about["splits"] = task._sizes()
        return about | {"sha256": task.checksum()}

    @functools.cached_property
    def graphs(self) -> GraphSet:
        """All graphs."""
        if self.data.weighted:
            raise WorkingsError("data.weighted: the edges of many graphs have no weights yet")
        if self.data.name:
            return named_sets.load(self.data.name)
        return set_files.read(Path(self.data.path), self.data.directed, self.expected)

    @functools.cached_property
    def splits(self) -> dict[str, np.ndarray]:
        """The numbers of the graphs of each split."""
        if len(self.graphs.classes) < 2:
            raise WorkingsError(
                f"{self.graphs.where}: has one class, where there is nothing to tell"
            )
        return settled_splits(self.graphs, self.data, self.seed)

    @functools.cached_property
    def shape(self) -> ModelShape:
        """The widths of the model, and its classes."""
        features, classes = self.graphs.x().shape[1], self.graphs.classes
        named = self.graphs.columns if self.graphs.features is not None else ()
        return ModelShape(features, len(classes), classes, self.column_scale(), columns=named)

    def checksum(self) -> str:
        return self._checksum

    @functools.cached_property
    def _checksum(self) -> str:
        return self.graphs.checksum()

    def _sizes(self) -> str:
        parts = ", ".join(f"{split} {len(self.splits[split]):,}" for split in SPLITS)
        return f"{parts} graphs; {len(self.graphs.classes)} classes"

    def describe(self) -> str:
        graphs = self.graphs
        name = self.data.name or Path(self.data.path).name
        return (
            f"{name}: {len(graphs):,} graphs, {graphs.nodes:,} nodes, {graphs.x().shape[1]:,} "
            f"features; " + "; ".join([self._sizes(), *graphs.notes])
        )

    def features(self, graphs: GraphSet) -> Tensor:
        """X of some graphs, N×F, normalised as for training."""
        given, _ = arranged(graphs.where, graphs.features, graphs.columns, self.shape.columns)
        rows = given or graphs.x(self.shape.features)
        if rows.shape[1] != self.shape.features:
            raise WorkingsError(
                f"{graphs.where}: has {rows.shape[1]:,} features, the model was trained with "
                f"{self.shape.features:,}"
            )
        if self.shape.scale is not None:
            return torch.from_numpy(self.shape.scale(rows))
        rows = rows.sums_to_one() if self.data.normalise_features == "sum" else rows
        return torch.from_numpy(rows.table(np.float32))

    @functools.cached_property
    def x_NF(self) -> Tensor:
        """X of all graphs."""
        return self.features(self.graphs)
