"""Many graphs as one: side by side, their adjacency matrices on the diagonal of one matrix."""

# N nodes of all graphs, E edges of all graphs, G graphs, B graphs of a batch, D width

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.graph.adjacency import EdgeList

Pooling = Literal["sum", "mean", "last"]


@dataclass(frozen=True)
class GraphBatch:
    """Graphs side by side, A = diag(A_1 … A_G): no graph takes anything from another.

    start_G1: the first node of each graph, and N. The nodes of a graph stand together.
    """

    edges: EdgeList
    start_G1: Tensor

    @classmethod
    def of(cls, graphs: Sequence[EdgeList]) -> "GraphBatch":
        """One batch of several graphs, each with nodes numbered from 0."""
        sizes_G = torch.tensor([graph.nodes for graph in graphs])
        start_G1 = F.pad(sizes_G.cumsum(0), (1, 0))
        pairs = [graph.edges_2E + start for graph, start in zip(graphs, start_G1, strict=False)]
        weighted = any(graph.weight_E is not None for graph in graphs)
        weight_E = torch.cat([g.weights(torch.float32) for g in graphs]) if weighted else None
        symmetric = all(graph.symmetric for graph in graphs)
        edges = EdgeList(torch.cat(pairs, 1), weight_E, int(start_G1[-1]), symmetric)
        return cls(edges, start_G1)

    def __len__(self) -> int:
        return len(self.start_G1) - 1

    @cached_property
    def graph_N(self) -> Tensor:
        """The graph of each node."""
        numbers_G = torch.arange(len(self), device=self.start_G1.device)
        return numbers_G.repeat_interleave(self.start_G1.diff())

    @cached_property
    def edge_start_G1(self) -> Tensor:
        """The first edge of each graph, and E: edges are sorted by the node they end in."""
        return torch.searchsorted(self.edges.edges_2E[1].contiguous(), self.start_G1)

    def take(self, graphs_B: Tensor) -> "tuple[GraphBatch, Tensor]":
        """Some of the graphs, in that order, and which of the nodes here are theirs."""
        nodes_M, sizes_B = _ranges(self.start_G1, graphs_B)
        edges_K, counts_B = _ranges(self.edge_start_G1, graphs_B)
        start_B1 = F.pad(sizes_B.cumsum(0), (1, 0))
        shift_K = (start_B1[:-1] - self.start_G1[graphs_B]).repeat_interleave(counts_B)
        edges, weight_E = self.edges, self.edges.weight_E
        taken = EdgeList(
            edges.edges_2E.index_select(1, edges_K) + shift_K,
            None if weight_E is None else weight_E.index_select(0, edges_K),
            len(nodes_M),
            edges.symmetric,
        )
        return GraphBatch(taken, start_B1), nodes_M

    def pool(self, x_ND: Tensor, how: Pooling) -> Tensor:
        """The sum, or the mean, of the rows of each graph's nodes, or the last node's row, G×D."""
        if how == "last":
            return x_ND.index_select(0, self.start_G1[1:] - 1)
        total_GD = x_ND.new_zeros(len(self), x_ND.shape[1]).index_add(0, self.graph_N, x_ND)
        if how == "sum":
            return total_GD
        return total_GD / self.start_G1.diff().clamp(min=1).to(x_ND.dtype)[:, None]

    def to(self, device: torch.device) -> "GraphBatch":
        """The same on that device."""
        return GraphBatch(self.edges.to(device), self.start_G1.to(device))


def _ranges(start_G1: Tensor, chosen_B: Tensor) -> tuple[Tensor, Tensor]:
    """The numbers start_g … start_{g+1} - 1 of every chosen g, one after the other; their counts.

    As for graphs of 3 and 2 nodes, start 0 3 5: of the second and then the first, 3 4 0 1 2.
    """
    first_B = start_G1[chosen_B]
    count_B = start_G1[chosen_B + 1] - first_B
    before_B = count_B.cumsum(0) - count_B
    shift_M = (first_B - before_B).repeat_interleave(count_B)
    return shift_M + torch.arange(len(shift_M), device=shift_M.device), count_B
