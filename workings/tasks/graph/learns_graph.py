"""How the graph task learns: a step over the whole graph, or one for each of its parts."""

# N nodes, E edges, F features, C classes (or the width of a node's state, for edges)

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from workings.errors import WorkingsError
from workings.nn.graph.by_layers import by_layers
from workings.nn.graph.distmult import RelationScores
from workings.nn.graph.gat import GAT
from workings.nn.graph.gcn import GCN
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense
from workings.nn.graph.text_graph import TextGraph
from workings.tasks import examples
from workings.tasks.examples import Examples
from workings.tasks.graph import models
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.reads_graph import ReadsGraph
from workings.tasks.graph.sampled import Part, SampledNodes
from workings.tasks.graph.training import decay_groups
from workings.tasks.graph.typed.relation_prediction import RelationPrediction
from workings.tasks.own import try_out
from workings.tasks.task import Carry, Metrics, ParameterGroup, Tick

if TYPE_CHECKING:
    pass

# What a network gives, by its problem: a row of every node, and with relations their vectors too.
# Calling a module is untyped in torch.
Outputs = Any


class LearnsGraph(ReadsGraph):
    """The network of the problem, its loss and its metrics."""

    MODELS = models.MODELS
    OWN = ("loss", "metrics")
    prepared: tuple[nn.Module, tuple[object, ...]] | None = None
    built: nn.Module | None = None

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

    def groups(self, model: nn.Module) -> list[ParameterGroup]:
        first = model.first() if isinstance(model, GraphModel | RelationScores) else None
        return decay_groups(model, first, self.train)

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

    @property
    def trained(self) -> int:
        return self.problem.trained

    def batches(self, epoch: int, position: int) -> Iterator[int | Part]:
        """One step over the whole graph, or one for each of its parts."""
        if not self._in_parts:
            yield from range(position, 1)
        else:
            yield from self.sampled.batches(epoch, position)

    def inputs(self, model: nn.Module) -> tuple[object, ...]:
        """What the model takes, made once."""
        if self.prepared is None or self.prepared[0] is not model:
            self.shape.require(self.graph, self.columns, self.data.predict == "nodes")
            if isinstance(model, TextGraph):
                made = self._read_inputs(model)
            elif isinstance(model, GraphModel | RelationScores):
                x_NF, edges = put(self.x_NF, self.device), self.problem.edges.to(self.device)
                made = model.prepare(x_NF, edges)
            else:
                made = tuple(tensor.to(self.device) for tensor in self._plain())
            self.problem.to(self.device)
            self.prepared = model, made
        return self.prepared[1]

    def _read_inputs(self, model: TextGraph) -> tuple[object, ...]:
        assert self.words is not None
        tokens_NT = torch.from_numpy(self.words.tokens(self.graph.texts)).to(self.device)
        x_NF = put(self.x_NF, self.device) if self.shape.features else None
        return model.with_text(tokens_NT, x_NF, self.problem.edges.to(self.device))

    def loss(self, model: nn.Module, batch: int | Part, carry: Carry) -> tuple[Tensor, int, Carry]:
        if not isinstance(batch, int):
            if self.train.loss:
                raise WorkingsError("train.loss: of your own only where a batch is the whole graph")
            return *self.sampled.loss(model, batch), None
        if self.train.loss and isinstance(self.problem, NodeClassification):
            rows = model(*self.inputs(model))
            nodes, labels = self.problem.splits["train"], self.problem.labels["train"]
            return self.criterion(rows[nodes], labels), self.problem.units, None
        return self.problem.training_loss(model, self.inputs(model)), self.problem.units, None

    @torch.no_grad()
    def outputs(self, model: nn.Module) -> Outputs:
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
        return Examples(unit, examples.identity(self.checksum_of_question(), *asked), columns)


def put(x_NF: NodeFeatures, device: torch.device) -> NodeFeatures:
    """Features on a device."""
    return x_NF if device.type == "cpu" else x_NF.to(device)
