"""Architectures that claims are about and that have no file of their own in nn, plainly written."""

# n tokens, d width, h heads; L tokens, D width, M features; N nodes, E edges, F features, C classes

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class AttentionCore(nn.Module):
    """softmax(Q Kᵀ/√d) V, without any projection.

    Shapes: q_nd, k_nd, v_nd; returns n×d.
    """

    def __init__(self, scaled: bool = True) -> None:
        super().__init__()
        self.scaled = scaled

    def forward(self, q_nd: Tensor, k_nd: Tensor, v_nd: Tensor) -> Tensor:
        s_nn = q_nd @ k_nd.t()
        if self.scaled:
            s_nn = s_nn / math.sqrt(q_nd.shape[1])
        return s_nn.softmax(-1) @ v_nd


class LinearAttention(nn.Module):
    """Z = D⁻¹ Φ(Q) (Φ(K)ᵀ V), D = Diag(Φ(Q) Φ(K)ᵀ 1): the series of exp up to the second power.

    φ(x) = (1, x, x_i²/√2, x_i x_j for i < j) has M = 1 + D + D(D+1)/2 features, and
    φ(q)·φ(k) = 1 + q·k + (q·k)²/2.

    Shapes: q_LD, k_LD, v_LD; returns L×D.
    """

    def features(self, x_LD: Tensor) -> Tensor:
        i, j = torch.triu_indices(x_LD.shape[1], x_LD.shape[1], device=x_LD.device)
        scale = torch.ones_like(i, dtype=x_LD.dtype).masked_fill(i == j, math.sqrt(0.5))
        pairs = x_LD[:, i] * x_LD[:, j] * scale
        return torch.cat([torch.ones_like(x_LD[:, :1]), x_LD, pairs], 1)

    def forward(self, q_LD: Tensor, k_LD: Tensor, v_LD: Tensor) -> Tensor:
        q_LM, k_LM = self.features(q_LD), self.features(k_LD)
        z_LD = q_LM @ (k_LM.t() @ v_LD)
        norm_L = q_LM @ k_LM.sum(0)
        return z_LD / norm_L[:, None]


class LSTMOutput(nn.Module):
    """An LSTM and a linear output layer on every h_t.

    Shapes: x_LBi, returns L×B×o.
    """

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden)
        self.output = nn.Linear(hidden, outputs)

    def forward(self, x_LBi: Tensor) -> Tensor:
        return self.output(self.lstm(x_LBi)[0])


class GCN(nn.Module):
    """Graph convolution, X' = ReLU(Â (X W)) (Kipf and Welling, 2017).

    Always in this order; nn.gcn takes (Â X) W where that is cheaper, and is no polynomial then.

    Shapes: a_hat sparse N×N with E entries, x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.W = nn.Linear(features, classes, bias=False)

    def forward(self, a_hat: Tensor, x_NF: Tensor) -> Tensor:
        return (a_hat @ self.W(x_NF)).relu()


class GAT(nn.Module):
    """Graph attention, h_i' = Σ_j α_ij W h_j, α_ij = softmax_j LeakyReLU(a·[W h_i ‖ W h_j]).

    a·[W h_i ‖ W h_j] is the sum of one number a node (Veličković et al., 2018).

    Shapes: edges 2×E, from j in row 0 to i in row 1; x_NF; returns N×C.
    """

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.W = nn.Linear(features, classes, bias=False)
        self.a = nn.Parameter(torch.empty(2, classes))
        nn.init.xavier_uniform_(self.a)

    def forward(self, edges_2E: Tensor, x_NF: Tensor) -> Tensor:
        j, i = edges_2E
        h_NC = self.W(x_NF)
        to_N, from_N = h_NC @ self.a[0], h_NC @ self.a[1]
        score_E = F.leaky_relu(to_N[i] + from_N[j], 0.2)
        weight_E = (score_E - score_E.detach().amax()).exp()
        norm_N = weight_E.new_zeros(len(x_NF)).index_add(0, i, weight_E)
        alpha_E = weight_E / norm_N[i]
        return torch.zeros_like(h_NC).index_add(0, i, alpha_E[:, None] * h_NC[j])
