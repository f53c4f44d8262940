"""A small graph laid out in the plane, as rows for a chart."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from workings.tasks.graph.graph import Graph

MOST = 80  # nodes that can be told apart in a drawing


def fits(graph: Graph) -> bool:
    return graph.nodes <= MOST


def node_rows(graph: Graph, **values: Sequence[Any]) -> list[dict[str, Any]]:
    """A row a node: its name, its place, and what else is given of each."""
    return [
        {"name": graph.name(node), "x": float(x), "y": float(y)}
        | {key: held[node] for key, held in values.items()}
        for node, (x, y) in enumerate(places(graph))
    ]


def edge_rows(graph: Graph, weight_E: np.ndarray | None = None) -> list[dict[str, Any]]:
    """A row an edge, from one place to another; an undirected one once where it has no weight."""
    at = places(graph)
    rows = []
    for number, (j, i) in enumerate(graph.edges_2E.T.tolist()):
        if i == j or (weight_E is None and not graph.directed and j > i):
            continue
        x, y, x2, y2 = (float(value) for value in (*at[j], *at[i]))
        row: dict[str, Any] = {"x": x, "y": y, "x2": x2, "y2": y2}
        row |= {"from": graph.name(j), "to": graph.name(i)}
        if weight_E is not None:
            # The half that is nearer to the node that takes.
            row |= {"x": (x + x2) / 2, "y": (y + y2) / 2, "attention": float(weight_E[number])}
        rows.append(row)
    return rows


def places(graph: Graph) -> np.ndarray:
    """N×2, by springs along the edges, always the same."""
    import networkx

    network = networkx.Graph()
    network.add_nodes_from(range(graph.nodes))
    network.add_edges_from(graph.edges_2E.T.tolist())
    found = networkx.spring_layout(network, seed=1, iterations=200)
    return np.array([found[node] for node in range(graph.nodes)])
