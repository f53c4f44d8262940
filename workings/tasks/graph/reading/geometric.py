"""A graph of torch_geometric's, Data or HeteroData, or a dict like it, as arrays of our archive."""

# N nodes, E edges, F features

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph.graph import UNLABELLED

MASKS = {"train_mask": "train_idx", "val_mask": "val_idx", "test_mask": "test_idx"}
PLAIN = ("edge_index", "edge_weight", "edge_type", "node_type", "x", "y")
NOT_DATA = ("num_nodes", "batch", "ptr")  # what follows from the rest


class Store(Protocol):
    """What torch_geometric keeps of the nodes of a type, or of the edges of a relation."""

    num_nodes: int | None
    x: object
    y: object
    edge_index: object

    def __contains__(self, key: str) -> bool: ...

    def __getitem__(self, key: str) -> object: ...

    def keys(self) -> Iterable[str]:
        """The names of what is kept."""


@runtime_checkable
class Hetero(Protocol):
    """A HeteroData of torch_geometric: nodes and edges of several types."""

    node_types: list[str]
    edge_types: list[tuple[str, str, str]]

    def __getitem__(self, key: str | tuple[str, str, str]) -> Store: ...


def arrays(data: object) -> dict[str, np.ndarray]:
    """The arrays of the graph, as `npz_files.read` takes them; what it does not use is noted."""
    if isinstance(data, Hetero):
        return _hetero(data)
    given = data if isinstance(data, dict) else vars(data).get("_store", data)
    held = dict(given) if isinstance(given, Mapping) or hasattr(given, "keys") else vars(given)
    if held.get("edge_index") is None:
        raise WorkingsError("data: a graph needs edge_index, the ends of its edges, 2×E")
    made = {key: _array(held[key]) for key in PLAIN if held.get(key) is not None}
    for mask, index in MASKS.items():
        if held.get(mask) is not None:
            made[index] = np.flatnonzero(_array(held[mask]))
    known = {*PLAIN, *MASKS, *NOT_DATA}
    return made | _notes([key for key in held if key not in known and held[key] is not None])


def _hetero(data: Hetero) -> dict[str, np.ndarray]:
    """Node types one after the other; the features of each in columns of their own."""
    unused: list[str] = []
    sizes = {kind: int(data[kind].num_nodes or 0) for kind in data.node_types}
    start = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
    nodes = sum(sizes.values())
    made: dict[str, np.ndarray] = {
        "types": np.array(list(sizes)),
        "node_type": np.repeat(np.arange(len(sizes)), list(sizes.values())),
        "names": np.array([f"{kind}:{n}" for kind, size in sizes.items() for n in range(size)]),
    }
    widths = {kind: _array(data[kind].x).shape[1] for kind in sizes if _has(data[kind], "x")}
    if widths:
        made["x"] = np.zeros((nodes, sum(widths.values())), np.float32)
    column, classes, y_N = 0, list[str](), np.full(nodes, UNLABELLED)
    masks: dict[str, list[np.ndarray]] = {mask: [] for mask in MASKS}
    for kind, size in sizes.items():
        store, rows = data[kind], slice(start[kind], start[kind] + size)
        if kind in widths:
            made["x"][rows, column : column + widths[kind]] = _array(store.x)
            column += widths[kind]
        if _has(store, "y"):
            labels = _array(store.y)
            names = [f"{kind} {label}" for label in range(int(labels.max(initial=-1)) + 1)]
            y_N[rows] = np.where(labels < 0, UNLABELLED, labels + len(classes))
            classes += names
        for mask, parts in masks.items():
            if _has(store, mask):
                parts.append(np.flatnonzero(_array(store[mask])) + start[kind])
        known = {"x", "y", *MASKS, *NOT_DATA}
        unused += [f"{kind}'s {key}" for key in store.keys() if key not in known]  # noqa: SIM118
    ends, relations, of_edge = [np.zeros((2, 0), np.int64)], list[str](), list[int]()
    for source, name, target in data.edge_types:
        store = data[source, name, target]
        if not _has(store, "edge_index"):
            raise WorkingsError(
                f"data: relation {name} from {source} to {target} has no edge_index"
            )
        alone = sum(name == other for _, other, _ in data.edge_types) == 1
        relations.append(name if alone else f"{source} {name} {target}")
        pairs = _array(store.edge_index)
        _check(pairs, (source, sizes[source]), (target, sizes[target]), name)
        ends.append(pairs + np.array([[start[source]], [start[target]]]))
        of_edge += [len(relations) - 1] * pairs.shape[1]
        unused += [f"{name}'s {key}" for key in store.keys() if key != "edge_index"]  # noqa: SIM118
    made["relations"], made["edge_type"] = np.array(relations), np.array(of_edge, np.int64)
    made["edge_index"] = np.concatenate(ends, 1)
    made["y"] = y_N
    if classes:
        made["classes"] = np.array(classes)
    made |= {MASKS[mask]: np.concatenate(parts) for mask, parts in masks.items() if parts}
    return made | _notes(unused)


def _check(pairs: np.ndarray, source: tuple[str, int], target: tuple[str, int], name: str) -> None:
    for row, (kind, size) in enumerate((source, target)):
        if pairs.shape[1] and not 0 <= pairs[row].min() <= pairs[row].max() < size:
            raise WorkingsError(
                f"data: relation {name} names node {pairs[row].max()} of type {kind}, which has "
                f"{size:,} nodes"
            )


def _has(store: Store, key: str) -> bool:
    return key in store and store[key] is not None


def _notes(unused: list[str]) -> dict[str, np.ndarray]:
    return {"notes": np.array([f"{key} is not used" for key in unused])} if unused else {}


def _array(value: object) -> np.ndarray:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
