"""GAT's fast path, attention along edges: operations on the edges that end in one node.

Edges are sorted by their target, so a node's incoming edges are a segment, and a sum over segments
is a sparse product, with one entry an edge. Nothing of size N×N is ever made.
"""

# N nodes, E edges (self-loops among them), H heads, D width of a head

from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.dropout import dropout_mask, few_bits
from workings.nn.function_context import FunctionContext
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.sparse import Pattern, Sparse


class Segments:
    """Edges from j to i, sorted by i, then j, with what the operations on them need."""

    def __init__(self, edges: EdgeList) -> None:
        self.nodes = edges.nodes
        self.source_E, self.target_E = edges.edges_2E
        self.j_E, self.i_E = edges.edges_2E.int()  # half as large, and faster to select by
        N, E = edges.nodes, len(self.source_E)
        position_E = torch.arange(E, device=self.source_E.device)
        self.pattern = Pattern(self.target_E, self.source_E, (N, N))
        # Row i has a 1 at each edge that ends in i; row j of the other, at each that begins in j.
        self._into = Pattern(self.target_E, position_E, (N, E))
        order_E = self.pattern.order_K.long()
        self._from = Pattern(self.source_E[order_E], order_E, (N, E))
        self._ones_E = torch.ones(E, device=self.source_E.device)
        self._blocks: dict[int, Blocks] = {}
        self._sums: dict[tuple[str, torch.dtype], Sparse] = {}

    def into(self, dtype: torch.dtype) -> Sparse:
        """N×E: adds up, for each node, the edges that end in it."""
        return self._once("into", self._into, dtype)

    def outof(self, dtype: torch.dtype) -> Sparse:
        """N×E: adds up, for each node, the edges that begin in it."""
        return self._once("outof", self._from, dtype)

    def _once(self, name: str, pattern: Pattern, dtype: torch.dtype) -> Sparse:
        if (name, dtype) not in self._sums:
            self._sums[name, dtype] = Sparse(pattern, self._ones_E.to(dtype))
        return self._sums[name, dtype]

    def blocks(self, heads: int) -> "Blocks":
        """Where the entries of H matrices N×N are in one of HN×HN, made once."""
        if heads not in self._blocks:
            self._blocks[heads] = Blocks(self, heads)
        return self._blocks[heads]

    def highest(self, s_NH: Tensor) -> Tensor:
        """max_j s_j over each node's incoming edges; 0 where there are none. No gradient."""
        if s_NH.device.type == "cpu":
            ones_E = self._ones_E.to(s_NH.dtype)
            return torch.sparse.mm(self.pattern.matrix(ones_E), s_NH, "amax")
        into = self.target_E[:, None].expand(-1, s_NH.shape[1])
        zeros_NH = torch.zeros_like(s_NH)
        return zeros_NH.scatter_reduce(0, into, s_NH[self.source_E], "amax", include_self=False)


class Blocks:
    """A sparse HN×HN matrix that holds, for every head, one entry an edge.

    Row i·H + h, column j·H + h: so a contiguous N×H×D tensor is its right-hand side as it is, and
    one product serves all heads. Its entries are sorted by (i, h, j), edges by (i, j): `order_K`
    and `back_K` lead from values E×H to entries and back.
    """

    def __init__(self, segments: Segments, heads: int) -> None:
        E, H = len(segments.source_E), heads
        device = segments.source_E.device
        head_H = torch.arange(H, device=device)
        row_K = (segments.target_E[:, None] * H + head_H).flatten()
        column_K = (segments.source_E[:, None] * H + head_H).flatten()
        order_K = torch.sort(row_K, stable=True).indices
        self.order_K = order_K.int()
        back_K = torch.empty_like(order_K)
        back_K[order_K] = torch.arange(E * H, device=device)
        self.back_K = back_K.int()
        size = segments.nodes * H
        self.pattern = Pattern(row_K[order_K], column_K[order_K], (size, size))

    def entries(self, values_EH: Tensor) -> Tensor:
        """Values E×H in the order of the entries."""
        return values_EH.flatten().index_select(0, self.order_K)

    def product(self, alpha_K: Tensor, h_NHD: Tensor) -> Tensor:
        """Σ_j α_ij h_j."""
        h_MD = h_NHD.reshape(-1, h_NHD.shape[2])
        return (self.pattern.matrix(alpha_K) @ h_MD).view(h_NHD.shape)

    def back_product(self, alpha_K: Tensor, g_NHD: Tensor) -> Tensor:
        """Σ_i α_ij g_i."""
        g_MD = g_NHD.reshape(-1, g_NHD.shape[2])
        return (self.pattern.transposed(alpha_K) @ g_MD).view(g_NHD.shape)

    def products(self, g_NHD: Tensor, h_NHD: Tensor) -> Tensor:
        """g_i · h_j for every edge and head, E×H."""
        (N, H, D), pattern = h_NHD.shape, self.pattern
        where = pattern.matrix(g_NHD.new_zeros(len(pattern.column_K)))
        g_MD, h_MD = g_NHD.reshape(N * H, D), h_NHD.reshape(N * H, D)
        entries_K = torch.sparse.sampled_addmm(where, g_MD, h_MD.t(), beta=0.0).values()
        return entries_K.index_select(0, self.back_K).view(-1, H)


