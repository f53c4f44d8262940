"""A graph drawn with what the model says of its nodes: all of a small one, else a neighbourhood."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import networkx
import numpy as np

from workings.errors import WorkingsError
from workings.nn.graph.gat import GAT
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.task import GraphTask

MOST_NODES = 260  # that are drawn at once
MOST_LISTED = 5_000  # names to choose from


def _task(run: Run) -> GraphTask:
    if not isinstance(run.task, GraphTask):
        raise WorkingsError(f"{run.folder.path}: is no graph run")
    return run.task


def first(run: Run) -> dict[str, Any]:
    """How large the graph is, its classes, and where to begin."""
    graph = _task(run).graph
    degree_N = np.bincount(graph.edges_2E[1], minlength=graph.nodes)
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "classes": list(graph.classes),
        "begin": graph.name(int(degree_N.argmax())),
        "whole": graph.nodes <= MOST_NODES,
        "names": [graph.name(node) for node in range(min(graph.nodes, MOST_LISTED))],
    }


def around(path: str, trust: bool, name: str) -> Iterator[dict[str, Any]]:
    """The nodes nearest to one, with their classes, and the edges between them."""
    run = run_at(path, trust)
    task = _task(run)
    graph = task.graph
    centre = graph.node(name)
    steps = _nearest(graph, centre)
    chosen = sorted(steps)
    place = {node: number for number, node in enumerate(chosen)}
    pairs = [(int(j), int(i)) for j, i in graph.edges_2E.T if int(j) in place and int(i) in place]
    xy = _laid_out(chosen, pairs)
    p_NC = task.outputs(run.model).softmax(1).cpu()
    assert isinstance(task.problem, NodeClassification)
    split = {int(n): name for name, nodes in task.problem.splits.items() for n in nodes.tolist()}
    attention = _attention(run)
    yield {
        "centre": place[centre],
        "nodes": [
            {
                "name": graph.name(node),
                "x": round(float(xy[node][0]), 4),
                "y": round(float(xy[node][1]), 4),
                "label": int(graph.labels_N[node]),
                "predicted": int(p_NC[node].argmax()),
                "p": [round(value, 4) for value in p_NC[node].tolist()],
                "split": split.get(node, ""),
                "steps": steps[node],
            }
            for node in chosen
        ],
        "edges": [
            [place[j], place[i], round(attention.get((j, i), 0.0), 4)]
            for j, i in pairs
            if i != j and (attention or graph.directed or j < i)
        ],
        "attention": bool(attention),
    }


def _nearest(graph: Graph, centre: int) -> dict[int, int]:
    """Nodes with their steps from one, the nearest first; of a small graph all."""
    neighbours: dict[int, list[int]] = {}
    for j, i in graph.edges_2E.T.tolist():
        neighbours.setdefault(i, []).append(j)
        neighbours.setdefault(j, []).append(i)
    steps, waiting = {centre: 0}, deque([centre])
    while waiting and len(steps) < MOST_NODES:
        node = waiting.popleft()
        for other in neighbours.get(node, []):
            if other not in steps and len(steps) < MOST_NODES:
                steps[other] = steps[node] + 1
                waiting.append(other)
    if graph.nodes <= MOST_NODES:
        steps |= {node: -1 for node in range(graph.nodes) if node not in steps}
    return steps


def _laid_out(nodes: list[int], pairs: list[tuple[int, int]]) -> dict[int, Any]:
    network = networkx.Graph()
    network.add_nodes_from(nodes)
    network.add_edges_from(pairs)
    iterations = 120 if len(nodes) < 100 else 60
    return dict(networkx.spring_layout(network, seed=1, iterations=iterations))


def _attention(run: Run) -> dict[tuple[int, int], float]:
    """How much the target of an edge attends to its source, mean of the first layer's heads."""
    if not isinstance(run.model, GAT):
        return {}
    found = run.edge_attention()
    mean_E = found.alpha[0].mean(1)
    ends = zip(found.source_E.tolist(), found.target_E.tolist(), mean_E.tolist(), strict=True)
    return {(j, i): weight for j, i, weight in ends}
