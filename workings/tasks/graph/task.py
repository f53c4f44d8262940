"""The graph task: what is true of nodes or pairs, from features and edges."""

# N nodes, E edges, F features, C classes (or the width of a node's state, for edges)

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from workings.data.readers import npz
from workings.errors import WorkingsError
from workings.nn.graph.by_layers import by_layers
from workings.nn.graph.distmult import RelationScores
from workings.nn.graph.gat import GAT
from workings.nn.graph.gcn import GCN
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense
from workings.nn.graph.segments import Segments
from workings.nn.graph.text_graph import TextGraph
from workings.own_class import is_own
from workings.schema import Config, build
from workings.tasks import examples
from workings.tasks.embedding import Embedding
from workings.tasks.examples import Examples
from workings.tasks.graph import config, csv_tables, evaluation_charts, models
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph import leaks as graph_leaks
from workings.tasks.graph.config import GraphConfig, GraphTrain
from workings.tasks.graph.edge_attention import EdgeAttention
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.embedding import node_states
from workings.tasks.graph.feature_scale import LARGE, WORDS, ColumnScale, fitting
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.model_shape import ModelShape
from workings.tasks.graph.node_classification import LabelledNodes, NodeClassification
from workings.tasks.graph.planetoid import names as planetoid_names
from workings.tasks.graph.portable import KINDS as STANDALONE
from workings.tasks.graph.portable import portable
from workings.tasks.graph.sampled import Part, SampledNodes
from workings.tasks.graph.set_paths import is_set
from workings.tasks.graph.sparse_rows import Rows
from workings.tasks.graph.texts import Words, empty_texts, require_text
from workings.tasks.graph.training import FEW, METRICS, decay_groups
from workings.tasks.graph.typed.relation_leaks import relation_leaks
from workings.tasks.graph.typed.relation_prediction import RelationPrediction
from workings.tasks.graph.whole.task import GraphSetTask
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.portable import Portable, cannot_leave
from workings.tasks.task import Carry, Metrics, Task, Tick, with_defaults

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

Problem = NodeClassification | EdgePrediction | RelationPrediction
RELATIONAL = ("rgcn", "distmult")  # kinds whose edges have relations
SECOND: dict[type, tuple[str, ...]] = {
    NodeClassification: ("balanced_accuracy",),
    EdgePrediction: ("average_precision",),
    RelationPrediction: ("hits_1", "hits_3", "hits_10", "roc_auc"),
}
OF_GRAPHS = {"epochs": 100, "patience": 50, "weight_decay": 0.0, "decay_on": "all"}
EMBED = 16  # the width of a node's state in an own model that predicts edges


