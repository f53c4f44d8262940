"""Receptive fields: how far information goes, and what each update lets a node know."""

# N nodes, E edges

from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np

from workings.tasks.graph.graph import Graph
from workings.tasks.graph.views import layout

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

SAMPLED = 1000  # nodes over which means are taken, drawn by seed, where there are more


class MeanField(TypedDict):
    """Of how many nodes a node knows after so many updates: on average, at most, and of all."""

    updates: int
    mean: float
    most: int
    share: float


class Field(TypedDict):
    """How many nodes one node knows of after so many updates, and the names of the new ones."""

    updates: int
    nodes: int
    new: list[str]


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
    depth_N = np.full(len(starts) - 1, -1)
    depth_N[node] = 0
    front, depth = np.array([node]), 0
    while len(front):
        depth += 1
        counts = starts[front + 1] - starts[front]
        skipped = np.repeat(starts[front] - np.cumsum(counts) + counts, counts)
        reached = near[skipped + np.arange(counts.sum())]  # the neighbours of all of them
        front = np.unique(reached[depth_N[reached] < 0])
        depth_N[front] = depth
    return depth_N


class Ways(NamedTuple):
    """The shortest ways of information from one node to another."""

    updates: int
    number: int  # of all of them
    some: list[list[int]]  # the first ones, by the numbers of their nodes


def ways_between(graph: Graph, source: int, target: int, most: int = 20) -> Ways | None:
    """All shortest ways of information, counted, and the first of them; None: there is none."""
    depth_N = depths(graph, target)
    if depth_N[source] < 0:
        return None
    starts, near = neighbours(graph, into=False)

    def onward(node: int) -> list[int]:
        """The nodes that are one step nearer to the target."""
        after = near[starts[node] : starts[node + 1]]
        return [int(each) for each in np.unique(after[depth_N[after] == depth_N[node] - 1])]

    counts = {target: 1}
    reached, layer = [{source}], {source}
    while target not in layer:
        layer = {after for node in layer for after in onward(node)}
        reached.append(layer)
    for layer in reversed(reached[:-1]):
        counts |= {node: sum(counts[after] for after in onward(node)) for node in layer}
    some: list[list[int]] = []
    begun = [[source]]
    while begun and len(some) < most:
        way = begun.pop()
        if way[-1] == target:
            some.append(way)
        else:
            begun += [[*way, after] for after in reversed(onward(way[-1]))]
    return Ways(int(depth_N[source]), counts[source], some)


def fields(graph: Graph, depth: int, seed: int = 1) -> list[MeanField]:
    """By depth: how many nodes a node knows of, on average and at most."""
    starts, near = neighbours(graph, into=True)
    chosen = np.arange(graph.nodes)
    if graph.nodes > SAMPLED:
        chosen = np.sort(np.random.default_rng(seed).choice(graph.nodes, SAMPLED, replace=False))
    counts = np.zeros((len(chosen), depth + 1), np.int64)
    for row, node in enumerate(chosen):
        depth_N = _search(starts, near, int(node))
        counts[row] = [np.count_nonzero((depth_N >= 0) & (depth_N <= k)) for k in range(depth + 1)]
    return [
        {
            "updates": k,
            "mean": float(counts[:, k].mean()),
            "most": int(counts[:, k].max()),
            "share": float(counts[:, k].mean() / graph.nodes),
        }
        for k in range(depth + 1)
    ]


def field_of(graph: Graph, depth_N: np.ndarray, depth: int) -> list[Field]:
    """By number of updates: how many nodes are known (`depths`), and the names of the new ones."""
    rows: list[Field] = []
    known = 0
    for k in range(min(depth, int(depth_N.max())) + 1):
        new = (depth_N == k).nonzero()[0].tolist()
        known += len(new)
        rows.append({"updates": k, "nodes": known, "new": [graph.name(node) for node in new]})
    return rows


def chart(graph: Graph, node: int, into: bool, rows: list[Field], title: str) -> "Chart":
    """A node's field: a small graph drawn, of a large one the number of known nodes (`rows`)."""
    from workings.charts import graphs as charts

    if not layout.fits(graph):
        series = f"node {graph.name(node)}"
        return charts.fields([{**row, "series": series} for row in rows], title)
    updates = [str(depth) if depth >= 0 else "never" for depth in depths(graph, node, into)]
    verb = "knows of each node" if into else "is known to each node"
    return charts.drawn(
        layout.node_rows(graph, updates=updates),
        layout.edge_rows(graph),
        f"After how many updates {graph.name(node)} {verb}",
        "updates",
        steps=True,
    )


def indistinguishable(graph: Graph) -> list[list[int]]:
    """Groups of nodes with the same closed neighbourhood: no update of Ã tells them apart."""
    starts, near = neighbours(graph, into=True)
    groups: dict[bytes, list[int]] = {}
    for node in range(graph.nodes):
        closed = np.union1d(near[starts[node] : starts[node + 1]], [node])
        groups.setdefault(closed.tobytes(), []).append(node)
    return [group for group in groups.values() if len(group) > 1]
