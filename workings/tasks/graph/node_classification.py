"""Node classification: the class of each node, where some of them are labelled."""

# N nodes, C classes

import math
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError, nearest
from workings.nn.graph.adjacency import EdgeList, propagation
from workings.tasks import classification, examples
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.graph import SPLITS, Graph
from workings.tasks.graph.node_splits import settled_splits
from workings.tasks.prediction import classified
from workings.tasks.task import Metrics

ROUNDS, KEPT = 50, 0.1  # of label propagation: rounds, and the share a node keeps of its own label


class NodeClassification:
    """Node classification: cross-entropy of the training nodes, the whole graph being seen."""

    score = "accuracy"

    def __init__(self, graph: Graph, config: GraphConfig, seed: int) -> None:
        self.graph = graph
        splits = settled_splits(
            graph,
            seed,
            config.train_per_class,
            config.valid_per_class,
            ignore_given=config.split == "random",
        )
        seen = set(graph.labels_N[splits["train"]].tolist())
        for label, name in enumerate(graph.classes):
            # Texas has a class of one node, which is for training in some of its published splits.
            if label not in seen and not config.name:
                raise WorkingsError(
                    f"{graph.where}: class {name!r} has no training node: label one, or choose "
                    "them by seed with --set data.split=random"
                )
        self.splits = {split: torch.from_numpy(splits[split]) for split in SPLITS}
        self.labels_N = torch.from_numpy(graph.labels_N)
        self.labels = {split: self.labels_N[nodes] for split, nodes in self.splits.items()}

    @property
    def edges(self) -> EdgeList:
        """The edges that the model may see: all."""
        return graph_data.edges(self.graph)

    @property
    def units(self) -> int:
        """Training nodes."""
        return len(self.splits["train"])

    @property
    def trained(self) -> int:
        """Training nodes."""
        return self.units

    def to(self, device: torch.device) -> None:
        """Put the splits and labels on a device."""
        self.splits = {split: nodes.to(device) for split, nodes in self.splits.items()}
        self.labels = {split: labels.to(device) for split, labels in self.labels.items()}

    def sizes(self) -> str:
        """How many nodes each split has, and how many classes there are."""
        parts = ", ".join(f"{split} {len(self.splits[split]):,}" for split in SPLITS)
        return f"{parts} nodes; {len(self.graph.classes)} classes"

    def training_loss(self, model: nn.Module, inputs: tuple[object, ...]) -> Tensor:
        """The loss of what the model makes of the graph."""
        return self.loss(model(*inputs))

    def loss(self, logits_NC: Tensor) -> Tensor:
        """Mean cross-entropy of the training nodes."""
        logits = logits_NC.index_select(0, self.splits["train"])
        return F.cross_entropy(logits, self.labels["train"])

    def metrics(self, logits_NC: Tensor, split: str) -> Metrics:
        """Those of classification, over the nodes of a split."""
        logits = logits_NC.index_select(0, self.splits[split])
        labels = self.labels[split]
        self.last = logits, labels
        return classification.metrics(logits, labels) | {"nodes": len(labels)}

    def examples(
        self, logits_NC: Tensor, split: str
    ) -> tuple[str, list[np.ndarray], dict[str, np.ndarray]]:
        """What an example is, the nodes of a split with their classes, and the columns."""
        nodes, labels = self.splits[split], self.labels[split]
        columns = examples.classified(logits_NC.index_select(0, nodes), labels)
        return "node", [nodes.cpu().numpy(), labels.cpu().numpy()], columns

    def details(self) -> Mapping[str, object]:
        """The confusion matrix and the rest, of the split that was evaluated last."""
        return self.tables() if hasattr(self, "last") else {}

    def tables(self) -> classification.Details:
        """Those of the split that was evaluated last."""
        return classification.details(*self.last, self.graph.classes)

    def first_loss(self) -> float:
        """That of equal probabilities."""
        return math.log(len(self.graph.classes))

    def baselines(self) -> dict[str, Metrics]:
        """Scores of the most frequent class and of label propagation."""
        counts_C = torch.bincount(self.labels["train"].cpu(), minlength=len(self.graph.classes))
        share_C = counts_C / counts_C.sum()
        majority_NC = share_C.log().expand(self.graph.nodes, -1)
        methods = {
            "most frequent class": majority_NC,
            "label propagation": self.propagated().log(),
        }
        return {
            name: {
                f"{split}.{metric}": value
                for split in ("valid", "test")
                for metric, value in self._scores(logits_NC, split).items()
            }
            for name, logits_NC in methods.items()
        }

    def _scores(self, logits_NC: Tensor, split: str) -> Metrics:
        nodes, labels = self.splits[split].cpu(), self.labels[split].cpu()
        metrics = classification.metrics(logits_NC[nodes], labels)
        return {name: metrics[name] for name in ("accuracy", "loss")}

    def propagated(self) -> Tensor:
        """Label propagation, F ← (1-s) Â F + s Y, from the training labels (Zhou et al., 2004)."""
        C = len(self.graph.classes)
        given_NC = torch.zeros(self.graph.nodes, C)
        given_NC[self.splits["train"].cpu(), self.labels["train"].cpu()] = 1
        a_hat, spread_NC = propagation(self.edges, "symmetric"), given_NC
        for _ in range(ROUNDS):
            spread_NC = (1 - KEPT) * (a_hat @ spread_NC) + KEPT * given_NC
        spread_NC = spread_NC + 1e-6  # a node that no label reaches could be anything
        return spread_NC / spread_NC.sum(1, keepdim=True)

    def nearest_mean(self, x_NF: Tensor, rounds: int = 2) -> float:
        """Validation accuracy of the nearest class mean of features averaged over neighbours.

        Â² X is what a network of two layers sees (Wu et al., 2019).
        """
        a_hat = propagation(self.edges, "symmetric")
        for _ in range(rounds):
            x_NF = a_hat @ x_NF
        train, valid = self.splits["train"].cpu(), self.splits["valid"].cpu()
        train_labels, C = self.labels["train"].cpu(), len(self.graph.classes)
        mean_CF = torch.stack([x_NF[train[train_labels == c]].mean(0) for c in range(C)])
        nearest_P = torch.cdist(x_NF[valid], mean_CF).nan_to_num(torch.inf).argmin(1)
        return float((nearest_P == self.labels["valid"].cpu()).double().mean())

    def predict(self, logits_NC: Tensor, what: list[str]) -> list[dict[str, object]]:
        """Class and probabilities of the named nodes, or of all."""
        graph = self.graph
        nodes = [graph.node(name) for name in what] or list(range(graph.nodes))
        probability_NC = logits_NC.softmax(1)[torch.tensor(nodes, device=logits_NC.device)].cpu()
        known = [graph.classes[each] if each >= 0 else "" for each in graph.labels_N[nodes]]
        rows = zip(nodes, known, probability_NC.tolist(), strict=True)
        return [
            classified(graph.name(node), dict(zip(graph.classes, p, strict=True)), label=label)
            for node, label, p in rows
        ]


class LabelledNodes:
    """All labelled nodes of a graph that the model was not trained on, its classes by name."""

    def __init__(self, graph: Graph, names: tuple[str, ...]) -> None:
        self.edges = graph_data.edges(graph)
        for name in graph.classes:
            if name not in names:
                raise WorkingsError(
                    f"{graph.where}: has a class {name!r}{nearest(name, names)}, which the model "
                    f"does not know; it knows {', '.join(names)}"
                )
        self.nodes = torch.from_numpy((graph.labels_N >= 0).nonzero()[0])
        if not len(self.nodes):
            raise WorkingsError(f"{graph.where}: no node has a label to compare with")
        order = torch.tensor([names.index(name) for name in graph.classes])
        self.labels = order[torch.from_numpy(graph.labels_N)[self.nodes]]

    def metrics(self, logits_NC: Tensor) -> Metrics:
        """Those of classification, over all labelled nodes."""
        metrics = classification.metrics(logits_NC.cpu()[self.nodes], self.labels)
        return metrics | {"nodes": len(self.nodes)}
