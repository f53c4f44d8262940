"""Recommendations: the likeliest new edges of a node, and the paths that lead there."""

# N nodes, D width of a state, R relations, P nodes asked, Q candidates

import numpy as np
import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.typed.ranks import Known

LONGEST = 3  # edges of a path that is shown
PATHS = 2  # shown for each recommendation


def score_rows(
    outputs: tuple[Tensor, Tensor], nodes: Tensor, relation: int, candidates: Tensor
) -> Tensor:
    """DistMult's score of every node with every candidate, P×Q; it has no direction."""
    z_ND, q_RD = (each.detach().cpu() for each in outputs)
    return (z_ND[nodes] * q_RD[relation]) @ z_ND[candidates].t()


def recommend(
    graph: Graph,
    train_3P: np.ndarray,
    known: Known,
    outputs: tuple[Tensor, Tensor],
    source: str,
    relation: str,
    top: int,
) -> list[dict[str, object]]:
    """The targets with the highest scores: of the relation's type, not linked yet, not the node."""
    types = graph.types
    assert types is not None
    node, number = graph.node(source), types.relation(relation, graph.where)
    from_type, to_type = types.ends[number]
    if int(types.type_N[node]) != from_type:
        raise WorkingsError(
            f"--from {source}: is of type {types.types[types.type_N[node]]}; {relation} goes from "
            f"{types.types[from_type]} to {types.types[to_type]}"
        )
    linked = known.linked(node, number, targets=True)
    candidates = np.setdiff1d(types.nodes_of(to_type), [*linked, node])
    scores = score_rows(outputs, torch.tensor([node]), number, torch.from_numpy(candidates))[0]
    best = scores.topk(min(top, len(candidates)))
    paths = Paths(graph, train_3P)
    return [
        {
            "recommended": graph.name(int(candidates[at])),
            "type": types.types[to_type],
            "probability": torch.tensor(score).sigmoid().item(),
            "paths": "; ".join(paths.between(node, int(candidates[at]))) or "none so short",
        }
        for score, at in zip(best.values.tolist(), best.indices.tolist(), strict=True)
    ]


class Paths:
    """Short paths along known edges, either way; those through nodes of few edges weigh most."""

    def __init__(self, graph: Graph, triples_3P: np.ndarray) -> None:
        self.graph = graph
        self.near: dict[int, list[tuple[int, str]]] = {}
        assert graph.types is not None
        for source, relation, target in triples_3P.T.tolist():
            name = graph.types.relations[relation]
            self.near.setdefault(source, []).append((target, f"-{name}→"))
            self.near.setdefault(target, []).append((source, f"←{name}-"))

    def between(self, source: int, target: int) -> list[str]:
        """The best paths of at most LONGEST edges, in words: A -likes→ B ←likes- C."""
        paths: list[tuple[float, str]] = []
        ends = {node for node, _ in self.near.get(target, [])}

        def follow(node: int, words: str, weight: float, passed: tuple[int, ...]) -> None:
            for other, arrow in self.near.get(node, []):
                if other in passed:
                    continue
                further = f"{words} {arrow} {self.graph.name(other)}"
                if other == target:
                    paths.append((weight, further))
                elif len(passed) < LONGEST - 1 or (len(passed) < LONGEST and other in ends):
                    follow(other, further, weight / len(self.near[other]), (*passed, other))

        follow(source, self.graph.name(source), 1.0, (source,))
        return [words for _, words in sorted(paths, key=lambda each: (-each[0], each[1]))[:PATHS]]
