"""The attention of a trained network, edge by edge."""

# N nodes, E edges (a self-loop a node among them), H heads

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from workings.tasks.graph.graph import Graph
from workings.tasks.graph.views import layout

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

BINS = 20
CHART_END = 3.0  # of attention × neighbours


class Attended(TypedDict):
    """How much a node attends to a neighbour."""

    layer: str
    head: int
    to: str
    weight: float


class Evenness(TypedDict):
    """How even the attention of a head is: 1 an even share, 0 a choice of one."""

    layer: str
    head: int
    evenness: float
    largest: float  # weight of a node, in the mean


class EdgeAttention:
    """The weight of every edge, for every layer and head.

    Shapes: alpha, E×H for every layer; the weights of each node's incoming edges add up to 1.
    """

    def __init__(
        self, graph: Graph, source_E: np.ndarray, target_E: np.ndarray, alpha: list[np.ndarray]
    ) -> None:
        self.graph, self.source_E, self.target_E, self.alpha = graph, source_E, target_E, alpha
        self.near_N = np.bincount(target_E, minlength=graph.nodes)

    def of(self, name: str) -> list[Attended]:
        """What one node attends to, by layer, head and neighbour."""
        edges = np.nonzero(self.target_E == self.graph.node(name))[0]
        return [
            {
                "layer": f"layer {layer + 1}",
                "head": head + 1,
                "to": self.graph.name(int(self.source_E[edge])),
                "weight": round(float(alpha_EH[edge, head]), 6),
            }
            for layer, alpha_EH in enumerate(self.alpha)
            for head in range(alpha_EH.shape[1])
            for edge in edges
        ]

    def edges(self) -> list[dict[str, object]]:
        """Every edge: who attends to whom, and how much, by layer and head."""
        ends = zip(self.target_E.tolist(), self.source_E.tolist(), strict=True)
        return [
            {
                "node": self.graph.name(i),
                "to": self.graph.name(j),
                "weights": [alpha_EH[edge].round(6).tolist() for alpha_EH in self.alpha],
            }
            for edge, (i, j) in enumerate(ends)
        ]

    def summary(self) -> list[Evenness]:
        """A row a layer and head: how even attention is, over nodes that have a choice."""
        choice_N = self.near_N > 1
        rows: list[Evenness] = []
        for layer, alpha_EH in enumerate(self.alpha):
            surprise_EH = -alpha_EH * np.log(np.maximum(alpha_EH, 1e-30))
            for head in range(alpha_EH.shape[1]):
                entropy_N = np.bincount(self.target_E, surprise_EH[:, head], self.graph.nodes)
                largest_N = np.zeros(self.graph.nodes)
                np.maximum.at(largest_N, self.target_E, alpha_EH[:, head])
                even = entropy_N[choice_N] / np.log(self.near_N[choice_N])
                rows.append(
                    {
                        "layer": f"layer {layer + 1}",
                        "head": head + 1,
                        "evenness": float(even.mean()) if len(even) else 1.0,
                        "largest": float(largest_N.mean()),
                    }
                )
        return rows

    def chart(self, name: str | None = None) -> "Chart":
        """One node's attention; or of a small graph a drawing, of a large one how uneven it is."""
        from workings.charts import graphs as charts

        if name is not None:
            return charts.attention_of_node(self.of(name), f"What node {name} attends to")
        if layout.fits(self.graph):
            return self._drawing()
        rows = []
        for layer, alpha_EH in enumerate(self.alpha):
            share_E = alpha_EH.mean(1) * self.near_N[self.target_E]
            counts, cuts = np.histogram(np.minimum(share_E, CHART_END), BINS, (0, CHART_END))
            rows += [
                {"layer": f"layer {layer + 1}", "from": cuts[b], "to": cuts[b + 1], "edges": n}
                for b, n in enumerate(counts.tolist())
            ]
        return charts.attention_spread(rows, "Attention on edges, mean of the heads")

    def _drawing(self) -> "Chart":
        """The first layer, mean of its heads; self-loops are left out."""
        from workings.charts import graphs as charts

        mean_E = self.alpha[0].mean(1)
        weight = {
            (int(j), int(i)): float(mean_E[edge])
            for edge, (j, i) in enumerate(zip(self.source_E, self.target_E, strict=True))
        }
        weight_E = np.array([weight[int(j), int(i)] for j, i in self.graph.edges_2E.T])
        classes, labels_N = self.graph.classes, self.graph.labels_N
        named = [classes[label] if label >= 0 else "none" for label in labels_N]
        return charts.drawn(
            layout.node_rows(self.graph, **{"class": named}),
            layout.edge_rows(self.graph, weight_E),
            "Attention, layer 1, mean of the heads: the half edge at the node that attends",
            "class",
            width="attention",
        )
