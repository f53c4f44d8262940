"""Over-smoothing: how alike nodes become as a network gets deeper."""

# N nodes, F features, D width

from typing import Literal, TypedDict

import torch
from torch import Tensor

from workings.nn.graph.adjacency import NORMALISATIONS, EdgeList, Propagation, propagation
from workings.nn.graph.graph_model import dense
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.graph import Graph

WIDEST = 256  # more features than this are projected to this width by random weights
SAMPLED = 500  # nodes whose pairs are compared, drawn by seed
ATTENTION = "attention"  # beside the normalisations: α of a graph attention network
SLOPE = 0.2  # of its LeakyReLU below zero
Weights = Literal["none", "random"]


class Distance(TypedDict):
    """The mean distance of two nodes' states at a depth."""

    depth: int
    normalisation: str
    distance: float


def smoothing(graph: Graph, depth: int, weights: Weights, seed: int = 1) -> list[Distance]:
    """The mean distance of two nodes' states, by depth and normalisation, and with attention.

    weights none: states Â^k X; random: ReLU(Â X W) with Gaussian weights, layer by layer. With
    attention Â is α of a layer of one head, from the states and a Gaussian vector a. States
    are first divided by the root of their mean square, so that only how alike they are counts.
    States that are multiples of one vector (A's and the symmetric one's end as such) are alike in
    direction only, and keep a distance.
    """
    draw = torch.Generator().manual_seed(seed)
    x_NF = dense(graph_data.features(graph, "none")).double()
    if x_NF.shape[1] > WIDEST:
        x_NF = x_NF @ _gaussian(x_NF.shape[1], WIDEST, draw)
    chosen = torch.randperm(graph.nodes, generator=draw)[:SAMPLED]
    layers = [_gaussian(x_NF.shape[1], x_NF.shape[1], draw) for _ in range(depth)]
    vectors = [_gaussian(x_NF.shape[1], 2, draw) for _ in range(depth)]
    edges = graph_data.edges(graph)
    looped = edges.with_self_loops()
    rows: list[Distance] = []
    matrices: dict[str, Propagation | None] = {
        normalisation: propagation(edges, normalisation, torch.double)
        for normalisation in NORMALISATIONS
    }
    for normalisation, a_hat in (matrices | {ATTENTION: None}).items():
        h_ND = x_NF
        for k in range(depth + 1):
            if k:
                z_ND = h_ND if weights == "none" else h_ND @ layers[k - 1]
                z_ND = attend(looped, z_ND, vectors[k - 1]) if a_hat is None else a_hat @ z_ND
                # Scaled, or it grows or vanishes beyond all numbers.
                h_ND = _scaled(z_ND if weights == "none" else z_ND.relu())
            distance = _mean_distance(_scaled(h_ND)[chosen])
            rows.append({"depth": k, "normalisation": normalisation, "distance": distance})
    return rows


def attend(edges: EdgeList, h_ND: Tensor, a_D2: Tensor) -> Tensor:
    """Σ_j α_ij h_j, α_ij = softmax_j LeakyReLU(a·[h_i ‖ h_j]) over the edges from j to i."""
    j_E, i_E = edges.edges_2E
    to_N, from_N = (h_ND @ a_D2).unbind(1)
    score_E = torch.nn.functional.leaky_relu(to_N[i_E] + from_N[j_E], SLOPE)
    most_N = score_E.new_full((edges.nodes,), -torch.inf).scatter_reduce_(0, i_E, score_E, "amax")
    weight_E = (score_E - most_N[i_E]).exp()
    alpha_E = weight_E / weight_E.new_zeros(edges.nodes).index_add_(0, i_E, weight_E)[i_E]
    return torch.zeros_like(h_ND).index_add_(0, i_E, alpha_E[:, None] * h_ND[j_E])


def _gaussian(inputs: int, outputs: int, draw: torch.Generator) -> Tensor:
    return torch.randn(inputs, outputs, generator=draw, dtype=torch.double) / inputs**0.5


def _scaled(h_ND: Tensor) -> Tensor:
    """With a mean squared norm of 1."""
    size = h_ND.pow(2).sum(1).mean().sqrt()
    return h_ND / size if size > 0 else h_ND


def _mean_distance(h_ND: Tensor) -> float:
    """Over all pairs of different nodes; 0 to about √2."""
    N = len(h_ND)
    return (torch.cdist(h_ND, h_ND).sum() / max(1, N * (N - 1))).item()
