"""Choosing the next token from logits: temperature, top-k, top-p, greedy."""

# B samples, V vocabulary

from math import inf

import torch
from pydantic import Field
from torch import Generator, Tensor, softmax

from workings.errors import WorkingsError
from workings.schema import Config, Count, Positive


class Sampling(Config):
    """How the next token is chosen."""

    temperature: Positive = 1.0
    """logits are divided by this: below 1 bolder towards the likely, above 1 wilder"""
    top_k: Count = 0
    """only the k likeliest tokens; 0: all"""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """only the likeliest tokens that together have this probability"""
    greedy: bool = False
    """always the likeliest token"""


PLAIN = Sampling()


def choose(
    logits_BV: Tensor, sampling: Sampling, generator: Generator, excluded: int | None = None
) -> tuple[Tensor, Tensor]:
    """One token id for each row, never the excluded one, and its probability before filtering."""
    p_BV = softmax(logits_BV, 1)
    q_BV = (
        p_BV if sampling == PLAIN and excluded is None else _filtered(logits_BV, sampling, excluded)
    )
    if sampling.greedy:
        token_B1 = q_BV.argmax(1, keepdim=True)
    else:
        # Where a uniform number falls on the cumulative probabilities: one pass, as
        # torch.multinomial draws, which is slower by far for one row of ten thousand.
        exact = torch.float32 if q_BV.device.type == "mps" else torch.float64  # MPS has no float64
        cdf_BV = q_BV.cumsum(1, dtype=exact)
        u_B1 = torch.rand(len(q_BV), 1, dtype=exact, device=q_BV.device, generator=generator)
        token_B1 = torch.searchsorted(cdf_BV, u_B1 * cdf_BV[:, -1:], right=True)
        token_B1.clamp_(max=q_BV.shape[1] - 1)
    chosen_B1 = p_BV.gather(1, token_B1)
    if chosen_B1.isnan().any():
        raise WorkingsError("the model gives NaN, not probabilities: its training went wrong")
    return token_B1[:, 0], chosen_B1[:, 0]


def _filtered(logits_BV: Tensor, sampling: Sampling, excluded: int | None) -> Tensor:
    """What is drawn from: by temperature, then the k likeliest, then the likeliest up to p."""
    if excluded is not None:
        logits_BV = logits_BV.index_fill(1, torch.tensor([excluded], device=logits_BV.device), -inf)
    # Less the largest first: a small temperature must not overflow.
    logits_BV = (logits_BV - logits_BV.amax(1, keepdim=True)) / max(sampling.temperature, 1e-6)
    if 0 < sampling.top_k < logits_BV.shape[1]:
        least = logits_BV.topk(sampling.top_k, 1).values[:, -1:]
        logits_BV = logits_BV.masked_fill(logits_BV < least, -inf)
    q_BV = softmax(logits_BV, 1)
    if sampling.top_p < 1:
        sorted_q, order = q_BV.sort(1, descending=True)
        # A token goes when those before it have the whole share already; the first always stays.
        beyond = sorted_q.cumsum(1) - sorted_q >= sampling.top_p
        q_BV = q_BV.masked_fill(beyond.scatter(1, order, beyond), 0)
    return q_BV
