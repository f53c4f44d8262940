"""Taylor attention as it is defined: the exponential of softmax attention cut after K terms.

    out(q) = Σ_k p_K(q·k) v / Σ_k p_K(q·k),  p_K(s) = Σ_{n≤K} sⁿ/n!

`taylor_reference` makes all scores; `taylor_by_features` shows why none is needed. Both are for
reading, counting and checking; `layer.taylor_attention` computes the same fast.
"""

# T queries, S keys, L tokens, D width of a key, E width of a value, M features

import math

import torch
from torch import Tensor


def taylor_reference(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    order: int = 2,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """Σ_k p_K(s) v / Σ_k p_K(s) with s = scale q·k; scale 1/√D if not given.

    Shapes: q …×T×D, k …×S×D, v …×S×E, T = S if causal; returns …×T×E.
    """
    s = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = sum((s**n / math.factorial(n) for n in range(1, order + 1)), torch.ones_like(s))
    if causal:
        weights = weights.tril()
    return weights @ v / weights.sum(-1, keepdim=True)


def second_order_features(x_LD: Tensor) -> Tensor:
    """φ(x) = (1, x, x_i²/√2, x_i x_j for i < j), so that φ(q)·φ(k) = 1 + q·k + (q·k)²/2.

    Shapes: x_LD; returns L×M with M = 1 + D + D(D+1)/2.
    """
    i, j = torch.triu_indices(x_LD.shape[1], x_LD.shape[1], device=x_LD.device)
    scale = torch.ones_like(i, dtype=x_LD.dtype).masked_fill(i == j, math.sqrt(0.5))
    pairs = x_LD[:, i] * x_LD[:, j] * scale
    return torch.cat([torch.ones_like(x_LD[:, :1]), x_LD, pairs], 1)


def taylor_by_features(q_LD: Tensor, k_LD: Tensor, v_LD: Tensor) -> Tensor:
    """Order 2, scale 1, linear in the length: Z = D⁻¹ Φ(Q) (Φ(K)ᵀ V), D = Diag(Φ(Q) Φ(K)ᵀ 1).

    Shapes: q_LD, k_LD, v_LD; returns L×D.
    """
    q_LM, k_LM = second_order_features(q_LD), second_order_features(k_LD)
    z_LD = q_LM @ (k_LM.t() @ v_LD)
    norm_L = q_LM @ k_LM.sum(0)
    return z_LD / norm_L[:, None]
