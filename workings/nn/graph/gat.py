"""The graph attention network: each node weighs its neighbours before it takes from them."""

# N nodes, E edges, F features, H heads, D width of a head, C classes

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.fast_dropout import dropped
from workings.nn.graph.adjacency import Edges
from workings.nn.graph.model import Features, GraphModel, GraphModelConfig, glorot
from workings.nn.graph.segments import Segments, attend, segment_softmax, weighted_sum
from workings.schema import Positive, Probability, Size


class GraphAttention(nn.Module):
    """h_i' = Σ_j α_ij W h_j, α_ij = softmax_j e_ij, for each of H heads (Veličković et al., 2018).

    Version 1: e_ij = LeakyReLU(a·[W h_i ‖ W h_j]), a sum of one number of each node. Version 2:
    e_ij = a·LeakyReLU(V h_i + W h_j), so that the ranking of the neighbours depends on who asks
    (Brody et al., 2022).

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

    def forward(self, segments: Segments, x_NF: Features) -> Tensor:
        h_NHD = (x_NF @ self.W).view(-1, self.heads, self.width)
        p = self.dropout if self.training else 0.0
        if self.version == 1:
            y_NHD = attend(h_NHD, *self.halves(h_NHD), segments, self.slope, p)
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

    def attention(self, segments: Segments, x_NF: Features, h_NHD: Tensor) -> Tensor:
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
    """Layers of graph attention with ELU between them; every node attends to itself as well.

    Dropout before every layer, and on the attention. The heads of hidden layers stand side by
    side, those of the last are averaged.

    Shapes: x_NF, dense or sparse; returns N×C.
    """

    def __init__(self, features: int, classes: int, config: "GATConfig") -> None:
        super().__init__()
        self.config = config
        wide = config.hidden * config.heads
        inputs = [features] + [wide] * (config.layers - 1)
        last = len(inputs) - 1
        self.layers = nn.ModuleList(
            GraphAttention(
                width,
                classes if depth == last else config.hidden,
                config.output_heads if depth == last else config.heads,
                depth < last,
                config.slope,
                config.dropout_attention,
                config.version,
            )
            for depth, width in enumerate(inputs)
        )

    def prepare(self, x_NF: Features, edges: Edges) -> tuple[Any, ...]:
        return x_NF, Segments(edges.with_self_loops())

    def forward(self, x_NF: Features, segments: Segments) -> Tensor:
        h: Any = self.drop(x_NF, self.config.dropout_input)
        for depth, layer in enumerate(self.layers):
            before = h
            if depth:
                h = self.drop(F.elu(h), self.config.dropout)
            h = layer(segments, h)
            if self.config.residual and before.shape == h.shape and isinstance(before, Tensor):
                h = h + before
        return h

    def attention(self, x_NF: Features, segments: Segments) -> list[Tensor]:
        """α_EH of every layer, without dropout."""
        layers: list[Any] = list(self.layers)
        found: list[Tensor] = []
        h: Any = x_NF
        for depth, layer in enumerate(layers):
            h = F.elu(h) if depth else h
            h_NHD = (h @ layer.W).view(-1, layer.heads, layer.width)
            found.append(layer.attention(segments, h, h_NHD))
            h = layer(segments, h)
        return found

    def first(self) -> list[nn.Parameter]:
        return list(self.layers[0].parameters())


class GATConfig(GraphModelConfig):
    """Graph attention network."""

    kind: Literal["gat"] = "gat"
    layers: Size = 2
    """layers of attention"""
    hidden: Size = 8
    """width of a head in a hidden layer"""
    heads: Size = 8
    """heads of a hidden layer, side by side"""
    output_heads: Size = 1
    """heads of the last layer, averaged"""
    dropout: Probability = 0.6
    """probability of dropping a unit before every layer but the first"""
    dropout_input: Probability = 0.6
    """probability of dropping a feature before the first layer"""
    dropout_attention: Probability = 0.6
    """probability of dropping an edge's attention"""
    slope: Positive = 0.2
    """of the LeakyReLU below zero"""
    version: Literal[1, 2] = 1
    """2: the ranking of a node's neighbours may depend on the node"""
    residual: bool = False
    """add a layer's input to its output where they are equally wide"""

    def build(self, features: int, classes: int) -> GAT:
        return GAT(features, classes, self)
