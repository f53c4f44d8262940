"""DistMult: how likely an edge of a relation is, from the states of its two nodes."""

# N nodes, F features, D width of a state, R relations, P triples

import torch
from torch import Tensor, nn

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import GraphModel, NodeFeatures, glorot


def distmult(z_ND: Tensor, relation_RD: Tensor, triples_3P: Tensor) -> Tensor:
    """f(s, r, t) = Σ_d z_sd q_rd z_td (Yang et al., 2015).

    Shapes: triples_3P, rows s, r, t; returns P.
    """
    s_P, r_P, t_P = triples_3P
    both_PD = z_ND.index_select(0, s_P) * z_ND.index_select(0, t_P)
    return (both_PD * relation_RD.index_select(0, r_P)).sum(1)


class NodeEmbedding(GraphModel):
    """z = X W: of the identity, a state of its own for every node, which hears of no other.

    features, classes: the widths F and D. dropout: the probability of dropping an entry of z.

    Shapes: x_NF, dense or sparse; returns N×D.
    """

    def __init__(self, features: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__(dropout)
        self.width = classes
        self.W = glorot(features, classes)

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        return (x_NF,)

    def forward(self, x_NF: NodeFeatures) -> Tensor:
        return self.drop(x_NF @ self.W, self.dropout)

    def first(self) -> list[nn.Parameter]:
        return [self.W]


class RelationScores(nn.Module):
    """States z of the nodes, from a graph network, and a vector q_r for every relation.

    The encoder of Schlichtkrull et al. (2018) with DistMult as its decoder; with `NodeEmbedding`
    it is DistMult alone.

    encoder: a graph network whose classes are the width D. relations: R.

    Shapes: `model(*model.prepare(x_NF, edges))` is z_ND and q_RD.
    """

    def __init__(self, encoder: GraphModel, relations: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.q = nn.Parameter(torch.empty(relations, encoder.width))
        nn.init.normal_(self.q, 1.0, 0.1)  # near the plain product, which is all that is known yet

    def prepare(self, x_NF: NodeFeatures, edges: EdgeList) -> tuple[object, ...]:
        """What `forward` takes."""
        return self.encoder.prepare(x_NF, edges)

    def forward(self, *inputs: object) -> tuple[Tensor, Tensor]:
        return self.encoder(*inputs), self.q

    def first(self) -> list[nn.Parameter]:
        """The weights of the first layer, which see the features."""
        return self.encoder.first()
