"""The relational graph convolutional network: a matrix for every relation, made of a few bases."""

# N nodes, F features, D hidden, C classes, R relations (there and back), B bases

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, dtype_of, glorot
from workings.nn.graph.relations import RelationEdges, RelationMatrices


class RelationalConvolution(nn.Module):
    """X' = X W_0 + Σ_r Â_r X W_r + b, W_r = Σ_b a_rb V_b (Schlichtkrull et al., 2018).

    `reference` is the equation as it is written; `forward` skips relations without edges, and
    multiplies X by B bases instead of by R matrices where those are fewer.

    features, classes: the widths F and C. relations: R. bases: B; 0: every W_r by itself.

    Shapes: x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int, relations: int, bases: int = 0) -> None:
        super().__init__()
        count = min(bases, relations) if bases else relations
        self.W_0 = glorot(features, classes)
        # Each basis as a matrix of its own: Glorot's bound is that of F and C.
        self.V = nn.Parameter(torch.stack([glorot(features, classes).data for _ in range(count)]))
        self.a = glorot(relations, count) if bases else None
        self.b = nn.Parameter(torch.zeros(classes))

    def weights(self) -> Tensor:
        """W_r of every relation, R×F×C."""
        return self.V if self.a is None else torch.einsum("rb,bfc->rfc", self.a, self.V)

    def reference(self, adjacency: list[Tensor], x_NF: Tensor) -> Tensor:
        """The sum over all relations, with their matrices Â_r in order."""
        y_NC = x_NF @ self.W_0 + self.b
        for a_NN, W_FC in zip(adjacency, self.weights(), strict=True):
            y_NC = y_NC + a_NN @ (x_NF @ W_FC)
        return y_NC

    def forward(self, relations: RelationMatrices, x_NF: Tensor) -> Tensor:
        y_NC = torch.addmm(self.b, x_NF, self.W_0)
        if self.a is None or len(self.V) >= len(relations.matrices):
            W_RFC = self.weights()
            for relation, matrix in relations.matrices.items():
                y_NC = y_NC + matrix @ (x_NF @ W_RFC[relation])
            return y_NC
        xv_BNC = x_NF @ self.V
        for relation, matrix in relations.matrices.items():
            y_NC = y_NC + matrix @ torch.einsum("b,bnc->nc", self.a[relation], xv_BNC)
        return y_NC


class RGCN(GraphModel):
    """h⁰ = X W + c, h^k = ReLU(RelationalConvolution(h^{k-1})), the last layer without ReLU.

    Without features X is the identity, and h⁰ a learned embedding of every node.

    features, hidden, classes: the widths F, D and C; without classes the last layer is as wide as
    the others and has its ReLU, for a readout. relations: of the edges as they are given; each is
    there turned round too. layers: the number of convolutions; bases: B, of each.
    dropout, dropout_input: probabilities of dropping a unit before every convolution but the first,
    and a feature.

    Shapes: x_NF, dense or sparse; returns N×C.
    """

    def __init__(
        self,
        features: int,
        hidden: int,
        classes: int | None,
        relations: int = 1,
        layers: int = 2,
        bases: int = 0,
        dropout: float = 0.5,
        dropout_input: float = 0.0,
    ) -> None:
        super().__init__(dropout, dropout_input, hidden, classes)
        self.relations = relations
        self.W = glorot(features, hidden)
        self.c = nn.Parameter(torch.zeros(hidden))
        widths = [hidden] * (layers - 1) + [self.width]
        self.layers = nn.ModuleList(
            RelationalConvolution(hidden, width, 2 * relations, bases) for width in widths
        )

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        if not isinstance(edges, RelationEdges):  # all edges are of one relation
            edges = RelationEdges.of_triples(_one_relation(edges), edges.nodes, 1)
        return x_NF, RelationMatrices(edges, dtype_of(x_NF))

    def forward(self, x_NF: NodeFeatures, relations: RelationMatrices) -> Tensor:
        h = self.drop(x_NF, self.dropout_input) @ self.W + self.c
        for depth, layer in enumerate(self.layers):
            h = self.drop(h.relu(), self.dropout) if depth else h
            h = layer(relations, h)
        return h.relu() if self.is_encoder else h

    def first(self) -> list[nn.Parameter]:
        return [self.W, self.c]


def _one_relation(edges: EdgeList) -> Tensor:
    """Every edge once, of relation 0; of an undirected one the direction that goes up."""
    j_E, i_E = edges.edges_2E
    if edges.symmetric:
        j_E, i_E = edges.edges_2E[:, j_E <= i_E]
    return torch.stack([j_E, torch.zeros_like(j_E), i_E])
