"""The graph that a config asks for, and its parts as tensors."""

# N nodes, E edges, F features

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from workings.errors import WorkingsError, nearest
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.graph_model import NodeFeatures
from workings.nn.graph.relations import RelationEdges
from workings.nn.graph.sparse import Pattern, Sparse
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.features.feature_scale import SPARSE, ColumnScale
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import UNLABELLED, Graph
from workings.tasks.graph.reading import files, named_graphs


def load(config: GraphConfig, seed: int = 1) -> Graph:
    """The graph as the config asks for it; the seed may count its splits, where it has several."""
    return as_asked(read(config, seed), config)


def read(config: GraphConfig, seed: int = 1) -> Graph:
    """All that the config's file or named set has."""
    if config.name:
        return named_graphs.load(config.name, config.fold, seed)
    return files.read(Path(config.path), config.directed, config.weighted, config.label)


def as_asked(graph: Graph, config: GraphConfig) -> Graph:
    """The graph with those of its weights, features and labels that the config asks for."""
    if config.weighted and graph.weight_E is None:
        raise WorkingsError(f"data.weighted: {graph.where} gives its edges no weights")
    if not config.weighted:
        graph = replace(graph, weight_E=None)
    if config.features == "identity":
        graph = replace(graph, features=None, columns=())
    graph = _labels_asked(graph, config)
    if graph.types is not None and config.predict == "edges" and graph.features is not None:
        # Nodes of like features are still different ones: who likes what differs.
        features = graph.features.beside(Rows.identity(graph.nodes))
        note = "each node is also a feature of its own"
        graph = replace(graph, features=features, notes=(*graph.notes, note))
    return graph


def _labels_asked(graph: Graph, config: GraphConfig) -> Graph:
    """The graph with the labels of the type that is asked about, and no other."""
    types = graph.types
    if types is None:
        for key in ("relation", "node_type"):
            if getattr(config, key):
                raise WorkingsError(f"data.{key}: {graph.where} has neither types nor relations")
        return graph
    labelled = np.unique(types.type_N[graph.labels_N != UNLABELLED])
    if not config.node_type:
        if len(labelled) > 1 and config.predict == "nodes":
            names = ", ".join(types.types[kind] for kind in labelled)
            raise WorkingsError(
                f"{graph.where}: nodes of {len(labelled)} types have labels ({names}); say which "
                "are classified: --set data.node_type=…"
            )
        return graph
    if config.node_type not in types.types:
        raise WorkingsError(
            f"data.node_type: {graph.where} has no type {config.node_type!r}"
            f"{nearest(config.node_type, types.types)}; it has {', '.join(types.types)}"
        )
    kept = types.type_N == types.types.index(config.node_type)
    left_out = int((graph.labels_N[~kept] != UNLABELLED).sum())
    notes = (*graph.notes, f"{left_out:,} labels of other types are not used") if left_out else ()
    labels_N = np.where(kept, graph.labels_N, UNLABELLED)
    used = np.unique(labels_N[labels_N != UNLABELLED])
    number = np.full(len(graph.classes) + 1, UNLABELLED)
    number[used] = np.arange(len(used))
    return replace(
        graph,
        labels_N=number[labels_N],
        classes=tuple(graph.classes[label] for label in used),
        splits={split: nodes[kept[nodes]] for split, nodes in graph.splits.items()},
        notes=notes or graph.notes,
    )


def about(graph: Graph) -> dict[str, object]:
    """What there is to know about a graph, by label."""
    loop_E = graph.edges_2E[0] == graph.edges_2E[1]  # nobody's neighbour is itself
    degree_N = torch.bincount(torch.from_numpy(graph.edges_2E[1, ~loop_E]), minlength=graph.nodes)
    x = graph.x()
    given = f"{x.shape[1]:,}, {len(x.values) / max(1, math.prod(x.shape)):.2%} not zero"
    facts: dict[str, object] = {
        "nodes": graph.nodes,
        "edges": f"{graph.edges:,}, {'' if graph.directed else 'not '}directed",
        "neighbours": f"{degree_N.double().mean():.2f} on average, most {degree_N.max():,}",
        "isolated nodes": int((degree_N == 0).sum()),
        "features": given if graph.features else "none: the identity stands in",
        "labelled": int((graph.labels_N >= 0).sum()),
    }
    if graph.types is not None:
        facts |= {f"kind {at}": line for at, line in enumerate(graph.types.words(), 1)}
    if loops := int(loop_E.sum()):
        facts["self-loops"] = f"{loops:,} of the edges, from a node to itself"
    if graph.repeated:
        turned = f", {graph.turned:,} of them the other way round" if graph.turned else ""
        facts["edges given again"] = f"{graph.repeated:,}{turned}"
    for number, note in enumerate(graph.notes, 1):
        facts[f"note {number}"] = note
    for label, name in enumerate(graph.classes):
        facts[f"class {name}"] = int((graph.labels_N == label).sum())
    return facts


def features(
    graph: Graph, normalise: str, scale: ColumnScale | None = None, identity: bool = False
) -> NodeFeatures:
    """X as a tensor: sparse unless many of its entries are not zero, or columns are scaled.

    identity: with a column for each node besides, in which it alone is 1.
    """
    if scale is not None and not identity:
        return torch.from_numpy(scale(graph.x()))
    rows = Rows.dense(scale(graph.x())) if scale is not None else graph.x()
    if normalise == "sum":
        rows = rows.sums_to_one()
    if identity:
        rows = rows.beside(Rows.identity(graph.nodes))
    row, column, value = (torch.from_numpy(a) for a in (rows.row, rows.columns, rows.values))
    nodes, width = rows.shape
    if len(value) > SPARSE * nodes * width:
        x_NF = torch.zeros(nodes, width)
        x_NF[row, column.long()] = value
        return x_NF
    return Sparse(Pattern(row, column, rows.shape), value)


def edges(graph: Graph) -> EdgeList:
    """All edges as tensors."""
    if graph.types is not None and graph.weight_E is None:
        triples_3E = torch.from_numpy(graph.types.triples_3E)
        pairs_2E, R = torch.from_numpy(graph.edges_2E), len(graph.types.relations)
        return RelationEdges(pairs_2E, None, graph.nodes, not graph.directed, triples_3E, R)
    weight_E = None if graph.weight_E is None else torch.from_numpy(graph.weight_E)
    return EdgeList(torch.from_numpy(graph.edges_2E), weight_E, graph.nodes, not graph.directed)
