"""Choosing the next token from logits: temperature, top-k, top-p, greedy."""

# B samples, V vocabulary

from pydantic import Field
from torch import Generator, Tensor, multinomial, softmax

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


def choose(logits_BV: Tensor, sampling: Sampling, generator: Generator) -> Tensor:
    """One token id a row."""
    if sampling.greedy:
        return logits_BV.argmax(1)
    logits_BV = logits_BV / sampling.temperature
    if 0 < sampling.top_k < logits_BV.shape[1]:
        least = logits_BV.topk(sampling.top_k, 1).values[:, -1:]
        logits_BV = logits_BV.masked_fill(logits_BV < least, float("-inf"))
    p_BV = softmax(logits_BV, 1)
    if sampling.top_p < 1:
        sorted_p, order = p_BV.sort(1, descending=True)
        # A token goes when those before it have the whole share already; the first always stays.
        beyond = sorted_p.cumsum(1) - sorted_p >= sampling.top_p
        p_BV = p_BV.masked_fill(beyond.scatter(1, order, beyond), 0)
    return multinomial(p_BV, 1, generator=generator)[:, 0]
