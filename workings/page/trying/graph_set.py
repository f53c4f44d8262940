"""Whole graphs: one of a set drawn, its class, and which of its nodes decided."""

from collections.abc import Iterator

import numpy as np
import torch

from workings.errors import WorkingsError
from workings.nn.graph.readout import GraphReadout
from workings.page.trying.drawn_graph import MOST_NODES, laid_out
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.graph.graph import UNLABELLED
from workings.tasks.graph.whole.graph_set import GraphSet
from workings.tasks.graph.whole.task import GraphSetTask

MOST_LISTED = 2_000  # graphs to choose from


def _task(run: Run) -> GraphSetTask:
    if not isinstance(run.task, GraphSetTask):
        raise WorkingsError(f"{run.folder.path}: classifies no whole graphs")
    return run.task


def first(run: Run) -> dict[str, object]:
    """The classes, and the test graphs to choose from."""
    task = _task(run)
    graphs = task.graphs
    names = [graphs.names[number] for number in task.splits["test"][:MOST_LISTED]]
    return {"classes": list(task.shape.classes), "graphs": len(graphs), "names": names}


def graph(path: str, trust: bool, name: str) -> Iterator[dict[str, object]]:
    """One graph: its nodes and edges, the probability of each class, and what decided."""
    run = run_at(path, trust)
    task = _task(run)
    graphs = task.graphs
    number = graphs.graph(name)
    start, end = graphs.start_G1[number : number + 2].tolist()
    if end - start > MOST_NODES:
        raise WorkingsError(f"{name}: has {end - start:,} nodes; at most {MOST_NODES:,} are drawn")
    inside_E = (graphs.edges_2E[0] >= start) & (graphs.edges_2E[0] < end)
    pairs = [(j - start, i - start) for j, i in graphs.edges_2E[:, inside_E].T.tolist()]
    nodes = range(end - start)
    position = laid_out(nodes, pairs)
    p_C, decided_N = _decided(task, run, number)
    kinds = _kinds(graphs, start, end)
    label = int(graphs.labels_G[number])
    yield {
        "name": name,
        "label": label if label != UNLABELLED else -1,
        "split": next((split for split, held in task.splits.items() if number in held), ""),
        "p": p_C,
        "nodes": [
            {"name": str(n), **position[n], "kind": kinds[n], "decided": decided_N[n]}
            for n in nodes
        ],
        "edges": [[j, i] for j, i in pairs if j != i and (not graphs.symmetric or j < i)],
    }


def _decided(task: GraphSetTask, run: Run, number: int) -> tuple[list[float], list[float]]:
    """The probability of each class, and how much each node's features change the best one.

    That is the length of the gradient of the best class's logit, the largest being 1; of a class
    of the user's own there is none.
    """
    model = run.model
    if not isinstance(model, GraphReadout):
        logits_1C = task.logits(model, task.graphs, np.array([number]), lambda done: None)
        nodes = int(np.diff(task.graphs.start_G1)[number])
        return logits_1C.softmax(1)[0].tolist(), [0.0] * nodes
    batch, nodes_M = task.graphs.batch.take(torch.tensor([number]))
    model.eval()
    with torch.enable_grad():
        x_MF = task.x_NF.index_select(0, nodes_M).requires_grad_()
        logits_C = model(*model.prepare(x_MF, batch))[0]
        (gradient_MF,) = torch.autograd.grad(logits_C[logits_C.argmax()], x_MF)
    length_M = gradient_MF.norm(dim=1)
    share_M = length_M / length_M.max().clamp_min(1e-12)
    return logits_C.softmax(0).tolist(), [round(share, 4) for share in share_M.tolist()]


def _kinds(graphs: GraphSet, start: int, end: int) -> list[int]:
    """Which kind each node is of, where features say nothing else; -1 where they say more."""
    rows = graphs.x().table(np.float32)[start:end]
    one_hot = bool(np.all((rows == 0) | (rows == 1)) and np.all(rows.sum(1) == 1))
    return rows.argmax(1).tolist() if one_hot else [-1] * (end - start)
