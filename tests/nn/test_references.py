"""Every fast path against the plain reference beside it: values and gradients, in float64."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from tests.nn.graph.graphs import random_edges
from workings.nn.attention import (
    attend,
    attention_reference,
    taylor_attention,
    taylor_reference,
)
from workings.nn.attention.taylor import taylor_by_features
from workings.nn.attention.taylor.definition import second_order_features
from workings.nn.attention.taylor.series import features
from workings.nn.graph import GCN, GraphAttention, GraphConvolution, propagation
from workings.nn.graph.segments import Segments
from workings.nn.loss import cross_entropy_reference, linear_cross_entropy
from workings.nn.recurrent import GRU, LSTM, RNN, step_by_step

T, B, d, D, N, F, C = 6, 3, 4, 5, 9, 6, 3


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def double(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.double, requires_grad=True)


def same(fast: Tensor, reference: Tensor, leaves: Sequence[Tensor]) -> None:
    """Both have the same value, and the same gradient by every leaf."""
    torch.testing.assert_close(fast, reference, rtol=1e-9, atol=1e-11)
    grad = torch.randn_like(fast)
    mine = torch.autograd.grad(fast, leaves, grad, retain_graph=True)
    for one, other in zip(mine, torch.autograd.grad(reference, leaves, grad), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-10)


RECURRENT: dict[str, Callable[[], nn.Module]] = {
    "sigmoid": lambda: RNN(d, D),
    "tanh": lambda: RNN(d, D, "tanh"),
    "relu": lambda: RNN(d, D, "relu"),
    "lstm": lambda: LSTM(d, D),
    "gru": lambda: GRU(d, D),
}
every_layer = pytest.mark.parametrize("kind", RECURRENT)


def layer_of(kind: str) -> Any:
    """With biases that are not zero, so that they count."""
    layer = RECURRENT[kind]().double()
    for weight in layer.parameters():
        nn.init.normal_(weight, std=0.5)
    return layer


@every_layer
def test_a_recurrent_layer_is_its_steps_one_by_one(kind: str) -> None:
    layer, x_TBd = layer_of(kind), double(T, B, d)
    same(layer(x_TBd)[0], step_by_step(layer, x_TBd), [x_TBd, *layer.parameters()])


@every_layer
def test_two_half_windows_are_one(kind: str) -> None:
    layer, x_TBd = layer_of(kind), double(T, B, d)
    first, state = layer(x_TBd[:2])
    second, last = layer(x_TBd[2:], state)
    whole, whole_last = layer(x_TBd)
    torch.testing.assert_close(torch.cat([first, second]), whole)
    torch.testing.assert_close(last, whole_last)


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
@pytest.mark.parametrize("causal", [False, True])
def test_softmax_attention(scale: float | None, causal: bool) -> None:
    q, k, v = double(2, T, D), double(2, T, D), double(2, T, C)
    mask = torch.ones(T, T, dtype=torch.bool).tril() if causal else None
    fast = attend(q, k, v, causal=causal, scale=scale)
    same(fast, attention_reference(q, k, v, mask, scale), (q, k, v))


@pytest.mark.parametrize("method", ["direct", "features"])
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("causal", [False, True])
def test_taylor_attention(method: Any, order: int, causal: bool) -> None:
    q, k, v = double(2, T, D), double(2, T, D), double(2, T, C)
    fast = taylor_attention(q, k, v, order, causal, method=method)
    same(fast, taylor_reference(q, k, v, order, causal), (q, k, v))


def test_features_make_taylor_attention_linear_in_the_length() -> None:
    q, k, v = double(T, D), double(T, D), double(T, D)
    same(taylor_by_features(q, k, v), taylor_reference(q, k, v, scale=1.0), (q, k, v))
    torch.testing.assert_close(second_order_features(q), features(q, 2))
    assert second_order_features(q).shape == (T, 1 + D + D * (D + 1) // 2)


@pytest.mark.parametrize("classes", [2, 12])
def test_graph_convolution(classes: int) -> None:
    layer, x_NF = GraphConvolution(F, classes).double(), double(N, F)
    a_hat = propagation(random_edges(N), "symmetric", torch.double)
    same(layer(a_hat, x_NF), layer.reference(a_hat, x_NF), [x_NF, *layer.parameters()])


@pytest.mark.parametrize("residual", [False, True])
def test_the_graph_convolutional_network(residual: bool) -> None:
    model = GCN(F, F, C, layers=3, dropout=0.0, dropout_input=0.0, residual=residual).double()
    x_NF, edges = double(N, F), random_edges(N, directed=True)
    a_hat = propagation(edges, "symmetric", torch.double)
    fast, reference = model(*model.prepare(x_NF, edges)), model.reference(x_NF, a_hat)
    same(fast, reference, [x_NF, *model.parameters()])


def test_a_residual_of_the_features_is_of_the_features_where_one_layer_is_all() -> None:
    model = GCN(F, 4, F, layers=1, dropout_input=0.0, residual=True).double()
    x_NF, edges = double(N, F), random_edges(N)
    a_hat = propagation(edges, "symmetric", torch.double)
    same(model(*model.prepare(x_NF, edges)), model.reference(x_NF, a_hat), [x_NF])


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("heads", "concat"), [(1, True), (3, True), (3, False)])
def test_graph_attention(version: Literal[1, 2], heads: int, concat: bool) -> None:
    layer = GraphAttention(F, D, heads, concat, version=version).double()
    edges, x_NF = random_edges(N, directed=True).with_self_loops(), double(N, F)
    fast, reference = layer(Segments(edges), x_NF), layer.reference(edges.edges_2E, x_NF)
    same(fast, reference, [x_NF, *layer.parameters()])


def test_cross_entropy_of_a_linear_layer() -> None:
    h, w, b = double(N, D), double(C, D), double(C)
    y_N = torch.randint(C, (N,))
    fast, reference = linear_cross_entropy(h, w, b, y_N), cross_entropy_reference(h, w, b, y_N)
    same(fast, reference, (h, w, b))
