"""The graph isomorphism network against torch_geometric, and its equation by hand."""

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.nn.graph.graphs import dense_adjacency, permuted, random_edges, sparse_features
from workings.nn.graph import GIN, EdgeList, GraphIsomorphism
from workings.nn.graph.adjacency import propagation

N, F, D, C = 9, 6, 4, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(**config: Any) -> GIN:
    settings = {"hidden": D, "classes": C, "dropout": 0.0, **config}
    return GIN(F, **settings).double()


def batch_norm(x_ND: Tensor, norm: Any) -> Tensor:
    scaled = (x_ND - x_ND.mean(0)) / (x_ND.var(0, correction=0) + norm.eps).sqrt()
    return scaled * norm.weight + norm.bias


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("hidden", [D, 2 * F])
def test_it_is_its_equation(sparse: bool, hidden: int) -> None:
    model, edges = model_of(hidden=hidden, learn_epsilon=True), random_edges(N, directed=True)
    for layer in model.layers:
        torch.nn.init.constant_(layer.epsilon, 0.3)
    x, a_NN = sparse_features(N, F), dense_adjacency(edges)
    x_NF = x.dense()
    h, states = x_NF, [x_NF]
    for layer in list(model.layers):
        each: Any = layer
        summed = torch.stack(
            [1.3 * h[i] + sum(a_NN[i, j] * h[j] for j in range(N)) for i in range(N)]
        )
        inner = batch_norm(summed @ each.W + each.b, each.inner_norm).relu()
        h = batch_norm(inner @ each.V + each.c, each.norm).relu()
        states.append(h)
    assert model.u is not None
    expected = sum(h @ U for h, U in zip(states, model.U, strict=True)) + model.u
    given = model(*model.prepare(x if sparse else x_NF, edges))
    torch.testing.assert_close(given, expected)


def test_a_layer_is_torch_geometrics() -> None:
    geometric = pytest.importorskip("torch_geometric.nn")
    layer, edges = GraphIsomorphism(F, D).double(), random_edges(N)
    first, second = torch.nn.Linear(F, D), torch.nn.Linear(D, D)
    parts = (first, layer.inner_norm, torch.nn.ReLU(), second, layer.norm, torch.nn.ReLU())
    theirs = geometric.GINConv(torch.nn.Sequential(*parts)).double()  # which draws new weights
    with torch.no_grad():
        for linear, W, b in ((first, layer.W, layer.b), (second, layer.V, layer.c)):
            linear.weight.copy_(W.t())
            linear.bias.copy_(b)
    x_NF = torch.randn(N, F, dtype=torch.double)
    ours = layer(propagation(edges, "none", torch.double), x_NF)
    torch.testing.assert_close(ours, theirs(x_NF, edges.edges_2E))


def test_nodes_in_another_order_give_rows_in_that_order() -> None:
    model, edges = model_of(), random_edges(N, directed=True)
    x_NF, order_N = torch.randn(N, F, dtype=torch.double), torch.randperm(N)
    moved = model(*model.prepare(x_NF[order_N], permuted(edges, order_N)))
    torch.testing.assert_close(moved, model(*model.prepare(x_NF, edges))[order_N])


def test_the_sum_counts_neighbours_that_a_mean_does_not() -> None:
    """Equal features: a node of degree two and one of degree one differ."""
    edges = EdgeList.of(torch.tensor([[0, 1], [1, 2]]), 3)
    model = model_of(layers=1).eval()
    rows = model(*model.prepare(torch.ones(3, F, dtype=torch.double), edges))
    torch.testing.assert_close(rows[0], rows[2])
    assert not torch.allclose(rows[0], rows[1])


def test_epsilon_is_learned_only_where_it_is_asked_for() -> None:
    assert not any("epsilon" in name for name, _ in model_of().named_parameters())
    names = [name for name, _ in model_of(learn_epsilon=True, layers=2).named_parameters()]
    assert sum("epsilon" in name for name in names) == 2
