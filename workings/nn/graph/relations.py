"""Edges of several relations: for each of them, and for each turned round, a matrix of its own."""

# N nodes, E edges, R relations (each twice: there and back), D width

from dataclasses import dataclass

import torch
from torch import Tensor

from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.sparse import Pattern, Sparse


@dataclass(frozen=True)
class RelationEdges(EdgeList):
    """Edges from s to t of relation r, as rows s, r, t, none twice; and what they join at all.

    `edges_2E` forgets the relations, for networks that know of none.
    """

    triples_3E: Tensor
    relations: int

    def to(self, device: torch.device) -> "RelationEdges":
        """The same on that device."""
        plain = super().to(device)
        parts = plain.edges_2E, plain.weight_E, plain.nodes, plain.symmetric
        return RelationEdges(*parts, self.triples_3E.to(device), self.relations)

    @classmethod
    def of_triples(cls, triples_3E: Tensor, nodes: int, relations: int) -> "RelationEdges":
        """From rows s, r, t in any order; what is joined is joined both ways."""
        pairs = EdgeList.of(triples_3E[[0, 2]], nodes)
        return cls(pairs.edges_2E, None, nodes, True, triples_3E, relations)


class RelationMatrices:
    """Â_r with 1/c_{i,r} at every edge j → i of relation r, c_{i,r} of which end in i.

    Relation r + R/2 is relation r turned round. Nothing is made for a relation without edges.

    Shapes: every Â_r is N×N, sparse.
    """

    def __init__(self, edges: RelationEdges, dtype: torch.dtype = torch.float32) -> None:
        source_E, relation_E, target_E = edges.triples_3E
        self.nodes, self.edges, self.dtype = edges.nodes, len(source_E), dtype
        self.relations = 2 * edges.relations
        numbers_E = torch.arange(self.edges, device=source_E.device)
        self.patterns: dict[int, tuple[Pattern, Tensor, Tensor]] = {}
        for turned, (j_E, i_E) in enumerate(((source_E, target_E), (target_E, source_E))):
            for relation in range(edges.relations):
                chosen = numbers_E[relation_E == relation]
                if not len(chosen):
                    continue
                i_K, j_K = i_E[chosen], j_E[chosen]
                order_K = torch.argsort(i_K * self.nodes + j_K)
                i_K, j_K, edge_K = i_K[order_K], j_K[order_K], chosen[order_K]
                degree_N = torch.bincount(i_K, minlength=self.nodes)
                value_K = degree_N[i_K].to(dtype).reciprocal()
                pattern = Pattern(i_K, j_K, (self.nodes, self.nodes))
                number = relation + turned * edges.relations
                self.patterns[number] = pattern, value_K, edge_K
        self.matrices = {r: Sparse(pattern, v) for r, (pattern, v, _) in self.patterns.items()}

    def hiding(self, hidden_E: Tensor) -> "RelationMatrices":
        """The same without some edges, both ways; the others count the more, as after dropout."""
        other = object.__new__(RelationMatrices)
        other.__dict__.update(self.__dict__)
        share = 1 - hidden_E.to(self.dtype).mean()
        kept_E = (~hidden_E).to(self.dtype) / share.clamp(min=1 / max(1, self.edges))
        other.matrices = {
            r: Sparse(pattern, value_K * kept_E[edge_K])
            for r, (pattern, value_K, edge_K) in self.patterns.items()
        }
        return other
