"""A graph set of the user's own: JSON lines, or a folder of GraphML files."""

import codecs
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NotRequired, TypedDict

import numpy as np

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import read_file
from workings.json_files import Count, WrongJson, conform, parse
from workings.tasks.graph.features.feature_columns import from_columns
from workings.tasks.graph.features.sparse_rows import Rows
from workings.tasks.graph.graph import require_named
from workings.tasks.graph.reading.markup_files import cell, network
from workings.tasks.graph.reading.named_nodes import split_indexes
from workings.tasks.graph.reading.set_paths import LINES, is_tu_set, markup
from workings.tasks.graph.whole import tu_files
from workings.tasks.graph.whole.graph_set import GraphSet, build_set

LONGEST_LINE = 1_000_000  # bytes of a first line that tells what a file is
LABELS = ("label", "class", "y")  # graph attributes that are its label: the first present


class _Line(TypedDict):
    """A graph on a line of JSON."""

    edges: list[list[int]]
    nodes: NotRequired[
        Count
    ]  # how many; else as many as there are features, tags, or ends of edges
    features: NotRequired[list[list[float]]]
    tags: NotRequired[list[str]]  # of each node a word: each becomes a feature
    label: NotRequired[str]
    name: NotRequired[str]
    split: NotRequired[str]


class _Read(TypedDict):
    """A graph as any file gives it: its columns hold one cell a node."""

    where: str
    name: str
    label: str
    split: str
    nodes: int
    pairs_2E: np.ndarray
    columns: dict[str, list[str]]
    unused: list[str]  # what the file says besides


def read(path: Path, directed: bool, expected: Sequence[str] = ()) -> GraphSet:
    """The graphs in a file or folder, in any of the known formats; expected: see from_columns."""
    if not path.exists():
        raise WorkingsError(f"{path}: no such file or folder")
    if path.is_dir() and is_tu_set(path):
        return tu_files.read(path)
    if path.is_dir():
        files = markup(path)
        if not files:
            raise WorkingsError(
                f"{path}: holds no graphs: expected .graphml files, or NAME.txt with 10fold_idx/"
            )
        graphs = [_markup(file, path) for file in files]
    elif path.suffix in LINES:
        graphs = _lines(path)
    elif path.suffix == ".graphml":
        graphs = [_markup(path, path.parent)]
    else:
        raise WorkingsError(
            f"{path}: no graphs are read from {path.suffix or 'a file without a suffix'}; known: "
            f"{', '.join(LINES)}, .graphml, a folder of those, a folder NAME with NAME.txt"
        )
    return _together(path, graphs, directed, expected)


def begins_with_a_graph(path: Path) -> bool:
    """Whether the first of a file's JSON lines is a graph, and no snippet that has a summary."""
    try:
        with path.open("rb") as file:
            line = file.readline(LONGEST_LINE)
        first = parse(line.removeprefix(codecs.BOM_UTF8))
    except (OSError, WrongJson):
        return False
    return isinstance(first, dict) and "edges" in first and "summary" not in first


def _together(
    path: Path, graphs: Sequence[_Read], directed: bool, expected: Sequence[str]
) -> GraphSet:
    ends = sum(graph["pairs_2E"].size for graph in graphs)
    described = sum(graph["nodes"] for graph in graphs if graph["columns"])
    require_named(str(path), sum(graph["nodes"] for graph in graphs), ends + described)
    keys = list(dict.fromkeys(key for graph in graphs for key in graph["columns"]))
    cells = {
        key: [c for g in graphs for c in g["columns"].get(key, [""] * g["nodes"])] for key in keys
    }
    where = [f"{g['where']}, node {node}" for g in graphs for node in range(g["nodes"])]
    features_NF, notes, columns = from_columns(cells, where, expected)
    unused = dict.fromkeys(key for graph in graphs for key in graph["unused"])
    notes += [f"{key} is not used" for key in unused]
    made = build_set(
        str(path),
        [graph["nodes"] for graph in graphs],
        [graph["pairs_2E"] for graph in graphs],
        directed,
        None if features_NF is None else Rows.dense(features_NF),
        [graph["label"] for graph in graphs],
        [graph["name"] for graph in graphs],
        split_indexes(str(path), [graph["split"] for graph in graphs]),
        notes=notes,
    )
    return replace(made, columns=columns)


def _lines(path: Path) -> list[_Read]:
    try:
        content = read_file(path, memory_budget()).removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    graphs = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            try:
                graphs.append(_line(f"{path}, line {number}", number, line))
            except WrongJson as error:
                raise WorkingsError(f"{path}, line {number}: is no graph ({error})") from None
    if not graphs:
        raise WorkingsError(f"{path}: is empty; each of its lines is a graph")
    return graphs


def _line(where: str, number: int, line: bytes) -> _Read:
    given = parse(line)
    number_label = given.get("label") if isinstance(given, dict) else None
    if isinstance(given, dict) and isinstance(number_label, int):
        given["label"] = str(int(number_label))
    graph = conform(given, _Line)
    features, tags = graph.get("features"), graph.get("tags")
    if any(len(pair) != 2 for pair in graph["edges"]):
        raise WrongJson("edges: each is a pair of nodes, [0, 1]")
    largest = max((max(pair) for pair in graph["edges"]), default=-1)
    counts = {len(each) for each in (features, tags) if each is not None}
    nodes = graph.get("nodes", min(counts) if counts else largest + 1)
    require_named(where, nodes, 2 * len(graph["edges"]) + sum(counts))
    if counts - {nodes}:
        raise WrongJson(f"{nodes} nodes, but features or tags of {max(counts - {nodes})}")
    columns: dict[str, list[str]] = {}
    if features is not None:
        widths = Counter(map(len, features))
        if len(widths) > 1:
            raise WrongJson(f"features: rows of {' and '.join(map(str, sorted(widths)))} numbers")
        for node, row in enumerate(features):
            if not all(map(_is_finite, row)):
                raise WrongJson(f"features: of node {node} are not all finite numbers")
        for column in range(next(iter(widths), 0)):
            columns[f"feature {column}"] = [repr(row[column]) for row in features]
    if tags is not None:
        columns["tag"] = tags
    pairs_2E = np.array(graph["edges"], np.int64).reshape(-1, 2).T
    name = graph.get("name") or str(number)
    label, split = graph.get("label", ""), graph.get("split", "")
    return _Read(
        where=where, name=name, label=label, split=split, nodes=nodes, pairs_2E=pairs_2E,
        columns=columns, unused=[key for key in graph if key not in _Line.__annotations__],
    )  # fmt: skip


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _markup(path: Path, root: Path) -> _Read:
    """A GraphML file: its label is a graph attribute, or the name of the folder it stands in."""
    read = network(path)
    about: dict[str, object] = read.graph
    nodes: dict[object, dict[str, object]] = dict(read.nodes(data=True))
    number = {node: at for at, node in enumerate(nodes)}
    keys = dict.fromkeys(key for each in nodes.values() for key in each)
    ends = [(number[source], number[target]) for source, target in read.edges()]
    label = next((str(about[key]) for key in LABELS if about.get(key) is not None), "")
    if not label and path.parent != root:
        label = path.parent.name
    return _Read(
        where=str(path),
        name=str(path.relative_to(root)),
        label=label,
        split=str(about.get("split", "")),
        nodes=len(nodes),
        pairs_2E=np.array(ends, np.int64).reshape(-1, 2).T,
        columns={key: [cell(each.get(key)) for each in nodes.values()] for key in keys},
        unused=[f"the edges' {key}" for _, _, each in read.edges(data=True) for key in each],
    )
