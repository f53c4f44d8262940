"""Attention by the Taylor series of the exponential: linear in the length.

Read in this order:

- `definition`: what it computes, plainly written
- `layer`: the fast function and the layer around it; which way is taken, and why
- `direct`: all scores, a block at a time, for short texts
- `linear`: through sums of features, for long texts
- `series`, `features`, `sums`: the polynomial, its features, and the sums of them
"""

from workings.nn.attention.taylor.definition import taylor_by_features, taylor_reference
from workings.nn.attention.taylor.layer import TaylorAttention, TaylorState, taylor_attention

__all__ = [
    "TaylorAttention",
    "TaylorState",
    "taylor_attention",
    "taylor_by_features",
    "taylor_reference",
]
