"""The gated graph network: a GRU on every node, whose input is what its neighbours say."""

# N nodes, F features, D hidden, C classes

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import EdgeList, Normalisation, Propagation, propagation
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dtype_of, glorot


class GGNN(GraphModel):
    """h⁰ = X W + b; m^t = Â (h^{t-1} M); h^t = GRU(m^t, h^{t-1}); y = h^T U + c (Li et al., 2016).

    One GRU and one M serve every step.

    features, hidden, classes: the widths F, D and C; without classes the rows are h^T, for a
    readout. steps: the updates T of every node.
    normalisation: of Â; with "none" a node hears the sum of its neighbours, with "row" their mean.
    dropout, dropout_input: probabilities of dropping a unit of h^T, and a feature.

    Shapes: x_NF, dense or sparse; a_hat N×N; returns N×C.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        steps: int = 2,
        dropout: float = 0.5,
        dropout_input: float = 0.5,
        normalisation: Normalisation = "none",
    ) -> None:
        super().__init__(dropout, dropout_input, hidden, classes)
        self.steps, self.normalisation = steps, normalisation
        self.W = glorot(features, hidden)
        self.b = nn.Parameter(torch.zeros(hidden))
        self.M = glorot(hidden, hidden)
        self.gru = nn.GRUCell(hidden, hidden)
        self.output = None if classes is None else nn.Linear(hidden, classes)
        if self.output is not None:
            nn.init.xavier_uniform_(self.output.weight)
            nn.init.zeros_(self.output.bias)

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return x_NF, propagation(edges, self.normalisation, dtype_of(x_NF))

    def forward(self, x_NF: NodeFeatures, a_hat: Propagation | Tensor) -> Tensor:
        h_ND = self.drop(x_NF, self.dropout_input) @ self.W + self.b
        for _ in range(self.steps):
            h_ND = self.gru(a_hat @ (h_ND @ self.M), h_ND)
        return h_ND if self.output is None else self.output(self.drop(h_ND, self.dropout))

    def first(self) -> list[nn.Parameter]:
        return [self.W, self.b]
