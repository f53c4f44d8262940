"""A softmax over part of the vocabulary, for training only."""

# N rows, D hidden, V vocabulary, C candidates

import math

import torch
from torch import Tensor

from workings.nn.loss import linear_cross_entropy


def sampled_cross_entropy(
    h_ND: Tensor, w_VD: Tensor, b_V: Tensor, y_N: Tensor, kept: int, sampled: int
) -> Tensor:
    """Cross-entropy whose normaliser Z = Σ_v exp(z_v) is estimated from some of its terms.

    Exact terms: the `kept` first types (ids go by frequency) and every target of the batch. Of
    the R types that are left, `sampled` are drawn uniformly and weigh R / sampled, so that the
    estimate of Z has no bias. With sampled ≥ R this is the full softmax.
    """
    V = len(w_VD)
    candidates = torch.zeros(V, dtype=torch.bool, device=y_N.device)
    candidates[:kept] = True
    candidates[y_N] = True
    exact = candidates.nonzero()[:, 0]
    rest = (~candidates).nonzero()[:, 0]
    drawn = rest[torch.randperm(len(rest), device=y_N.device)[:sampled]]
    c_C = torch.cat([exact, drawn])
    offset_C = b_V.new_zeros(len(c_C))
    if len(drawn):
        offset_C[len(exact) :] = math.log(len(rest) / len(drawn))
    place_V = torch.empty(V, dtype=torch.long, device=y_N.device)
    place_V[c_C] = torch.arange(len(c_C), device=y_N.device)
    return linear_cross_entropy(h_ND, w_VD[c_C], b_V[c_C] + offset_C, place_V[y_N])
