"""One graph as the graph task reads it: nodes, features, texts, and what is asked about them."""

# N nodes, E edges, F features, C classes (or the width of a node's state, for edges)

import functools
from dataclasses import replace
from pathlib import Path

from torch import Tensor

from workings.errors import WorkingsError
from workings.nn.graph.graph_model import NodeFeatures, dense
from workings.own_class import is_own
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.featured_task import FeaturedTask
from workings.tasks.graph.features.feature_scale import LARGE
from workings.tasks.graph.features.same_columns import arranged
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.features.texts import Words, empty_texts, require_text
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.model_shape import ModelShape
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.sampled import Part
from workings.tasks.graph.typed.relation_prediction import RelationPrediction

Problem = NodeClassification | EdgePrediction | RelationPrediction
RELATIONAL = ("rgcn", "distmult")  # kinds whose edges have relations
SECOND: dict[type, tuple[str, ...]] = {
    NodeClassification: ("balanced_accuracy",),
    EdgePrediction: ("average_precision",),
    RelationPrediction: ("hits_1", "hits_3", "hits_10", "roc_auc"),
}
SPREADING = ("gcn", "gat", "gin", "ggnn", "rgcn")  # kinds that see a node's neighbours
MOST_FEATURES, MOST_NODES = 100, 20_000  # up to which each node becomes a feature of its own too
EMBED = 16  # the width of a node's state in an own model that predicts edges


