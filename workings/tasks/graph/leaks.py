"""Leaks of a graph: features that are the label, or that are the edges to be predicted."""

# N nodes, F features, C classes

from collections.abc import Iterator, Sequence

import numpy as np

from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import UNLABELLED, Graph
from workings.tasks.label_columns import telling_columns
from workings.tasks.leak import Leak

MOST = 2_000_000  # features that are not zero; of more nodes than have so many, some are drawn
ACCEPT = "data.allow_label_features"


def label_features(
    where: str,
    rows: Rows | None,
    labels_N: np.ndarray,
    classes: tuple[str, ...],
    names: Sequence[str] = (),
) -> Iterator[Leak]:
    """Features from which the class of a node, or of its graph, can be read; names: of columns."""
    if rows is None:
        return
    labelled = np.flatnonzero(labels_N != UNLABELLED)
    nodes = _sample(rows, labelled)
    labels = labels_N[nodes]
    least_CF, most_CF, counts_C = extremes(rows, nodes, labels, len(classes))
    telling = telling_columns(least_CF, most_CF, counts_C)
    way_out = "leave them out of the features, if they are made from the label"
    seen = "" if len(nodes) == len(labelled) else f" of {len(nodes):,} nodes"
    if telling.copies:
        columns = sorted(set(telling.copies.values()))
        told = ", ".join(classes[label] for label in sorted(telling.copies)[:5])
        yield Leak(
            f"{where}: the label{seen} is among the features: "
            f"{_columns(names, columns[:5])} "
            f"tell{'' if len(columns) > 1 else 's'} class {told} exactly",
            way_out,
            ACCEPT,
            grave=len(telling.copies) == int((counts_C > 0).sum()),
        )
    elif telling.ordered:
        yield Leak(
            f"{where}: {_columns(names, telling.ordered[:1])} of the features tells every "
            f"class{seen} by itself: each has a range of its own",
            way_out,
            ACCEPT,
            grave=False,
        )


def _columns(names: Sequence[str], columns: Sequence[int]) -> str:
    """Columns of the features by their names where they have some, else by number."""
    if all(column < len(names) for column in columns):
        told = ", ".join(repr(names[column]) for column in columns)
    else:
        told = f"{', '.join(map(str, columns))} (from 0)"
    return f"column{'s' if len(columns) > 1 else ''} {told}"


def extremes(
    rows: Rows, nodes: np.ndarray, labels: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The least and greatest value of each feature in each class, C×F, and the classes' sizes."""
    features = rows.shape[1]
    label_N = np.full(rows.shape[0], UNLABELLED)
    label_N[nodes] = labels
    kept = label_N[rows.row] != UNLABELLED
    values = rows.values[kept]
    cell = label_N[rows.row[kept]] * features + rows.columns[kept]
    order = np.argsort(cell, kind="stable")
    cells, starts, counts = np.unique(cell[order], return_index=True, return_counts=True)
    counts_C = np.bincount(labels, minlength=classes)
    bounds = []
    for extreme in (np.minimum, np.maximum):
        bound = np.zeros(classes * features, np.float32)
        if len(cells):
            bound[cells] = extreme.reduceat(values[order], starts)
            absent = counts < counts_C[cells // features]  # a node without it has zero
            bound[cells[absent]] = extreme(bound[cells[absent]], 0)
        bounds.append(bound.reshape(classes, features))
    return bounds[0], bounds[1], counts_C


def _sample(rows: Rows, nodes: np.ndarray) -> np.ndarray:
    each = len(rows.values) / max(1, rows.shape[0])
    most = int(MOST / max(1.0, each))
    return nodes if len(nodes) <= most else np.random.default_rng(0).permutation(nodes)[:most]


def edge_features(graph: Graph, held_out_2P: np.ndarray, negative_2P: np.ndarray) -> Iterator[Leak]:
    """Features that are rows of the adjacency matrix, in which the held-out edges stand too."""
    rows = graph.features
    if rows is None or rows.shape[1] != graph.nodes:
        return
    entries = rows.row * graph.nodes + rows.columns
    edges, others = (
        np.isin(np.concatenate([i * graph.nodes + j, j * graph.nodes + i]), entries).mean()
        for i, j in (held_out_2P, negative_2P)
    )
    if edges > 0.5 and others < 0.1:
        yield Leak(
            f"{graph.where}: {edges:.0%} of the test edges can be read from the features, which "
            f"name a node's neighbours ({others:.0%} of the pairs that are no edges)",
            "give other features, or none: data.features = identity",
            ACCEPT,
            grave=True,
        )
