"""Graphs from files, whatever their form: tables, edge lists, GraphML and GML are read here."""

# N nodes, E edges, F features

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workings.errors import WorkingsError
from workings.tasks.graph import npz_files as graph_archive
from workings.tasks.graph import planetoid
from workings.tasks.graph.graph import SPLITS, UNLABELLED, Graph, build
from workings.tasks.graph.sparse_rows import Rows

LISTS = (".edges", ".edgelist", ".csv", ".tsv", ".txt")
SUFFIXES = (".npz", ".graphml", ".gml", *LISTS)
SPLIT_NAMES = {"": "", "train": "train", "valid": "valid", "val": "valid", "test": "test"}


def read(path: Path, directed: bool, weighted: bool) -> Graph:
    """The graph in a file or folder, whatever its form."""
    if path.is_dir():
        if (path / "edges.csv").is_file():
            return tables(path, directed, weighted)
        found = planetoid.names(path)
        if len(found) == 1:
            return planetoid.read(path, found[0])
        raise WorkingsError(
            f"{path}: holds no graph: expected edges.csv (and nodes.csv), or one set of "
            f"Planetoid's files ind.NAME.* (found {', '.join(found) or 'none'})"
        )
    if not path.exists():
        raise WorkingsError(f"{path}: no such file or folder")
    if path.name.startswith("ind."):
        return planetoid.read(path.parent, path.name.split(".")[1])
    match path.suffix:
        case ".npz":
            return graph_archive.read(path, directed, weighted)
        case ".graphml" | ".gml":
            return markup(path, directed, weighted)
        case suffix if suffix in LISTS:
            return edge_list(path, directed, weighted)
    raise WorkingsError(
        f"{path}: no graph is read from {path.suffix or 'a file without a suffix'}; known: "
        f"{', '.join(SUFFIXES)}, a folder with edges.csv"
    )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of text, without comments and blank ones."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file, 1):
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, line
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not text in UTF-8") from None


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """A CSV file's header, and its rows with their lines' numbers."""
    rows = []
    for number, line in _lines(path):
        fields = next(csv.reader([line]))
        rows.append((number, [field.strip() for field in fields]))
        if len(fields) != len(rows[0][1]):
            raise WorkingsError(
                f"{path}, line {number}: {len(fields)} fields, the header has {len(rows[0][1])}"
            )
    if not rows:
        raise WorkingsError(f"{path}: is empty; its first line names its columns")
    return rows[0][1], rows[1:]


def tables(folder: Path, directed: bool, weighted: bool) -> Graph:
    """nodes.csv: id, label?, split?, any features; edges.csv: source, target, weight?

    Without nodes.csv the nodes are those that the edges name.
    """
    path = folder / "edges.csv"
    header, rows = _table(path)
    for name in ("source", "target", *(["weight"] if weighted else [])):
        if name not in header:
            raise WorkingsError(f"{path}: has no column {name!r} (it has {', '.join(header)})")
    ends = [header.index("source"), header.index("target")]
    edges = [(number, row[ends[0]], row[ends[1]]) for number, row in rows]
    weights = None
    if weighted:
        at = header.index("weight")
        weights = [_number(path, number, "weight", row[at]) for number, row in rows]
    if not (folder / "nodes.csv").exists():
        return _named(str(folder), edges, weights, directed)
    header, rows = _table(folder / "nodes.csv")
    if "id" not in header:
        raise WorkingsError(f"{folder}/nodes.csv: has no column 'id' (it has {', '.join(header)})")
    columns = {name: [row[at] for _, row in rows] for at, name in enumerate(header)}
    lines = [number for number, _ in rows]
    features = [name for name in header if name not in ("id", "label", "split")]
    table = [
        [_number(folder / "nodes.csv", number, name, columns[name][at]) for name in features]
        for at, number in enumerate(lines)
    ]
    return _named(
        str(folder),
        edges,
        weights,
        directed,
        columns["id"],
        columns.get("label"),
        columns.get("split"),
        np.array(table, np.float64) if features else None,
    )


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise WorkingsError(
            f"{path}, line {line}: {column} is {text!r}, expected a number"
        ) from None


