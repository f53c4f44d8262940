"""Graphs in NumPy archives (.npz): our own format, and gnn-benchmark's."""

# N nodes, E edges, F features

import io
from pathlib import Path

import numpy as np

from workings.data.readers import npz
from workings.errors import WorkingsError
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import MOST_CLASSES, UNLABELLED, Graph, build, require_named
from workings.tasks.graph.types import Types, build_types, empty_relations

_OURS = ("edge_index", "edge_weight", "x_indptr", "x_indices", "x_data", "x_shape", "x", "y")
_INDEXES = {"train": "train_idx", "valid": "val_idx", "test": "test_idx"}
_TYPED = ("node_type", "edge_type")
_WORDS = ("types", "relations", "names", "text", "classes", "notes")
_SPARSE = ("data", "indices", "indptr", "shape")
_THEIRS = [f"{part}_{key}" for part in ("adj", "attr") for key in _SPARSE]


def read(path: Path, directed: bool, weighted: bool) -> Graph:
    """A NumPy archive: edge_index 2×E (and edge_weight), x as N×F or in CSR form, y, *_idx.

    Or in gnn-benchmark's format: adj_data … and attr_data … in CSR form, labels.
    """
    wanted = [*_OURS, *_INDEXES.values(), "unlabelled_idx", *_THEIRS, "labels", *_TYPED, *_WORDS]
    present = npz.names(path)
    held = npz.read(path, [name for name in wanted if name in present])
    words = {name: _words(path, name, held.pop(name)) for name in _WORDS if name in held}
    for name in held:
        held[name] = _numbers(path, name, held[name])
    notes = [*words.get("notes", ()), *(f"{n} is not used" for n in present if n not in wanted)]
    if "adj_indptr" in held:
        adjacency = _rows(path, held, "adj")
        labels: np.ndarray | None = _need(path, held, "labels")
        edges_2E = np.stack([adjacency.row, adjacency.columns])
        weight_E = adjacency.values if weighted else None
        features = _rows(path, held, "attr") if "attr_indptr" in held else None
    else:
        edges_2E = _need(path, held, "edge_index")
        if edges_2E.ndim != 2 or edges_2E.shape[0] != 2:
            raise WorkingsError(f"{path}: edge_index has shape {edges_2E.shape}, expected (2, E)")
        weight_E = _need(path, held, "edge_weight") if weighted else None
        features = _features(path, held)
        labels = held.get("y")
    if labels is None:
        nodes = features.shape[0] if features else int(edges_2E.max(initial=-1)) + 1
        require_named(str(path), nodes, edges_2E.size + (nodes if features else 0))
    else:
        nodes = len(labels)
    if labels is not None and "unlabelled_idx" in held:
        unlabelled = held["unlabelled_idx"]
        if len(unlabelled) and not 0 <= unlabelled.min() <= unlabelled.max() < nodes:
            raise WorkingsError(f"{path}: unlabelled_idx names nodes outside 0 to {nodes - 1:,}")
        labels[unlabelled] = UNLABELLED
    if weight_E is not None and len(weight_E) != edges_2E.shape[1]:
        raise WorkingsError(f"{path}: {len(weight_E):,} weights for {edges_2E.shape[1]:,} edges")
    if "edge_weight" in held and not weighted:
        notes.append("edge_weight is not used: data.weighted = true takes it")
    splits = {s: held[key] for s, key in _INDEXES.items() if key in held}
    types = _types(path, held, words, nodes, edges_2E)
    for name in ("names", "text"):
        if name in words and len(words[name]) != nodes:
            raise WorkingsError(f"{path}: {len(words[name]):,} {name} for {nodes:,} nodes")
    return build(
        str(path), nodes, edges_2E, directed, weight_E, features, labels,
        splits=splits, names=words.get("names"), notes=[*notes, *empty_relations(types)],
        types=types, texts=words.get("text"), classes=words.get("classes", ()),
    )  # fmt: skip


