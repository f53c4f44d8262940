"""Training on parts of a large graph: batches of sampled neighbourhoods, or of clusters."""

# N nodes, B nodes asked about, M nodes of a part

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.graph import GAT, GCN, GGNN, GIN, MLP, Sparse
from workings.nn.graph.adjacency import propagation
from workings.nn.graph.graph_model import NodeFeatures, dtype_of
from workings.nn.graph.sampling import Rows, Sample, clusters, induced, sample_neighbours, take
from workings.tasks.graph.config import GraphTrain
from workings.tasks.graph.node_classification import NodeClassification

Trained = GCN | GAT | GIN | GGNN | MLP
Part = tuple[Sample, np.ndarray]  # a part of the graph, and the places of its training nodes


class SampledNodes:
    """The training nodes of a graph in batches, each with the part of the graph that it hears of.

    Every batch is drawn from the seed, the epoch and its place in it, so that a run can go on from
    any batch as if it had not stopped.

    model: one of those that are trained, of which only the kind and its normalisation count.
    """

    def __init__(
        self,
        model: nn.Module,
        x_NF: NodeFeatures,
        problem: NodeClassification,
        train: GraphTrain,
        seed: int,
        device: torch.device,
    ) -> None:
        if not isinstance(model, Trained):
            raise WorkingsError(
                "train.sampling: parts of a graph are for gcn, gat, gin, ggnn and mlp; train this "
                "model with train.sampling = none"
            )
        self.x_NF, self.problem = x_NF, problem
        self.train, self.seed, self.device = train, seed, device
        self.nodes = problem.splits["train"].cpu().numpy()
        edges = problem.edges
        self.is_train = np.zeros(edges.nodes, bool)
        self.is_train[self.nodes] = True
        if train.sampling == "neighbours" and isinstance(model, GCN | GIN | GGNN):
            normalisation = "none" if isinstance(model, GIN) else model.normalisation
            matrix = propagation(edges, normalisation, dtype_of(x_NF))
            if not isinstance(matrix, Sparse):
                raise WorkingsError(
                    "train.sampling: with model.normalisation = softmax every node hears of all; "
                    "set train.sampling = none"
                )
            self.rows, self.has_values = Rows.of_matrix(matrix), True
        else:
            self.rows, self.has_values = Rows.of_edges(edges), False
        if train.sampling == "clusters":
            made = clusters(self.rows, train.clusters)
            self.parts = [part for part in made if self.is_train[part].any()]

    @property
    def steps(self) -> int:
        """Batches in an epoch."""
        count = len(self.parts) if self.train.sampling == "clusters" else len(self.nodes)
        return math.ceil(count / self.train.batch)

    def batches(self, epoch: int, position: int) -> Iterator[Part]:
        """The parts of an epoch, from a position on."""
        draw = np.random.default_rng([self.seed, epoch])
        if self.train.sampling == "clusters":
            order = draw.permutation(len(self.parts))
        else:
            order = draw.permutation(self.nodes)
        for step in range(position, self.steps):
            chosen = order[step * self.train.batch : (step + 1) * self.train.batch]
            if self.train.sampling == "clusters":
                part = induced(self.rows, np.concatenate([self.parts[k] for k in chosen]))
                yield part, np.flatnonzero(self.is_train[part.nodes_M])
            else:
                within = np.random.default_rng([self.seed, epoch, step])
                part = sample_neighbours(self.rows, chosen, self.train.fanout, within)
                yield part, np.arange(len(chosen))

    def loss(self, model: nn.Module, part: Part) -> tuple[Tensor, int]:
        """Mean cross-entropy of the part's training nodes, and how many there are."""
        assert isinstance(model, Trained)
        sample, places = part
        x_MF = take(self.x_NF, sample.nodes_M)
        x_MF = x_MF if self.device.type == "cpu" else x_MF.to(self.device)
        if isinstance(model, MLP):
            logits_MC = model(x_MF)
        elif self.has_values:
            logits_MC = model(x_MF, sample.matrix().to(self.device))
        else:
            edges = sample.edges(self.rows.value_K is not None).to(self.device)
            logits_MC = model(*model.prepare(x_MF, edges))
        at = torch.from_numpy(places).to(self.device)
        labels = self.problem.labels_N[torch.from_numpy(sample.nodes_M[places])].to(self.device)
        return F.cross_entropy(logits_MC.index_select(0, at), labels), len(places)
