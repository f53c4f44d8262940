"""Every normalisation against its definition, on graphs with all that can be odd about one."""

import pytest
import torch

from tests.nn.graph.graphs import dense_adjacency, dense_propagation, permuted, random_edges
from workings.nn.graph.adjacency import NORMALISATIONS, EdgeList, Normalisation, RankOnePlusSparse
from workings.nn.graph.adjacency import propagation as of
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.reading.small_graphs import six_nodes

N, D = 9, 4


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_sparse_is_dense(normalisation: Normalisation, directed: bool, weighted: bool) -> None:
    """Â itself, Â x, and the gradient Âᵀ g."""
    edges = random_edges(N, directed, weighted)
    expected_NN = dense_propagation(dense_adjacency(edges), normalisation)
    a_hat = of(edges, normalisation, torch.double)
    close(a_hat.dense(), expected_NN)
    x_ND = torch.randn(N, D, dtype=torch.double, requires_grad=True)
    g_ND = torch.randn(N, D, dtype=torch.double)
    (a_hat @ x_ND).backward(g_ND)
    close(a_hat @ x_ND, expected_NN @ x_ND)
    assert x_ND.grad is not None
    close(x_ND.grad, expected_NN.t() @ g_ND)
    assert torch.autograd.gradcheck(lambda x: a_hat @ x, (x_ND,))


def test_softmax_is_never_dense() -> None:
    a_hat = of(random_edges(N), "softmax")
    assert isinstance(a_hat, RankOnePlusSparse)
    assert a_hat.entries < N * N


def test_a_node_without_edges_has_a_row_of_zeros_and_no_nan() -> None:
    edges = random_edges(N)
    assert not (edges.edges_2E == N - 1).any()
    for normalisation in ("none", "row", "symmetric-no-loops"):
        assert of(edges, normalisation).dense()[-1].tolist() == [0] * N
    for normalisation in ("self-loops", "row-self-loops", "symmetric"):
        assert of(edges, normalisation).dense()[-1].tolist() == [0] * (N - 1) + [1]


def test_a_self_loop_that_is_there_is_not_added_again() -> None:
    edges = random_edges(N)
    assert of(edges, "none").dense()[0, 0] == 1
    assert of(edges, "self-loops").dense()[0, 0] == 1


def test_the_symmetric_one_is_symmetric_to_the_last_bit() -> None:
    a_NN = of(random_edges(40, weighted=True), "symmetric").dense()
    assert torch.equal(a_NN, a_NN.t())


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_nodes_in_another_order_are_the_same_graph(normalisation: Normalisation) -> None:
    edges = random_edges(N, directed=True, weighted=True)
    order_N = torch.randperm(N)
    moved = of(permuted(edges, order_N), normalisation, torch.double).dense()
    close(moved, of(edges, normalisation, torch.double).dense()[order_N][:, order_N])


def test_the_worked_example() -> None:
    """Ã, its degrees and Â's row sums of the six-node graph, as they are by hand."""
    edges = graph_data.edges(six_nodes())
    tilde_NN = of(edges, "self-loops").dense()
    rows = ["110011", "110100", "001100", "011101", "100010", "100101"]
    assert ["".join(str(int(v)) for v in row) for row in tilde_NN] == rows
    assert tilde_NN.sum(1).tolist() == [4, 3, 2, 4, 2, 3]
    a_hat_NN = of(edges, "symmetric", torch.double).dense()
    sums = [1.181, 0.911, 0.854, 1.181, 0.854, 0.911]
    assert a_hat_NN.sum(1).tolist() == pytest.approx(sums, abs=5e-4)
    assert a_hat_NN[0, 4].item() == pytest.approx(1 / 8**0.5)
    assert of(edges, "row", torch.double).dense().sum(1).tolist() == pytest.approx([1] * 6)


def test_a_directed_edge_is_taken_by_its_target() -> None:
    edges = EdgeList(torch.tensor([[0], [1]]), None, 2, symmetric=False)
    x_ND = torch.tensor([[5.0], [7.0]])
    assert (of(edges, "none") @ x_ND).tolist() == [[0.0], [5.0]]


def test_pairs_in_any_order_become_a_list_of_edges() -> None:
    pairs_2E = torch.tensor([[3, 0, 2, 0], [1, 1, 2, 1]])
    both = EdgeList.of(pairs_2E, 4)
    assert both.edges_2E.tolist() == [[1, 0, 3, 2, 1], [0, 1, 1, 2, 3]]
    assert both.symmetric
    directed = EdgeList.of(pairs_2E, 4, directed=True)
    assert directed.edges_2E.tolist() == [[0, 3, 2], [1, 1, 2]]
    assert not directed.symmetric
