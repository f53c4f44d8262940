"""How far information goes: what each update of a graph network lets a node know."""

# N nodes, E edges

from typing import Any

import numpy as np

from workings.tasks.graph.graph import Graph

MANY = 1000  # nodes from which a mean over nodes is taken, drawn by seed


def neighbours(graph: Graph, into: bool) -> tuple[np.ndarray, np.ndarray]:
    """Starts N+1 and nodes E: those that a node takes from, or that take from it."""
    source_E, target_E = graph.edges_2E if into else graph.edges_2E[::-1]
    order_E = np.argsort(target_E, kind="stable")
    counts_N = np.bincount(target_E, minlength=graph.nodes)
    return np.concatenate([[0], np.cumsum(counts_N)]), source_E[order_E]


def depths(graph: Graph, node: int, into: bool = True) -> np.ndarray:
    """After how many updates this node knows of each other (-1: never).

    Not into: after how many each other knows of this one.
    """
    starts, near = neighbours(graph, into)
    return _search(starts, near, node)


def _search(starts: np.ndarray, near: np.ndarray, node: int) -> np.ndarray:
    found_N = np.full(len(starts) - 1, -1)
    found_N[node] = 0
    front, depth = np.array([node]), 0
    while len(front):
        depth += 1
        counts = starts[front + 1] - starts[front]
        skipped = np.repeat(starts[front] - np.cumsum(counts) + counts, counts)
        reached = near[skipped + np.arange(counts.sum())]  # the neighbours of all of them
        front = np.unique(reached[found_N[reached] < 0])
        found_N[front] = depth
    return found_N


def way(graph: Graph, source: int, target: int) -> list[int] | None:
    """The nodes that information passes from source to target, by a shortest way, or None."""
    depth_N = depths(graph, target)
    if depth_N[source] < 0:
        return None
    starts, near = neighbours(graph, into=False)
    path = [source]
    while path[-1] != target:
        here = path[-1]
        nexts = near[starts[here] : starts[here + 1]]
        path.append(int(nexts[depth_N[nexts] == depth_N[here] - 1][0]))
    return path


def fields(graph: Graph, depth: int, seed: int = 1) -> list[dict[str, Any]]:
    """By depth: how many nodes a node knows of, on average and at most."""
    starts, near = neighbours(graph, into=True)
    chosen = np.arange(graph.nodes)
    if graph.nodes > MANY:
        chosen = np.sort(np.random.default_rng(seed).choice(graph.nodes, MANY, replace=False))
    counts = np.zeros((len(chosen), depth + 1), np.int64)
    for at, node in enumerate(chosen):
        depth_N = _search(starts, near, int(node))
        counts[at] = [np.count_nonzero((depth_N >= 0) & (depth_N <= k)) for k in range(depth + 1)]
    return [
        {
            "updates": k,
            "mean": float(counts[:, k].mean()),
            "most": int(counts[:, k].max()),
            "share": float(counts[:, k].mean() / graph.nodes),
        }
        for k in range(depth + 1)
    ]


def indistinguishable(graph: Graph) -> list[list[int]]:
    """Groups of nodes with the same closed neighbourhood: no update of Ã tells them apart."""
    starts, near = neighbours(graph, into=True)
    groups: dict[bytes, list[int]] = {}
    for node in range(graph.nodes):
        closed = np.union1d(near[starts[node] : starts[node + 1]], [node])
        groups.setdefault(closed.tobytes(), []).append(node)
    return [group for group in groups.values() if len(group) > 1]
