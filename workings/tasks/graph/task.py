"""The graph task: what is true of nodes or pairs, from features and edges."""

# N nodes, E edges, F features, C classes (or the width of a node's state, for edges)

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from workings.data.readers import npz
from workings.errors import WorkingsError, explain_out_of_memory
from workings.nn.graph.gat import GAT, GATConfig
from workings.nn.graph.gcn import GCNConfig
from workings.nn.graph.ggnn import GGNNConfig
from workings.nn.graph.mlp import MLPConfig
from workings.nn.graph.model import Features, GraphModel
from workings.schema import Count, NonNegative, Positive, Size, build
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph import layout
from workings.tasks.graph.dataset import GraphConfig
from workings.tasks.graph.edge_attention import EdgeAttention
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.node_classification import LabelledNodes, NodeClassification
from workings.tasks.graph.planetoid import names as planetoid_names
from workings.tasks.own import build_own, try_out
from workings.tasks.task import Metrics, OwnModel, Task, Tick, TrainConfig

EMBED = 16  # the width of a node's state in an own model that predicts edges


class GraphTrain(TrainConfig):
    """Training on a whole graph: an epoch is one step."""

    epochs: Size = 200
    """most steps; each sees the whole graph"""
    patience: Count = 100
    """stop when the epoch is more than this past the best one"""
    lr: Positive = 0.01
    """learning rate, after warm-up and before decay"""
    weight_decay: NonNegative = 5e-4
    """decoupled with adamw, otherwise added to the gradient"""
    threads: int = Field(default=1, ge=0, le=4096)
    """CPU threads; 0: as many as PyTorch finds, which pays on large graphs only"""
    decay_on: Literal["all", "first"] = "first"
    """which weights decay: all, or the first layer's"""
    select: Literal["score", "loss"] = "score"
    """what decides which weights are best: the validation loss, or accuracy (ROC-AUC for edges)"""


