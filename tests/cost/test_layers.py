"""The plain architectures against torch's own functions and dense matrices."""

import math

import pytest
import torch
from torch.nn import functional as F

from workings.cost import layers
from workings.cost.architectures import ARCHITECTURES

N, C, d = 6, 3, 8


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def double(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.double)


def test_the_core_is_scaled_dot_product_attention() -> None:
    q, k, v = double(N, d), double(N, d), double(N, d)
    expected = F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    torch.testing.assert_close(layers.AttentionCore()(q, k, v), expected)
    expected = F.scaled_dot_product_attention(q[None], k[None], v[None], scale=1.0)[0]
    torch.testing.assert_close(layers.AttentionCore(scaled=False)(q, k, v), expected)


def test_linear_attention_is_the_series_of_the_exponential() -> None:
    q, k, v = double(N, d), double(N, d), double(N, d)
    linear = layers.LinearAttention()
    s = q @ k.t()
    weights = 1 + s + s * s / 2
    torch.testing.assert_close(linear.features(q) @ linear.features(k).t(), weights)
    expected = (weights @ v) / weights.sum(-1, keepdim=True)
    torch.testing.assert_close(linear(q, k, v), expected)
    assert linear.features(q).shape[1] == 1 + d + d * (d + 1) // 2


def test_a_graph_convolution_is_the_dense_product() -> None:
    a_hat, x = torch.rand(N, N, dtype=torch.double), double(N, d)
    a_hat[a_hat < 0.5] = 0
    layer = layers.GCN(d, C).double()
    expected = (a_hat @ x @ layer.W.weight.t()).relu()
    torch.testing.assert_close(layer(a_hat.to_sparse(), x), expected)


def test_graph_attention_is_a_softmax_over_the_neighbours() -> None:
    layer = layers.GAT(d, C).double()
    x = double(N, d)
    adjacent = torch.rand(N, N) < 0.5
    adjacent |= torch.eye(N, dtype=torch.bool)  # row i: the neighbours j of i
    i, j = adjacent.nonzero().t()
    h = layer.W(x)
    pairs = torch.cat([h[:, None].expand(N, N, C), h[None].expand(N, N, C)], -1)
    scores = F.leaky_relu(pairs @ layer.a.flatten(), 0.2)
    alpha = scores.masked_fill(~adjacent, -math.inf).softmax(-1)
    torch.testing.assert_close(layer(torch.stack([j, i]), x), alpha @ h)


def test_an_lstm_with_an_output_layer() -> None:
    layer = layers.LSTMOutput(d, 4, C)
    x = torch.randn(5, 1, d)
    torch.testing.assert_close(layer(x), layer.output(layer.lstm(x)[0]))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_named_architecture_runs_with_values(name: str) -> None:
    known = ARCHITECTURES[name]
    sizes = {symbol: 28 if symbol == "s" else 6 for symbol in known.symbols}
    module, inputs, _ = known.build(**sizes)
    assert inputs is not None
    output = module(*inputs)
    first = output[0] if isinstance(output, tuple) else output
    assert first.isfinite().all()
