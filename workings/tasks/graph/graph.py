"""A graph as arrays: nodes, edges, features, labels; checked, in one canonical order."""

# N nodes, E edges, F features

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from workings.errors import WorkingsError, nearest
from workings.names import require_characters
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.types import Types

UNLABELLED = -1
SPLITS = ("train", "valid", "test")
MOST_CLASSES = 10_000
MOST_UNNAMED, MOST_GAPS = 1_000_000, 20  # nodes that nothing is said of; and for each that is named
Label = Callable[[int], str]  # a node's name


@dataclass(frozen=True)
class Graph:
    """A graph; where it comes from is `where`, for its errors.

    edges_2E: from row 0 to row 1, sorted by row 1, then row 0, none twice; an undirected edge is
    there in both directions. labels_N: UNLABELLED where none is known.
    """

    where: str
    edges_2E: np.ndarray
    weight_E: np.ndarray | None
    features: Rows | None
    labels_N: np.ndarray
    classes: tuple[str, ...]
    directed: bool
    splits: dict[str, np.ndarray] = field(default_factory=dict)
    names: tuple[str, ...] | None = None  # of the nodes; None: they are numbers
    repeated: int = 0  # edges given that were given before, in either direction if undirected
    notes: tuple[str, ...] = ()  # what reading had to decide
    types: Types | None = None  # of nodes and edges, where there are several
    texts: tuple[str, ...] = ()  # of the nodes, where they have any
    categories: tuple[str, ...] = ()  # columns of the nodes that might be their class
    columns: tuple[str, ...] = ()  # what each feature is, where the data says so
    turned: int = 0  # of the repeated ones, those given the other way round

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.labels_N)

    @property
    def edges(self) -> int:
        """How many there are, an undirected one counted once."""
        if self.directed:
            return self.edges_2E.shape[1]
        return int((self.edges_2E[0] <= self.edges_2E[1]).sum())

    def name(self, node: int) -> str:
        """The name of a node; its number where nodes have no names."""
        return self.names[node] if self.names else str(node)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The number of each node, by its name."""
        return {self.name(node): node for node in range(self.nodes)}

    def node(self, name: str) -> int:
        """The number of the node with that name, or an error that offers the nearest name."""
        if name not in self.by_name:
            known = list(self.by_name)[:5000]
            span = f"0 to {self.nodes - 1:,}" if self.names is None else f"as {known[0]!r}"
            raise WorkingsError(
                f"{self.where}: no node {name!r}{nearest(name, known)}; nodes are {span}"
            )
        return self.by_name[name]

    def x(self) -> Rows:
        """The features; a graph that has none tells its nodes apart by the identity matrix."""
        return self.features or Rows.identity(self.nodes)

    def checksum(self) -> str:
        """SHA-256 of the content, whatever file it was read from."""
        total = hashlib.sha256(f"{self.nodes} {self.directed} {self.classes}".encode())
        parts = [self.edges_2E, self.weight_E, self.labels_N]
        parts += [self.splits.get(split) for split in SPLITS]
        if self.features:
            rows = self.features
            parts += [rows.starts, rows.columns, rows.values, np.array(rows.shape)]
        for part in parts:
            kind = np.float32 if part is not None and part.dtype.kind == "f" else np.int64
            total.update(b"-" if part is None else np.ascontiguousarray(part, kind).tobytes())
            total.update(b"\n")
        total.update("\n".join(self.names or ()).encode())
        if self.texts:
            total.update("\0".join(self.texts).encode())
        if self.types is not None:
            total.update("\n".join([*self.types.types, "", *self.types.relations]).encode())
            for part in (self.types.type_N, self.types.triples_3E):
                total.update(np.ascontiguousarray(part, np.int64).tobytes())
        return total.hexdigest()


def build(
    where: str,
    nodes: int,
    edges_2E: np.ndarray,
    directed: bool,
    weight_E: np.ndarray | None = None,
    features: Rows | None = None,
    labels: Sequence[int] | np.ndarray | None = None,
    classes: Sequence[str] = (),
    splits: dict[str, np.ndarray] | None = None,
    names: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    types: Types | None = None,
    texts: Sequence[str] | None = None,
) -> Graph:
    """A graph of what a file says, checked and in order; `where` begins every error.

    A feature that is missing (NaN) is filled with the mean of its column, and that is noted.
    """
    if nodes == 0:
        raise WorkingsError(f"{where}: the graph is empty: it has no nodes")
    edges_2E = np.asarray(edges_2E, np.int64).reshape(2, -1)
    if edges_2E.shape[1] == 0:
        raise WorkingsError(f"{where}: the graph has {nodes:,} nodes and no edges between them")
    label: Label = (lambda node: names[node]) if names else str
    _check_ends(where, edges_2E, nodes)
    if weight_E is not None:
        _check_weights(where, weight_E)
    repeated, turned = _given_again(edges_2E, nodes, directed)
    edges_2E, weight_E = _canonical(where, edges_2E, weight_E, nodes, directed, label)
    labels_N = np.full(nodes, UNLABELLED) if labels is None else np.asarray(labels, np.int64)
    if len(labels_N) != nodes:
        raise WorkingsError(f"{where}: {len(labels_N):,} labels for {nodes:,} nodes")
    classes = tuple(classes) or _numbered_classes(where, labels_N, label)
    if len(set(classes)) < len(classes):
        raise WorkingsError(f"{where}: two classes have one name ({', '.join(classes[:5])})")
    typed = (*types.types, *types.relations) if types else ()
    require_characters(where, (*classes, *(names or ()), *(texts or ()), *notes, *typed))
    _check_labels(where, labels_N, classes, label)
    if features is not None:
        _check_features(where, features, nodes, label)
        features, missing = features.filled()
        if missing:
            notes = [*notes, filled_words(missing)]
    return Graph(
        where,
        edges_2E,
        weight_E,
        features,
        labels_N,
        classes,
        directed,
        _checked_splits(where, splits or {}, labels_N, label),
        tuple(names) if names else None,
        repeated,
        tuple(notes),
        types,
        tuple(texts or ()),
        turned=turned,
    )


def filled_words(missing: int) -> str:
    """The note on features that were missing."""
    features = "feature filled with its" if missing == 1 else "features filled with their"
    return f"{missing:,} missing {features} column's mean"


def require_named(where: str, nodes: int, named: int) -> None:
    """Refuse a number of nodes that alone would fill the memory.

    named: how often edges, features and labels name a node.
    """
    if nodes > MOST_UNNAMED and nodes > MOST_GAPS * named:
        raise WorkingsError(
            f"{where}: has {nodes:,} nodes, of which almost none has an edge, a feature or a "
            "label; number the nodes from 0, without gaps"
        )


def _numbered_classes(where: str, labels_N: np.ndarray, label: Label) -> tuple[str, ...]:
    """The classes 0 to the largest label."""
    largest = int(labels_N.max())
    if largest >= MOST_CLASSES:
        raise WorkingsError(
            f"{where}: node {label(int(labels_N.argmax()))!r} has label {largest:,}; labels number "
            f"the classes from 0, at most {MOST_CLASSES:,} of them"
        )
    return tuple(str(number) for number in range(largest + 1))


def _check_ends(where: str, edges_2E: np.ndarray, nodes: int) -> None:
    bad = np.nonzero((edges_2E < 0) | (edges_2E >= nodes))
    if len(bad[0]):
        end, edge = int(bad[0][0]), int(bad[1][0])
        raise WorkingsError(
            f"{where}: edge {edge:,} goes {('from', 'to')[end]} node {edges_2E[end, edge]}, "
            f"which does not exist: the nodes are 0 to {nodes - 1:,}"
        )


def _check_weights(where: str, weight_E: np.ndarray) -> None:
    with np.errstate(over="ignore"):  # what is too large for float32 is infinite there
        bad = np.nonzero(~np.isfinite(weight_E.astype(np.float32)) | (weight_E < 0))[0]
    if len(bad):
        raise WorkingsError(
            f"{where}: edge {bad[0]:,} has weight {weight_E[bad[0]]}; weights are finite and not "
            "negative (data.weighted = false leaves them out)"
        )


def _given_again(edges_2E: np.ndarray, nodes: int, directed: bool) -> tuple[int, int]:
    """How many edges were given before, and how many of those the other way round.

    Where every undirected edge is given in both directions, that is how the file writes them.
    """
    low_E, high_E = np.sort(edges_2E, 0)
    ways = len(np.unique(edges_2E[0] * nodes + edges_2E[1]))
    pairs = ways if directed else len(np.unique(low_E * nodes + high_E))
    loops = len(np.unique(low_E[low_E == high_E]))
    turned = ways - pairs if ways - pairs < pairs - loops else 0
    return edges_2E.shape[1] - ways + turned, turned


def _canonical(
    where: str,
    edges_2E: np.ndarray,
    weight_E: np.ndarray | None,
    nodes: int,
    directed: bool,
    label: Label,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Both directions of an undirected edge, each once, sorted."""
    given = edges_2E[1] * nodes + edges_2E[0]
    if not directed:
        given = np.concatenate([given, edges_2E[0] * nodes + edges_2E[1]])
        weight_E = None if weight_E is None else np.concatenate([weight_E, weight_E])
    keys, first, key_of = np.unique(given, return_index=True, return_inverse=True)
    if weight_E is not None:
        differ = np.nonzero(weight_E != weight_E[first][key_of])[0]
        if len(differ):
            i, j = divmod(int(given[differ[0]]), nodes)
            both = weight_E[first[key_of[differ[0]]]], weight_E[differ[0]]
            raise WorkingsError(
                f"{where}: the edge from {label(j)!r} to {label(i)!r} is given with weights "
                f"{both[0]:g} and {both[1]:g}; give it once"
            )
        weight_E = weight_E[first].astype(np.float32)
    i_E, j_E = np.divmod(keys, nodes)
    return np.stack([j_E, i_E]), weight_E


