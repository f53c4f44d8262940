"""Relation prediction: which edges of which relation there are, some of each being held out."""

# N nodes, P triples (source, relation, target), D width of a state, R relations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.graph.distmult import distmult
from workings.nn.graph.relations import RelationEdges, RelationMatrices
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.graph import SPLITS, Graph
from workings.tasks.graph.typed.ranks import HITS, Known, filtered_ranks, ranking_metrics
from workings.tasks.graph.typed.recommend import recommend, score_rows
from workings.tasks.graph.typed.triple_splits import corrupted, key, split_triples
from workings.tasks.graph.types import Types
from workings.tasks.ranking import average_precision, roc_auc
from workings.tasks.task import Metrics

Outputs = tuple[Tensor, Tensor]  # z_ND and q_RD
HIDDEN = 0.5  # the share of training edges that a step hides from the messages, and asks about
NEGATIVES = 4  # triples with another end of the right type, for each that is asked about, a side


class RelationPrediction:
    """A triple's score is DistMult's, f(s, r, t) = Σ_d z_sd q_rd z_td.

    Messages go along training edges alone. In training, half of them, drawn anew in every step, are
    hidden from the messages, and those are what is asked about: a model that saw them would learn
    to look, not to predict. Against each stand triples with another target, or source, of the right
    type.
    """

    score = "mrr"

    def __init__(self, graph: Graph, config: GraphConfig, seed: int) -> None:
        assert graph.types is not None
        self.graph, self.types = graph, graph.types
        types: Types = graph.types
        relations = range(len(types.relations))
        self.asked = (
            [types.relation(config.relation, graph.where)] if config.relation else list(relations)
        )
        draw = np.random.default_rng(seed)
        shares = {"valid": config.valid_share, "test": config.test_share}
        self.triples = split_triples(graph.where, types, self.asked, shares, draw)
        self.known = Known(types)
        keys = np.sort(key(types.triples_3E, types))
        self.negative = {s: corrupted(self.triples[s], types, keys, draw) for s in SPLITS[1:]}
        self.train_3P = torch.from_numpy(self.triples["train"])
        self.train_keys = torch.from_numpy(np.sort(key(self.triples["train"], types)))
        self._candidates()

    def _candidates(self) -> None:
        """The nodes of each type one after the other, and where each type begins."""
        order_N = np.argsort(self.types.type_N, kind="stable")
        counts = np.bincount(self.types.type_N, minlength=len(self.types.types))
        ends = np.array(self.types.ends)
        self.by_type_N = torch.from_numpy(order_N)
        start = np.cumsum(counts) - counts
        # Of a relation: the first and the number of its possible sources, and of its targets.
        self.first_R2 = torch.from_numpy(start[ends])
        self.count_R2 = torch.from_numpy(counts[ends])

    @property
    def edges(self) -> RelationEdges:
        """The edges that the model may see: those of training."""
        triples_3P = torch.from_numpy(self.triples["train"])
        return RelationEdges.of_triples(triples_3P, self.graph.nodes, len(self.types.relations))

    @property
    def units(self) -> int:
        """Nodes that a step covers."""
        return self.graph.nodes

    @property
    def trained(self) -> int:
        """Training edges."""
        return self.triples["train"].shape[1]

    def to(self, device: torch.device) -> None:
        """Put the training triples on a device."""
        for name in ("train_3P", "train_keys", "by_type_N", "first_R2", "count_R2"):
            setattr(self, name, getattr(self, name).to(device))

    def sizes(self) -> str:
        """How many edges each split has, and of which relations."""
        parts = ", ".join(f"{split} {self.triples[split].shape[1]:,}" for split in SPLITS)
        held = np.unique(self.triples["test"][1])
        return f"edges: {parts}; asked: {', '.join(self.types.relations[r] for r in held)}"

    def training_loss(self, model: nn.Module, inputs: tuple[object, ...]) -> Tensor:
        """Cross-entropy of what this step hides, and of triples of other ends against it."""
        hidden_P = torch.rand(self.train_3P.shape[1], device=self.train_3P.device) < HIDDEN
        hidden_P |= ~hidden_P.any()  # of very few edges none may be drawn
        if any(isinstance(each, RelationMatrices) for each in inputs):
            inputs = tuple(
                each.hiding(hidden_P) if isinstance(each, RelationMatrices) else each
                for each in inputs
            )
        else:
            hidden_P = torch.ones_like(hidden_P)  # nothing passes along edges
        return self.loss(model(*inputs), hidden_P)

    def loss(self, outputs: Outputs, asked_P: Tensor) -> Tensor:
        """Mean cross-entropy of the asked triples, and of those drawn against them."""
        positive_3P = self.train_3P[:, asked_P]
        positive_P = distmult(*outputs, positive_3P)
        negative_Q = distmult(*outputs, self.draw(positive_3P))
        return (F.softplus(-positive_P).mean() + F.softplus(negative_Q).mean()) / 2

    def draw(self, triples_3P: Tensor) -> Tensor:
        """Triples with another end of the right type, from torch's generator; no training edges."""
        drawn = triples_3P.repeat(1, 2 * NEGATIVES)
        count = triples_3P.shape[1] * NEGATIVES
        for end, part in ((0, slice(None, count)), (2, slice(count, None))):
            side = end // 2
            relation_Q = drawn[1, part]
            first_Q, count_Q = self.first_R2[relation_Q, side], self.count_R2[relation_Q, side]
            share_Q = torch.rand(len(relation_Q), device=drawn.device, dtype=torch.double)
            drawn[end, part] = self.by_type_N[first_Q + (share_Q * count_Q).long()]
        s_Q, r_Q, t_Q = drawn
        key_Q = (s_Q * len(self.types.relations) + r_Q) * self.graph.nodes + t_Q
        at_Q = torch.searchsorted(self.train_keys, key_Q).clamp_(max=len(self.train_keys) - 1)
        return drawn[:, self.train_keys[at_Q] != key_Q]

    def _ranks(self, outputs: Outputs, split: str) -> np.ndarray:
        def scores(nodes: Tensor, relation: int, candidates: Tensor, targets: bool) -> Tensor:
            return score_rows(outputs, nodes, relation, candidates)

        return filtered_ranks(scores, self.triples[split], self.types, self.known)

    def metrics(self, outputs: Outputs, split: str) -> Metrics:
        """Filtered ranking of both ends, ROC-AUC and average precision against typed negatives."""
        name = "valid" if split == "train" else split
        ranks_P2 = self._ranks(outputs, name)
        triples, negative = self.triples[name], self.negative[name]
        positive_P, negative_Q = (
            _score(outputs, torch.from_numpy(part)).double() for part in (triples, negative)
        )
        self.last = {
            self.types.relations[r]: ranking_metrics(ranks_P2[triples[1] == r])
            | _area(positive_P[triples[1] == r], negative_Q[negative[1] == r])
            | {"edges": int((triples[1] == r).sum())}
            for r in np.unique(triples[1])
        }
        loss = (F.softplus(-positive_P).mean() + F.softplus(negative_Q).mean()) / 2
        return {
            "loss": loss.item(),
            **ranking_metrics(ranks_P2),
            **_area(positive_P, negative_Q),
            "edges": triples.shape[1],
        }

    def examples(
        self, outputs: Outputs, split: str
    ) -> tuple[str, list[np.ndarray], dict[str, np.ndarray]]:
        """What an example is, the triples of a split, and how both ends are ranked."""
        ranks_P2 = self._ranks(outputs, split)
        columns = {"reciprocal_rank": (1 / ranks_P2).mean(1)}
        columns |= {f"hits_{k}": (ranks_P2 <= k).mean(1) for k in HITS}
        kept = {name: column.astype(np.float32) for name, column in columns.items()}
        return "edge", [self.triples[split]], kept

    def details(self) -> dict[str, object]:
        """The metrics of each relation, of the split that was evaluated last."""
        last = getattr(self, "last", {})
        return {"relations": [{"relation": name, **values} for name, values in last.items()]}

    def first_loss(self) -> None:
        """Not known: it depends on the size of the initial states."""
        return

    def baselines(self) -> dict[str, Metrics]:
        """Popularity: a node is ranked by how many training edges of the relation it has."""
        train, nodes = self.triples["train"], self.graph.nodes
        counts = {
            (r, targets): np.bincount(train[2 if targets else 0, train[1] == r], minlength=nodes)
            for r in range(len(self.types.relations))
            for targets in (True, False)
        }

        def scores(given: Tensor, relation: int, candidates: Tensor, targets: bool) -> Tensor:
            popular_Q = torch.from_numpy(counts[relation, targets])[candidates]
            return popular_Q.double().expand(len(given), -1)

        made: Metrics = {}
        for split in ("valid", "test"):
            ranks_P2 = filtered_ranks(scores, self.triples[split], self.types, self.known)
            made |= {f"{split}.{name}": value for name, value in ranking_metrics(ranks_P2).items()}
            pairs = self.triples[split], self.negative[split]
            areas = [
                torch.tensor([counts[r, True][t] for r, t in part[1:].T.tolist()]).double()
                for part in pairs
            ]
            made[f"{split}.roc_auc"] = roc_auc(*areas)
        return {"popularity": made}

    def predict(self, outputs: Outputs, what: list[str]) -> list[dict[str, object]]:
        """Probabilities of triples A,RELATION,B."""
        if not what:
            raise WorkingsError(
                "predict: name triples as A,RELATION,B, or ask what to recommend with "
                "--from NODE --relation RELATION"
            )
        rows: list[dict[str, object]] = []
        for text in what:
            source, relation, target = self._triple(text)
            triple = torch.tensor([[source], [relation], [target]])
            chance = _score(outputs, triple).sigmoid().item()
            joined = target in self.known.linked(source, relation, targets=True)
            rows.append(
                {
                    "from": self.graph.name(source),
                    "relation": self.types.relations[relation],
                    "to": self.graph.name(target),
                    "in the graph": "yes" if joined else "no",
                    "probability": chance,
                }
            )
        return rows

    def _triple(self, text: str) -> tuple[int, int, int]:
        for relation, name in enumerate(self.types.relations):
            source, comma, target = text.partition(f",{name},")
            if comma:
                return self.graph.node(source), relation, self.graph.node(target)
        raise WorkingsError(
            f"{text}: is no triple; write A,RELATION,B with a relation of "
            f"{', '.join(self.types.relations)}"
        )

    def recommend(
        self, outputs: Outputs, source: str, relation: str, top: int
    ) -> list[dict[str, object]]:
        """The likeliest new targets of a node by a relation, with the paths that speak for each."""
        train_3P = self.triples["train"]
        return recommend(self.graph, train_3P, self.known, outputs, source, relation, top)


def _score(outputs: Outputs, triples_3P: Tensor) -> Tensor:
    z_ND, q_RD = (each.detach().cpu() for each in outputs)
    return distmult(z_ND, q_RD, triples_3P)


def _area(positive_P: Tensor, negative_Q: Tensor) -> Metrics:
    if not len(positive_P) or not len(negative_Q):
        return {}
    return {
        "roc_auc": roc_auc(positive_P, negative_Q),
        "average_precision": average_precision(positive_P, negative_Q),
    }
