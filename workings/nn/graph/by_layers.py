"""A network over a whole large graph without gradients: layer by layer, some rows at a time."""

# N nodes, E edges, H heads, D width, K entries of some rows

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.graph.adjacency import EdgeList, propagation
from workings.nn.graph.gat import GAT, GraphAttention
from workings.nn.graph.gcn import GCN, GraphConvolution
from workings.nn.graph.graph_model import NodeFeatures, dense, dtype_of
from workings.nn.layer_list import layers_of

ENTRIES = 2_000_000  # edges whose messages are in memory at a time


@torch.no_grad()
def by_layers(
    model: GCN | GAT, x_NF: NodeFeatures, edges: EdgeList, entries: int = ENTRIES
) -> Tensor:
    """What the network gives for every node, without dropout; exact, in memory for two layers.

    Of a layer of attention, the rows of as many nodes at a time as have so many edges.
    """
    if isinstance(model, GAT):
        return _attention(model, x_NF, edges.with_self_loops(), entries)
    return _convolution(model, x_NF, edges)


def _convolution(model: GCN, x_NF: NodeFeatures, edges: EdgeList) -> Tensor:
    """A sparse product keeps no messages: nothing grows with the edges but Â itself."""
    a_hat = propagation(edges, model.normalisation, dtype_of(x_NF))
    layers = layers_of(GraphConvolution, model.layers)
    h: NodeFeatures = x_NF
    for depth, layer in enumerate(layers):
        before = h
        h = a_hat @ (h @ layer.W)
        if layer.b is not None:
            h += layer.b
        if model.residual and before.shape == h.shape:
            h += dense(before)
        if depth + 1 < len(layers) or model.is_encoder:
            h.relu_()
    return dense(h)


def _attention(model: GAT, x_NF: NodeFeatures, edges: EdgeList, entries: int) -> Tensor:
    j_E, i_E = edges.edges_2E
    start_N1 = F.pad(torch.bincount(i_E, minlength=edges.nodes).cumsum(0), (1, 0))
    layers = layers_of(GraphAttention, model.layers)
    h: NodeFeatures = x_NF
    for depth, layer in enumerate(layers):
        before = h
        h = _attended(layer, h, j_E, i_E, start_N1, entries)
        if model.residual and before.shape == h.shape:
            h += dense(before)
        if depth + 1 < len(layers) or model.is_encoder:
            F.elu_(h)
    return dense(h)


def _attended(
    layer: GraphAttention, x: NodeFeatures, j_E: Tensor, i_E: Tensor, start_N1: Tensor, entries: int
) -> Tensor:
    """One layer, the nodes in blocks that have at most so many incoming edges, or one node."""
    N = len(start_N1) - 1
    h_NHD = (x @ layer.W).view(N, layer.heads, layer.width)
    v_NHD = None if layer.version == 1 else (x @ layer.V).view_as(h_NHD)
    halves = layer.halves(h_NHD) if layer.version == 1 else None
    y_NHD = torch.empty_like(h_NHD)
    first = 0
    while first < N:
        last = int(torch.searchsorted(start_N1, start_N1[first] + entries, right=True)) - 1
        last = min(N, max(first + 1, last))
        block = slice(int(start_N1[first]), int(start_N1[last]))
        j_K, i_K = j_E[block], i_E[block]
        if halves is not None:
            score_KH = F.leaky_relu(halves[0][i_K] + halves[1][j_K], layer.slope)
        else:
            assert v_NHD is not None
            score_KH = (F.leaky_relu(v_NHD[i_K] + h_NHD[j_K], layer.slope) * layer.a).sum(-1)
        at_K = (i_K - first)[:, None].expand_as(score_KH)
        top = score_KH.new_full((last - first, layer.heads), -torch.inf)
        top.scatter_reduce_(0, at_K, score_KH, "amax")
        weight_KH = (score_KH - top[i_K - first]).exp_()
        total = torch.zeros_like(top).scatter_add_(0, at_K, weight_KH)
        weight_KH /= total[i_K - first]
        rows = y_NHD[first:last].zero_()
        rows.index_add_(0, i_K - first, weight_KH[:, :, None] * h_NHD[j_K])
        first = last
    y = y_NHD.flatten(1) if layer.concat else y_NHD.mean(1)
    return y if layer.b is None else y + layer.b