def segment_softmax(score_EH: Tensor, segments: Segments) -> Tensor:
    """exp(score) over its sum in the segment, for each head; differentiable, any scores.

    Shapes: score_EH, returns E×H.
    """
    with torch.no_grad():
        into = segments.target_E[:, None].expand_as(score_EH)
        lowest_NH = score_EH.new_full((segments.nodes, score_EH.shape[1]), -torch.inf)
        top_NH = lowest_NH.scatter_reduce(0, into, score_EH, "amax")
    weight_EH = (score_EH - top_NH.index_select(0, segments.target_E)).exp()
    total_NH = segments.into(score_EH.dtype) @ weight_EH
    return weight_EH / total_NH.index_select(0, segments.target_E)


def weighted_sum(alpha_EH: Tensor, h_NHD: Tensor, segments: Segments) -> Tensor:
    """Σ_j α_ij h_j over each node's incoming edges, for each head.

    Shapes: alpha_EH, h_NHD, returns N×H×D.
    """
    return _WeightedSum.apply(alpha_EH, h_NHD, segments)


class _WeightedSumContext(FunctionContext, Protocol):
    blocks: Blocks


class _WeightedSum(torch.autograd.Function):
    """y_i = Σ_j α_ij h_j. Backward, with g = ∂E/∂y: ∂E/∂α_ij = g_i·h_j;  ∂E/∂h_j = Σ_i α_ij g_i."""

    @staticmethod
    def forward(
        ctx: _WeightedSumContext, alpha_EH: Tensor, h_NHD: Tensor, segments: Segments
    ) -> Tensor:
        ctx.blocks = segments.blocks(alpha_EH.shape[1])
        alpha_K = ctx.blocks.entries(alpha_EH)
        ctx.save_for_backward(alpha_K, h_NHD)
        return ctx.blocks.product(alpha_K, h_NHD)

    @staticmethod
    def backward(ctx: _WeightedSumContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        alpha_K, h_NHD = ctx.saved_tensors
        dalpha_EH = ctx.blocks.products(grad[0], h_NHD)
        return dalpha_EH, ctx.blocks.back_product(alpha_K, grad[0]), None


def attend_along_edges(
    h_NHD: Tensor, to_NH: Tensor, from_NH: Tensor, segments: Segments, slope: float, p: float
) -> Tensor:
    """Σ_j α_ij h_j with α_ij = softmax_j LeakyReLU(to_i + from_j), α dropped with probability p.

    Shapes: h_NHD, to_NH, from_NH; returns N×H×D.
    """
    kept_EH = None
    if p:
        shape = (len(segments.source_E), h_NHD.shape[1])
        kept_EH = dropout_mask(shape, p, h_NHD, few_bits(p))
    return _Attend.apply(h_NHD, to_NH, from_NH, kept_EH, segments, slope)


class _AttendContext(FunctionContext, Protocol):
    segments: Segments
    blocks: Blocks
    slope: float


class _Attend(torch.autograd.Function):
    """y_i = Σ_j m_ij α_ij h_j, α_ij = exp(l_ij - top_i)/z_i, l_ij = LeakyReLU(to_i + from_j).

    top_i, the largest l_ij, is LeakyReLU(to_i + max_j from_j), as LeakyReLU rises. Backward, with
    g = ∂E/∂y: d_ij = m_ij g_i·h_j;  ∂E/∂l_ij = α_ij (d_ij - Σ_k α_ik d_ik), which times LeakyReLU'
    adds up over j to ∂E/∂to_i and over i to ∂E/∂from_j;  ∂E/∂h_j = Σ_i m_ij α_ij g_i.
    """

    @staticmethod
    def forward(
        ctx: _AttendContext,
        h_NHD: Tensor,
        to_NH: Tensor,
        from_NH: Tensor,
        kept_EH: Tensor | None,
        segments: Segments,
        slope: float,
    ) -> Tensor:
        i_E, j_E, blocks = segments.i_E, segments.j_E, segments.blocks(h_NHD.shape[1])
        score_EH = from_NH.index_select(0, j_E).add_(to_NH.index_select(0, i_E))
        top_NH = F.leaky_relu_(segments.highest(from_NH).add_(to_NH), slope)
        alpha_EH = F.leaky_relu(score_EH, slope).sub_(top_NH.index_select(0, i_E)).exp_()
        total_NH = segments.into(h_NHD.dtype).csr @ alpha_EH
        alpha_EH.div_(total_NH.index_select(0, i_E))
        given_EH = alpha_EH if kept_EH is None else alpha_EH * kept_EH
        given_K = blocks.entries(given_EH)
        ctx.save_for_backward(h_NHD, score_EH, alpha_EH, kept_EH, given_K)
        ctx.segments, ctx.blocks, ctx.slope = segments, blocks, slope
        return blocks.product(given_K, h_NHD)

    @staticmethod
    def backward(ctx: _AttendContext, *grad: Tensor) -> tuple[Tensor | None, ...]:
        h_NHD, score_EH, alpha_EH, kept_EH, given_K = ctx.saved_tensors
        segments = ctx.segments
        d_EH = ctx.blocks.products(grad[0], h_NHD)
        if kept_EH is not None:
            d_EH.mul_(kept_EH)
        d_EH.mul_(alpha_EH)
        into, outof = (side(h_NHD.dtype).csr for side in (segments.into, segments.outof))
        mean_NH = into @ d_EH
        d_EH.addcmul_(alpha_EH, mean_NH.index_select(0, segments.i_E), value=-1)
        d_EH = torch.ops.aten.leaky_relu_backward(d_EH, score_EH, ctx.slope, False)
        dh_NHD = ctx.blocks.back_product(given_K, grad[0])
        return dh_NHD, into @ d_EH, outof @ d_EH, None, None, None
