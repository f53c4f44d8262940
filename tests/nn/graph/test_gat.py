"""Graph attention against the formula written densely, and its hand-written backward."""

from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from tests.nn.graph.graphs import (
    assert_like_dense,
    dense_adjacency,
    permuted,
    random_edges,
    sparse_features,
    with_loops,
)
from workings.nn.graph.gat import GAT, GraphAttention
from workings.nn.graph.segments import Segments

N, F, C = 9, 6, 3
VERSIONS: list[Literal[1, 2]] = [1, 2]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


def model_of(**config: Any) -> GAT:
    off = {"dropout": 0.0, "dropout_input": 0.0, "dropout_attention": 0.0}
    settings = {"hidden": 4, "heads": 3, **off, **config}
    return GAT(F, classes=C, **settings).double()


def dense_layer(layer: GraphAttention, a_NN: Tensor, x_NF: Tensor) -> Tensor:
    """h_i' = Σ_j α_ij W h_j with α a masked softmax over all pairs, head by head."""
    D, heads = layer.width, []
    for h in range(layer.heads):
        part = slice(h * D, (h + 1) * D)
        wh_ND = x_NF @ layer.W[:, part]
        leaky = torch.nn.LeakyReLU(layer.slope)
        if layer.version == 1:
            pairs = torch.cat([wh_ND[:, None].expand(-1, N, -1), wh_ND[None].expand(N, -1, -1)], 2)
            score_NN = leaky(pairs @ layer.a[h])
        else:
            vh_ND = x_NF @ layer.V[:, part]
            score_NN = leaky(vh_ND[:, None] + wh_ND[None]) @ layer.a[h]
        alpha_NN = score_NN.masked_fill(a_NN == 0, -torch.inf).softmax(1)
        heads.append(alpha_NN @ wh_ND)
    y = torch.cat(heads, 1) if layer.concat else torch.stack(heads).mean(0)
    return y if layer.b is None else y + layer.b


def plain(model: GAT, a_NN: Tensor, x_NF: Tensor) -> Tensor:
    h = x_NF
    for depth, layer in enumerate(model.layers):
        before, h = h, dense_layer(layer, a_NN, torch.nn.functional.elu(h) if depth else h)
        if model.residual and before.shape == h.shape:
            h = h + before
    return h


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("heads", [1, 3])
def test_sparse_is_dense(heads: int, version: Literal[1, 2], sparse: bool) -> None:
    model = model_of(heads=heads, output_heads=2, version=version, layers=3, residual=True)
    edges = random_edges(N, directed=True)
    a_NN = with_loops(dense_adjacency(edges))
    assert_like_dense(model, lambda x: plain(model, a_NN, x), edges, sparse_features(N, F), sparse)


@pytest.mark.parametrize("sparse", [False, True])
def test_features_as_wide_as_the_first_layer_are_added_to_it(sparse: bool) -> None:
    model, edges = model_of(hidden=2, heads=F // 2, residual=True), random_edges(N)
    a_NN = with_loops(dense_adjacency(edges))
    assert_like_dense(model, lambda x: plain(model, a_NN, x), edges, sparse_features(N, F), sparse)


@pytest.mark.parametrize("version", VERSIONS)
def test_gradient_is_that_of_finite_differences(version: Literal[1, 2]) -> None:
    layer = GraphAttention(F, 2, heads=2, version=version).double()
    segments = Segments(random_edges(N).with_self_loops())
    x_NF = torch.randn(N, F, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: layer(segments, x), (x_NF,))


@pytest.mark.parametrize("version", VERSIONS)
def test_attention_of_a_node_adds_up_to_one(version: Literal[1, 2]) -> None:
    model = model_of(version=version)
    x, segments = model.prepare(sparse_features(N, F), random_edges(N))
    for alpha_EH in model.attention(x, segments):
        sums_NH = torch.zeros(N, alpha_EH.shape[1], dtype=torch.double)
        sums_NH.index_add_(0, segments.target_E, alpha_EH)
        torch.testing.assert_close(sums_NH, torch.ones_like(sums_NH))
        assert (alpha_EH > 0).all()


def test_only_version_two_lets_the_asking_node_change_the_ranking() -> None:
    """Every node sees all nodes; version 1 ranks them alike for each, version 2 need not."""
    from workings.nn.graph.adjacency import EdgeList

    i, j = torch.ones(N, N).nonzero().t()
    everyone = EdgeList(torch.stack([j, i]), None, N, symmetric=True)
    x_NF = torch.randn(N, F, dtype=torch.double) * 3
    found = {}
    for version in VERSIONS:
        model = model_of(version=version, heads=1, hidden=8)
        alpha_EH = model.attention(*model.prepare(x_NF, everyone))[0]
        order = alpha_EH.view(N, N).argsort(1)
        found[version] = bool((order == order[0]).all())
    assert found == {1: True, 2: False}


@pytest.mark.parametrize("version", VERSIONS)
def test_large_scores_do_not_overflow(version: Literal[1, 2]) -> None:
    model = model_of(version=version)
    x_NF = torch.randn(N, F, dtype=torch.double) * 1e4
    assert torch.isfinite(model(*model.prepare(x_NF, random_edges(N)))).all()


@pytest.mark.parametrize("version", VERSIONS)
def test_nodes_in_another_order_give_rows_in_that_order(version: Literal[1, 2]) -> None:
    model, edges = model_of(version=version), random_edges(N, directed=True)
    x_NF, order_N = torch.randn(N, F, dtype=torch.double), torch.randperm(N)
    moved = model(*model.prepare(x_NF[order_N], permuted(edges, order_N)))
    torch.testing.assert_close(moved, model(*model.prepare(x_NF, edges))[order_N])


def test_each_dropout_is_of_training_only() -> None:
    edges, x_NF = random_edges(N), torch.randn(N, F, dtype=torch.double)
    for name in ("dropout", "dropout_input", "dropout_attention"):
        model = model_of(**{name: 0.5})
        inputs = model.prepare(x_NF, edges)
        assert not torch.equal(model(*inputs), model(*inputs))
        model.eval()
        assert torch.equal(model(*inputs), model(*inputs))


def test_sizes() -> None:
    """8 heads of 8 and one of C, as published: 92,373 parameters on Cora's 1,433 words."""
    model = GAT(1433, 8, 7)
    assert sum(p.numel() for p in model.parameters()) == 92_373
    assert model_of(slope=0.5).layers[0].slope == 0.5
    assert model_of(output_heads=4).layers[-1].heads == 4
