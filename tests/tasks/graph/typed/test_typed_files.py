"""Types and relations from every format: the same graph, and each slip in one line."""

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
import torch

from tests.tasks.graph.typed.films import csv_folder, edges, nodes, split_folder
from workings.errors import WorkingsError
from workings.run.given_data import data_keys
from workings.tasks import TASKS
from workings.tasks.graph import Graph, read
from workings.tasks.graph.config import GraphConfig
from workings.tasks.graph.dataset import load


def named(graph: Graph) -> tuple[set[tuple[str, str, str]], set[tuple[str, str]]]:
    """Triples and types by their names."""
    assert graph.types is not None
    triples = {
        (graph.name(s), graph.types.relations[r], graph.name(t))
        for s, r, t in graph.types.triples_3E.T.tolist()
    }
    kinds = {(graph.name(n), graph.types.types[k]) for n, k in enumerate(graph.types.type_N)}
    return triples, kinds


WRITTEN = set(edges()), set(nodes())


def test_one_table_or_one_a_type(tmp_path: Path) -> None:
    for folder in (csv_folder(tmp_path / "one"), split_folder(tmp_path / "many")):
        assert named(read(folder, directed=False, weighted=False)) == WRITTEN


def test_networkx(tmp_path: Path) -> None:
    network = networkx.MultiDiGraph()
    for name, kind in nodes():
        network.add_node(name, type=kind)
    for source, relation, target in edges():
        network.add_edge(source, target, relation=relation, since=1999)
    graph = load(GraphConfig(**data_keys(TASKS["graph"], network), predict="edges"))
    assert named(graph) == WRITTEN
    assert "edges' since is not used" in graph.notes


def numbered() -> tuple[dict[str, int], dict[str, list[list[int]]]]:
    """The place of each node among those of its type, and the pairs of each relation."""
    place: dict[str, int] = {}
    seen: dict[str, int] = {}
    for name, kind in nodes():
        place[name] = seen.get(kind, 0)
        seen[kind] = place[name] + 1
    pairs: dict[str, list[list[int]]] = {}
    for source, relation, target in edges():
        pairs.setdefault(relation, []).append([place[source], place[target]])
    return seen, pairs


def test_hetero_data() -> None:
    geometric = pytest.importorskip("torch_geometric.data")
    counts, pairs = numbered()
    data = geometric.HeteroData()
    for kind, count in counts.items():
        data[kind].num_nodes = count
    data["film"].x = torch.rand(counts["film"], 2)
    data["film"].y = torch.arange(counts["film"]) % 2
    data["film"].poster = torch.zeros(counts["film"])
    data["user", "likes", "film"].edge_index = torch.tensor(pairs["likes"]).t()
    data["film", "has_genre", "genre"].edge_index = torch.tensor(pairs["has_genre"]).t()
    data["user", "rates", "film"].edge_index = torch.empty(2, 0, dtype=torch.long)
    graph = load(GraphConfig(**data_keys(TASKS["graph"], data)))
    triples, kinds = named(graph)
    letter = {"user": "u", "film": "m", "genre": "g"}

    def ours(name: str) -> str:
        kind, _, place = name.partition(":")
        return f"{letter[kind]}{place}"

    assert {(ours(s), r, ours(t)) for s, r, t in triples} == WRITTEN[0]
    assert {(ours(name), kind) for name, kind in kinds} == WRITTEN[1]
    assert "film's poster is not used" in graph.notes
    assert "relation rates has no edges" in graph.notes
    films = graph.types.nodes_of(1) if graph.types else np.zeros(0)
    assert np.allclose(graph.x().table(np.float32)[films], data["film"].x)
    assert graph.classes == ("film 0", "film 1")


def test_data_with_edge_types() -> None:
    geometric = pytest.importorskip("torch_geometric.data")
    ends = torch.tensor([[0, 1, 0], [1, 2, 1]])
    data = geometric.Data(edge_index=ends, edge_type=torch.tensor([0, 1, 1]), pos=torch.rand(3, 2))
    graph = load(GraphConfig(**data_keys(TASKS["graph"], data), predict="edges"))
    assert graph.types is not None
    assert graph.types.triples_3E.T.tolist() == [[0, 0, 1], [0, 1, 1], [1, 1, 2]]
    assert graph.edges == 2
    assert "pos is not used" in graph.notes


def test_nodes_with_types_and_edges_without_relations(tmp_path: Path) -> None:
    folder = csv_folder(tmp_path / "one")
    lines = [line.rpartition(",")[0] for line in (folder / "edges.csv").read_text().splitlines()]
    (folder / "edges.csv").write_text("\n".join(lines) + "\n")
    graph = read(folder, directed=False, weighted=False)
    assert graph.types is not None
    assert set(graph.types.relations) == {"user-film", "film-genre"}


def changed(folder: Path, file: str, old: str, new: str) -> Path:
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return folder


BAD: dict[str, tuple[str, str, str, str]] = {
    "a node without a type": ("nodes.csv", "u3,user", "u3,", "node 'u3' has no type"),
    "an edge without a relation": ("edges.csv", "m0,g0,has_genre", "m0,g0,", "has no relation"),
    "a wrong end": (
        "edges.csv",
        "m0,g0,has_genre",
        "m0,u0,has_genre",
        r"has_genre goes from film to (genre|user), but the edge m\d+ to [gu]\d+ \(line \d+\)",
    ),
    "an unknown node": ("edges.csv", "m0,g0", "m0,g9", "there is no node 'g9'"),
}


@pytest.mark.parametrize("case", BAD)
def test_slips_are_one_line(case: str, tmp_path: Path) -> None:
    file, old, new, message = BAD[case]
    folder = changed(csv_folder(tmp_path / "one"), file, old, new)
    with pytest.raises(WorkingsError, match=message) as raised:
        read(folder, directed=False, weighted=False)
    assert "\n" not in str(raised.value)


def test_a_relation_without_edges_is_noted(tmp_path: Path) -> None:
    folder = split_folder(tmp_path / "many")
    (folder / "edges-rates.csv").write_text("source,target\n")
    assert "relation rates has no edges" in read(folder, directed=False, weighted=False).notes


def test_types_of_an_archive_that_do_not_fit(tmp_path: Path) -> None:
    good: dict[str, Any] = {
        "edge_index": np.array([[0, 1], [1, 2]]),
        "edge_type": np.array([0, 1]),
        "node_type": np.array([0, 0, 1]),
        "types": np.array(["a", "b"]),
    }
    bad = {
        "holds 0 or 7, which is none of the 2 types": {"node_type": np.array([0, 0, 7])},
        "edge_type has 3 entries, expected 2": {"edge_type": np.array([0, 1, 1])},
        "types holds int64, expected one row of words": {"types": np.array([1, 2])},
    }
    for message, change in bad.items():
        np.savez(tmp_path / "g.npz", **(good | change))
        with pytest.raises(WorkingsError, match=message):
            read(tmp_path / "g.npz", directed=False, weighted=False)
