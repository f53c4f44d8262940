"""Graph convolution against dense algebra, forward and backward, every normalisation."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.nn.graph.graphs import (
    assert_like_dense,
    dense_adjacency,
    dense_propagation,
    permuted,
    random_edges,
    sparse_features,
)
from workings.nn.graph.adjacency import NORMALISATIONS, Normalisation
from workings.nn.graph.adjacency import propagation as of
from workings.nn.graph.gcn import GCN, GraphConvolution
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.reading.small_graphs import six_nodes

N, F, C = 9, 6, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(**config: Any) -> GCN:
    settings = {"hidden": 4, "dropout": 0.0, "dropout_input": 0.0, **config}
    model = GCN(F, classes=C, **settings).double()
    for layer in model.layers:
        if layer.b is not None:
            torch.nn.init.normal_(layer.b)
    return model


def plain(model: GCN, a_NN: Tensor, x_NF: Tensor) -> Tensor:
    h = x_NF
    for depth, layer in enumerate(model.layers):
        before, h = h, a_NN @ h @ layer.W + (0 if layer.b is None else layer.b)
        if model.residual and before.shape == h.shape:
            h = h + before
        if depth < len(model.layers) - 1:
            h = h.clamp(min=0)
    return h


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_sparse_is_dense(normalisation: Normalisation, sparse: bool) -> None:
    model = model_of(normalisation=normalisation, layers=3, residual=True)
    edges = random_edges(N, directed=True, weighted=True)
    a_NN = dense_propagation(dense_adjacency(edges), normalisation)
    assert_like_dense(model, lambda x: plain(model, a_NN, x), edges, sparse_features(N, F), sparse)


def test_features_propagated_beforehand_change_nothing() -> None:
    """Â X is made once where no dropout precedes it; with dropout it is not."""
    edges, x_NF = random_edges(N), torch.randn(N, F, dtype=torch.double)
    kept, not_kept = model_of(), model_of(dropout_input=0.5)
    not_kept.load_state_dict(kept.state_dict())
    inputs, others = kept.prepare(x_NF, edges), not_kept.prepare(x_NF, edges)
    assert inputs[2:] == (True,)
    assert len(others) == 2
    torch.testing.assert_close(kept(*inputs), not_kept.eval()(*others))


def test_identity_features_are_propagated_beforehand_as_a_sparse_matrix() -> None:
    graph = six_nodes()
    edges, x = graph_data.edges(graph), graph_data.features(graph, "sum")
    model = GCN(6, 16, 2, dropout=0.0, dropout_input=0.0)
    ax, a_hat, propagated = model.prepare(x, edges)
    assert propagated is True
    torch.testing.assert_close(ax.dense(), a_hat.dense())
    torch.testing.assert_close(model(ax, a_hat, True), model(x, a_hat))


@pytest.mark.parametrize("sparse", [False, True])
def test_a_residual_of_the_features_needs_them_as_they_are(sparse: bool) -> None:
    model, edges = model_of(residual=True, hidden=F), random_edges(N)
    a_NN = dense_propagation(dense_adjacency(edges), "symmetric")
    assert_like_dense(model, lambda x: plain(model, a_NN, x), edges, sparse_features(N, F), sparse)


@pytest.mark.parametrize("classes", [2, 12])
def test_the_narrower_side_is_propagated(classes: int) -> None:
    """Both orders give the same; which is taken is seen in the width that Â meets."""
    layer, widths = GraphConvolution(F, classes).double(), []

    class Seen:
        def __init__(self, a_hat: Any) -> None:
            self.a_hat = a_hat

        def __matmul__(self, x_ND: Tensor) -> Tensor:
            widths.append(x_ND.shape[1])
            return self.a_hat @ x_ND

    x_NF = torch.randn(N, F, dtype=torch.double)
    a_hat = of(random_edges(N), "symmetric", torch.double)
    found = layer(Seen(a_hat), x_NF)
    torch.testing.assert_close(found, a_hat.dense() @ x_NF @ layer.W + layer.b)
    assert widths == [min(F, classes)]


def test_a_plain_sparse_tensor_is_taken_too() -> None:
    layer, edges = GraphConvolution(F, C).double(), random_edges(N)
    x_NF = torch.randn(N, F, dtype=torch.double)
    a_hat = of(edges, "symmetric", torch.double)
    plain_tensor = a_hat.dense().to_sparse_coo()
    torch.testing.assert_close(layer(plain_tensor, x_NF), layer(a_hat, x_NF))


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_nodes_in_another_order_give_rows_in_that_order(normalisation: Normalisation) -> None:
    model, edges = model_of(normalisation=normalisation), random_edges(N, directed=True)
    x_NF, order_N = torch.randn(N, F, dtype=torch.double), torch.randperm(N)
    moved = model(*model.prepare(x_NF[order_N], permuted(edges, order_N)))
    torch.testing.assert_close(moved, model(*model.prepare(x_NF, edges))[order_N])


def test_every_update_reaches_one_edge_further() -> None:
    """C and E of the worked example are four edges apart: three layers do not see it, four do."""
    edges = graph_data.edges(six_nodes())
    for layers, reached in ((3, False), (4, True)):
        torch.manual_seed(3)
        model = GCN(6, 32, 2, layers, dropout=0.0, dropout_input=0.0).double()
        x_NF = torch.rand(6, 6, dtype=torch.double, requires_grad=True)
        model(*model.prepare(x_NF, edges))[4].sum().backward()
        assert x_NF.grad is not None
        assert bool(x_NF.grad[2].any()) is reached


def test_nodes_with_the_same_closed_neighbourhood_are_indistinguishable() -> None:
    """A triangle with a tail: two of its nodes have the same closed neighbourhood."""
    from workings.nn.graph.adjacency import EdgeList

    pairs = [(0, 1), (0, 2), (1, 2), (2, 3)]
    both = sorted([(i, j) for i, j in pairs] + [(j, i) for i, j in pairs])
    edges = EdgeList(torch.tensor(both).t().flip(0), None, 4, symmetric=True)
    model = model_of(normalisation="self-loops")
    rows = model(*model.prepare(torch.randn(4, F, dtype=torch.double), edges))
    torch.testing.assert_close(rows[0], rows[1])
    assert not torch.allclose(rows[0], rows[2])


def test_dropout_is_of_training_only_and_of_both_kinds() -> None:
    edges, x_NF = random_edges(N), torch.randn(N, F, dtype=torch.double)
    for config in ({"dropout": 0.5}, {"dropout_input": 0.5}):
        model = model_of(**config)
        inputs = model.prepare(x_NF, edges)
        assert not torch.equal(model(*inputs), model(*inputs))
        model.eval()
        assert torch.equal(model(*inputs), model(*inputs))


def test_settings_change_the_model() -> None:
    assert len(model_of(layers=4).layers) == 4
    assert model_of(bias=False).layers[0].b is None
    assert model_of(hidden=5).layers[0].W.shape == (F, 5)
    first = model_of().first()
    assert [tuple(weight.shape) for weight in first] == [(F, 4), (4,)]
