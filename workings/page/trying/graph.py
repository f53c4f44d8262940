"""A graph drawn with what the model says of its nodes: all of a small one, else a neighbourhood."""

from collections.abc import Iterator

import numpy as np

from workings.errors import WorkingsError
from workings.nn.graph.gat import GAT
from workings.page.trying.drawn_graph import MOST_NODES, laid_out, nearest
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.graph.node_classification import NodeClassification
from workings.tasks.graph.task import GraphTask

MOST_LISTED = 5_000  # names to choose from


def _task(run: Run) -> GraphTask:
    if not isinstance(run.task, GraphTask) or run.task.data.predict != "nodes":
        raise WorkingsError(f"{run.folder.path}: classifies no nodes")
    return run.task


def first(run: Run) -> dict[str, object]:
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


def around(path: str, trust: bool, name: str) -> Iterator[dict[str, object]]:
    """The nodes nearest to one, with their classes, and the edges between them."""
    run = run_at(path, trust)
    task = _task(run)
    graph = task.graph
    centre = graph.node(name)
    every = graph.edges_2E.T.tolist()
    steps = nearest(every, centre, graph.nodes, MOST_NODES)
    chosen = sorted(steps)
    number = {node: at for at, node in enumerate(chosen)}
    pairs = [(j, i) for j, i in every if j in number and i in number]
    position = laid_out(chosen, pairs)
    p_NC = task.outputs(run.model).softmax(1).cpu()
    assert isinstance(task.problem, NodeClassification)
    split = {int(n): name for name, nodes in task.problem.splits.items() for n in nodes.tolist()}
    attention = _attention(run)
    yield {
        "centre": number[centre],
        "nodes": [
            {
                "name": graph.name(node),
                **position[node],
                "label": int(graph.labels_N[node]),
                "predicted": int(p_NC[node].argmax()),
                "p": [round(value, 4) for value in p_NC[node].tolist()],
                "split": split.get(node, ""),
                "steps": steps[node],
            }
            for node in chosen
        ],
        "edges": [
            [number[j], number[i], round(attention.get((j, i), 0.0), 4)]
            for j, i in pairs
            if i != j and (attention or graph.directed or j < i)
        ],
        "attention": bool(attention),
    }


def _attention(run: Run) -> dict[tuple[int, int], float]:
    """How much the target of an edge attends to its source, mean of the first layer's heads."""
    if not isinstance(run.model, GAT):
        return {}
    attention = run.edge_attention()
    mean_E = attention.alpha[0].mean(1)
    ends = zip(
        attention.source_E.tolist(), attention.target_E.tolist(), mean_E.tolist(), strict=True
    )
    return {(j, i): weight for j, i, weight in ends}
