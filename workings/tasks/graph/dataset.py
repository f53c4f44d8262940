"""What graph is read, and how: the [data] section, and the graph as tensors."""

# N nodes, E edges, F features

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import model_validator
from torch import Tensor

from workings.data import sources
from workings.errors import WorkingsError, nearest
from workings.nn.graph.adjacency import Edges
from workings.nn.graph.model import Features
from workings.nn.graph.sparse import Pattern, Sparse
from workings.schema import Config, Share, Size
from workings.tasks.graph import files, named_graphs
from workings.tasks.graph.graph import Graph

DENSE = 0.25  # a larger share of entries that are not zero makes features dense


class GraphConfig(Config):
    """Which graph, and what is asked about it."""

    name: str = ""
    """a named set: karate, six-nodes, cora, citeseer, amazon-photo"""
    path: str = ""
    """your own: .npz, .graphml, .gml, an edge list, a folder with edges.csv (and nodes.csv)"""
    predict: Literal["nodes", "edges"] = "nodes"
    """nodes: the class of each; edges: which pairs are joined, some edges being held out"""
    directed: bool = False
    """an edge goes one way, from its source to its target"""
    weighted: bool = False
    """edges have the weights that the data gives them; attention makes its own and uses none"""
    features: Literal["given", "identity"] = "given"
    """identity: every node is a feature of its own, as where no features are given"""
    normalise_features: bool = True
    """divide each node's features by their sum"""
    split: Literal["given", "random"] = "given"
    """random: by seed even where the data gives a split"""
    train_per_class: Size = 20
    """training nodes of each class in a random split, at most half of them"""
    valid_per_class: Size = 30
    """validation nodes of each class in a random split, at most half of the rest"""
    valid_share: Share = 0.05
    """of the edges held out for validation, where edges are predicted"""
    test_share: Share = 0.1
    """of the edges held out for testing, where edges are predicted"""

    @model_validator(mode="before")
    @classmethod
    def _one_source(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        given = dict(values)
        if given.get("name") and given.get("path"):
            raise ValueError("give data.name or data.path, not both")
        if not given.get("name") and not given.get("path"):
            given["name"] = "karate"
        if isinstance(given.get("path"), str) and given["path"]:
            given["path"] = str(Path(given["path"]).expanduser().absolute())
        if isinstance(given.get("name"), str) and given["name"]:
            sources.source(given["name"], "graph")
            if given.get("directed"):
                raise ValueError(f"{given['name']} is not directed")
        return given


def from_paths(paths: list[Path]) -> dict[str, Any]:
    """The config keys of a set's name, a file or a folder."""
    if len(paths) != 1:
        raise WorkingsError(f"--data: a graph is one file or folder (got {len(paths)})")
    path = paths[0]
    if name := sources.named_in(paths):
        return {"name": name}
    if not path.exists():
        known = [source.name for source in sources.SOURCES.values() if source.task == "graph"]
        raise WorkingsError(f"{path}: no such file, folder or data set{nearest(str(path), known)}")
    return {"path": str(path)}


def load(config: GraphConfig) -> Graph:
    """The graph as the config asks for it."""
    if config.name:
        graph = named_graphs.load(config.name)
    else:
        graph = files.read(Path(config.path), config.directed, config.weighted)
    if config.weighted and graph.weight_E is None:
        raise WorkingsError(f"data.weighted: {graph.where} gives its edges no weights")
    if not config.weighted:
        graph = replace(graph, weight_E=None)
    if config.features == "identity":
        graph = replace(graph, features=None)
    return graph


def about(graph: Graph) -> dict[str, Any]:
    """What there is to know about a graph, by label."""
    degree_N = torch.bincount(torch.from_numpy(graph.edges_2E[1]), minlength=graph.nodes)
    x = graph.x()
    given = f"{x.shape[1]:,}, {len(x.values) / max(1, math.prod(x.shape)):.2%} not zero"
    facts: dict[str, Any] = {
        "nodes": graph.nodes,
        "edges": f"{graph.edges:,}, {'' if graph.directed else 'not '}directed",
        "neighbours": f"{degree_N.double().mean():.2f} on average, most {degree_N.max():,}",
        "isolated nodes": int((degree_N == 0).sum()),
        "features": given if graph.features else "none: the identity stands in",
        "labelled": int((graph.labels_N >= 0).sum()),
    }
    if graph.repeated:
        facts["edges given again"] = graph.repeated
    for label, name in enumerate(graph.classes):
        facts[f"class {name}"] = int((graph.labels_N == label).sum())
    return facts


def features(graph: Graph, normalised: bool) -> Features:
    """X as a tensor: sparse unless many of its entries are not zero."""
    rows = graph.x().sums_to_one() if normalised else graph.x()
    row, column, value = (torch.from_numpy(a) for a in (rows.row, rows.columns, rows.values))
    nodes, width = rows.shape
    if len(value) > DENSE * nodes * width:
        x_NF = torch.zeros(nodes, width)
        x_NF[row, column.long()] = value
        return x_NF
    return Sparse(Pattern(row, column, rows.shape), value)


def edges(graph: Graph) -> Edges:
    """All edges as tensors."""
    weight_E = None if graph.weight_E is None else torch.from_numpy(graph.weight_E)
    return Edges(torch.from_numpy(graph.edges_2E), weight_E, graph.nodes, not graph.directed)


def dense(x_NF: Features) -> Tensor:
    """Features as a dense tensor."""
    return x_NF.dense() if isinstance(x_NF, Sparse) else x_NF
