"""The over-smoothing curve against states and distances computed one by one."""

import pytest
import torch

from tests.nn.graph.graphs import dense_adjacency, dense_propagation
from workings.nn.graph.adjacency import NORMALISATIONS
from workings.nn.graph.gat import GraphAttention
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.reading.small_graphs import six_nodes
from workings.tasks.graph.views.smoothing import ATTENTION, Weights, attend, smoothing


def by_hand(normalisation: str, depth: int) -> float:
    """Mean distance of the rows of Â^depth, scaled to a mean square of 1, of all 15 pairs."""
    a_NN = dense_adjacency(graph_data.edges(six_nodes()))
    h_NN = torch.linalg.matrix_power(dense_propagation(a_NN, normalisation), depth)
    h_NN = h_NN / h_NN.pow(2).sum(1).mean().sqrt()
    gaps = [(h_NN[i] - h_NN[j]).norm().item() for i in range(6) for j in range(i)]
    return sum(gaps) / len(gaps)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_the_curve_without_weights(normalisation: str) -> None:
    rows = [r for r in smoothing(six_nodes(), 5, "none") if r["normalisation"] == normalisation]
    assert [row["depth"] for row in rows] == list(range(6))
    for row in rows:
        assert row["distance"] == pytest.approx(by_hand(normalisation, row["depth"]), abs=1e-9)


def test_nodes_become_alike_with_depth_and_all_at_once_under_a_dense_softmax() -> None:
    graph = graph_data.load(graph_data.GraphConfig(name="karate"))
    rows = smoothing(graph, 60, "none")
    found = {(row["normalisation"], row["depth"]): row["distance"] for row in rows}
    assert found["row", 60] < 0.01 < found["row", 0]
    assert found["softmax", 5] < 0.001


def test_random_weights_are_by_seed() -> None:
    one, same, other = (smoothing(six_nodes(), 3, "random", seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert one != smoothing(six_nodes(), 3, "none", 1)


def test_attention_is_that_of_the_attention_network() -> None:
    graph = graph_data.load(graph_data.GraphConfig(name="karate"))
    edges = graph_data.edges(graph).with_self_loops()
    torch.manual_seed(1)
    layer = GraphAttention(5, 5, bias=False).double()
    x_ND, a_D2 = torch.randn(34, 5).double(), layer.a.detach().view(2, 5).t()
    expected = layer.reference(edges.edges_2E, x_ND).detach()
    found = attend(edges, x_ND @ layer.W.detach(), a_D2)
    torch.testing.assert_close(found, expected)


def test_attention_smooths_too_being_a_mean_over_neighbours() -> None:
    graph = graph_data.load(graph_data.GraphConfig(name="karate"))
    both: tuple[Weights, Weights] = ("none", "random")
    for weights in both:
        rows = smoothing(graph, 40, weights)
        found = [row["distance"] for row in rows if row["normalisation"] == ATTENTION]
        assert found[40] < 0.1 * found[0]
