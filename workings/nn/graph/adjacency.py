"""What a graph's nodes take from their neighbours: the adjacency matrix and its normalisations."""

# N nodes, E edges, K entries of Â (edges, and a self-loop a node where there are any), D width

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import torch
from torch import Tensor

from workings.nn.function_context import FunctionContext
from workings.nn.graph.sparse import Pattern, Sparse

Normalisation = Literal[
    "none", "self-loops", "row", "row-self-loops", "symmetric-no-loops", "symmetric", "softmax"
]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)


@dataclass(frozen=True)
class EdgeList:
    """A graph's edges, from j in row 0 to i in row 1: A_ij is the weight of what i takes from j.

    Sorted by i, then j, none given twice; an undirected edge is there in both directions. `of`
    makes one from pairs in any order.
    """

    edges_2E: Tensor
    weight_E: Tensor | None  # None: all 1
    nodes: int
    symmetric: bool  # A = Aᵀ

    @classmethod
    def of(cls, pairs_2E: Tensor, nodes: int, directed: bool = False) -> "EdgeList":
        """The edges of pairs (j, i) in any order, each once, in both directions if undirected.

        Shapes: pairs_2E, as torch_geometric's edge_index.
        """
        if not directed:
            pairs_2E = torch.cat([pairs_2E, pairs_2E.flip(0)], 1)
        key_E = (pairs_2E[1] * nodes + pairs_2E[0]).unique()
        return cls(torch.stack([key_E % nodes, key_E // nodes]), None, nodes, not directed)

    def weights(self, dtype: torch.dtype) -> Tensor:
        """A_ij of every edge."""
        if self.weight_E is None:
            return torch.ones(self.edges_2E.shape[1], dtype=dtype, device=self.edges_2E.device)
        return self.weight_E.to(dtype)

    def with_self_loops(self) -> "EdgeList":
        """Ã: every node takes from itself with weight 1; a self-loop that is there stays as is."""
        j_E, i_E = self.edges_2E
        absent = torch.ones(self.nodes, dtype=torch.bool, device=j_E.device)
        absent[i_E[i_E == j_E]] = False
        loops = absent.nonzero()[:, 0]
        j_K, i_K = torch.cat([j_E, loops]), torch.cat([i_E, loops])
        order = torch.argsort(i_K * self.nodes + j_K)
        weight_K = None
        if self.weight_E is not None:
            weight_K = torch.cat([self.weight_E, self.weight_E.new_ones(len(loops))])[order]
        edges_2K = torch.stack([j_K[order], i_K[order]])
        return EdgeList(edges_2K, weight_K, self.nodes, self.symmetric)

    def to(self, device: torch.device) -> "EdgeList":
        """The same on that device."""
        weight_E = None if self.weight_E is None else self.weight_E.to(device)
        return EdgeList(self.edges_2E.to(device), weight_E, self.nodes, self.symmetric)


class RankOnePlusSparse:
    """Â = u 1ᵀ + S: every node takes u_i of the sum over all nodes, and more from its neighbours.

    Shapes: u_N, S sparse N×N; `Â @ x_ND` is N×D, without ever forming Â.
    """

    def __init__(self, u_N: Tensor, sparse: Sparse) -> None:
        self.u_N, self.sparse = u_N, sparse

    @property
    def entries(self) -> int:
        """Numbers that are stored for Â."""
        return self.sparse.entries + len(self.u_N)

    def __matmul__(self, x_ND: Tensor) -> Tensor:
        return _RankOneProduct.apply(x_ND, self)

    def dense(self) -> Tensor:
        """Â as an ordinary tensor, N×N."""
        return self.u_N[:, None] + self.sparse.dense()


class _RankOneContext(FunctionContext, Protocol):
    matrix: RankOnePlusSparse


class _RankOneProduct(torch.autograd.Function):
    """y = u (1ᵀ x) + S x. Backward, with g = ∂E/∂y: ∂E/∂x = 1 (uᵀ g) + Sᵀ g."""

    @staticmethod
    def forward(ctx: _RankOneContext, x_ND: Tensor, matrix: RankOnePlusSparse) -> Tensor:
        ctx.matrix = matrix
        return (matrix.sparse.csr @ x_ND).addr_(matrix.u_N, x_ND.sum(0))

    @staticmethod
    def backward(ctx: _RankOneContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        matrix, g_ND = ctx.matrix, grad[0].contiguous()
        return (matrix.sparse.csr_t @ g_ND).add_(matrix.u_N @ g_ND), None


Propagation = Sparse | RankOnePlusSparse


def propagation(
    edges: EdgeList, normalisation: Normalisation, dtype: torch.dtype = torch.float32
) -> Propagation:
    """Â of a normalisation; d_i = Σ_j A_ij, and Ã = A + I with d̃_i = Σ_j Ã_ij.

    none A · self-loops Ã · row D⁻¹A · row-self-loops D̃⁻¹Ã · symmetric-no-loops D^{-1/2} A D^{-1/2}
    · symmetric D̃^{-1/2} Ã D̃^{-1/2} · softmax: exp(A_ij)/z_i over all N entries of a row, which is
    1/z_i where there is no edge. Without self-loops a node without edges has a row of zeros.
    """
    if normalisation in ("self-loops", "row-self-loops", "symmetric"):
        edges = edges.with_self_loops()
    j_K, i_K = edges.edges_2E
    weight_K, N = edges.weights(dtype), edges.nodes
    pattern = Pattern(i_K, j_K, (N, N))
    if normalisation == "softmax":
        more_K = weight_K.expm1()
        u_N = 1 / _sums(more_K, i_K, N).add_(N)
        return RankOnePlusSparse(u_N, Sparse(pattern, more_K * u_N[i_K]))
    symmetric = edges.symmetric
    if normalisation.startswith("row"):
        weight_K, symmetric = weight_K * _inverse(_sums(weight_K, i_K, N), 1.0)[i_K], False
    if normalisation.startswith("symmetric"):
        scale_N = _inverse(_sums(weight_K, i_K, N), 0.5)
        weight_K = weight_K * (scale_N[i_K] * scale_N[j_K])  # so Â_ij is Â_ji to the last bit
    return Sparse(pattern, weight_K, symmetric)


def _sums(value_K: Tensor, i_K: Tensor, count: int) -> Tensor:
    return value_K.new_zeros(count).index_add_(0, i_K, value_K)


def _inverse(degree_N: Tensor, power: float) -> Tensor:
    """d^-power, and 0 for a node that takes nothing from anyone."""
    return degree_N.pow(-power).masked_fill_(degree_N == 0, 0.0)