class GraphTask(Task):
    """Node classification or edge prediction, on one graph that is seen whole."""

    name = "graph"
    unit = "nodes"
    best = "accuracy"
    lower_is_better = False
    Data = GraphConfig
    Train = GraphTrain
    FILES = ("name", "path")
    READING = ("predict", "directed", "weighted", "features", "normalise_features")
    ASSETS = ("graph.json",)
    METRICS = (
        *("loss", "accuracy", "balanced_accuracy", "calibration_error", "nodes"),
        *("roc_auc", "average_precision", "edges"),
    )
    ALSO = ("balanced_accuracy",)
    MODELS = {"gcn": GCNConfig, "gat": GATConfig, "ggnn": GGNNConfig, "mlp": MLPConfig}  # noqa: RUF012

    def __init__(
        self,
        data: GraphConfig,
        model: Any,
        train: GraphTrain,
        seed: int,
        assets: dict[str, bytes],
    ) -> None:
        self.data, self.model, self.train, self.seed = data, model, train, seed
        self.device = torch.device("cpu")
        kind = NodeClassification if data.predict == "nodes" else EdgePrediction
        score = kind.score
        also = ("balanced_accuracy",) if kind is NodeClassification else ("average_precision",)
        by_loss = train is not None and train.select == "loss"
        # These are of a run, not of the class: nodes and edges have scores of their own.
        self.best = "loss" if by_loss else score
        self.lower_is_better = by_loss
        self.headline = score
        self.ALSO = (*also, *(("loss",) if by_loss else ()))
        self.prepared: tuple[nn.Module, tuple[Any, ...]] | None = None
        if "graph.json" in assets:
            self._widths, self._names = _sizes(assets["graph.json"])

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, Any]:
        return graph_data.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        if path.is_dir():
            return (path / "edges.csv").is_file() or bool(planetoid_names(path))
        if path.suffix == ".npz":
            return _is_graph(path)
        return path.suffix in (".graphml", ".gml", ".edges", ".edgelist")

    @classmethod
    def show(cls, data: Any) -> dict[str, Any]:
        task = cls(data, None, GraphTrain(), 1, {})
        about = graph_data.about(task.graph)
        if len(task.graph.classes) > 1 or data.predict == "edges":
            about["splits"] = task.problem.sizes()
        return about | {"sha256": task.checksum()}

    @functools.cached_property
    def graph(self) -> Graph:
        return graph_data.load(self.data)

    @functools.cached_property
    def problem(self) -> NodeClassification | EdgePrediction:
        kind = NodeClassification if self.data.predict == "nodes" else EdgePrediction
        return kind(self.graph, self.data, self.seed)

    @property
    def x_NF(self) -> Features:
        return graph_data.features(self.graph, self.data.normalise_features)

    @functools.cached_property
    def _widths(self) -> tuple[int, int]:
        """Features, and outputs."""
        embed = getattr(self.model, "embed", EMBED)
        classes = len(self.graph.classes)
        return self.graph.x().shape[1], classes if self.data.predict == "nodes" else embed

    @functools.cached_property
    def _names(self) -> tuple[str, ...]:
        """Of the classes, in the order of the outputs."""
        return self.graph.classes

    def checksum(self) -> str:
        return self._checksum

    @functools.cached_property
    def _checksum(self) -> str:
        return self.graph.checksum()

    def assets(self) -> dict[str, bytes]:
        features, outputs = self._widths
        about = {"features": features, "outputs": outputs, "classes": list(self._names)}
        return {"graph.json": json.dumps(about).encode()}

    def describe(self) -> str:
        graph = self.graph
        name = self.data.name or Path(self.data.path).name
        return (
            f"{name}: {graph.nodes:,} nodes, {graph.edges:,} edges, "
            f"{graph.x().shape[1]:,} features; {self.problem.sizes()}"
        )

    def build(self) -> nn.Module:
        features, outputs = self._widths
        if isinstance(self.model, OwnModel):
            model = build_own(self.model.kind, self.model.args, features=features, classes=outputs)
            self._try(model, outputs)
            return model
        with explain_out_of_memory("model"):
            return self.model.build(features, outputs)

    def _try(self, model: nn.Module, outputs: int) -> None:
        """Say at once when a model of the user's is not one."""
        inputs = self._plain()
        names = "x_NF, edges_2E" + (", weight_E" if len(inputs) > 2 else "")
        wanted = f"forward({names}) must give a tensor of shape N×{outputs}"
        shapes = " and ".join(str(tuple(tensor.shape)) for tensor in inputs)
        kind = self.model.kind
        given = try_out(model, kind, wanted, lambda m: m(*inputs), f"tensors of shape {shapes}")
        if given != (self.graph.nodes, outputs):
            raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {given}")

    def _plain(self) -> tuple[Tensor, ...]:
        """What a user's model is called with: features, edges (both directions), any weights."""
        edges = self.problem.edges
        weights = () if edges.weight_E is None else (edges.weight_E,)
        return graph_data.dense(self.x_NF), edges.edges_2E, *weights

    def groups(self, model: nn.Module) -> list[dict[str, Any]]:
        if self.train.decay_on == "all" or not self.train.weight_decay:
            return super().groups(model)
        if not isinstance(model, GraphModel):
            raise WorkingsError(
                "train.decay_on: which layer of your own model is the first is not known; set it "
                "to all, or train.weight_decay = 0"
            )
        first = {id(weight) for weight in model.first()}
        rest = [weight for weight in model.parameters() if id(weight) not in first]
        return [{"params": model.first()}, {"params": rest, "weight_decay": 0.0}]

    @property
    def steps(self) -> int:
        return 1

    @property
    def units(self) -> int:
        return self.problem.units

    def batches(self, epoch: int, position: int) -> Iterator[int]:
        """One step over the whole graph."""
        yield from range(position, 1)

    def inputs(self, model: nn.Module) -> tuple[Any, ...]:
        """What the model takes, made once."""
        if self.prepared is None or self.prepared[0] is not model:
            self._require_sizes(self.graph)
            if isinstance(model, GraphModel):
                x_NF, edges = _put(self.x_NF, self.device), self.problem.edges.to(self.device)
                made = model.prepare(x_NF, edges)
            else:
                made = tuple(tensor.to(self.device) for tensor in self._plain())
            self.problem.to(self.device)
            self.prepared = model, made
        return self.prepared[1]

    def loss(self, model: nn.Module, batch: Any, carry: Any) -> tuple[Tensor, int, Any]:
        return self.problem.loss(model(*self.inputs(model))), self.problem.units, None

    @torch.no_grad()
    def outputs(self, model: nn.Module) -> Tensor:
        """Of every node, without dropout."""
        was_training = model.training
        model.eval()
        inputs = self.inputs(model)
        rows = model(*inputs)
        model.train(was_training)
        return rows

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        found = self.problem.metrics(self.outputs(model), split)
        tick(self.problem.units)
        return found

    def running(self, loss: float) -> Metrics:
        return {"loss": loss}

    def first_loss(self) -> float | None:
        return self.problem.first_loss()

    def details(self) -> dict[str, Any]:
        return self.problem.details()

    def baselines(self) -> dict[str, Metrics]:
        return self.problem.baselines()

    def predict(self, model: nn.Module, what: list[str]) -> list[dict[str, Any]]:
        """Nodes: class and probabilities (all nodes if none is named). Edges: of pairs A,B."""
        return self.problem.predict(self.outputs(model), what)

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of another graph with the same features and classes, over its labelled nodes."""
        if self.data.predict == "edges":
            raise WorkingsError("--data: a run that predicts edges is evaluated on its own graph")
        data = self.data.model_dump() | {"name": "", "path": ""} | graph_data.from_paths(paths)
        other = GraphTask(build(GraphConfig, data, "data"), self.model, self.train, self.seed, {})
        if other.graph.features is None:
            raise WorkingsError(
                f"{other.graph.where}: has no features, so its nodes are not those the model knows"
            )
        self._require_sizes(other.graph)
        found = LabelledNodes(other.graph, self._names)
        x_NF, edges = _put(other.x_NF, self.device), found.edges.to(self.device)
        inputs: tuple[Any, ...] = (graph_data.dense(x_NF), edges.edges_2E)
        with torch.no_grad():
            inputs = model.prepare(x_NF, edges) if isinstance(model, GraphModel) else inputs
            metrics = found.metrics(model.eval()(*inputs))
        tick(other.graph.nodes)
        return metrics

    def _require_sizes(self, graph: Graph) -> None:
        """The graph is one that the model was made for."""
        features, outputs = self._widths
        if features != graph.x().shape[1]:
            raise WorkingsError(
                f"{graph.where}: has {graph.x().shape[1]:,} features, the model was trained with "
                f"{features:,}"
            )
        if self.data.predict == "nodes" and outputs < len(graph.classes):
            raise WorkingsError(
                f"{graph.where}: has {len(graph.classes)} classes, the model was trained with "
                f"{outputs}"
            )

    def charts(self, model: nn.Module) -> dict[str, Any]:
        """Nodes: their confusion matrix; a small graph drawn; the attention, if there is any."""
        from workings.charts import graphs as drawing
        from workings.charts.images import confusion

        drawn: dict[str, Any] = {}
        if self.data.predict == "nodes":
            self.evaluate(model, "test", lambda done: None)
            table = self.details()["confusion"]
            drawn["confusion"] = confusion(table["names"], table["counts"], "Test nodes")
            if layout.fits(self.graph):
                found = [row["class"] for row in self.predict(model, [])]
                dots = layout.node_rows(self.graph, predicted=found)
                lines = layout.edge_rows(self.graph)
                drawn["classes"] = drawing.drawn(dots, lines, "Predicted classes", "predicted")
        if isinstance(model, GAT):
            drawn["attention"] = self.edge_attention(model).chart()
        return drawn

    def edge_attention(self, model: nn.Module) -> EdgeAttention:
        """What every node attends to, of an attention network."""
        if not isinstance(model, GAT):
            kind = self.model.kind
            raise WorkingsError(f"model.kind: {kind} has no attention; train one of kind gat")
        with torch.no_grad():
            x_NF, segments = self.inputs(model)
            alpha = [alpha_EH.cpu().numpy() for alpha_EH in model.eval().attention(x_NF, segments)]
        ends = (segments.source_E.cpu().numpy(), segments.target_E.cpu().numpy())
        return EdgeAttention(self.graph, *ends, alpha)

    def next(self, command: Callable[[str], str]) -> list[str]:
        node = self.graph.name(self.graph.nodes - 1)
        other = self.graph.name(0)
        what = node if self.data.predict == "nodes" else f"{other},{node}"
        return [f"{command('predict')} {what}", command("runs charts")]


def _put(x_NF: Features, device: torch.device) -> Features:
    return x_NF if device.type == "cpu" else x_NF.to(device)


def _sizes(content: bytes) -> tuple[tuple[int, int], tuple[str, ...]]:
    try:
        about = json.loads(content)
        widths = int(about["features"]), int(about["outputs"])
        return widths, tuple(str(name) for name in about["classes"])
    except (ValueError, KeyError, TypeError):
        raise WorkingsError(
            "graph.json of the run folder is damaged; train the run again"
        ) from None


def _is_graph(path: Path) -> bool:
    """Whether an archive holds edges, by the names of its arrays."""
    try:
        return bool(set(npz.names(path)) & {"edge_index", "adj_indptr"})
    except WorkingsError:
        return False
