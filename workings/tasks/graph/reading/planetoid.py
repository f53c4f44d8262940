"""Planetoid's published files, ind.NAME.{x,tx,allx,y,ty,ally,graph,test.index}."""

# N nodes, F features, C classes

from pathlib import Path

import numpy as np

from workings.data.named_graphs import PLANETOID_PARTS as PARTS
from workings.data.readers import pickles
from workings.errors import WorkingsError
from workings.files import read_file
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import UNLABELLED, Graph, build

VALID = 500  # nodes after the training ones


def names(folder: Path) -> list[str]:
    """The sets whose files are in a folder."""
    return sorted(path.name.split(".")[1] for path in folder.glob("ind.*.graph"))


def read(folder: Path, name: str) -> Graph:
    """The graph with its public split: the nodes of x, the next 500, and those of test.index.

    The test nodes come last, in a mixed order that test.index tells; a number that is missing there
    is a node without features and label. Self-loops are left out, and an edge counts once, as
    in the published results.
    """
    where = str(folder / f"ind.{name}")
    files = {part: folder / f"ind.{name}.{part}" for part in PARTS}
    for path in files.values():
        if not path.is_file():
            raise WorkingsError(f"{path}: no such file; Planetoid's set has {', '.join(PARTS)}")
    held = {part: pickles.read(path) for part, path in files.items() if part != "test.index"}
    try:
        graph = _neighbours(held["graph"], files["graph"])
        return _assembled(where, held, graph, _test_nodes(files["test.index"]))
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        line = str(error).partition("\n")[0]
        raise WorkingsError(f"{where}.*: do not fit together ({line})") from None


def _test_nodes(path: Path) -> np.ndarray:
    try:
        return np.array([int(line) for line in read_file(path).split()], np.int64)
    except ValueError:
        raise WorkingsError(f"{path}: expected a node's number on every line") from None
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None


def _neighbours(graph: object, path: Path) -> dict[int, list[int]]:
    """Those of each node; a long list that is given to many nodes has more edges than the file."""
    if not isinstance(graph, dict):
        raise TypeError("the graph is no dict of neighbours")
    listed = sum(len(neighbours) for neighbours in graph.values())
    if listed > path.stat().st_size:
        raise ValueError(f"the graph lists {listed:,} neighbours, more than its file has bytes")
    return graph


def _assembled(
    where: str, held: dict[str, object], graph: dict[int, list[int]], test: np.ndarray
) -> Graph:
    allx, tx = (_rows(held[part]) for part in ("allx", "tx"))
    y, ally, ty = (_array(held[part]) for part in ("y", "ally", "ty"))
    known, nodes = allx.shape[0], max(int(test.max()) + 1, len(graph))
    if not (len(ally) == known and len(test) == len(ty) == tx.shape[0] and test.min() >= known):
        raise ValueError("features, labels and test.index count different nodes")
    if nodes > 10 * (known + len(test)):
        raise ValueError(f"test.index names node {nodes - 1:,}")
    labels_N = np.full(nodes, UNLABELLED)
    labels_N[:known], labels_N[test] = _classes(ally), _classes(ty)
    features = Rows.of(
        np.concatenate([allx.row, test[tx.row]]),
        np.concatenate([allx.columns, tx.columns]),
        np.concatenate([allx.values, tx.values]),
        (nodes, allx.shape[1]),
    )
    pairs = [(i, j) for i, neighbours in graph.items() for j in neighbours if i != j]
    train = len(y)
    return build(
        where,
        nodes,
        np.array(pairs, np.int64).reshape(-1, 2).T,
        False,
        features=features,
        labels=labels_N,
        classes=[str(label) for label in range(ally.shape[1])],
        splits={
            "train": np.arange(train),
            "valid": np.arange(train, min(train + VALID, known)),
            "test": np.sort(test),
        },
    )


def _array(value: object) -> np.ndarray:
    if not isinstance(value, pickles.PickledArray) or value.value is None:
        raise TypeError("labels that are no array")
    return value.value


def _rows(matrix: object) -> Rows:
    if not isinstance(matrix, pickles.PickledMatrix):
        raise TypeError("features that are no sparse matrix")
    starts, columns, values = (matrix.array(key) for key in ("indptr", "indices", "data"))
    shape = matrix.attributes.get("_shape") or matrix.attributes["shape"]
    if not isinstance(shape, tuple):
        raise TypeError("a sparse matrix without a shape")
    nodes, width = shape
    consistent = len(starts) == nodes + 1 and starts[0] == 0 and (np.diff(starts) >= 0).all()
    if not consistent or starts[-1] != len(columns) or len(columns) != len(values):
        raise ValueError("a sparse matrix whose parts do not fit together")
    if len(columns) and not 0 <= columns.min() <= columns.max() < width:
        raise ValueError("a sparse matrix with a column outside it")
    row = np.repeat(np.arange(nodes), np.diff(starts))
    return Rows.of(row, columns.astype(np.int64), values, (nodes, width))


def _classes(onehot: np.ndarray) -> np.ndarray:
    """One-hot rows as classes; a row of zeros is a node without a label."""
    if not (np.isin(onehot, (0, 1)).all() and (onehot.sum(1) <= 1).all()):
        raise ValueError("labels that are not one-hot")
    return np.where(onehot.any(1), onehot.argmax(1), UNLABELLED)
