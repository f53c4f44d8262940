"""Softmax attention, softmax(Q Kᵀ/√D) V, with one head or many: the equation, then torch's."""

# T queries, S keys, H heads, D width of a head, E width of a value

from typing import Unpack

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.attention.heads import (
    Cache,
    HeadOptions,
    KeyValueCache,
    MultiHead,
    check_heads,
    own_cache,
    shape_of,
    type_of,
)


def attention_reference(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, scale: float | None = None
) -> Tensor:
    """softmax(scale Q Kᵀ) V as it is written, with all scores at once; scale 1/√D if not given.

    mask: True where a query may attend, in a shape that broadcasts to …×T×S.

    Shapes: q …×T×D, k …×S×D, v …×S×E; returns …×T×E.
    """
    scores = q @ k.mT
    if scale != 1:
        scores = scores * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """`attention_reference` by torch's fused kernel, which makes the scores a block at a time.

    mask: True where a query may attend, in a shape that broadcasts to …×T×S. A query that may
    attend nowhere gives zeros. causal: the last query stands at the last key, and none looks ahead.
    Dropout is on the weights, and costs T×S of memory.

    Shapes: q …×T×D, k …×S×D, v …×S×E; returns …×T×E.
    """
    check_heads(q, k, v)
    *leading, T, _ = q.shape
    S = k.shape[-2]
    if mask is not None:
        _check_mask(mask, (*leading, T, S), q.device)
    if T == 1:
        causal = False  # the one query stands at the last key
    if causal and (mask is not None or T != S):
        ahead = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)
        mask, causal = ahead if mask is None else mask & ahead, False
    q, k, v = (_four(x, leading) for x in (q, k, v))
    if mask is not None:
        mask = _four(mask, leading)
    out = F.scaled_dot_product_attention(q, k, v, mask, dropout, causal, scale=scale)
    return out.reshape(*leading, T, -1)


def _four(x: Tensor, leading: list[int]) -> Tensor:
    """x with four dimensions, which the fused kernel is for."""
    if len(leading) <= 2:
        return x[(None,) * (4 - x.dim())]
    x = x[(None,) * (len(leading) + 2 - x.dim())]
    return x.expand(*leading[:-1], *x.shape[-3:]).flatten(0, -4)


def _check_mask(mask: Tensor, shape: tuple[int, ...], device: torch.device) -> None:
    """Refuse a mask of the wrong type, shape or device."""
    if mask.dtype != torch.bool:
        raise WorkingsError(
            f"mask of {type_of(mask)}: expected bool, True where a query may attend"
        )
    sizes = zip(reversed(mask.shape), reversed(shape), strict=False)
    if mask.dim() > len(shape) or any(size not in (1, wanted) for size, wanted in sizes):
        wanted = "×".join(map(str, shape))
        raise WorkingsError(f"mask {shape_of(mask)}: expected a shape that broadcasts to {wanted}")
    if mask.device != device:
        raise WorkingsError(f"mask on {mask.device}, queries on {device}: expected one device")


class Attention(MultiHead):
    """Heads of core(Q, K, V) = softmax(Q Kᵀ/√D) V (Vaswani et al., 2017).

    All else as in `MultiHead`.

    dropout: the probability of dropping a weight, in training.

    Shapes: x …×T×W, context …×S×C; returns …×T×W.
    """

    def __init__(
        self,
        width: int,
        heads: int = 1,
        *,
        dropout: float = 0.0,
        **options: Unpack[HeadOptions],
    ) -> None:
        super().__init__(width, heads, **options)
        if not 0 <= dropout < 1:
            raise WorkingsError(f"dropout {dropout}: expected a probability below 1")
        self.dropout = dropout

    def core(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        return attend(q, k, v, mask, self.causal, self.scale, dropout)

    def cached(self, q: Tensor, k: Tensor, v: Tensor, cache: Cache, mask: Tensor | None) -> Tensor:
        every_k, every_v = own_cache(KeyValueCache, cache).append(k, v)
        return self.core(q, every_k, every_v, mask)

    def new_cache(self) -> KeyValueCache:
        return KeyValueCache()
