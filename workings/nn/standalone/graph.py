"""Graph networks: features and edges to a row for every node; torch alone."""

# N nodes, E edges, K edges and self-loops, F features, H heads, D width of a head, C classes

from itertools import pairwise
from typing import NotRequired, TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Config(TypedDict):
    """The sizes and the settings of the network, as config.json has them."""

    kind: str
    features: int
    hidden: int
    outputs: int
    layers: NotRequired[int]
    normalisation: NotRequired[str]
    residual: NotRequired[bool]
    bias: NotRequired[bool]
    heads: NotRequired[int]
    output_heads: NotRequired[int]
    slope: NotRequired[float]
    version: NotRequired[int]
    steps: NotRequired[int]


def with_self_loops(edges_2E: Tensor, weight_E: Tensor, nodes: int) -> tuple[Tensor, Tensor]:
    """A self-loop of weight 1 at every node; of weight 0 where there is one already."""
    all_N = torch.arange(nodes)
    loop_E = (edges_2E[0] == edges_2E[1]).to(weight_E.dtype)
    there_N = torch.zeros(nodes, dtype=weight_E.dtype).index_add(0, edges_2E[1], loop_E)
    edges_2K = torch.cat([edges_2E, torch.stack([all_N, all_N])], 1)
    return edges_2K, torch.cat([weight_E, (there_N == 0).to(weight_E.dtype)])


def spread(edges_2K: Tensor, weight_K: Tensor, x_ND: Tensor) -> Tensor:
    """Σ_j Â_ij x_j, an edge from j in row 0 to i in row 1."""
    j_K, i_K = edges_2K
    return torch.zeros_like(x_ND).index_add(0, i_K, weight_K[:, None] * x_ND[j_K])


class Convolution(nn.Module):
    """Â X W + b."""

    def __init__(self, inputs: int, outputs: int, bias: bool) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.zeros(inputs, outputs))
        self.b = nn.Parameter(torch.zeros(outputs)) if bias else None


class Attention(nn.Module):
    """h_i' = Σ_j α_ij W h_j, α_ij = softmax_j e_ij, for each of H heads.

    Shapes: edges_2K, there_K (0 for an edge that is none), x_NF; returns N×HD, or N×D: their mean.
    """

    def __init__(self, inputs: int, width: int, heads: int, concat: bool, config: Config):
        super().__init__()
        self.heads, self.concat, self.slope = heads, concat, config["slope"]
        self.version = config["version"]
        self.W = nn.Parameter(torch.zeros(inputs, heads * width))
        self.a = nn.Parameter(torch.zeros(heads, (2 if self.version == 1 else 1) * width))
        if self.version == 2:
            self.V = nn.Parameter(torch.zeros(inputs, heads * width))
        self.b = nn.Parameter(torch.zeros(heads * width if concat else width))

    def forward(self, edges_2K: Tensor, there_K: Tensor, x_NF: Tensor) -> Tensor:
        (j_K, i_K), h_NHD = edges_2K, (x_NF @ self.W).unflatten(1, (self.heads, -1))
        if self.version == 1:
            to_HD, from_HD = self.a.chunk(2, 1)
            both_KH = (h_NHD * to_HD).sum(-1)[i_K] + (h_NHD * from_HD).sum(-1)[j_K]
            score_KH = F.leaky_relu(both_KH, self.slope)
        else:
            v_NHD = (x_NF @ self.V).unflatten(1, (self.heads, -1))
            score_KH = (F.leaky_relu(v_NHD[i_K] + h_NHD[j_K], self.slope) * self.a).sum(-1)
        into_KH = i_K[:, None].expand_as(score_KH)
        lowest_NH = torch.full_like(h_NHD[..., 0], -1e30)
        top_NH = lowest_NH.scatter_reduce(0, into_KH, score_KH, "amax")
        weight_KH = (score_KH - top_NH[i_K]).exp() * there_K[:, None]
        total_NH = torch.zeros_like(lowest_NH).index_add(0, i_K, weight_KH)
        message_KHD = (weight_KH / total_NH[i_K])[..., None] * h_NHD[j_K]
        y_NHD = torch.zeros_like(h_NHD).index_add(0, i_K, message_KHD)
        return (y_NHD.flatten(1) if self.concat else y_NHD.mean(1)) + self.b


