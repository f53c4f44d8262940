"""The gated graph network: a GRU on every node, whose input is what its neighbours say."""

# N nodes, F features, D hidden, C classes

from typing import Any, Literal

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import Edges, Normalisation, Propagation, propagation
from workings.nn.graph.model import Features, GraphModel, GraphModelConfig, glorot
from workings.nn.graph.sparse import Sparse
from workings.schema import Size


class GGNN(GraphModel):
    """h⁰ = X W + b; m^t = Â (h^{t-1} M); h^t = GRU(m^t, h^{t-1}); y = h^T U + c (Li et al., 2016).

    One GRU and one M serve every step. With Â = A a node hears the sum of its neighbours, with
    D⁻¹A their mean.

    Shapes: x_NF, dense or sparse; a_hat N×N; returns N×C.
    """

    def __init__(self, features: int, classes: int, config: "GGNNConfig") -> None:
        super().__init__()
        self.config = config
        self.W = glorot(features, config.hidden)
        self.b = nn.Parameter(torch.zeros(config.hidden))
        self.M = glorot(config.hidden, config.hidden)
        self.gru = nn.GRUCell(config.hidden, config.hidden)
        self.output = nn.Linear(config.hidden, classes)
        nn.init.xavier_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def prepare(self, x_NF: Features, edges: Edges) -> tuple[Any, ...]:
        dtype = x_NF.values_K.dtype if isinstance(x_NF, Sparse) else x_NF.dtype
        return x_NF, propagation(edges, self.config.normalisation, dtype)

    def forward(self, x_NF: Features, a_hat: Propagation | Tensor) -> Tensor:
        h_ND = self.drop(x_NF, self.config.dropout_input) @ self.W + self.b
        for _ in range(self.config.steps):
            h_ND = self.gru(a_hat @ (h_ND @ self.M), h_ND)
        return self.output(self.drop(h_ND, self.config.dropout))

    def first(self) -> list[nn.Parameter]:
        return [self.W, self.b]


class GGNNConfig(GraphModelConfig):
    """Gated graph network."""

    kind: Literal["ggnn"] = "ggnn"
    steps: Size = 2
    """updates of every node; after so many it knows of those that many edges away"""
    normalisation: Normalisation = "none"
    """Â: none A, the sum of the neighbours; row D⁻¹A, their mean; and as for the gcn"""

    def build(self, features: int, classes: int) -> GGNN:
        return GGNN(features, classes, self)
