"""Ranking metrics: how well scores put positives above negatives, ROC-AUC, average precision."""

# P positives, Q negatives

import torch
from torch import Tensor


def roc_auc(positive_P: Tensor, negative_Q: Tensor) -> float:
    """The probability that a positive scores above a negative, a tie counting half.

    (Σ ranks of the positives - P(P+1)/2) / (PQ), ranks of equal scores being their mean.
    """
    P, Q = len(positive_P), len(negative_Q)
    scores = torch.cat([positive_P, negative_Q]).double()
    _, group, count = torch.unique(scores, return_inverse=True, return_counts=True)
    last = count.cumsum(0)
    rank = last - (count.double() - 1) / 2  # in 32 bits the ranks of many pairs are rounded
    return ((rank[group[:P]].sum() - P * (P + 1) / 2) / (P * Q)).item()


def average_precision(positive_P: Tensor, negative_Q: Tensor) -> float:
    """Σ_k (R_k - R_{k-1}) P_k over the scores from the highest down, equal ones taken together.

    R_k is the share of positives scored at least as high, P_k the share of positives among those.
    """
    P = len(positive_P)
    scores = torch.cat([positive_P, negative_Q]).double()
    right = torch.zeros(len(scores), dtype=torch.double)
    right[:P] = 1
    _, group, count = torch.unique(-scores, return_inverse=True, return_counts=True)
    positives = torch.zeros(len(count), dtype=torch.double).index_add_(0, group.cpu(), right)
    precision = positives.cumsum(0) / count.cpu().cumsum(0)
    return (positives / P * precision).sum().item()
