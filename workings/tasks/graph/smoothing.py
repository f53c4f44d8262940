"""Over-smoothing: how alike nodes become as a network gets deeper."""

# N nodes, F features, D width

from typing import Literal, TypedDict

import torch
from torch import Tensor

from workings.nn.graph.adjacency import NORMALISATIONS, propagation
from workings.nn.graph.graph_model import dense
from workings.tasks.graph import dataset as graph_data
from workings.tasks.graph.graph import Graph

WIDEST = 256  # more features than this are projected to this width by random weights
SAMPLED = 500  # nodes whose pairs are compared, drawn by seed
Weights = Literal["none", "random"]


class Distance(TypedDict):
    """The mean distance of two nodes' states at a depth."""

    depth: int
    normalisation: str
    distance: float


def smoothing(graph: Graph, depth: int, weights: Weights, seed: int = 1) -> list[Distance]:
    """The mean distance of two nodes' states, by depth and normalisation.

    weights none: states Â^k X; random: ReLU(Â X W) with Gaussian weights, layer by layer. States
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
    rows: list[Distance] = []
    for normalisation in NORMALISATIONS:
        a_hat = propagation(graph_data.edges(graph), normalisation, torch.double)
        h_ND = x_NF
        for k in range(depth + 1):
            if k:
                h_ND = a_hat @ h_ND if weights == "none" else (a_hat @ h_ND @ layers[k - 1]).relu()
                h_ND = _scaled(h_ND)  # or it grows or vanishes beyond all numbers
            distance = _mean_distance(_scaled(h_ND)[chosen])
            rows.append({"depth": k, "normalisation": normalisation, "distance": distance})
    return rows


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
