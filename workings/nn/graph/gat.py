"""The graph attention network, GAT: h_i' = Σ_j α_ij W h_j, α_ij = softmax_j e_ij."""

# N nodes, E edges, F features, H heads, D width of a head, C classes

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.dropout import dropped
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense, glorot
from workings.nn.graph.segments import (
    Segments,
    attend_along_edges,
    segment_softmax,
    weighted_sum,
)
from workings.nn.layer_list import layers_of


class GraphAttention(nn.Module):
    """h_i' = Σ_j α_ij W h_j, α_ij = softmax_j e_ij, for each of H heads (Veličković et al., 2018).

    Version 1: e_ij = LeakyReLU(a·[W h_i ‖ W h_j]), a sum of one number of each node. Version 2:
    e_ij = a·LeakyReLU(V h_i + W h_j), so that the ranking of the neighbours depends on who asks
    (Brody et al., 2022).

    `reference` is the equation as it is written, with every edge's message in memory; `forward`
    computes it with sparse products.

    features, width, heads: F, D and H. concat: the heads side by side, else their mean. slope: of
    the LeakyReLU below zero. dropout: the probability of dropping an edge's attention. bias: a b
    is added.

    Shapes: x_NF; returns N×HD, the heads side by side, or their mean, N×D.
    """

    eye: Tensor

    def __init__(
        self,
        features: int,
        width: int,
        heads: int = 1,
        concat: bool = True,
        slope: float = 0.2,
        dropout: float = 0.0,
        version: Literal[1, 2] = 1,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.heads, self.width, self.concat = heads, width, concat
        self.slope, self.dropout, self.version = slope, dropout, version
        self.W = glorot(features, heads * width)
        if version == 1:
            # The first half of a head's a is for the node that takes, the second for the other.
            self.register_buffer("eye", torch.eye(heads), persistent=False)
            self.a = nn.Parameter(nn.init.xavier_uniform_(torch.empty(1, heads, 2 * width))[0])
        else:
            self.V = glorot(features, heads * width)
            self.a = nn.Parameter(nn.init.xavier_uniform_(torch.empty(1, heads, width))[0])
        size = heads * width if concat else width
        self.b = nn.Parameter(torch.zeros(size)) if bias else None

    def reference(self, edges_2E: Tensor, x_NF: Tensor) -> Tensor:
        """Without dropout, head by head; edges from j in row 0 to i in row 1, self-loops too."""
        j_E, i_E = edges_2E
        heads = []
        for head in range(self.heads):
            columns = slice(head * self.width, (head + 1) * self.width)
            h_ND, a = x_NF @ self.W[:, columns], self.a[head]
            if self.version == 1:
                a_2D = a.view(2, self.width)
                to_N, from_N = h_ND @ a_2D[0], h_ND @ a_2D[1]
                score_E = F.leaky_relu(to_N[i_E] + from_N[j_E], self.slope)
            else:
                v_ND = x_NF @ self.V[:, columns]
                score_E = F.leaky_relu(v_ND[i_E] + h_ND[j_E], self.slope) @ a
            weight_E = (score_E - score_E.detach().amax()).exp()
            norm_N = weight_E.new_zeros(len(x_NF)).index_add(0, i_E, weight_E)
            alpha_E = weight_E / norm_N[i_E]
            heads.append(torch.zeros_like(h_ND).index_add(0, i_E, alpha_E[:, None] * h_ND[j_E]))
        if len(heads) == 1:
            y = heads[0]
        else:
            y = torch.cat(heads, 1) if self.concat else torch.stack(heads).mean(0)
        return y if self.b is None else y + self.b

    def forward(self, segments: Segments, x_NF: NodeFeatures) -> Tensor:
        h_NHD = (x_NF @ self.W).view(-1, self.heads, self.width)
        p = self.dropout if self.training else 0.0
        if self.version == 1:
            y_NHD = attend_along_edges(h_NHD, *self.halves(h_NHD), segments, self.slope, p)
        else:
            alpha_EH = dropped(self.attention(segments, x_NF, h_NHD), p)
            y_NHD = weighted_sum(alpha_EH, h_NHD, segments)
        y = y_NHD.flatten(1) if self.concat else y_NHD.mean(1)
        return y if self.b is None else y + self.b

    def halves(self, h_NHD: Tensor) -> tuple[Tensor, Tensor]:
        """a·[W h_i ‖ W h_j] as a part of i and a part of j, each N×H.

        As one product with a matrix that holds each head's a in a block of its own.
        """
        H, D = self.heads, self.width
        blocks_2HDH = self.a.view(H, 2, D).transpose(0, 1)[..., None] * self.eye[:, None]
        halves_N2H = h_NHD.flatten(1) @ blocks_2HDH.permute(1, 2, 0, 3).reshape(H * D, 2 * H)
        return halves_N2H[:, :H], halves_N2H[:, H:]

    def attention(self, segments: Segments, x_NF: NodeFeatures, h_NHD: Tensor) -> Tensor:
        """α_EH, each node's attention to those it takes from."""
        i_E, j_E = segments.target_E, segments.source_E
        if self.version == 1:
            to_NH, from_NH = self.halves(h_NHD)
            score_EH = to_NH.index_select(0, i_E) + from_NH.index_select(0, j_E)
            return segment_softmax(F.leaky_relu(score_EH, self.slope), segments)
        v_NHD = (x_NF @ self.V).view(-1, self.heads, self.width)
        both_EHD = v_NHD.index_select(0, i_E) + h_NHD.index_select(0, j_E)
        score_EH = (F.leaky_relu(both_EHD, self.slope) * self.a).sum(-1)
        return segment_softmax(score_EH, segments)


class GAT(GraphModel):
    """h' = ELU(GraphAttention(h)), the last layer without ELU; every node attends to itself too.

    The heads of hidden layers stand side by side, those of the last are averaged.

    features, hidden, classes: the widths F, D of a head in a hidden layer, and C; without classes
    the last layer is as the others, for a readout. layers: the number of attentions; heads: of a
    hidden layer; output_heads: of the last.
    dropout, dropout_input, dropout_attention: probabilities of dropping a unit before every layer
    but the first, a feature before the first, and an edge's attention.
    slope, version: as in `GraphAttention`. residual: a layer's input is added to its output where
    both are equally wide.

    Shapes: x_NF, dense or sparse; returns N×C.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        layers: int = 2,
        heads: int = 8,
        output_heads: int = 1,
        dropout: float = 0.6,
        dropout_input: float = 0.6,
        dropout_attention: float = 0.6,
        slope: float = 0.2,
        version: Literal[1, 2] = 1,
        residual: bool = False,
    ) -> None:
        super().__init__(dropout, dropout_input, hidden * heads, classes)
        self.residual = residual
        widths = [features] + [hidden * heads] * (layers - 1)
        options = slope, dropout_attention, version
        self.layers = nn.ModuleList(
            GraphAttention(width, hidden, heads, True, *options) for width in widths[:-1]
        )
        if classes is None:
            last = GraphAttention(widths[-1], hidden, heads, True, *options)
        else:
            last = GraphAttention(widths[-1], classes, output_heads, False, *options)
        self.layers.append(last)

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return x_NF, Segments(edges.with_self_loops())

    def forward(self, x_NF: NodeFeatures, segments: Segments) -> Tensor:
        h: NodeFeatures = self.drop(x_NF, self.dropout_input)
        for depth, layer in enumerate(self.layers):
            before = h
            if depth:
                h = self.drop(F.elu(dense(h)), self.dropout)
            y: Tensor = layer(segments, h)
            h = y + dense(before) if self.residual and before.shape == y.shape else y
        return F.elu(dense(h)) if self.is_encoder else dense(h)

    def attention(self, x_NF: NodeFeatures, segments: Segments) -> list[Tensor]:
        """α_EH of every layer, without dropout."""
        layers = layers_of(GraphAttention, self.layers)
        weights: list[Tensor] = []
        h: NodeFeatures = x_NF
        for depth, layer in enumerate(layers):
            h = F.elu(dense(h)) if depth else h
            h_NHD = (h @ layer.W).view(-1, layer.heads, layer.width)
            weights.append(layer.attention(segments, h, h_NHD))
            h = layer(segments, h)
        return weights

    def first(self) -> list[nn.Parameter]:
        return list(self.layers[0].parameters())
