"""Edges that are not there yet: what a node is likely to be linked with, and what is around it."""

from collections.abc import Iterator

import numpy as np

from workings.errors import WorkingsError
from workings.page.trying.drawn_graph import laid_out, nearest
from workings.page.trying.opened import run_at
from workings.run.run import Run
from workings.tasks.graph.edge_prediction import EdgePrediction
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.task import GraphTask
from workings.tasks.graph.typed.relation_prediction import RelationPrediction

MOST_NODES = 60  # around the one that is asked about
MOST_LISTED = 5_000
LIKELIEST = 8
ANY = "linked with"  # the relation of a graph that has none


def _task(run: Run) -> GraphTask:
    if not isinstance(run.task, GraphTask) or run.task.data.predict != "edges":
        raise WorkingsError(f"{run.folder.path}: predicts no edges")
    return run.task


def first(run: Run) -> dict[str, object]:
    """The relations that are asked about, and for each the nodes that it goes from."""
    task = _task(run)
    graph, problem = task.graph, task.problem
    degree_N = np.bincount(graph.edges_2E[1], minlength=graph.nodes)
    asked: dict[str, np.ndarray] = {ANY: np.arange(graph.nodes)}
    if isinstance(problem, RelationPrediction):
        types = problem.types
        sources = {r: types.nodes_of(types.ends[r][0]) for r in problem.asked}
        asked = {types.relations[r]: nodes for r, nodes in sources.items()}
    return {
        "types": list(graph.types.types) if graph.types else ["node"],
        "nodes": graph.nodes,
        "relations": [
            {
                "name": relation,
                "begin": graph.name(int(nodes[degree_N[nodes].argmax()])),
                "names": [graph.name(node) for node in nodes[:MOST_LISTED].tolist()],
            }
            for relation, nodes in asked.items()
        ],
    }


def likely(path: str, trust: bool, name: str, relation: str) -> Iterator[dict[str, object]]:
    """The likeliest new edges of a node, and the nodes around it by the edges that are known."""
    run = run_at(path, trust)
    task = _task(run)
    graph = task.graph
    node = graph.node(name)
    likeliest = _likeliest(run, task, name, relation)
    triples = _known(task)
    pairs = [(j, i) for j, _, i in triples]
    steps = nearest(pairs, node, graph.nodes, MOST_NODES)
    offered = [graph.node(str(each["name"])) for each in likeliest]
    chosen = sorted({*steps, *offered})
    number = {each: at for at, each in enumerate(chosen)}
    inside = [(j, r, i) for j, r, i in triples if j in number and i in number and i != j]
    expected = [(node, each) for each in offered]
    position = laid_out(chosen, [*((j, i) for j, _, i in inside), *expected])
    kinds = graph.types.type_N if graph.types else np.zeros(graph.nodes, np.int64)
    yield {
        "centre": number[node],
        "nodes": [
            {"name": graph.name(each), **position[each], "type": int(kinds[each])}
            for each in chosen
        ],
        "edges": [[number[j], number[i], r] for j, r, i in inside],
        "likely": [{**each, "at": number[at]} for each, at in zip(likeliest, offered, strict=True)],
    }


def _likeliest(run: Run, task: GraphTask, name: str, relation: str) -> list[dict[str, object]]:
    """Nodes with the probability of an edge, and the short paths that speak for it."""
    if isinstance(task.problem, RelationPrediction):
        rows = run.recommend(name, relation, LIKELIEST)
        return [
            {"name": row["recommended"], "p": row["probability"], "paths": row["paths"]}
            for row in rows
        ]
    graph: Graph = task.graph
    made = []
    for row in run.predict([name]):
        pair = str(row["input"])
        other = pair.removeprefix(f"{name},") if pair.startswith(f"{name},") else ""
        other = other or pair.removesuffix(f",{name}")
        if other in graph.by_name:
            made.append({"name": other, "p": row["probability"], "paths": ""})
    return made[:LIKELIEST]


def _known(task: GraphTask) -> list[tuple[int, str, int]]:
    """The edges that the model sees, each undirected one once: source, relation, target."""
    problem = task.problem
    if isinstance(problem, RelationPrediction):
        names = problem.types.relations
        return [(s, names[r], t) for s, r, t in problem.triples["train"].T.tolist()]
    assert isinstance(problem, EdgePrediction)
    return [
        (j, "", i) for j, i in problem.edges.edges_2E.t().tolist() if j <= i or task.graph.directed
    ]
