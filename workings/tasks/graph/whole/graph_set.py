"""Many graphs, each with a class: their nodes and edges side by side, checked."""

# G graphs, N nodes of all graphs, E edges of all graphs, F features

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch

from workings.errors import WorkingsError, nearest
from workings.names import require_characters
from workings.nn.graph.adjacency import EdgeList
from workings.nn.graph.batch import GraphBatch
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import UNLABELLED, filled_words

MOST_DEGREES = 64  # columns that stand in for features: a node's number of neighbours


@dataclass(frozen=True)
class GraphSet:
    """Graphs side by side: the nodes of graph g are start_G1[g] to start_G1[g + 1] - 1.

    edges_2E: as in `Graph`, by the numbers of all nodes. folds: of each, its test graphs.
    unit: sentences follow each other in a text, so that neighbours are alike.
    """

    where: str
    start_G1: np.ndarray
    edges_2E: np.ndarray
    features: Rows | None
    labels_G: np.ndarray
    classes: tuple[str, ...]
    names: tuple[str, ...]
    splits: dict[str, np.ndarray]
    folds: tuple[np.ndarray, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = "graph"  # what one of them is
    columns: tuple[str, ...] = ()  # what each feature is, where the data says so

    def __len__(self) -> int:
        return len(self.labels_G)

    @property
    def nodes(self) -> int:
        """How many nodes all graphs have together."""
        return int(self.start_G1[-1])

    @cached_property
    def batch(self) -> GraphBatch:
        """All graphs as one."""
        edges = EdgeList(torch.from_numpy(self.edges_2E), None, self.nodes, self.symmetric)
        return GraphBatch(edges, torch.from_numpy(self.start_G1))

    @cached_property
    def symmetric(self) -> bool:
        """Whether every edge is there in both directions."""
        forth, back = (i * self.nodes + j for i, j in (self.edges_2E, self.edges_2E[::-1]))
        return bool(np.isin(forth, back).all())

    def x(self, degrees: int = 0) -> Rows:
        """The features; where there are none, a column for each number of neighbours.

        degrees: how many columns; more neighbours than that count as the last. 0: as fit the data.
        """
        if self.features is not None:
            return self.features
        degree_N = np.bincount(self.edges_2E[1], minlength=self.nodes)
        columns = degrees or min(MOST_DEGREES, int(degree_N.max(initial=0)) + 1)
        ones_N = np.ones(self.nodes, np.float32)
        column_N = np.minimum(degree_N, columns - 1)
        return Rows.of(np.arange(self.nodes), column_N, ones_N, (self.nodes, columns))

    def graph(self, name: str) -> int:
        """The number of the graph of that name, or an error that offers the nearest name."""
        if name not in self.names:
            raise WorkingsError(
                f"{self.where}: no graph {name!r}{nearest(name, self.names[:5000])}; the first is "
                f"{self.names[0]!r}"
            )
        return self.names.index(name)

    def with_classes(self, classes: tuple[str, ...]) -> "GraphSet":
        """The same with the classes in that order, which may be more."""
        for name in self.classes:
            if name not in classes:
                raise WorkingsError(
                    f"{self.where}: has a class {name!r}{nearest(name, classes)}, which the model "
                    f"does not know; it knows {', '.join(classes)}"
                )
        order = np.array([*(classes.index(name) for name in self.classes), UNLABELLED], np.int64)
        return replace(self, labels_G=order[self.labels_G], classes=classes)

    def checksum(self) -> str:
        """SHA-256 of the content, whatever files it was read from."""
        total = hashlib.sha256("\n".join([*self.classes, "", *self.names]).encode())
        parts = [self.start_G1, self.edges_2E, self.labels_G, *self.splits.values(), *self.folds]
        if self.features is not None:
            rows = self.features
            parts += [rows.starts, rows.columns, rows.values, np.array(rows.shape)]
        for part in parts:
            kind = np.float32 if part.dtype.kind == "f" else np.int64
            total.update(np.ascontiguousarray(part, kind).tobytes() + b"\n")
        return total.hexdigest()


def build_set(
    where: str,
    sizes: Sequence[int],
    pairs: Sequence[np.ndarray],
    directed: bool,
    features: Rows | None,
    labels: Sequence[str],
    names: Sequence[str],
    splits: dict[str, np.ndarray] | None = None,
    folds: Sequence[np.ndarray] = (),
    notes: Sequence[str] = (),
) -> GraphSet:
    """A set of what files say, checked; `where` begins every error.

    sizes: nodes of each graph. pairs: 2×E of each, its nodes numbered from 0. labels: "" where a
    graph has none. names: of the graphs, for its errors.
    """
    if not len(sizes):
        raise WorkingsError(f"{where}: holds no graphs")
    for size, pairs_2E, name in zip(sizes, pairs, names, strict=True):
        if size == 0:
            raise WorkingsError(f"{where}: graph {name} is empty: it has no nodes")
        if pairs_2E.size and not 0 <= pairs_2E.min() <= pairs_2E.max() < size:
            worst = pairs_2E.max() if pairs_2E.max() >= size else pairs_2E.min()
            raise WorkingsError(
                f"{where}: graph {name} has an edge to node {worst}, which does not exist: its "
                f"nodes are 0 to {size - 1:,}"
            )
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise WorkingsError(f"{where}: graph {twice!r} is there twice")
    require_characters(where, (*names, *labels, *notes))
    start_G1 = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    nodes = int(start_G1[-1])
    moved = [
        np.asarray(p, np.int64).reshape(2, -1) + s for p, s in zip(pairs, start_G1, strict=False)
    ]
    all_2E = np.concatenate(moved, 1)
    both_2E = all_2E if directed else np.concatenate([all_2E, all_2E[::-1]], 1)
    i_E, j_E = np.divmod(np.unique(both_2E[1] * nodes + both_2E[0]), nodes)
    classes = tuple(sorted({label for label in labels if label}))
    number = {name: label for label, name in enumerate(classes)} | {"": UNLABELLED}
    all_notes = list(notes)
    if features is not None:
        features, missing = features.filled()
        if missing:
            all_notes.append(filled_words(missing))
    else:
        all_notes.append("no features: each node's number of neighbours stands in, one column each")
    single = sum(size == 1 for size in sizes)
    if single:
        all_notes.append(f"{single:,} graphs of one node")
    return GraphSet(
        where,
        start_G1,
        np.stack([j_E, i_E]),
        features,
        np.array([number[label] for label in labels], np.int64),
        classes,
        tuple(names),
        splits or {},
        tuple(folds),
        tuple(all_notes),
    )
