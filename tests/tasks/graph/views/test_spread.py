"""How far information goes, against powers of the matrix; and what cannot be told apart."""

import networkx
import numpy as np
import pytest

from workings.tasks.graph.graph import Graph, build
from workings.tasks.graph.reading.small_graphs import karate, six_nodes
from workings.tasks.graph.views import spread


def random_graph(seed: int, directed: bool) -> Graph:
    draw = np.random.default_rng(seed)
    return build("r", 12, draw.integers(12, size=(2, 14)), directed)


def reached(graph: Graph, updates: int) -> np.ndarray:
    """Entry (i, j): whether i knows of j after so many updates with Ã."""
    tilde = np.eye(graph.nodes)
    tilde[graph.edges_2E[1], graph.edges_2E[0]] = 1
    return np.linalg.matrix_power(tilde, updates) > 0


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_depths_are_those_of_the_powers(seed: int, directed: bool) -> None:
    graph = random_graph(seed, directed)
    for node in range(graph.nodes):
        into, outof = spread.depths(graph, node), spread.depths(graph, node, into=False)
        for k in range(6):
            known = reached(graph, k)
            assert ((into >= 0) & (into <= k)).tolist() == known[node].tolist()
            assert ((outof >= 0) & (outof <= k)).tolist() == known[:, node].tolist()


def test_the_worked_example_takes_four_updates_by_two_ways() -> None:
    graph = six_nodes()
    ways = spread.ways_between(graph, 2, 4)
    assert ways is not None
    assert (ways.updates, ways.number) == (4, 2)
    assert ["".join(map(graph.name, way)) for way in ways.some] == ["CDBAE", "CDFAE"]


@pytest.mark.parametrize("seed", range(5))
def test_ways_are_all_the_shortest_ones_or_none(seed: int) -> None:
    graph = random_graph(seed, directed=True)
    network = networkx.DiGraph(graph.edges_2E.T.tolist())
    network.add_nodes_from(range(graph.nodes))
    for source in range(graph.nodes):
        for target in range(graph.nodes):
            ways = spread.ways_between(graph, source, target)
            if not networkx.has_path(network, source, target):
                assert ways is None
                continue
            assert ways is not None
            expected = sorted(networkx.all_shortest_paths(network, source, target))
            assert ways.updates == len(expected[0]) - 1
            assert ways.number == len(expected)
            assert ways.some == expected[:20]


def test_fields_are_the_mean_of_what_every_node_knows() -> None:
    graph = karate()
    for row in spread.fields(graph, 4):
        counts = reached(graph, row["updates"]).sum(1)
        assert row["mean"] == pytest.approx(counts.mean())
        assert row["most"] == counts.max()
        assert row["share"] == pytest.approx(counts.mean() / 34)


def test_equal_closed_neighbourhoods() -> None:
    """A triangle with a tail; a pair on its own; a node on its own."""
    graph = build("t", 7, np.array([[0, 0, 1, 2, 4], [1, 2, 2, 3, 5]]), False)
    assert spread.indistinguishable(graph) == [[0, 1], [4, 5]]
    assert spread.indistinguishable(six_nodes()) == []
