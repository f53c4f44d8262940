"""Graphs in GraphML and GML, read through networkx."""

import io
import re
import xml.parsers.expat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workings.data.readers.unpack import memory_budget
from workings.errors import WorkingsError
from workings.files import read_file
from workings.tasks.graph.features.column_roles import roles
from workings.tasks.graph.features.feature_columns import from_columns
from workings.tasks.graph.graph import Graph
from workings.tasks.graph.reading.named_nodes import NamedEdge, build_named

if TYPE_CHECKING:
    import networkx

# Of all nodes and attributes together, where few are given: the others become missing features.
MOST_CELLS, MOST_MISSING = 10_000_000, 20
LABELS = ("label", "class", "club", "value")  # node attributes that are a label: the first present


def read(path: Path, directed: bool, weighted: bool, label: str = "") -> Graph:
    """Node attributes `class` or `label`, `split`, `type` and `text`; edges' `weight`, `relation`.

    Other attributes of nodes are features: numbers, or words, of which each becomes one; or texts.
    label: the attribute that is the class, if it goes by another name.
    """
    read_network = network(path)
    nodes: dict[object, dict[str, object]] = dict(read_network.nodes(data=True))
    attributes = list(dict.fromkeys(key for each in nodes.values() for key in each))
    links = list(read_network.edges(data=True))
    cells, given = len(nodes) * len(attributes), sum(map(len, nodes.values()))
    if cells > MOST_CELLS and cells > MOST_MISSING * given:
        raise WorkingsError(
            f"{path}: has {len(attributes):,} attributes of {len(nodes):,} nodes, of which "
            "most nodes lack most; give each node the same few"
        )
    columns = {key: [cell(each.get(key)) for each in nodes.values()] for key in attributes}
    role = roles(columns, LABELS, label, str(path))
    features_NF, made, columns_of = from_columns(
        role.features, [f"{path}, node {node}" for node in nodes]
    )
    notes = [*role.notes, *made]
    on_edges = dict.fromkeys(key for *_, each in links for key in each)
    notes += [f"edges' {key} is not used" for key in on_edges if key not in ("weight", "relation")]
    if "weight" in on_edges and not weighted:
        notes.append("edges' weight is not used: data.weighted = true takes it")
    if read_network.is_directed() and not directed:
        notes.append("edges' direction is not used: data.directed = true takes it")
    graph = build_named(
        str(path),
        [NamedEdge(0, str(source), str(target)) for source, target, _ in links],
        [_weight(path, *link) for link in links] if weighted else None,
        directed,
        [str(node) for node in nodes],
        [str(each.get(role.label, "")) for each in nodes.values()] if role.label else None,
        [str(each.get("split", "")) for each in nodes.values()],
        features_NF,
        notes,
        columns.get("type"),
        [cell(each.get("relation")) for *_, each in links] if "relation" in on_edges else None,
        texts=role.texts,
    )
    return replace(graph, categories=role.categories, columns=columns_of)


def cell(value: object) -> str:
    """An attribute as a cell of a table; true and false are 1 and 0."""
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)


def _weight(
    path: Path, source: object, target: object, attributes: dict[str, str | float]
) -> float:
    weight = attributes.get("weight", 1.0)
    try:
        return float(weight)
    except (ValueError, TypeError, OverflowError):
        raise WorkingsError(
            f"{path}: the edge from {source!r} to {target!r} has weight {str(weight)[:40]!r}, "
            "expected a number"
        ) from None


def network(path: Path) -> "networkx.Graph":
    """The file as networkx reads it; what it cannot read is one line."""

    try:
        content = read_file(path, memory_budget())
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        if path.suffix == ".graphml":
            _require_one_graph(content, path)
            return _graphml(content)
        return _gml(content)
    except WorkingsError:
        raise
    except RecursionError:
        raise WorkingsError(f"{path}: is nested too deeply") from None
    except Exception as error:  # the parsers raise a dozen kinds
        line = str(error).strip().partition("\n")[0]
        raise WorkingsError(f"{path}: cannot be read as {path.suffix[1:]} ({line})") from None


class _Types(dict[str, type]):
    """The types of attributes; one that GraphML has not (graph-tool's vector_float) is text."""

    def __missing__(self, name: str) -> type:
        return str


def _graphml(content: bytes) -> "networkx.Graph":
    from networkx.readwrite import graphml

    reader = graphml.GraphMLReader()
    reader.python_type = _Types(reader.python_type)
    if graphs := list(reader(path=io.BytesIO(content))):
        return graphs[0]
    return graphml.read_graphml(io.BytesIO(content))  # without a name space: it adds one


def _gml(content: bytes) -> "networkx.Graph":
    """A node goes by its `label`, if each has one; an edge may be there twice, undeclared."""
    import networkx

    several = re.sub(rb"\bgraph\s*\[", b"graph [ multigraph 1", content, count=1)
    for text in (content, several):
        for label in ("label", "id"):
            try:
                return networkx.read_gml(io.BytesIO(text), label=label)
            except networkx.NetworkXError as error:
                last = error
        if "duplicated" not in str(last):
            break
    raise last


def _require_one_graph(content: bytes, path: Path) -> None:
    """Refuse what networkx would drop without a word, and a document type.

    Entities can grow without bound. The parser is asked, for a text may be in any encoding.
    """
    inside: list[str] = []
    graphs, nodes = 0, set[str]()

    def refuse(*declared: object) -> None:
        raise WorkingsError(
            f"{path}: declares a document type, which is refused: entities can grow without bound"
        )

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal graphs
        kind, node = name.rpartition(":")[2], attributes.get("id", "")
        graphs += kind == "graph"
        if kind == "graph" and "node" in inside:
            raise WorkingsError(f"{path}: has a graph within a node; such graphs are not read")
        if graphs > 1:
            raise WorkingsError(
                f"{path}: holds several graphs; give each a file of its own, all in one folder"
            )
        if kind == "node" and node in nodes:
            raise WorkingsError(f"{path}: node {node[:40]!r} is there twice")
        nodes.update([node] if kind == "node" else [])
        inside.append(kind)

    parser = xml.parsers.expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: inside.pop()
    parser.Parse(content, True)
