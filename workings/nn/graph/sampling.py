"""Parts of a large graph to train on: sampled neighbourhoods, and clusters of nodes."""

# N nodes, K entries of a matrix, B nodes asked about, M nodes of the part

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.sparse import Pattern, Sparse


@dataclass(frozen=True)
class Rows:
    """A sparse N×N matrix by rows: what each node takes from whom, and how much."""

    start_N1: np.ndarray
    column_K: np.ndarray
    value_K: np.ndarray | None  # None: all 1

    @classmethod
    def of_edges(cls, edges: EdgeList) -> "Rows":
        """The edges by the node that they end in."""
        j_E, i_E = edges.edges_2E.cpu()
        start_N1 = np.concatenate([[0], np.cumsum(np.bincount(i_E.numpy(), minlength=edges.nodes))])
        weight_E = edges.weight_E
        return cls(start_N1, j_E.int().numpy(), None if weight_E is None else weight_E.numpy())

    @classmethod
    def of_matrix(cls, matrix: Sparse) -> "Rows":
        """The entries of a matrix, which are not copied."""
        pattern = matrix.pattern
        parts = (pattern.row_N1, pattern.column_K, matrix.values_K)
        return cls(*(each.cpu().numpy() for each in parts))


@dataclass(frozen=True)
class Sample:
    """A part of a graph: which nodes it has, those that are asked about first, and its entries.

    row_K, column_K: numbers of the part's own nodes, sorted by row, then column.
    """

    nodes_M: np.ndarray
    row_K: np.ndarray
    column_K: np.ndarray
    value_K: np.ndarray

    def matrix(self) -> Sparse:
        """The entries as a matrix M×M."""
        M = len(self.nodes_M)
        pattern = Pattern(torch.from_numpy(self.row_K), torch.from_numpy(self.column_K), (M, M))
        return Sparse(pattern, torch.from_numpy(self.value_K.astype(np.float32)))

    def edges(self, weighted: bool = False) -> EdgeList:
        """The entries as edges, which go one way."""
        pairs_2K = torch.from_numpy(np.stack([self.column_K, self.row_K]))
        weight_K = torch.from_numpy(self.value_K.astype(np.float32)) if weighted else None
        return EdgeList(pairs_2K, weight_K, len(self.nodes_M), symmetric=False)


def sample_neighbours(
    rows: Rows, asked_B: np.ndarray, fanouts: Sequence[int], draw: np.random.Generator
) -> Sample:
    """What some nodes hear of, with at most so many neighbours a node, hop by hop.

    Drawn uniformly without replacement; what is kept counts the more, so that the sum of a row is
    right on average (Hamilton et al., 2017). A node's own entry always stays. With fan-outs that
    no node exceeds, the rows of the asked nodes are exact.
    """
    nodes, frontier = asked_B.astype(np.int64), asked_B.astype(np.int64)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for fanout in fanouts:
        parts.append(_drawn(rows, frontier, fanout, draw))
        frontier = np.setdiff1d(parts[-1][1], nodes)
        nodes = np.concatenate([nodes, frontier])
    row_K, column_K, value_K = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(nodes)
    row_K, column_K = (order[np.searchsorted(nodes, k, sorter=order)] for k in (row_K, column_K))
    by_row = np.lexsort((column_K, row_K))
    return Sample(nodes, row_K[by_row], column_K[by_row], value_K[by_row])


def _drawn(
    rows: Rows, frontier: np.ndarray, fanout: int, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the entries that are kept of some rows."""
    count = rows.start_N1[frontier + 1] - rows.start_N1[frontier]
    owner_K = np.repeat(np.arange(len(frontier)), count)
    before = np.cumsum(count) - count
    entry_K = np.arange(len(owner_K)) - before[owner_K] + rows.start_N1[frontier][owner_K]
    column_K = rows.column_K[entry_K].astype(np.int64)
    key_K = draw.random(len(owner_K))
    own_K = column_K == frontier[owner_K]
    key_K[own_K] = -1.0  # first of its row
    order_K = np.lexsort((key_K, owner_K))
    rank_K = np.arange(len(owner_K)) - before[owner_K]
    own = np.bincount(owner_K[own_K], minlength=len(frontier))
    kept_K = order_K[rank_K < (fanout + own)[owner_K]]
    owner_K, column_K, own_K = owner_K[kept_K], column_K[kept_K], own_K[kept_K]
    others = count - own
    more = others / np.maximum(1, np.minimum(others, fanout))
    value_K = np.ones(len(kept_K)) if rows.value_K is None else rows.value_K[entry_K[kept_K]]
    return frontier[owner_K], column_K, value_K * np.where(own_K, 1.0, more[owner_K])


def induced(rows: Rows, nodes_M: np.ndarray) -> Sample:
    """Some nodes and all entries among them."""
    nodes_M = np.sort(nodes_M)
    count = rows.start_N1[nodes_M + 1] - rows.start_N1[nodes_M]
    row_K = np.repeat(np.arange(len(nodes_M)), count)
    before = np.cumsum(count) - count
    entry_K = np.arange(len(row_K)) - before[row_K] + rows.start_N1[nodes_M][row_K]
    found_K = np.searchsorted(nodes_M, rows.column_K[entry_K]).clip(max=len(nodes_M) - 1)
    inside = nodes_M[found_K] == rows.column_K[entry_K]
    value_K = np.ones(int(inside.sum())) if rows.value_K is None else rows.value_K[entry_K[inside]]
    return Sample(nodes_M, row_K[inside], found_K[inside].astype(np.int64), value_K)


def clusters(rows: Rows, parts: int) -> list[np.ndarray]:
    """The nodes in so many parts of like size, with few edges between them (Chiang et al., 2019).

    Nodes are put in the order of Cuthill and McKee, in which neighbours stand close, and cut.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    nodes = len(rows.start_N1) - 1
    ones = np.ones(len(rows.column_K), np.int8)
    matrix = csr_array((ones, rows.column_K, rows.start_N1), (nodes, nodes))
    order_N = reverse_cuthill_mckee(matrix, symmetric_mode=False).astype(np.int64)
    return np.array_split(order_N, parts)


def take(x_NF: Tensor | Sparse, nodes_M: np.ndarray) -> Tensor | Sparse:
    """The features of some nodes."""
    chosen = torch.from_numpy(nodes_M)
    if isinstance(x_NF, Tensor):
        return x_NF.index_select(0, chosen)
    start = x_NF.pattern.row_N1.long()
    first, count = start[chosen], start[chosen + 1] - start[chosen]
    row_K = torch.arange(len(chosen)).repeat_interleave(count)
    before = (count.cumsum(0) - count)[row_K]
    entry_K = torch.arange(len(row_K)) - before + first[row_K]
    pattern = Pattern(row_K, x_NF.pattern.column_K[entry_K], (len(chosen), x_NF.shape[1]))
    return Sparse(pattern, x_NF.values_K[entry_K])
