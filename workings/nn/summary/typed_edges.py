"""Edges of several kinds, and the gated steps along them: what a node hears, by kind and way."""

# N nodes, E edges, R relations (each kind there and back), K states that some edge starts from,
# D width

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from workings.nn.graph.graph_model import glorot
from workings.nn.graph.sparse import Pattern, Sparse


@dataclass(frozen=True)
class TypedEdges:
    """Edges of some kinds among N nodes, each also as an edge back, of a relation of its own.

    Only the states that an edge of a relation starts from are multiplied by its matrix: they are
    listed relation by relation, and `mean` leads from their products to the nodes.
    """

    starts_K: Tensor  # the node whose state it is
    sizes: tuple[int, ...]  # how many of them each relation has, R numbers
    mean: Sparse  # N×K: the mean over a relation's edges into a node, summed over the relations

    @classmethod
    def of(cls, edges_3E: Tensor, nodes: int, kinds: int) -> "TypedEdges":
        """From the rows source, target and kind of every edge, in any order, none twice."""
        j_E, i_E, kind_E = edges_3E
        i_E, j_E, relation_E = (
            torch.cat([i_E, j_E]),
            torch.cat([j_E, i_E]),
            torch.cat([kind_E, kind_E + kinds]),
        )
        key_K, column_E = (relation_E * nodes + j_E).unique(return_inverse=True)
        into_E = relation_E * nodes + i_E
        degree = torch.bincount(into_E, minlength=2 * kinds * nodes)
        order = torch.argsort(i_E * max(1, len(key_K)) + column_E)
        pattern = Pattern(i_E[order], column_E[order], (nodes, len(key_K)))
        values_E = degree[into_E[order]].float().reciprocal()
        sizes = torch.bincount(key_K // nodes, minlength=2 * kinds)
        return cls(key_K % nodes, tuple(sizes.tolist()), Sparse(pattern, values_E))

    def to(self, device: torch.device) -> "TypedEdges":
        """The same on that device."""
        return TypedEdges(self.starts_K.to(device), self.sizes, self.mean.to(device))


class GatedSteps(nn.Module):
    """m_i^t = Σ_r mean_{j → i in r} h_j^{t-1} M_r; h^t = GRU(m^t, h^{t-1}) (Li et al., 2016).

    The relations r are the kinds of edges there and back; every step has the same weights.

    width: D; kinds: of edges; steps: the updates of every node.

    Shapes: h_ND; returns N×D.
    """

    def __init__(self, width: int, kinds: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.M = nn.ParameterList(glorot(width, width) for _ in range(2 * kinds))
        self.gru = nn.GRUCell(width, width)

    def forward(self, h_ND: Tensor, edges: TypedEdges) -> Tensor:
        for _ in range(self.steps):
            h_ND = self.gru(edges.mean @ self.messages(h_ND, edges), h_ND)
        return h_ND

    def messages(self, h_ND: Tensor, edges: TypedEdges) -> Tensor:
        """h_j M_r of every node and relation that an edge starts from, K×D."""
        parts = h_ND.index_select(0, edges.starts_K).split(edges.sizes)
        return torch.cat([part @ M for part, M in zip(parts, self.M, strict=True)])


def gated_steps_reference(
    h_ND: Tensor, edges_3E: Tensor, matrices: list[Tensor], gru: nn.GRUCell, steps: int
) -> Tensor:
    """`GatedSteps` as it is written: node by node, relation by relation, with dense matrices."""
    kinds = len(matrices) // 2
    ways = [(j, i, r) for j, i, r in edges_3E.t().tolist()]
    ways += [(i, j, r + kinds) for j, i, r in edges_3E.t().tolist()]
    for _ in range(steps):
        m_ND = torch.zeros_like(h_ND)
        for i in range(len(h_ND)):
            for r, M in enumerate(matrices):
                heard = [h_ND[j] @ M for j, target, way in ways if (target, way) == (i, r)]
                if heard:
                    m_ND[i] += torch.stack(heard).mean(0)
        h_ND = gru(m_ND, h_ND)
    return h_ND
