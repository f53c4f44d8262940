"""The graph task: what is true of nodes or pairs, from features and edges.

What it reads is in `reads_graph`, how it learns in `learns_graph`; this is what it reports and
can do.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from workings.data.readers import npz
from workings.errors import WorkingsError
from workings.nn.graph.gat import GAT
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense
from workings.nn.graph.segments import Segments
from workings.nn.graph.text_graph import TextGraph
from workings.own_class import is_own
from workings.schema import build
from workings.tasks.embedding import Embedding
from workings.tasks.graph import config
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph import leaks as graph_leaks
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.features.feature_scale import WORDS
from workings.tasks.graph.learns_graph import LearnsGraph, put
from workings.tasks.graph.node_classification import LabelledNodes, NodeClassification
from workings.tasks.graph.portable import KINDS as STANDALONE
from workings.tasks.graph.portable import portable
from workings.tasks.graph.reading import csv_tables
from workings.tasks.graph.reading.files import EDGE_LISTS
from workings.tasks.graph.reading.planetoid import names as planetoid_names
from workings.tasks.graph.reading.set_paths import is_set
from workings.tasks.graph.reading.text_files import looks_like_edges
from workings.tasks.graph.typed.relation_leaks import relation_leaks
from workings.tasks.graph.typed.relation_prediction import RelationPrediction
from workings.tasks.graph.views import evaluation_charts
from workings.tasks.graph.views.edge_attention import EdgeAttention
from workings.tasks.graph.views.embedding import node_states
from workings.tasks.graph.whole.set_files import begins_with_a_graph
from workings.tasks.graph.whole.task import GraphSetTask
from workings.tasks.leak import Leak
from workings.tasks.portable import Portable, cannot_leave
from workings.tasks.task import Metrics, Task, Tick, with_defaults

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart


OF_GRAPHS = {"epochs": 100, "patience": 50, "weight_decay": 0.0, "decay_on": "all"}


class GraphTask(LearnsGraph):
    """Node classification or edge prediction, on one graph that is seen whole."""

    @classmethod
    def recognises(cls, path: Path) -> bool:
        if is_set(path):
            return path.is_dir() or begins_with_a_graph(path)
        if path.is_dir():
            return bool(csv_tables.files(path, "edges") or planetoid_names(path))
        if path.suffix == ".npz":
            return _is_graph(path)
        if path.suffix in EDGE_LISTS and looks_like_edges(path):
            return True
        return path.suffix in (".graphml", ".gml", ".edges", ".edgelist")

    @classmethod
    def show(cls, data: GraphConfig) -> dict[str, object]:
        if data.predict == "graphs":
            return GraphSetTask.show(data)
        task = cls(data, None, GraphTrain(), 1, {})
        about: dict[str, object] = graph_data.about(task.graph)
        if task.graph.features:
            about["features are"] = WORDS[task.normalise]
        if len(task.graph.classes) > 1 or data.predict == "edges":
            about["splits"] = task.problem.sizes()
        return about | {"sha256": task.checksum()}

    @classmethod
    def adapt(cls, values: dict[str, object]) -> dict[str, object]:
        """Defaults of the user's own model, and of many graphs.

        All weights of an own model decay: which of its layers is first is not known.
        """
        model, data = values.get("model", {}), values.get("data", {})
        own = isinstance(model, dict) and is_own(model.get("kind"))
        if own:
            values = with_defaults(values, "train", decay_on="all")
        train = values.get("train", {})
        if isinstance(train, dict) and train.get("sampling", "none") != "none":
            batch = 4 if train["sampling"] == "clusters" else 1024
            values = with_defaults(values, "train", batch=batch, epochs=20, patience=10)
        if isinstance(data, dict) and config.asked_for(data) == "graphs":
            values = with_defaults(values, "train", **OF_GRAPHS)
            values = (
                values if own else with_defaults(values, "model", kind="gin", dropout_input=0.0)
            )
        return values

    @classmethod
    def of_data(cls, data: GraphConfig) -> "type[Task]":
        return GraphSetTask if data.predict == "graphs" else cls

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        if isinstance(self.problem, NodeClassification):
            graph, rows = self.graph, self.graph.features
            if self._is_read and self.words is not None:  # what an encoder could read
                read = self.words.rows(graph.texts, rare=False)
                rows = read if rows is None else rows.beside(read)
            yield from graph_leaks.label_features(
                graph.where, rows, graph.labels_N, graph.classes, graph.columns
            )
        elif isinstance(self.problem, RelationPrediction):
            yield from relation_leaks(self.graph.where, self.problem.types, self.problem.triples)
        else:
            pairs = self.problem.pairs["test"], self.problem.negative["test"]
            yield from graph_leaks.edge_features(
                self.graph, *(each.cpu().numpy() for each in pairs)
            )

    def first_loss(self) -> float | None:
        return self.problem.first_loss()

    def details(self) -> Mapping[str, object]:
        return self.problem.details()

    def when_beaten(self) -> str:
        """Features that say nothing of the label: the nodes themselves may."""
        if self.graph.features is None or self.data.features != "given":
            return ""
        return "its features may say little of the label: try --set data.features=both"

    def baselines(self) -> dict[str, Metrics]:
        return self.problem.baselines()

    def predict(self, model: nn.Module, what: list[str]) -> list[dict[str, object]]:
        """Nodes: class and probabilities (all nodes if none is named). Edges: of pairs A,B."""
        return self.problem.predict(self.outputs(model), what)

    def _rows(self, model: nn.Module) -> Tensor:
        """A row of every node; a network with relations gives their vectors too, and is refused."""
        rows = self.outputs(model)
        if not isinstance(rows, Tensor):
            raise WorkingsError("a network with relations gives no vectors of nodes alone")
        return rows

    def predict_array(self, model: nn.Module, array: np.ndarray) -> np.ndarray:
        """The probabilities N×C of nodes by number; of pairs N×2, those of an edge."""
        rows_NC = self._rows(model).float().cpu()
        pairs = self.data.predict == "edges"
        wanted, nodes = "pairs of nodes, N×2" if pairs else "nodes, N", self.graph.nodes
        fits = array.ndim == 1 + pairs and np.issubdtype(array.dtype, np.integer)
        if not fits or (pairs and array.shape[1] != 2):
            raise WorkingsError(f"predict: give an array of the numbers of {wanted}")
        if array.size and not 0 <= array.min() <= array.max() < nodes:
            raise WorkingsError(f"predict: nodes are numbered 0 to {nodes - 1}")
        chosen = torch.from_numpy(array.astype(np.int64))
        if pairs:
            return (rows_NC[chosen[:, 0]] * rows_NC[chosen[:, 1]]).sum(1).sigmoid().numpy()
        return rows_NC.softmax(1)[chosen].numpy()

    def embed(self, model: nn.Module, what: list[str]) -> Embedding:
        """The state of each node: what the last layer sees, or what edges are predicted from."""
        model.eval()
        graph, edges = self.graph, self.data.predict == "edges"
        states_ND = self._rows(model) if edges else node_states(model, self.inputs(model))
        nodes = [graph.node(name) for name in what] or list(range(graph.nodes))
        labels = [graph.classes[each] if each >= 0 else "" for each in graph.labels_N[nodes]]
        vectors = states_ND.float().cpu().numpy()[nodes]
        return Embedding("node", [graph.name(node) for node in nodes], vectors, labels)

    def portable(self, model: nn.Module) -> Portable:
        """The network over an edge list, verified on the run's own graph."""
        if type(model) not in STANDALONE:
            raise cannot_leave(self.kind)
        rows, classes = self._rows(model), list(self.shape.classes)
        about: dict[str, object] = {"predicts": self.data.predict, "classes": classes}
        about |= {"normalise": self.normalise, "features": self.data.features}
        if self.shape.columns:
            about["columns"] = list(self.shape.columns)
        if self.words is not None:
            about |= {"text": self.data.text, "words": self.words.words, "idf": self.words.idf}
        if self.shape.scale is not None:
            about |= {"mean": self.shape.scale.mean, "deviation": self.shape.scale.deviation}
        return portable(model, self.model, self.problem.edges, dense(self.x_NF), rows, about)

    def recommend(
        self, model: nn.Module, source: str, relation: str, top: int
    ) -> list[dict[str, object]]:
        """The likeliest new targets of a node by a relation, with the paths that speak for each."""
        if not isinstance(self.problem, RelationPrediction):
            raise WorkingsError(
                "--from: only a run that predicts edges of several relations recommends: train one "
                "with --set data.predict=edges --set model.kind=rgcn"
            )
        return self.problem.recommend(self.outputs(model), source, relation, top)

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of another graph with the same features and classes, over its labelled nodes."""
        if self.data.predict == "edges":
            raise WorkingsError("--data: a run that predicts edges is evaluated on its own graph")
        data = self.data.model_dump() | {"name": "", "path": ""} | config.from_paths(paths)
        other = GraphTask(build(GraphConfig, data, "data"), self.model, self.train, self.seed, {})
        other.words, other.expected = self.words, self.shape.columns
        if isinstance(model, TextGraph):
            raise WorkingsError("--data: a run that reads texts is evaluated on its own graph")
        if other.graph.features is None:
            raise WorkingsError(
                f"{other.graph.where}: has no features, so its nodes are not those the model knows"
            )
        if self.data.features == "both":
            raise WorkingsError(
                f"{other.graph.where}: its nodes are not those that the model knows, each as a "
                "feature of its own; train with --set data.features=given"
            )
        self.shape.require(other.graph, other.columns, predicts_nodes=True)
        other.shape = self.shape  # its features are scaled as those of training were
        labelled = LabelledNodes(other.graph, self.shape.classes)
        x_NF, edges = put(other.x_NF, self.device), labelled.edges.to(self.device)
        inputs: tuple[object, ...] = (dense(x_NF), edges.edges_2E)
        with torch.no_grad():
            inputs = model.prepare(x_NF, edges) if isinstance(model, GraphModel) else inputs
            metrics = labelled.metrics(model.eval()(*inputs))
        tick(other.graph.nodes)
        return metrics

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """Nodes: their confusion matrix; a small graph drawn; the attention, if there is any."""
        drawn: dict[str, Chart] = {}
        if isinstance(self.problem, NodeClassification):
            drawn |= evaluation_charts.charts(self.problem, self.outputs(model))
        if isinstance(model, GAT):
            drawn["attention"] = self.edge_attention(model).chart()
        return drawn

    def edge_attention(self, model: nn.Module) -> EdgeAttention:
        """What every node attends to, of an attention network."""
        if not isinstance(model, GAT):
            raise WorkingsError(f"model.kind: {self.kind} has no attention; train one of kind gat")
        x_NF, segments = self.inputs(model)
        assert isinstance(x_NF, NodeFeatures)
        assert isinstance(segments, Segments)
        with torch.no_grad():
            alpha = [alpha_EH.cpu().numpy() for alpha_EH in model.eval().attention(x_NF, segments)]
        ends = (segments.source_E.cpu().numpy(), segments.target_E.cpu().numpy())
        return EdgeAttention(self.graph, *ends, alpha)

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        node = self.graph.name(self.graph.nodes - 1)
        other = self.graph.name(0)
        what = shlex.quote(node if self.data.predict == "nodes" else f"{other},{node}")
        if isinstance(self.problem, RelationPrediction):
            source, relation, _ = self.problem.triples["test"][:, 0].tolist()
            name = self.problem.types.relations[relation]
            what = f"--from {shlex.quote(self.graph.name(source))} --relation {shlex.quote(name)}"
        return [f"{command('predict')} {what}", command("runs charts")]


def _is_graph(path: Path) -> bool:
    """Whether an archive holds edges, by the names of its arrays."""
    try:
        return bool(set(npz.names(path)) & {"edge_index", "adj_indptr"})
    except WorkingsError:
        return False
