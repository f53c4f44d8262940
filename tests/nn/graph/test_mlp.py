"""The control: linear layers on the features, and no use of the graph at all."""

from typing import Any

import pytest
import torch

from tests.nn.graph.graphs import random_edges, sparse_features
from workings.nn.graph.mlp import MLP

N, F, C = 9, 6, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(**config: Any) -> MLP:
    settings = {"hidden": 4, "dropout": 0.0, "dropout_input": 0.0, **config}
    return MLP(F, classes=C, **settings).double()


def test_values_are_those_of_linear_layers_and_the_graph_is_ignored() -> None:
    model, x = model_of(layers=3), sparse_features(N, F)
    for bias in model.b:
        torch.nn.init.normal_(bias)
    h = x.dense()
    for depth, (W, b) in enumerate(zip(model.W, model.b, strict=True)):
        h = (h.relu() if depth else h) @ W + b
    for edges in (random_edges(N), random_edges(N, directed=True)):
        torch.testing.assert_close(model(*model.prepare(x, edges)), h)
        torch.testing.assert_close(model(*model.prepare(x.dense(), edges)), h)


def test_each_dropout_is_of_training_only() -> None:
    for name in ("dropout", "dropout_input"):
        model = model_of(**{name: 0.5})
        inputs = model.prepare(torch.randn(N, F, dtype=torch.double), random_edges(N))
        assert not torch.equal(model(*inputs), model(*inputs))
        model.eval()
        assert torch.equal(model(*inputs), model(*inputs))


def test_sizes() -> None:
    assert [tuple(W.shape) for W in model_of(layers=3, hidden=5).W] == [(F, 5), (5, 5), (5, C)]
    assert [tuple(weight.shape) for weight in model_of().first()] == [(F, 4), (4,)]