class GraphTask(Task[GraphConfig, GraphTrain, int | Part]):
    """Node classification or edge prediction, on one graph that is seen whole."""

    name = "graph"
    unit = "nodes"
    best = "accuracy"
    lower_is_better = False
    Data = GraphConfig
    Train = GraphTrain
    LOCATION = ("name", "path")
    PREPROCESSING = (
        *("predict", "relation", "node_type", "directed", "weighted", "features", "text"),
        "normalise_features",
    )
    ASSETS = ("graph.json",)
    METRICS = METRICS
    extra_metrics: tuple[str, ...] = ("balanced_accuracy",)
    MODELS = models.MODELS
    OWN = ("loss", "metrics")
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
        if data.predict == "edges" and (train.loss or train.metrics):
            raise WorkingsError("train.loss, train.metrics: of your own, for nodes and graphs only")
        self._set_metrics()
        self.prepared: tuple[nn.Module, tuple[object, ...]] | None = None
        self.words = self.shape.words if assets else None
        self.built: nn.Module | None = None

    def _set_metrics(self) -> None:
        """These are of a run, not of the class: nodes and edges have scores of their own."""
        by_loss = self.train.select == "loss"
        self.headline = self._kind.score
        self.best, self.lower_is_better = "loss" if by_loss else self.headline, by_loss
        self.extra_metrics = SECOND[self._kind] + (("loss",) if by_loss else ())

    def use_assets(self, assets: dict[str, bytes]) -> None:
        self.shape = ModelShape.from_json(assets["graph.json"])

    @property
    def _kind(self) -> type[Problem]:
        if self.data.predict == "nodes":
            return NodeClassification
        relational = self.kind in RELATIONAL or self.data.relation
        return RelationPrediction if relational else EdgePrediction

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str]:
        return config.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        if is_set(path):
            return path.is_dir()  # JSON lines may be anything
        if path.is_dir():
            return bool(csv_tables.files(path, "edges") or planetoid_names(path))
        if path.suffix == ".npz":
            return _is_graph(path)
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

    @functools.cached_property
    def given(self) -> Graph:
        """The whole graph, its texts as they are."""
        return graph_data.load(self.data, self.seed)

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

    @property
    def normalise(self) -> str:
        """How features are normalised: as the config says, or as fits them."""
        given = self.data.normalise_features
        return fitting(self.graph.features) if given == "auto" else given

    def settle(self) -> list[str]:
        """Of the user's own graph: how features are normalised, and what decides which is best."""
        if self.data.name:
            return []
        chosen = []
        if self.data.text == "auto":
            used = "tf-idf" if self.graph.texts else "none"
            self.data = self.data.model_copy(update={"text": used})
            if self.graph.texts:
                chosen.append(f"texts become features by {used} (data.text = {used})")
        if self.data.normalise_features == "auto":
            how = self.normalise
            self.data = self.data.model_copy(update={"normalise_features": how})
            if self.graph.features is not None:
                chosen.append(f"features {WORDS[how]} (data.normalise_features = {how})")
        return [*chosen, *self._settle_select()]

    def _settle_select(self) -> list[str]:
        """An accuracy over few nodes has ties and luck; their loss is finer."""
        if "select" in self.train.model_fields_set or self.model is None:
            return []
        if not isinstance(self.problem, NodeClassification):
            return []
        valid = len(self.problem.splits["valid"])
        if valid >= FEW:
            return []
        self.train = self.train.model_copy(update={"select": "loss"})
        self._set_metrics()
        return [f"the epoch of the lowest validation loss is best, of {valid} nodes (train.select)"]

    @property
    def x_NF(self) -> NodeFeatures:
        return graph_data.features(self.graph, self.normalise, self.shape.scale)

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
        features, classes = self.graph.x().shape[1], self.graph.classes
        if self._is_read and self.graph.features is None and self.data.features == "given":
            features = 0  # a text's state tells its node
        embed = getattr(self.model, "embed", EMBED)
        outputs = len(classes) if self.data.predict == "nodes" else embed
        standard = self.normalise == "standard" and self.graph.features is not None
        scale = ColumnScale.of(self.graph.x()) if standard else None
        relations = len(self.graph.types.relations) if self.graph.types else 0
        return ModelShape(features, outputs, classes, scale, relations, self.words)

    @property
    def _is_read(self) -> bool:
        """Whether a recurrent encoder reads the texts."""
        return self.data.text == "recurrent"

    def checksum(self) -> str:
        return self._checksum

    @functools.cached_property
    def _checksum(self) -> str:
        return self.given.checksum()

    def assets(self) -> dict[str, bytes]:
        return {"graph.json": self.shape.to_json()}

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
        known = f"{len(types.types)} types of nodes, {len(types.relations)} relations"
        if self.kind in RELATIONAL or is_own(self.kind):
            return [known]
        return [f"{known}, which {self.kind} does not tell apart (rgcn does)"]

    def sizes(self) -> dict[str, int]:
        sizes = {"features": self.shape.features, "classes": self.shape.outputs}
        return sizes | ({"relations": self.shape.relations} if self.shape.relations else {})

    def build(self) -> nn.Module:
        """The network; where edges of several relations are predicted, with a vector for each."""
        if self._is_read:
            return self._build_with_text()
        model = super().build()
        self.built = model
        if self._kind is not RelationPrediction or not isinstance(model, GraphModel):
            return model
        return RelationScores(model, self.shape.relations)

    @functools.cached_property
    def sampled(self) -> SampledNodes:
        """The parts of the graph that the model is trained on."""
        if not isinstance(self.problem, NodeClassification):
            raise WorkingsError("train.sampling: edges are predicted on the whole graph; set none")
        if self._is_read or self.built is None:
            raise WorkingsError("train.sampling: texts are read on the whole graph; set it to none")
        parts = self.x_NF, self.problem, self.train, self.seed, self.device
        return SampledNodes(self.built, *parts)

    def _build_with_text(self) -> nn.Module:
        section, shape = self.model, self.shape
        if not isinstance(section, models.GraphModelConfig):
            raise WorkingsError(f"data.text: recurrent is for our own networks, not {self.kind}")
        if self._kind is RelationPrediction:
            raise WorkingsError("data.text: recurrent predicts nodes, or edges of any relation")
        width, known = section.text_width, len(shape.words.words) + 2 if shape.words else 2
        graph = section.build(shape.features + width, shape.outputs, shape.relations or 1)
        return TextGraph(known, width, graph, section.dropout_input)

    def try_own(self, model: nn.Module, kind: str) -> None:
        inputs, outputs = self._plain(), self.shape.outputs
        names = "x_NF, edges_2E" + (", weight_E" if len(inputs) > 2 else "")
        wanted = f"forward({names}) must give a tensor of shape N×{outputs}"
        shapes = " and ".join(str(tuple(tensor.shape)) for tensor in inputs)
        given = try_out(model, kind, wanted, lambda m: m(*inputs), f"tensors of shape {shapes}")
        if given != (self.graph.nodes, outputs):
            raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {given}")

    def _plain(self) -> tuple[Tensor, ...]:
        """What a user's model is called with: features, edges (both directions), any weights."""
        edges = self.problem.edges
        weights = () if edges.weight_E is None else (edges.weight_E,)
        return dense(self.x_NF), edges.edges_2E, *weights

    def groups(self, model: nn.Module) -> list[dict[str, object]]:
        first = model.first() if isinstance(model, GraphModel | RelationScores) else None
        return decay_groups(model, first, self.train)

    @classmethod
    def adapt(cls, values: dict[str, Any]) -> dict[str, Any]:
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

    @property
    def _in_parts(self) -> bool:
        """Whether training sees parts of the graph, not all of it."""
        return self.train.sampling != "none"

    @property
    def steps(self) -> int:
        return self.sampled.steps if self._in_parts else 1

    @property
    def units(self) -> int:
        return self.problem.units

    def batches(self, epoch: int, position: int) -> Iterator[int | Part]:
        """One step over the whole graph, or one for each of its parts."""
        if not self._in_parts:
            yield from range(position, 1)
        else:
            yield from self.sampled.batches(epoch, position)

    def inputs(self, model: nn.Module) -> tuple[object, ...]:
        """What the model takes, made once."""
        if self.prepared is None or self.prepared[0] is not model:
            self.shape.require(self.graph, self.data.predict == "nodes")
            if isinstance(model, TextGraph):
                made = self._read_inputs(model)
            elif isinstance(model, GraphModel | RelationScores):
                x_NF, edges = _put(self.x_NF, self.device), self.problem.edges.to(self.device)
                made = model.prepare(x_NF, edges)
            else:
                made = tuple(tensor.to(self.device) for tensor in self._plain())
            self.problem.to(self.device)
            self.prepared = model, made
        return self.prepared[1]

    def _read_inputs(self, model: TextGraph) -> tuple[object, ...]:
        assert self.words is not None
        tokens_NT = torch.from_numpy(self.words.tokens(self.graph.texts)).to(self.device)
        x_NF = _put(self.x_NF, self.device) if self.shape.features else None
        return model.with_text(tokens_NT, x_NF, self.problem.edges.to(self.device))

    def loss(self, model: nn.Module, batch: int | Part, carry: Carry) -> tuple[Tensor, int, Carry]:
        if not isinstance(batch, int):
            if self.train.loss:
                raise WorkingsError("train.loss: of your own only where a batch is the whole graph")
            return *self.sampled.loss(batch), None
        if self.train.loss and isinstance(self.problem, NodeClassification):
            rows = model(*self.inputs(model))
            nodes, labels = self.problem.splits["train"], self.problem.labels["train"]
            return self.criterion(rows[nodes], labels), self.problem.units, None
        return self.problem.training_loss(model, self.inputs(model)), self.problem.units, None

    @torch.no_grad()
    def outputs(self, model: nn.Module) -> Any:
        """A row of every node, without dropout; with relations, their vectors too."""
        was_training = model.training
        model.eval()
        if self._in_parts and isinstance(model, GCN | GAT) and self.device.type == "cpu":
            rows = by_layers(model, self.x_NF, self.problem.edges)
        else:
            rows = model(*self.inputs(model))
        model.train(was_training)
        return rows

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        rows = self.outputs(model)
        metrics = self.problem.metrics(rows, split)
        tick(self.problem.units)
        if isinstance(self.problem, NodeClassification) and self.train.metrics:
            nodes, labels = self.problem.splits[split], self.problem.labels[split]
            metrics |= self.own_metrics(rows[nodes].cpu(), labels.cpu())
        return metrics

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """Loss and hit of every node; score and label of every pair."""
        unit, asked, columns = self.problem.examples(self.outputs(model), split)
        tick(self.problem.units)
        return Examples(unit, examples.identity(self.checksum(), *asked), columns)

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        if isinstance(self.problem, NodeClassification):
            graph, rows = self.graph, self.graph.features
            if self._is_read and self.words is not None:  # what an encoder could read
                read = self.words.rows(graph.texts, rare=False)
                rows = read if rows is None else rows.beside(read)
            yield from graph_leaks.label_features(graph.where, rows, graph.labels_N, graph.classes)
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
        if self.graph.features is None or self.data.features == "identity":
            return ""
        return "its features may say little of the label: try --set data.features=identity"

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
        about = {"predicts": self.data.predict, "classes": classes, "normalise": self.normalise}
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
        other.words = self.words
        if isinstance(model, TextGraph):
            raise WorkingsError("--data: a run that reads texts is evaluated on its own graph")
        if other.graph.features is None:
            raise WorkingsError(
                f"{other.graph.where}: has no features, so its nodes are not those the model knows"
            )
        self.shape.require(other.graph, predicts_nodes=True)
        other.shape = self.shape  # its features are scaled as those of training were
        labelled = LabelledNodes(other.graph, self.shape.classes)
        x_NF, edges = _put(other.x_NF, self.device), labelled.edges.to(self.device)
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
        what = node if self.data.predict == "nodes" else f"{other},{node}"
        if isinstance(self.problem, RelationPrediction):
            source, relation, _ = self.problem.triples["test"][:, 0].tolist()
            name = self.problem.types.relations[relation]
            what = f"--from {self.graph.name(source)} --relation {name}"
        return [f"{command('predict')} {what}", command("runs charts")]


def _put(x_NF: NodeFeatures, device: torch.device) -> NodeFeatures:
    return x_NF if device.type == "cpu" else x_NF.to(device)


def _is_graph(path: Path) -> bool:
    """Whether an archive holds edges, by the names of its arrays."""
    try:
        return bool(set(npz.names(path)) & {"edge_index", "adj_indptr"})
    except WorkingsError:
        return False
