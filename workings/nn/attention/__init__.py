"""Attention by softmax and by its Taylor series, and the language model around them.

- `softmax`: softmax(Q Kᵀ/√D) V, its reference first
- `taylor/`: the exponential replaced by its series, linear in the length
- `heads`: projections into heads and out of them, caches, checks of what is given
- `decoder`: the attention language model
"""

from workings.nn.attention.decoder import AttentionLanguageModel
from workings.nn.attention.heads import KeyValueCache, MultiHead
from workings.nn.attention.softmax import Attention, attend, attention_reference
from workings.nn.attention.taylor import TaylorAttention, taylor_attention, taylor_reference

__all__ = [
    "Attention",
    "AttentionLanguageModel",
    "KeyValueCache",
    "MultiHead",
    "TaylorAttention",
    "attend",
    "attention_reference",
    "taylor_attention",
    "taylor_reference",
]
