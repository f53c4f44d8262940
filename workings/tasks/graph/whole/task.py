"""The graph task where whole graphs are classified: batches of many graphs, each with a class.

What it reads is in `reads_graph_set`; this is how it learns, what it reports and what it can do.
"""

# G graphs, B graphs of a batch, N nodes, F features, C classes

import math
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from workings.errors import WorkingsError, explain_out_of_memory
from workings.nn.graph.batch import GraphBatch
from workings.nn.graph.readout import GraphReadout
from workings.schema import build
from workings.tasks import classification, examples
from workings.tasks.examples import Examples
from workings.tasks.graph import config
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.graph import UNLABELLED
from workings.tasks.graph.models import GraphModelConfig
from workings.tasks.graph.training import decay_groups
from workings.tasks.graph.whole import set_files
from workings.tasks.graph.whole.graph_set import GraphSet
from workings.tasks.graph.whole.reads_graph_set import ReadsGraphSet
from workings.tasks.graph.whole.set_leaks import leaks
from workings.tasks.graph.whole.weisfeiler_lehman import nearest_labels
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.prediction import classified
from workings.tasks.task import Carry, Metrics, ParameterGroup, Tick

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

EVAL_NODES = 100_000  # nodes of the graphs that are evaluated at a time


class GraphSetTask(ReadsGraphSet):
    """Graph classification: the class of each of many graphs."""

    sharded = True
    _details: Mapping[str, object] = MappingProxyType({})  # of the last evaluation

    def scores(self) -> tuple[str, ...]:
        return "accuracy", "balanced_accuracy"

    def validated(self) -> tuple[int, str]:
        return len(self.splits["valid"]), "graphs"

    def sizes(self) -> dict[str, int]:
        return {"features": self.shape.features, "classes": self.shape.outputs}

    def build(self) -> nn.Module:
        """A readout of one of our networks; the user's own class gives a row a graph itself."""
        if self.kind == "distmult":
            raise WorkingsError("model.kind: distmult predicts edges only, no graphs")
        if not isinstance(self.model, GraphModelConfig):
            return super().build()
        with explain_out_of_memory("model"):
            encoder = self.model.build(self.shape.features, None)
            return GraphReadout(encoder, self.shape.outputs, self.model.pool, self.model.dropout)

    def try_own(self, model: nn.Module, kind: str) -> None:
        first = torch.from_numpy(self.splits["train"][:2])
        x_NF, edges_2E, graph_N = self._plain(*self._batch(self.graphs, self.x_NF, first))
        wanted = f"forward(x_NF, edges_2E, graph_N) must give a tensor G×{self.shape.outputs}"
        given = f"{len(first)} graphs of {len(x_NF)} nodes and {edges_2E.shape[1]} edges"
        shape = try_out(model, kind, wanted, lambda m: m(x_NF, edges_2E, graph_N), given)
        if shape != (len(first), self.shape.outputs):
            raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {shape}")

    def groups(self, model: nn.Module) -> list[ParameterGroup]:
        first = model.first() if isinstance(model, GraphReadout) else None
        return decay_groups(model, first, self.train)

    @property
    def units(self) -> int:
        # A batch norm cannot normalise a single node: a lone last graph is left out of its epoch.
        graphs, batch = len(self.splits["train"]), self.train.batch
        return graphs - 1 if graphs % batch == 1 < batch else graphs

    @property
    def steps(self) -> int:
        return math.ceil(self.units / self.train.batch)

    def batches(self, epoch: int, position: int) -> Iterator[Tensor]:
        """Every training graph once, in an order drawn from the seed and the epoch."""
        draw = np.random.default_rng([self.seed, epoch])
        order = torch.from_numpy(draw.permutation(self.splits["train"])[: self.units])
        yield from map(self.shard.take, order.split(self.train.batch)[position:])

    def _batch(self, graphs: GraphSet, x_NF: Tensor, chosen_B: Tensor) -> tuple[Tensor, GraphBatch]:
        batch, nodes_M = graphs.batch.take(chosen_B)
        return x_NF.index_select(0, nodes_M).to(self.device), batch.to(self.device)

    def _plain(self, x_NF: Tensor, batch: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
        """What a user's model is called with: features, edges (both directions), graph of nodes."""
        return x_NF, batch.edges.edges_2E, batch.graph_N

    def _logits(self, model: nn.Module, graphs: GraphSet, x_NF: Tensor, chosen_B: Tensor) -> Tensor:
        x_NF, batch = self._batch(graphs, x_NF, chosen_B)
        if isinstance(model, GraphReadout):
            return model(*model.prepare(x_NF, batch))
        return model(*self._plain(x_NF, batch))

    def loss(self, model: nn.Module, batch: Tensor, carry: Carry) -> tuple[Tensor, int, Carry]:
        labels_B = torch.from_numpy(self.graphs.labels_G)[batch].to(self.device)
        logits_BC = self._logits(model, self.graphs, self.x_NF, batch)
        return self.criterion(logits_BC, labels_B), len(batch), None

    @torch.no_grad()
    def logits(self, model: nn.Module, graphs: GraphSet, chosen: np.ndarray, tick: Tick) -> Tensor:
        """The model's output for the chosen graphs, without dropout, on the CPU."""
        was_training, done, parts = model.training, 0, []
        model.eval()
        x_NF = self.x_NF if graphs is self.graphs else self.features(graphs)
        sizes = np.diff(graphs.start_G1)[chosen]
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // EVAL_NODES)) + 1
        for part in np.split(chosen, cuts):
            parts.append(self._logits(model, graphs, x_NF, torch.from_numpy(part)).float().cpu())
            done += len(part)
            tick(done)
        model.train(was_training)
        return torch.cat(parts)

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        return self._evaluate(model, self.graphs, self.splits[split], tick)

    def _evaluate(
        self, model: nn.Module, graphs: GraphSet, chosen: np.ndarray, tick: Tick
    ) -> Metrics:
        logits_GC = self.logits(model, graphs, chosen, tick)
        labels_G = torch.from_numpy(graphs.labels_G[chosen])
        self._details = classification.details(logits_GC, labels_G, self.shape.classes)
        metrics = classification.metrics(logits_GC, labels_G) | {"graphs": len(chosen)}
        return metrics | self.own_metrics(logits_GC, labels_G)

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of other graphs with the same features and classes, over the labelled ones."""
        values = self.data.model_dump() | {"name": "", "path": ""} | config.from_paths(paths)
        data = build(GraphConfig, values, "data")
        other = GraphSetTask(data, self.model, self.train, self.seed, {})
        other.expected = self.shape.columns
        graphs = other.graphs.with_classes(self.shape.classes)
        labelled = np.flatnonzero(graphs.labels_G != UNLABELLED)
        if not len(labelled):
            raise WorkingsError(f"{graphs.where}: no graph has a label to compare with")
        return self._evaluate(model, graphs, labelled, tick)

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """Loss and hit of every graph."""
        chosen = self.splits[split]
        labels_G = self.graphs.labels_G[chosen]
        logits_GC = self.logits(model, self.graphs, chosen, tick)
        columns = examples.classified(logits_GC, torch.from_numpy(labels_G))
        return Examples(
            self.graphs.unit, examples.identity(self.checksum(), chosen, labels_G), columns
        )

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        yield from leaks(self.graphs, self.splits)

    def details(self) -> Mapping[str, object]:
        return self._details

    def baselines(self) -> dict[str, Metrics]:
        """The most frequent class; the class of the training graph that looks most alike."""
        labels_G, train = self.graphs.labels_G, self.splits["train"]
        frequent = int(np.bincount(labels_G[train]).argmax())
        made: dict[str, Metrics] = {"most frequent class": {}, "nearest by Weisfeiler-Lehman": {}}
        for split in ("valid", "test"):
            asked = self.splits[split]
            guesses = np.full(len(asked), frequent), nearest_labels(self.graphs, train, asked)
            for metrics, guess in zip(made.values(), guesses, strict=True):
                metrics[f"{split}.accuracy"] = float((guess == labels_G[asked]).mean())
        return made

    def predict(self, model: nn.Module, what: list[str]) -> list[dict[str, object]]:
        """Class and probabilities of named graphs of the set, of those in files, or of all."""
        files = [
            Path(name) for name in what if name not in self.graphs.names and Path(name).exists()
        ]
        rows = [row for path in files for row in self._predicted(model, self._read(path), None)]
        named = [name for name in what if Path(name) not in files]
        if named or not what:
            chosen = [self.graphs.graph(name) for name in named]
            rows += self._predicted(
                model, self.graphs, np.array(chosen, np.int64) if named else None
            )
        return rows

    def _read(self, path: Path) -> GraphSet:
        return set_files.read(path, self.data.directed, self.shape.columns)

    def _predicted(
        self, model: nn.Module, graphs: GraphSet, chosen: np.ndarray | None
    ) -> list[dict[str, object]]:
        asked = np.arange(len(graphs)) if chosen is None else chosen
        classes = self.shape.classes
        probability_GC = self.logits(model, graphs, asked, lambda done: None).softmax(1)
        labels = graphs.labels_G[asked].tolist()
        known = [graphs.classes[each] if each != UNLABELLED else "" for each in labels]
        rows = zip(asked.tolist(), known, probability_GC.tolist(), strict=True)
        return [
            classified(graphs.names[graph], dict(zip(classes, p, strict=True)), label=label)
            for graph, label, p in rows
        ]

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """The confusion matrix of the test graphs."""
        from workings.charts.images import confusion

        self.evaluate(model, "test", lambda done: None)
        table: classification.ConfusionTable = self._details["confusion"]  # type: ignore[assignment]
        return {"confusion": confusion(table["names"], table["counts"], "Test graphs")}

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        graph = shlex.quote(self.graphs.names[-1])
        return [f"{command('predict')} {graph}", command("runs charts")]
