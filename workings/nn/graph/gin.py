"""The graph isomorphism network: a perceptron of each node's state plus its neighbours' sum."""

# N nodes, F features, D hidden, C classes, K layers

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import EdgeList, Propagation, propagation
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dense, dtype_of, glorot


class GraphIsomorphism(nn.Module):
    """X' = ReLU(BN(ReLU(BN(S W + b)) V + c)), S = (1 + ε) X + A X (Xu et al., 2019).

    A sum over the neighbours, not their mean, tells multisets of neighbours apart; the perceptron
    of two layers keeps them apart. BN is batch normalisation over the nodes.

    `reference` is the equation as it is written; `forward` propagates the narrower of X and X W.

    features, width: F and D. learn_epsilon: ε is learned, from 0 on; else it stays 0.

    Shapes: a N×N, sparse; x_NF; returns N×D.
    """

    epsilon: Tensor

    def __init__(self, features: int, width: int, learn_epsilon: bool = False) -> None:
        super().__init__()
        self.W, self.V = glorot(features, width), glorot(width, width)
        self.b, self.c = (nn.Parameter(torch.zeros(width)) for _ in range(2))
        if learn_epsilon:
            self.epsilon = nn.Parameter(torch.zeros(()))
        else:
            self.register_buffer("epsilon", torch.zeros(()), persistent=False)
        self.inner_norm, self.norm = nn.BatchNorm1d(width), nn.BatchNorm1d(width)
        self.widens = features < width

    def reference(self, a: Propagation | Tensor, x_NF: Tensor) -> Tensor:
        """The perceptron of (1 + ε) X + A X."""
        return self.perceptron(((1 + self.epsilon) * x_NF + a @ x_NF) @ self.W)

    def forward(self, a: Propagation | Tensor, x_NF: NodeFeatures) -> Tensor:
        if self.widens and isinstance(x_NF, Tensor):
            return self.reference(a, x_NF)
        y_ND = x_NF @ self.W
        return self.perceptron((1 + self.epsilon) * y_ND + a @ y_ND)

    def perceptron(self, sw_ND: Tensor) -> Tensor:
        """ReLU(BN(ReLU(BN(S W + b)) V + c)) from S W."""
        inner_ND = self.inner_norm(sw_ND + self.b).relu()
        return self.norm(torch.addmm(self.c, inner_ND, self.V)).relu()


class GIN(GraphModel):
    """h⁰ = X, h^k = GraphIsomorphism(h^{k-1}), y = Σ_k h^k U_k + u: every depth has its say.

    features, hidden, classes: the widths F, D and C; without classes the rows are h⁰ … h^K side by
    side, for a readout. layers: the number K. learn_epsilon: as in `GraphIsomorphism`.
    dropout, dropout_input: probabilities of dropping a unit before the output, and a feature.

    Shapes: x_NF, dense or sparse; a N×N; returns N×C, or N×(F + K D).
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        layers: int = 4,
        dropout: float = 0.5,
        dropout_input: float = 0.0,
        learn_epsilon: bool = False,
    ) -> None:
        widths = [features] + [hidden] * layers
        super().__init__(dropout, dropout_input, sum(widths), classes)
        self.layers = nn.ModuleList(
            GraphIsomorphism(width, hidden, learn_epsilon) for width in widths[:-1]
        )
        self.U = nn.ParameterList(() if classes is None else (glorot(w, classes) for w in widths))
        self.u = None if classes is None else nn.Parameter(torch.zeros(classes))

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return x_NF, propagation(edges, "none", dtype_of(x_NF))

    def forward(self, x_NF: NodeFeatures, a: Propagation | Tensor) -> Tensor:
        states: list[NodeFeatures] = [self.drop(x_NF, self.dropout_input)]
        for layer in self.layers:
            states.append(layer(a, states[-1]))
        if self.u is None:
            return torch.cat([dense(h) for h in states], 1)
        outputs = [self.drop(h, self.dropout) @ U for h, U in zip(states, self.U, strict=True)]
        return torch.stack(outputs).sum(0) + self.u

    def first(self) -> list[nn.Parameter]:
        return list(self.layers[0].parameters())
