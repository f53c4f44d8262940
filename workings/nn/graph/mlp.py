"""A plain network on the features alone: the control that ignores the graph."""

# N nodes, F features, D hidden, C classes

from itertools import pairwise

import torch
from torch import Tensor, nn

from workings.nn.dropout import relu_dropped
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense, glorot


class MLP(GraphModel):
    """Linear layers with ReLU between them, X' = ReLU(X W + b).

    features, hidden, classes: the widths F, D and C; without classes the last layer is as wide as
    the others and has its ReLU, for a readout. layers: the number of linear layers.
    dropout, dropout_input: probabilities of dropping a unit before every layer but the first, and
    a feature before the first.

    Shapes: x_NF, dense or sparse; returns N×C.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        layers: int = 2,
        dropout: float = 0.5,
        dropout_input: float = 0.5,
    ) -> None:
        super().__init__(dropout, dropout_input, hidden, classes)
        widths = [features] + [hidden] * (layers - 1) + [self.width]
        self.W = nn.ParameterList(glorot(i, o) for i, o in pairwise(widths))
        self.b = nn.ParameterList(torch.zeros(o) for o in widths[1:])

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return (x_NF,)

    def forward(self, x_NF: NodeFeatures) -> Tensor:
        h: NodeFeatures = self.drop(x_NF, self.dropout_input)
        for depth, (W, b) in enumerate(zip(self.W, self.b, strict=True)):
            if depth:
                h = relu_dropped(dense(h), self.dropout if self.training else 0.0)
            h = h @ W + b
        return dense(h).relu() if self.is_encoder else dense(h)

    def first(self) -> list[nn.Parameter]:
        return [self.W[0], self.b[0]]
