"""A plain network on the features alone: the control that ignores the graph."""

# N nodes, F features, D hidden, C classes

from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn

from workings.nn.fast_dropout import relu_dropped
from workings.nn.graph.adjacency import Edges
from workings.nn.graph.model import Features, GraphModel, GraphModelConfig, glorot
from workings.schema import Size


class MLP(GraphModel):
    """Linear layers with ReLU between them, X' = ReLU(X W + b), dropout before each.

    Shapes: x_NF, dense or sparse; returns N×C.
    """

    def __init__(self, features: int, classes: int, config: "MLPConfig") -> None:
        super().__init__()
        self.config = config
        widths = [features] + [config.hidden] * (config.layers - 1) + [classes]
        self.W = nn.ParameterList(glorot(i, o) for i, o in pairwise(widths))
        self.b = nn.ParameterList(torch.zeros(o) for o in widths[1:])

    def prepare(self, x_NF: Features, edges: Edges) -> tuple[Any, ...]:
        return (x_NF,)

    def forward(self, x_NF: Features) -> Tensor:
        h: Any = self.drop(x_NF, self.config.dropout_input)
        for depth, (W, b) in enumerate(zip(self.W, self.b, strict=True)):
            if depth:
                h = relu_dropped(h, self.config.dropout if self.training else 0.0)
            h = h @ W + b
        return h

    def first(self) -> list[nn.Parameter]:
        return [self.W[0], self.b[0]]


class MLPConfig(GraphModelConfig):
    """Multi-layer perceptron: each node from its own features alone."""

    kind: Literal["mlp"] = "mlp"
    layers: Size = 2
    """linear layers"""

    def build(self, features: int, classes: int) -> MLP:
        return MLP(features, classes, self)
