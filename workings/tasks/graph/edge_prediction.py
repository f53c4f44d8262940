"""Edge prediction (link prediction): which pairs of nodes are joined, some edges held out."""

# N nodes, P pairs, D width of a node's state

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.graph.adjacency import EdgeList
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.graph import SPLITS, Graph
from workings.tasks.ranking import average_precision, roc_auc
from workings.tasks.task import Metrics

TOP = 10  # pairs shown where none is named
BLOCK = 1024  # rows of all pairs' scores at a time


class EdgePrediction:
    """Edge prediction: a pair's score is the product of its nodes' states, z_i · z_j.

    An edge is held out with both of its directions, and messages go along training edges alone.
    Against the edges stand as many negative pairs, which are no edges: those of valid and test are
    drawn once, those of training in every step.
    """

    score = "roc_auc"

    def __init__(self, graph: Graph, config: GraphConfig, seed: int) -> None:
        self.graph, self.directed = graph, graph.directed
        draw = np.random.default_rng(seed)
        low, high = np.sort(graph.edges_2E, axis=0)
        key = low * graph.nodes + high
        pairs = np.unique(key[low != high])
        shares = {"valid": config.valid_share, "test": config.test_share}
        counts = {split: int(len(pairs) * share) for split, share in shares.items()}
        if min(counts.values()) < 1 or sum(counts.values()) >= len(pairs):
            raise WorkingsError(
                f"{graph.where}: of {len(pairs):,} edges, {shares['valid']:.0%} and "
                f"{shares['test']:.0%} cannot be held out: change data.valid_share and "
                "data.test_share, so that each split has one"
            )
        mixed = draw.permutation(pairs)
        ends = np.cumsum([counts["test"], counts["valid"]])
        test, valid, train = np.split(mixed, ends)
        keys = {"train": np.sort(train), "valid": valid, "test": test}
        self.kept = np.isin(key, keys["train"]) | (low == high)
        self.train_keys = torch.from_numpy(keys["train"])
        negative = _negative_pairs(graph, pairs, draw, counts)
        self.pairs = {split: _ends(keys[split], graph.nodes) for split in SPLITS}
        self.negative = {split: _ends(negative[split], graph.nodes) for split in negative}

    @property
    def edges(self) -> EdgeList:
        """The edges that the model may see: those of training."""
        graph = self.graph
        weight_E = graph.weight_E
        return EdgeList(
            torch.from_numpy(graph.edges_2E[:, self.kept]),
            None if weight_E is None else torch.from_numpy(weight_E[self.kept]),
            graph.nodes,
            not graph.directed,
        )

    @property
    def units(self) -> int:
        """Nodes that a step covers."""
        return self.graph.nodes

    @property
    def trained(self) -> int:
        """Pairs that a step is about: the training edges, and as many drawn ones."""
        return 2 * self.pairs["train"].shape[1]

    def to(self, device: torch.device) -> None:
        """Put the pairs on a device."""
        self.train_keys = self.train_keys.to(device)
        for held in (self.pairs, self.negative):
            for split in held:
                held[split] = held[split].to(device)

    def sizes(self) -> str:
        """How many edges each split has."""
        parts = ", ".join(f"{split} {self.pairs[split].shape[1]:,}" for split in SPLITS)
        return f"edges: {parts}"

    def training_loss(self, model: nn.Module, inputs: tuple[object, ...]) -> Tensor:
        """The loss of what the model makes of the graph."""
        return self.loss(model(*inputs))

    def loss(self, z_ND: Tensor) -> Tensor:
        """Mean cross-entropy of the edges and of as many freshly drawn pairs, half and half."""
        positive = _scores(z_ND, self.pairs["train"])
        negative = _scores(z_ND, self.draw(positive.shape[0]))
        return _cross_entropy(positive, negative)

    def draw(self, count: int) -> Tensor:
        """Random pairs that are no training edges, from torch's generator."""
        keys = self.train_keys
        i_P, j_P = torch.randint(self.graph.nodes, (2, count), device=keys.device)
        key_P = torch.minimum(i_P, j_P) * self.graph.nodes + torch.maximum(i_P, j_P)
        at_P = torch.searchsorted(keys, key_P).clamp_(max=len(keys) - 1)
        kept_P = (keys[at_P] != key_P) & (i_P != j_P)
        return torch.stack([i_P, j_P])[:, kept_P]

    def metrics(self, z_ND: Tensor, split: str) -> Metrics:
        """Loss, ROC-AUC, average precision and accuracy of a split's edges and negative pairs."""
        positive = _scores(z_ND, self.pairs[split]).double().cpu()
        pairs_2P = self.negative["valid" if split == "train" else split]
        negative = _scores(z_ND, pairs_2P).double().cpu()
        right = (positive > 0).double().mean() + (negative <= 0).double().mean()
        return {
            "loss": _cross_entropy(positive, negative).item(),
            "roc_auc": roc_auc(positive, negative),
            "average_precision": average_precision(positive, negative),
            "accuracy": right.item() / 2,
            "edges": len(positive),
        }

    def examples(
        self, z_ND: Tensor, split: str
    ) -> tuple[str, list[np.ndarray], dict[str, np.ndarray]]:
        """What an example is, the pairs of a split with their labels, and the columns."""
        pairs_2P = torch.cat([self.pairs[split], self.negative[split]], 1)
        label_P = torch.arange(pairs_2P.shape[1]) < self.pairs[split].shape[1]
        score_P = _scores(z_ND, pairs_2P).detach().float().cpu()
        signed_P = torch.where(label_P, score_P, -score_P).double()
        hit_P = torch.where(label_P, score_P > 0, score_P <= 0)
        columns = {
            "score": score_P.numpy(),
            "label": label_P.to(torch.uint8).numpy(),
            "nll": F.softplus(-signed_P).float().numpy(),
            "hit": hit_P.to(torch.uint8).numpy(),
        }
        return "pair", [pairs_2P.cpu().numpy(), columns["label"]], columns

    def details(self) -> dict[str, object]:
        """Nothing: all that an evaluation finds is in its metrics."""
        return {}

    def first_loss(self) -> None:
        """Not known: it depends on the size of the initial states."""
        return

    def baselines(self) -> dict[str, Metrics]:
        """Scores of each pair's number of common neighbours, in the graph of training edges."""
        from workings.nn.graph.adjacency import propagation
        from workings.nn.graph.sparse import Sparse

        a_hat = propagation(self.edges, "none")
        assert isinstance(a_hat, Sparse)
        metrics = {}
        for split in ("valid", "test"):
            both = (self.pairs[split], self.negative[split])
            scores = [_common_neighbours(a_hat.csr, pairs_2P.cpu()) for pairs_2P in both]
            metrics[f"{split}.roc_auc"] = roc_auc(*scores)
            metrics[f"{split}.average_precision"] = average_precision(*scores)
        return {"common neighbours": metrics}

    def predict(self, z_ND: Tensor, what: list[str]) -> list[dict[str, object]]:
        """Probabilities of pairs A,B; of a node, or of the graph, the likeliest new edges."""
        if not what:
            return self._likeliest(z_ND, list(range(self.graph.nodes)))
        rows = []
        for text in what:
            if text in self.graph.by_name:
                rows += self._likeliest(z_ND, [self.graph.by_name[text]])
            else:
                rows.append(self._row(z_ND, *self._pair(text)))
        return rows

    def _pair(self, text: str) -> tuple[int, int]:
        """The nodes of A,B, where the names themselves may have commas."""
        nodes = self.graph.by_name
        cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == ","]
        for first, second in cuts:
            if first in nodes and second in nodes:
                return nodes[first], nodes[second]
        if not cuts:
            raise WorkingsError(f"{text}: is no pair of nodes; write A,B")
        first, second = cuts[0]
        return self.graph.node(first), self.graph.node(second)

    def _row(self, z_ND: Tensor, i: int, j: int) -> dict[str, object]:
        pair = torch.tensor([[i], [j]], device=z_ND.device)
        joined = bool(((self.graph.edges_2E[0] == i) & (self.graph.edges_2E[1] == j)).any())
        first, second = self.graph.name(i), self.graph.name(j)
        probability = _scores(z_ND, pair).sigmoid().item()
        return {
            "input": f"{first},{second}",
            "prediction": "edge" if probability > 0.5 else "no edge",
            "probability": probability,  # of an edge
            "label": "edge" if joined else "no edge",
            "from": first,
            "to": second,
        }

    def _likeliest(self, z_ND: Tensor, nodes: list[int]) -> list[dict[str, object]]:
        """The pairs with the highest scores that are no edges of the graph."""
        best: list[tuple[float, int, int]] = []
        j_E, i_E = (torch.from_numpy(end) for end in self.graph.edges_2E)
        chosen = torch.tensor(nodes)
        for rows in chosen.split(BLOCK):
            score_RN = (z_ND[rows.to(z_ND.device)] @ z_ND.t()).cpu()
            score_RN[torch.arange(len(rows)), rows] = -torch.inf
            into_rows = torch.isin(i_E, rows)
            row = torch.searchsorted(rows, i_E[into_rows])
            score_RN[row, j_E[into_rows]] = -torch.inf
            if len(nodes) > 1:  # each pair once
                score_RN.masked_fill_(torch.arange(len(z_ND)) < rows[:, None], -torch.inf)
            top = score_RN.flatten().topk(min(TOP, score_RN.numel()))
            best += [
                (value, int(rows[entry // len(z_ND)]), entry % len(z_ND))
                for value, entry in zip(top.values.tolist(), top.indices.tolist(), strict=True)
                if value > -torch.inf
            ]
        best.sort(reverse=True)
        return [self._row(z_ND, i, j) for _, i, j in best[:TOP]]


def _cross_entropy(positive_P: Tensor, negative_Q: Tensor) -> Tensor:
    return (F.softplus(-positive_P).mean() + F.softplus(negative_Q).mean()) / 2


def _scores(z_ND: Tensor, pairs_2P: Tensor) -> Tensor:
    i_P, j_P = pairs_2P
    return (z_ND.index_select(0, i_P) * z_ND.index_select(0, j_P)).sum(1)


def _ends(key_P: np.ndarray, nodes: int) -> Tensor:
    return torch.from_numpy(np.stack(np.divmod(key_P, nodes)))


def _negative_pairs(
    graph: Graph, pairs: np.ndarray, draw: np.random.Generator, counts: dict[str, int]
) -> dict[str, np.ndarray]:
    """Pairs that are no edges, none twice, as many for valid and test as are held out there."""
    wanted = sum(counts.values())
    free = graph.nodes * (graph.nodes - 1) // 2 - len(pairs)
    if free < wanted:
        raise WorkingsError(
            f"{graph.where}: only {free:,} pairs are no edges, too few to set against {wanted:,} "
            "held-out edges: lower data.valid_share and data.test_share"
        )
    drawn = np.empty(0, np.int64)
    while len(drawn) < wanted:
        ends = np.sort(draw.integers(graph.nodes, size=(2, 2 * wanted)), axis=0)
        key = (ends[0] * graph.nodes + ends[1])[ends[0] != ends[1]]
        key = key[~np.isin(key, pairs)]
        drawn = np.concatenate([drawn, key])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    cut = counts["valid"]
    return {"valid": drawn[:cut], "test": drawn[cut:wanted]}


def _common_neighbours(a: Tensor, pairs_2P: Tensor) -> Tensor:
    """How many neighbours the ends of each pair share."""
    start, neighbour = a.crow_indices().tolist(), a.col_indices().tolist()
    near = [set(neighbour[start[i] : start[i + 1]]) for i in range(len(start) - 1)]
    shared = [len(near[i] & near[j]) for i, j in pairs_2P.t().tolist()]
    return torch.tensor(shared, dtype=torch.double)
