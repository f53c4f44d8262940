"""The gated graph network against its equations, one node at a time."""

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
from workings.nn.graph.ggnn import GGNN

N, F, C, D = 9, 6, 3, 4


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(**config: Any) -> GGNN:
    settings = {"hidden": D, "dropout": 0.0, "dropout_input": 0.0, **config}
    return GGNN(F, classes=C, **settings).double()


def plain(model: GGNN, a_NN: Tensor, x_NF: Tensor) -> Tensor:
    """The gates written out: r, z, n of torch's GRU, in that order."""
    cell = model.gru
    h = x_NF @ model.W + model.b
    for _ in range(model.steps):
        m = a_NN @ (h @ model.M)
        given = (m @ cell.weight_ih.t() + cell.bias_ih).split(D, 1)
        kept = (h @ cell.weight_hh.t() + cell.bias_hh).split(D, 1)
        r, z = (torch.sigmoid(given[k] + kept[k]) for k in (0, 1))
        n = torch.tanh(given[2] + r * kept[2])
        h = (1 - z) * n + z * h
    return h @ model.output.weight.t() + model.output.bias


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("normalisation", NORMALISATIONS)
def test_sparse_is_dense(normalisation: Normalisation, sparse: bool) -> None:
    model, edges = model_of(steps=3, normalisation=normalisation), random_edges(N, directed=True)
    a_NN = dense_propagation(dense_adjacency(edges), normalisation)
    assert_like_dense(model, lambda x: plain(model, a_NN, x), edges, sparse_features(N, F), sparse)


def test_nodes_in_another_order_give_rows_in_that_order() -> None:
    model, edges = model_of(), random_edges(N, directed=True)
    x_NF, order_N = torch.randn(N, F, dtype=torch.double), torch.randperm(N)
    moved = model(*model.prepare(x_NF[order_N], permuted(edges, order_N)))
    torch.testing.assert_close(moved, model(*model.prepare(x_NF, edges))[order_N])


def test_each_dropout_is_of_training_only() -> None:
    edges, x_NF = random_edges(N), torch.randn(N, F, dtype=torch.double)
    for name in ("dropout", "dropout_input"):
        model = model_of(**{name: 0.5})
        inputs = model.prepare(x_NF, edges)
        assert not torch.equal(model(*inputs), model(*inputs))
        model.eval()
        assert torch.equal(model(*inputs), model(*inputs))


def test_more_steps_need_no_more_weights() -> None:
    one, many = model_of(steps=1), model_of(steps=7)
    many.load_state_dict(one.state_dict())
    inputs = one.prepare(torch.randn(N, F, dtype=torch.double), random_edges(N))
    assert not torch.allclose(one(*inputs), many(*inputs))
    assert [tuple(weight.shape) for weight in one.first()] == [(F, D), (D,)]