class ReadsGraph(FeaturedTask[int | Part]):
    """What is read of one graph, and the problem it poses."""

    unit = "nodes"
    PREPROCESSING = (
        *("predict", "relation", "node_type", "label", "directed", "weighted", "features", "text"),
        "normalise_features",
    )

    words: Words | None = None  # of the texts, where they are used
    expected: tuple[str, ...] = ()  # what each feature is for a model that there is already

    def use_assets(self, assets: dict[str, bytes]) -> None:
        super().use_assets(assets)
        self.words, self.expected = self.shape.words, self.shape.columns

    def source(self) -> Graph:
        return self.graph

    def scores(self) -> tuple[str, ...]:
        return self._kind.score, *SECOND[self._kind]

    def validated(self) -> tuple[int, str]:
        if not isinstance(self.problem, NodeClassification):
            return 0, "nodes"
        return len(self.problem.splits["valid"]), "nodes"

    @property
    def _kind(self) -> type[Problem]:
        if self.data.predict == "nodes":
            return NodeClassification
        relational = self.kind in RELATIONAL or self.data.relation
        return RelationPrediction if relational else EdgePrediction

    @functools.cached_property
    def _source(self) -> Graph:
        return graph_data.read(self.data, self.seed)

    @functools.cached_property
    def given(self) -> Graph:
        """The whole graph, its texts as they are."""
        graph = graph_data.as_asked(self._source, self.data)
        rows, notes = arranged(graph.where, graph.features, graph.columns, self.expected)
        if rows is graph.features:
            return graph
        return replace(graph, features=rows, columns=self.expected, notes=graph.notes + notes)

    @functools.cached_property
    def graph(self) -> Graph:
        """The whole graph, its texts as features."""
        graph, how = self.given, self.data.text
        if how not in ("none", "auto"):
            require_text(graph)
        if how == "none" or not graph.texts:
            unused = ("texts are not used (data.text)",) if graph.texts else ()
            return replace(graph, notes=graph.notes + unused)
        self.words = self.words or Words.of(graph.texts)
        graph = replace(graph, notes=graph.notes + empty_texts(graph))
        if how == "recurrent":
            return graph
        rows, features = self.words.rows(graph.texts, rare=how != "bag"), graph.features
        if features is None and graph.types is not None and self.data.predict == "edges":
            features = Rows.identity(graph.nodes)
        return replace(graph, features=rows if features is None else features.beside(rows))

    @functools.cached_property
    def problem(self) -> Problem:
        """What is asked of the graph: the class of its nodes, or which pairs are joined."""
        if self.data.predict == "edges" and (self.train.loss or self.train.metrics):
            raise WorkingsError("train.loss, train.metrics: of your own, for nodes and graphs only")
        if self.kind == "distmult" and self.data.predict != "edges":
            raise WorkingsError("model.kind: distmult predicts edges: set data.predict = edges")
        if self._kind is RelationPrediction and is_own(self.kind):
            raise WorkingsError("data.relation: a model of your own predicts edges of any relation")
        if self._kind is RelationPrediction and self.graph.types is None:
            raise WorkingsError(
                f"model.kind: {self.kind} predicts edges of several relations, and "
                f"{self.graph.where} has none: give its edges a relation, or set model.kind = gcn"
            )
        return self._kind(self.graph, self.data, self.seed)

    def _settle_features(self) -> list[str]:
        return [*self._settle_texts(), *super()._settle_features(), *self._settle_identity()]

    def _settle_identity(self) -> list[str]:
        """A few features may say little of the label where the edges say much: both are used."""
        if "features" in self.data.model_fields_set or self.model is None or not self.data.path:
            return []
        whole = self.train.sampling == "none" and self.data.predict == "nodes"
        small = self.graph.nodes <= MOST_NODES and self.graph.x().shape[1] <= MOST_FEATURES
        if self.kind not in SPREADING or not (whole and small) or self.graph.features is None:
            return []
        share = self._told_by_edges()
        if share is None:
            return []
        self.data = self.data.model_copy(update={"features": "both"})
        return [
            f"each node is also a feature of its own: labels spread along the edges tell "
            f"{share:.0%} of the validation nodes (data.features = both)"
        ]

    def _told_by_edges(self) -> float | None:
        """What label propagation gets right of validation, where that is much; else nothing.

        Much: more than half of what the most frequent class leaves, and more than the features do,
        spread in the same way.
        """
        assert isinstance(self.problem, NodeClassification)
        scores = self.problem.baselines()
        spread, most = (
            scores[name]["valid.accuracy"] for name in ("label propagation", "most frequent class")
        )
        x_NF = dense(graph_data.features(self.graph, self.normalise, self.column_scale()))
        told = max((1 + most) / 2, self.problem.nearest_mean(x_NF))
        return spread if spread > told else None

    def _settle_texts(self) -> list[str]:
        if self.data.text != "auto":
            return []
        used = "tf-idf" if self.graph.texts else "none"
        self.data = self.data.model_copy(update={"text": used})
        return [f"texts become features by {used} (data.text = {used})"] if self.graph.texts else []

    @property
    def x_NF(self) -> NodeFeatures:
        """The features as the model sees them: scaled, and where asked, with a column a node."""
        both = self.data.features == "both"
        return graph_data.features(self.graph, self.normalise, self.shape.scale, both)

    @property
    def columns(self) -> int:
        """How many features a node has, those that say which it is among them."""
        own = self.graph.nodes if self.data.features == "both" else 0
        return self.graph.x().shape[1] + own

    def suspect_inputs(self) -> str:
        """Features so large that no initial weights make up for them."""
        x_NF = self.x_NF
        values = x_NF if isinstance(x_NF, Tensor) else x_NF.values_K
        largest = float(values.abs().max()) if values.numel() else 0.0
        if largest <= LARGE:
            return ""
        return (
            f"the features are as large as {largest:,.0f}; set data.normalise_features = standard"
        )

    @functools.cached_property
    def shape(self) -> ModelShape:
        """The widths of the model, and its classes."""
        features, classes = self.columns, self.graph.classes
        if self._is_read and self.graph.features is None and self.data.features == "given":
            features = 0  # a text's state tells its node
        embed = getattr(self.model, "embed", EMBED)
        outputs = len(classes) if self.data.predict == "nodes" else embed
        relations = len(self.graph.types.relations) if self.graph.types else 0
        scale, named = self.column_scale(), self.graph.columns if self.graph.features else ()
        return ModelShape(features, outputs, classes, scale, relations, self.words, named)

    @property
    def _is_read(self) -> bool:
        """Whether a recurrent encoder reads the texts."""
        return self.data.text == "recurrent"

    def checksum(self) -> str:
        return self._checksum

    @functools.cached_property
    def _checksum(self) -> str:
        return self.given.checksum()

    def checksum_of_question(self) -> str:
        """The same for all that a model may be given to answer by: features, identity, weights."""
        plain = self.data.model_copy(update={"features": "given", "weighted": False})
        if plain == self.data:
            return self._checksum
        return graph_data.as_asked(self._source, plain).checksum()

    def describe(self) -> str:
        graph = self.graph
        name = self.data.name or Path(self.data.path).name
        return (
            f"{name}: {graph.nodes:,} nodes, {graph.edges:,} edges, "
            f"{graph.x().shape[1]:,} features; "
            + "; ".join([self.problem.sizes(), *self._types(), *graph.notes])
        )

    def _types(self) -> list[str]:
        """What there is of types and relations, and whether the model tells them apart."""
        types = self.graph.types
        if types is None:
            return []
        known = f"types of nodes: {len(types.types)}, relations: {len(types.relations)}"
        if self.kind in RELATIONAL or is_own(self.kind):
            return [known]
        return [f"{known}, which {self.kind} does not tell apart (rgcn does)"]

    def sizes(self) -> dict[str, int]:
        sizes = {"features": self.shape.features, "classes": self.shape.outputs}
        return sizes | ({"relations": self.shape.relations} if self.shape.relations else {})