def _check_labels(where: str, labels_N: np.ndarray, classes: Sequence[str], label: Label) -> None:
    bad = np.nonzero((labels_N < UNLABELLED) | (labels_N >= len(classes)))[0]
    if len(bad):
        raise WorkingsError(
            f"{where}: node {label(bad[0])!r} has label {labels_N[bad[0]]}, outside the "
            f"{len(classes)} classes 0 to {len(classes) - 1} ({UNLABELLED}: no label)"
        )


def _check_features(where: str, rows: Rows, nodes: int, label: Label) -> None:
    if rows.shape[0] != nodes:
        raise WorkingsError(f"{where}: features of {rows.shape[0]:,} nodes, labels of {nodes:,}")
    bad = np.nonzero(np.isinf(rows.values))[0]
    if len(bad):
        raise WorkingsError(
            f"{where}: feature {rows.columns[bad[0]]} of node {label(rows.row[bad[0]])!r} is "
            f"{rows.values[bad[0]]}; features are finite numbers"
        )


def _checked_splits(
    where: str, splits: dict[str, np.ndarray], labels_N: np.ndarray, label: Label
) -> dict[str, np.ndarray]:
    """The splits, sorted: every node is in one at most, exists, and has a label."""
    taken: dict[int, str] = {}
    for split, nodes in splits.items():
        if len(nodes) and not 0 <= nodes.min() <= nodes.max() < len(labels_N):
            raise WorkingsError(
                f"{where}: the {split} split names node {nodes.min()} or {nodes.max()}; "
                f"the nodes are 0 to {len(labels_N) - 1:,}"
            )
        for node in nodes.tolist():
            if node in taken:
                raise WorkingsError(
                    f"{where}: node {label(node)!r} is in the {taken[node]} split and in {split}"
                )
            taken[node] = split
        unlabelled = nodes[labels_N[nodes] == UNLABELLED]
        if len(unlabelled):
            raise WorkingsError(
                f"{where}: node {label(unlabelled[0])!r} is in the {split} split and has no label"
            )
    return {split: np.sort(np.asarray(nodes, np.int64)) for split, nodes in splits.items()}