def _named(
    where: str,
    edges: Sequence[tuple[int, str, str]],
    weights: list[float] | None,
    directed: bool,
    names: list[str] | None = None,
    labels: list[str] | None = None,
    splits: list[str] | None = None,
    table: np.ndarray | None = None,
) -> Graph:
    """A graph whose nodes go by names; an edge comes with the line it stands on."""
    given = names is not None
    names = names if names is not None else _in_order(edges)
    places = {name: at for at, name in enumerate(names)}
    if len(places) < len(names):
        twice = next(name for at, name in enumerate(names) if places[name] != at)
        raise WorkingsError(f"{where}: node {twice!r} is there twice")
    for line, *ends in edges if given else ():
        for end in ends:
            if end not in places:
                raise WorkingsError(
                    f"{where}: edge {ends[0]} to {ends[1]} (line {line}): there is no node {end!r}"
                )
    classes = sorted({label for label in labels or () if label}, key=_by_number)
    return build(
        where,
        len(names),
        np.array([[places[a], places[b]] for _, a, b in edges], np.int64).reshape(-1, 2).T,
        directed,
        None if weights is None else np.array(weights, np.float64),
        None if table is None else Rows.dense(table),
        [classes.index(x) if x else UNLABELLED for x in labels] if labels else None,
        classes,
        _splits(where, splits),
        names,
    )


def _in_order(edges: Sequence[tuple[int, str, str]]) -> list[str]:
    return sorted({end for _, *ends in edges for end in ends}, key=_by_number)


def _by_number(name: str) -> tuple[float, str]:
    """Numbers in their order, before all other names."""
    return (float(name), "") if name.isdecimal() else (float("inf"), name)


def _splits(where: str, given: list[str] | None) -> dict[str, np.ndarray]:
    if not given or not any(given):
        return {}
    for name in given:
        if name not in SPLIT_NAMES:
            raise WorkingsError(f"{where}: no split {name!r}; one of train, valid, test, or empty")
    mapped = np.array([SPLIT_NAMES[name] for name in given])
    return {split: np.nonzero(mapped == split)[0] for split in SPLITS}


def edge_list(path: Path, directed: bool, weighted: bool) -> Graph:
    """A line an edge: two names, and a weight where it is asked for; spaces, tabs or commas."""
    edges: list[tuple[int, str, str]] = []
    weights: list[float] = []
    for number, line in _lines(path):
        fields = line.replace(",", " ").split()
        if len(fields) < 2 + weighted:
            raise WorkingsError(
                f"{path}, line {number}: {line.strip()[:40]!r} is no edge; expected SOURCE TARGET"
                + (" WEIGHT" if weighted else "")
            )
        if not edges and [field.lower() for field in fields[:2]] == ["source", "target"]:
            continue
        edges.append((number, fields[0], fields[1]))
        if weighted:
            weights.append(_number(path, number, "weight", fields[2]))
    return _named(str(path), edges, weights if weighted else None, directed)


LABELS = ("label", "class", "club", "value")  # node attributes that are a label, the first there


def markup(path: Path, directed: bool, weighted: bool) -> Graph:
    """GraphML or GML: attributes `class` or `label`, `split`, `weight`; other numbers: features."""
    import networkx

    try:
        content = path.read_bytes()
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise WorkingsError(
            f"{path}: declares a document type, which is refused: entities can grow without bound"
        )
    read = networkx.read_graphml if path.suffix == ".graphml" else _read_gml
    try:
        network: Any = read(path)
    except Exception as error:  # the parsers raise a dozen kinds
        line = str(error).strip().partition("\n")[0]
        raise WorkingsError(f"{path}: cannot be read as {path.suffix[1:]} ({line})") from None
    nodes = dict(network.nodes(data=True))
    attributes = list(dict.fromkeys(key for each in nodes.values() for key in each))
    label = next((key for key in LABELS if key in attributes), None)
    features = [
        key
        for key in attributes
        if key not in (label, "split")
        and all(isinstance(each.get(key), (int, float)) for each in nodes.values())
    ]
    links = list(network.edges(data=True))
    return _named(
        str(path),
        [(0, str(a), str(b)) for a, b, _ in links],
        [float(each.get("weight", 1.0)) for _, _, each in links] if weighted else None,
        directed,
        [str(node) for node in nodes],
        [str(each.get(label, "")) for each in nodes.values()] if label else None,
        [str(each.get("split", "")) for each in nodes.values()],
        np.array([[each[key] for key in features] for each in nodes.values()], np.float64)
        if features
        else None,
    )


def _read_gml(path: Path) -> Any:
    """A node goes by its `label` there, if it has one."""
    import networkx

    try:
        return networkx.read_gml(path)
    except networkx.NetworkXError:
        return networkx.read_gml(path, label="id")
