"""Filtered ranking: where the right node stands among those of its type that are not linked yet."""

# N nodes, P triples, Q candidates, R relations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from workings.tasks.graph.types import Types

BLOCK = 256  # triples whose candidates are scored at a time
HITS = (1, 3, 10)
Scores = Callable[[Tensor, int, Tensor, bool], Tensor]
"""of nodes given, a relation and candidates: P×Q; true: the candidates are the targets"""


class Known:
    """Every known triple: what is linked to a node by a relation, on either side."""

    def __init__(self, types: Types) -> None:
        self.by_side = []
        for given, asked in ((0, 2), (2, 0)):
            triples = types.triples_3E
            key = triples[given] * len(types.relations) + triples[1]
            order = np.argsort(key, kind="stable")
            self.by_side.append((key[order], triples[asked][order]))
        self.relations = len(types.relations)

    def linked(self, node: int, relation: int, targets: bool) -> np.ndarray:
        """The targets of a node by a relation, or the sources whose target it is."""
        keys, others = self.by_side[0 if targets else 1]
        key = node * self.relations + relation
        first, last = np.searchsorted(keys, [key, key + 1])
        return others[first:last]


def filtered_ranks(
    scores: Scores, triples_3P: np.ndarray, types: Types, known: Known
) -> np.ndarray:
    """The rank of each triple's target among the candidates of its type, and of its source, P×2.

    A candidate that is linked in any split is left out (Bordes et al., 2013). Of equal scores the
    rank is the mean of the best and the worst, so that a model that gives all the same is no good.
    """
    rank_P2 = np.ones((triples_3P.shape[1], 2))
    for side, targets in enumerate((True, False)):
        given, asked = (0, 2) if targets else (2, 0)
        for relation in np.unique(triples_3P[1]).tolist():
            of_it = np.flatnonzero(triples_3P[1] == relation)
            candidates = types.nodes_of(types.ends[relation][1 if targets else 0])
            position = {int(node): at for at, node in enumerate(candidates)}
            for block in np.split(of_it, range(BLOCK, len(of_it), BLOCK)):
                nodes = triples_3P[given, block]
                score = scores(
                    torch.from_numpy(nodes), relation, torch.from_numpy(candidates), targets
                )
                score_PQ = score.double().cpu().contiguous().numpy().copy()  # written to below
                for row, (node, right) in enumerate(
                    zip(nodes.tolist(), triples_3P[asked, block].tolist(), strict=True)
                ):
                    out = [position[int(n)] for n in known.linked(node, relation, targets)]
                    own = score_PQ[row, position[right]]
                    score_PQ[row, out] = -np.inf
                    above = (score_PQ[row] > own).sum()
                    equal = (score_PQ[row] == own).sum() if np.isfinite(own) else 0
                    rank_P2[block[row], side] = 1 + above + equal / 2
    return rank_P2


def ranking_metrics(rank_P2: np.ndarray) -> dict[str, float]:
    """Mean reciprocal rank, and the shares that stand among the first 1, 3 and 10."""
    if not rank_P2.size:
        return {"mrr": 0.0, **{f"hits_{k}": 0.0 for k in HITS}}
    shares = {f"hits_{k}": float((rank_P2 <= k).mean()) for k in HITS}
    return {"mrr": float((1 / rank_P2).mean()), **shares}