class Model(nn.Module):
    """A row for every node: logits of its classes, or its state where edges are predicted.

    config: kind (gcn, gat, ggnn, mlp) with its sizes; features F; outputs C. Features are given as
    the network was trained with them, normalised.

    Shapes: features_NF, edges_2E (from row 0 to row 1, an undirected one both ways), weights_E;
    returns N×C.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.kind, self.config = config["kind"], config
        F_, D, C = config["features"], config["hidden"], config["outputs"]
        widths = [F_, *[D] * (config.get("layers", 1) - 1), C]
        if self.kind == "gcn":
            self.layers = nn.ModuleList(Convolution(*p, config["bias"]) for p in pairwise(widths))
        elif self.kind == "gat":
            H, wide = config["heads"], [F_, *[D * config["heads"]] * (config["layers"] - 1)]
            self.layers = nn.ModuleList(Attention(w, D, H, True, config) for w in wide[:-1])
            self.layers.append(Attention(wide[-1], C, config["output_heads"], False, config))
        elif self.kind == "ggnn":
            self.W, self.b = nn.Parameter(torch.zeros(F_, D)), nn.Parameter(torch.zeros(D))
            self.M, self.gru = nn.Parameter(torch.zeros(D, D)), nn.GRUCell(D, D)
            self.output = nn.Linear(D, C)
        else:
            self.W = nn.ParameterList(torch.zeros(*pair) for pair in pairwise(widths))  # type: ignore[assignment]
            self.b = nn.ParameterList(torch.zeros(o) for o in widths[1:])  # type: ignore[assignment]

    def forward(self, features_NF: Tensor, edges_2E: Tensor, weights_E: Tensor) -> Tensor:
        return getattr(self, f"_{self.kind}")(features_NF, edges_2E, weights_E)

    def propagate(self, edges_2E: Tensor, weight_E: Tensor, x_ND: Tensor) -> Tensor:
        """Â X, with Â as `normalisation` says."""
        N, how = x_ND.shape[0], self.config["normalisation"]
        if how in ("self-loops", "symmetric"):
            edges_2E, weight_E = with_self_loops(edges_2E, weight_E, N)
        j_E, i_E = edges_2E
        if how == "softmax":  # 1/z_i where there is no edge
            weight_E = weight_E.exp() - 1
            u_N = 1 / (torch.zeros_like(x_ND[:, 0]).index_add(0, i_E, weight_E) + N)
            rest = u_N[:, None] * x_ND.sum(0)
            return rest + spread(edges_2E, weight_E * u_N[i_E], x_ND)
        degree_N = torch.zeros_like(x_ND[:, 0]).index_add(0, i_E, weight_E)
        if how == "row":
            weight_E = weight_E * degree_N.pow(-1).masked_fill(degree_N == 0, 0.0)[i_E]
        if how == "symmetric":
            scale_N = degree_N.pow(-0.5).masked_fill(degree_N == 0, 0.0)
            weight_E = weight_E * scale_N[i_E] * scale_N[j_E]
        return spread(edges_2E, weight_E, x_ND)

    def _gcn(self, h: Tensor, edges_2E: Tensor, weights_E: Tensor) -> Tensor:
        for depth, layer in enumerate(self.layers):
            assert isinstance(layer, Convolution)
            before = h.relu() if depth else h
            h = self.propagate(edges_2E, weights_E, before @ layer.W)
            h = h if layer.b is None else h + layer.b
            if self.config["residual"] and before.shape[1] == h.shape[1]:
                h = h + before
        return h

    def _gat(self, h: Tensor, edges_2E: Tensor, weights_E: Tensor) -> Tensor:
        edges_2K, there_K = with_self_loops(edges_2E, torch.ones_like(weights_E), h.shape[0])
        for depth, layer in enumerate(self.layers):
            before = h
            h = layer(edges_2K, there_K, F.elu(h) if depth else h)
            if self.config["residual"] and before.shape[1] == h.shape[1]:
                h = h + before
        return h

    def _ggnn(self, x_NF: Tensor, edges_2E: Tensor, weights_E: Tensor) -> Tensor:
        h_ND = x_NF @ self.W + self.b
        for _ in range(self.config["steps"]):
            h_ND = self.gru(self.propagate(edges_2E, weights_E, h_ND @ self.M), h_ND)
        return self.output(h_ND)

    def _mlp(self, h: Tensor, edges_2E: Tensor, weights_E: Tensor) -> Tensor:
        for depth, (W, b) in enumerate(zip(self.W, self.b, strict=True)):
            h = (h.relu() if depth else h) @ W + b
        return h
