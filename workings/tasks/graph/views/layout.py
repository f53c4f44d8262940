"""A small graph laid out in the plane, as rows for a chart."""

from collections.abc import Sequence

import numpy as np

from workings.tasks.graph.graph import Graph

MOST_NODES = 80  # that can be told apart in a drawing


def fits(graph: Graph) -> bool:
    """Whether the graph is small enough to be drawn."""
    return graph.nodes <= MOST_NODES


def node_rows(graph: Graph, **values: Sequence[object]) -> list[dict[str, object]]:
    """A row a node: its name, its position, and what else is given of each."""
    return [
        {"name": graph.name(node), "x": float(x), "y": float(y)}
        | {key: held[node] for key, held in values.items()}
        for node, (x, y) in enumerate(positions(graph))
    ]


def edge_rows(graph: Graph, weight_E: np.ndarray | None = None) -> list[dict[str, object]]:
    """A row an edge, with the positions of its ends; an undirected one once if it has no weight."""
    xy_N2 = positions(graph)
    rows = []
    for number, (j, i) in enumerate(graph.edges_2E.T.tolist()):
        if i == j or (weight_E is None and not graph.directed and j > i):
            continue
        x, y, x2, y2 = (float(value) for value in (*xy_N2[j], *xy_N2[i]))
        row: dict[str, object] = {"x": x, "y": y, "x2": x2, "y2": y2}
        row |= {"from": graph.name(j), "to": graph.name(i)}
        if weight_E is not None:
            # The half that is nearer to the node that takes.
            row |= {"x": (x + x2) / 2, "y": (y + y2) / 2, "attention": float(weight_E[number])}
        rows.append(row)
    return rows


def positions(graph: Graph) -> np.ndarray:
    """The nodes' positions, N×2: a spring layout, always the same one."""
    import networkx

    network = networkx.Graph()
    network.add_nodes_from(range(graph.nodes))
    network.add_edges_from(graph.edges_2E.T.tolist())
    by_node = networkx.spring_layout(network, seed=1, iterations=200)
    return np.array([by_node[node] for node in range(graph.nodes)])