def _types(
    path: Path,
    held: dict[str, np.ndarray],
    words: dict[str, list[str]],
    nodes: int,
    edges_2E: np.ndarray,
) -> Types | None:
    """node_type and edge_type, numbers from 0; types and relations, their names."""
    given: dict[str, list[str] | None] = {}
    for key, called, count in (
        ("node_type", "types", nodes),
        ("edge_type", "relations", edges_2E.shape[1]),
    ):
        numbers = held.get(key)
        if numbers is None:
            given[key] = None
            continue
        if len(numbers) != count:
            raise WorkingsError(f"{path}: {key} has {len(numbers):,} entries, expected {count:,}")
        most = min(MOST_CLASSES, int(numbers.max(initial=-1)) + 1)
        known = words.get(called) or [str(n) for n in range(most)]
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(known):
            raise WorkingsError(
                f"{path}: {key} holds {numbers.min()} or {numbers.max()}, which is none of the "
                f"{len(known)} {called} {', '.join(known[:5])}"
            )
        given[key] = [known[n] for n in numbers]
    if given["node_type"] is None and given["edge_type"] is None:
        return None
    return build_types(
        str(path), given["node_type"], given["edge_type"], edges_2E, nodes, words.get("names"),
        declared=words.get("relations", ()) if given["edge_type"] is not None else (),
    )  # fmt: skip


def _words(path: Path, name: str, array: np.ndarray) -> list[str]:
    if array.dtype.kind != "U" or array.ndim != 1:
        raise WorkingsError(f"{path}: {name} holds {array.dtype}, expected one row of words")
    return [str(word) for word in array]


_REAL = ("x", "x_data", "attr_data", "adj_data", "edge_weight")  # the others are whole numbers
_FLAT = ("y", "labels", "unlabelled_idx", "edge_weight", *_TYPED, *_INDEXES.values())


def _numbers(path: Path, name: str, array: np.ndarray) -> np.ndarray:
    """The array, of the type and shape that one of this name must have."""
    if array.dtype.kind not in "biuf":
        raise WorkingsError(f"{path}: {name} holds {array.dtype}, not numbers")
    if array.ndim != 1 and (name in _FLAT or name.endswith(("_indptr", "_indices"))):
        raise WorkingsError(f"{path}: {name} has shape {array.shape}, expected one row")
    if name in _REAL:
        return array
    if array.dtype.kind == "f" and not ((np.abs(array) < 2**53) & (array == np.round(array))).all():
        raise WorkingsError(f"{path}: {name} holds fractions, expected whole numbers")
    if array.dtype.kind == "u" and array.max(initial=0) >= 2**63:
        raise WorkingsError(f"{path}: {name} holds {array.max()}, more than 63 bits")
    return array.astype(np.int64)


def _need(path: Path, held: dict[str, np.ndarray], name: str) -> np.ndarray:
    if name not in held:
        raise WorkingsError(f"{path}: has no array {name!r}; is it a graph?")
    return held[name]


def _features(path: Path, held: dict[str, np.ndarray]) -> Rows | None:
    if "x_indptr" in held:
        return _rows(path, held, "x")
    if "x" not in held:
        return None
    if held["x"].ndim != 2:
        raise WorkingsError(f"{path}: x has shape {held['x'].shape}, expected (nodes, features)")
    return Rows.dense(held["x"])


def _rows(path: Path, held: dict[str, np.ndarray], part: str) -> Rows:
    """A CSR matrix from its arrays, which may be anything."""
    starts, columns = (_need(path, held, f"{part}_{key}") for key in ("indptr", "indices"))
    sizes = _need(path, held, f"{part}_shape").ravel()
    values = held.get(f"{part}_data", np.ones(len(columns), np.float32))
    shape = (int(sizes[0]), int(sizes[1])) if len(sizes) == 2 else (-1, -1)
    consistent = (
        min(shape) >= 0
        and values.ndim == 1
        and len(starts) == shape[0] + 1
        and starts[0] == 0
        and bool((np.diff(starts) >= 0).all())
        and starts[-1] == len(columns) == len(values)
        and (not len(columns) or 0 <= columns.min() <= columns.max() < shape[1])
    )
    if not consistent:
        raise WorkingsError(
            f"{path}: {part}_indptr, _indices, _data and _shape do not fit together"
        )
    return Rows.of(np.repeat(np.arange(shape[0]), np.diff(starts)), columns, values, shape)


def write(graph: Graph) -> bytes:
    """The archive of a graph, in our own format."""
    arrays: dict[str, np.ndarray] = {
        "edge_index": graph.edges_2E.astype(np.int32),
        "y": graph.labels_N.astype(np.int16),
        **{_INDEXES[split]: nodes.astype(np.int32) for split, nodes in graph.splits.items()},
    }
    if graph.weight_E is not None:
        arrays["edge_weight"] = graph.weight_E
    if graph.features is not None:
        rows = graph.features
        arrays |= {"x_indptr": rows.starts, "x_indices": rows.columns, "x_data": rows.values}
        arrays["x_shape"] = np.array(rows.shape)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()
