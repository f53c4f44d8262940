"""Parts of a graph: exact where all neighbours are taken, right on average where they are drawn."""

import numpy as np
import pytest
import torch

from tests.nn.graph.graphs import random_edges, sparse_features
from workings.nn.graph import GAT, GCN, GGNN, GIN
from workings.nn.graph.adjacency import propagation
from workings.nn.graph.by_layers import by_layers
from workings.nn.graph.sampling import Rows, clusters, induced, sample_neighbours, take
from workings.nn.graph.sparse import Sparse

N, F, C = 30, 6, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def rows_of(normalisation: str = "symmetric") -> tuple[Rows, Sparse]:
    matrix = propagation(random_edges(N), normalisation)  # type: ignore[arg-type]
    assert isinstance(matrix, Sparse)
    return Rows.of_matrix(matrix), matrix


@pytest.mark.parametrize("normalisation", ["symmetric", "row", "none"])
def test_all_neighbours_give_the_rows_of_the_whole_graph(normalisation: str) -> None:
    rows, matrix = rows_of(normalisation)
    asked = np.array([7, 3, 29, 0])
    part = sample_neighbours(rows, asked, (N, N), np.random.default_rng(0))
    x_NF = torch.randn(N, F)
    for model in (
        GCN(F, 5, C, dropout=0.0, dropout_input=0.0),
        GGNN(F, 5, C, dropout=0.0, dropout_input=0.0),
        GIN(F, 5, C, layers=2).eval(),
    ):
        whole = model(x_NF, matrix)
        found = model(take(x_NF, part.nodes_M), part.matrix())
        torch.testing.assert_close(found[: len(asked)], whole[torch.from_numpy(asked)])


def test_attention_over_all_neighbours_is_that_of_the_whole_graph() -> None:
    edges = random_edges(N)
    rows, asked = Rows.of_edges(edges), np.array([4, 11])
    part = sample_neighbours(rows, asked, (N, N), np.random.default_rng(0))
    model, x_NF = GAT(F, 4, C, heads=2).eval(), torch.randn(N, F)
    whole = model(*model.prepare(x_NF, edges))
    found = model(*model.prepare(take(x_NF, part.nodes_M), part.edges()))
    torch.testing.assert_close(found[:2], whole[[4, 11]])


def test_a_drawn_sum_is_right_on_average_and_no_longer_than_the_fan_out() -> None:
    rows, matrix = rows_of()
    dense = matrix.dense().double().numpy()
    draw, total = np.random.default_rng(0), np.zeros(N)
    rounds = 2000
    for _ in range(rounds):
        part = sample_neighbours(rows, np.array([1]), (3,), draw)  # a hub
        inside = part.row_K == 0
        assert inside.sum() <= 3 + 1  # and its own entry
        np.add.at(total, part.nodes_M[part.column_K[inside]], part.value_K[inside])
    assert total[1] / rounds == pytest.approx(dense[1, 1])
    assert total / rounds == pytest.approx(dense[1], abs=0.15 * float(dense[1].max()))


def test_the_same_draw_gives_the_same_part() -> None:
    rows, _ = rows_of()
    one, other = (
        sample_neighbours(rows, np.array([1, 2]), (2, 2), np.random.default_rng([1, 2, 3]))
        for _ in range(2)
    )
    assert np.array_equal(one.nodes_M, other.nodes_M)
    assert np.array_equal(one.value_K, other.value_K)


def test_clusters_hold_every_node_once_and_their_edges() -> None:
    rows, matrix = rows_of()
    parts = clusters(rows, 4)
    assert sorted(np.concatenate(parts).tolist()) == list(range(N))
    part = induced(rows, parts[2])
    at = torch.from_numpy(part.nodes_M)
    torch.testing.assert_close(part.matrix().dense(), matrix.dense()[at][:, at])


def test_taken_features_are_those_of_the_nodes() -> None:
    x, nodes = sparse_features(N, F), np.array([5, 0, 29, 5])
    found = take(x, nodes)
    assert isinstance(found, Sparse)
    assert torch.equal(found.dense(), x.dense()[torch.from_numpy(nodes)])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        GCN(F, 5, C, layers=3, residual=True),
        GCN(F, 5, None, normalisation="softmax"),
        GAT(F, 4, C, heads=2, output_heads=3, residual=True),
        GAT(F, 4, C, heads=2, version=2),
        GAT(F, 4, None, heads=2),
    ],
)
def test_layer_by_layer_is_the_whole_network(model: GCN | GAT, sparse: bool) -> None:
    model.double().eval()
    x, edges = sparse_features(N, F), random_edges(N, directed=True)
    x_NF = x if sparse else x.dense()
    whole = model(*model.prepare(x_NF, edges))
    for entries in (1, 7, 10_000):
        torch.testing.assert_close(by_layers(model, x_NF, edges, entries), whole)
