"""Graphs in text files: CSV tables of nodes and edges, and edge lists."""

import csv
from collections.abc import Iterator
from pathlib import Path

from workings.data.readers.unpack import require_sane
from workings.errors import WorkingsError
from workings.tasks.graph.feature_columns import from_columns
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.named_nodes import NamedEdge, build_named


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of text, without comments and blank ones."""
    try:
        if path.exists() and not path.is_file():
            raise WorkingsError(f"{path}: is not a regular file")
        size = path.stat().st_size
        require_sane(str(path), size, size)
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file, 1):
                if "\0" in line:
                    raise WorkingsError(f"{path}, line {number}: has a NUL byte: it is not text")
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, line
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise WorkingsError(f"{path}: is not text in UTF-8") from None


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """A CSV file's header, and its rows with the numbers of their lines."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in _lines(path):
        try:
            fields = next(csv.reader([line]))
        except csv.Error as error:  # a field of more than 131,072 characters
            raise WorkingsError(f"{path}, line {number}: {error}") from None
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

    Features are numbers, or words, of which each becomes a feature (see `from_columns`).
    Without nodes.csv the nodes are those that the edges name.
    """
    path = folder / "edges.csv"
    header, rows = _table(path)
    for name in ("source", "target", *(["weight"] if weighted else [])):
        if name not in header:
            raise WorkingsError(f"{path}: has no column {name!r} (it has {', '.join(header)})")
    source, target = header.index("source"), header.index("target")
    edges = [NamedEdge(number, row[source], row[target]) for number, row in rows]
    weights = None
    if weighted:
        column = header.index("weight")
        weights = [_number(path, number, "weight", row[column]) for number, row in rows]
    if not (folder / "nodes.csv").exists():
        return build_named(str(folder), edges, weights, directed)
    header, rows = _table(folder / "nodes.csv")
    if "id" not in header:
        raise WorkingsError(f"{folder}/nodes.csv: has no column 'id' (it has {', '.join(header)})")
    columns = {name: [row[column] for _, row in rows] for column, name in enumerate(header)}
    features_NF, notes = from_columns(
        {name: cells for name, cells in columns.items() if name not in ("id", "label", "split")},
        [f"{folder / 'nodes.csv'}, line {number}" for number, _ in rows],
    )
    return build_named(
        str(folder),
        edges,
        weights,
        directed,
        columns["id"],
        columns.get("label"),
        columns.get("split"),
        features_NF,
        notes,
    )


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise WorkingsError(
            f"{path}, line {line}: {column} is {text[:40]!r}, expected a number"
        ) from None


def edge_list(path: Path, directed: bool, weighted: bool) -> Graph:
    """A line an edge: two names, and a weight where it is asked for; spaces, tabs or commas."""
    edges: list[NamedEdge] = []
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
        edges.append(NamedEdge(number, fields[0], fields[1]))
        if weighted:
            weights.append(_number(path, number, "weight", fields[2]))
    return build_named(str(path), edges, weights if weighted else None, directed)
