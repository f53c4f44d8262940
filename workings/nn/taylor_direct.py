"""Taylor attention without features: the polynomial of every score, a block of scores at a time.

Rows x are lifted to columns x̄ = [1; xᵀ]. Then k̄ᵀq̄ = 1 + k·q, which is what `Polynomial` wants, and
n̄ = v̄ p(k̄ᵀq̄) has the denominator in row 0 and the numerator below it, from one product.
"""

# G heads (of any batch), T queries, S keys, D width, C columns of a block

from typing import NamedTuple

import torch
from torch import Tensor

from workings.nn.maclaurin import Polynomial


class Settings(NamedTuple):
    order: int
    causal: bool
    scale: float
    block: int  # columns of a block
    clamp: float | None  # least denominator, if one is asked for


def lift(x_GCD: Tensor, scale: float = 1.0) -> Tensor:
    """x̄ = [1; scale xᵀ], G×(1+D)×C, in float32 at least."""
    G, C, D = x_GCD.shape
    lifted = x_GCD.new_empty(G, 1 + D, C, dtype=working(x_GCD))
    lifted[:, 0] = 1
    torch.mul(x_GCD.mT, scale, out=lifted[:, 1:])
    return lifted


def working(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def normalise(n_bar: Tensor, out: Tensor, norm: Tensor, clamp: float | None) -> None:
    """out = numerator / denominator, norm = denominator; columns."""
    torch.clamp(n_bar[..., 0, :], min=clamp, out=norm) if clamp else norm.copy_(n_bar[..., 0, :])
    torch.div(n_bar[..., 1:, :], norm[..., None, :], out=out)


def cotangent(grad: Tensor, out: Tensor, norm: Tensor, clamp: float | None) -> Tensor:
    """∂E/∂n̄ from ∂E/∂out: [-(∂E/∂out · out); ∂E/∂outᵀ] / norm, none to a clamped denominator."""
    *lead, D, C = grad.shape
    n_bar = norm.new_empty(*lead, 1 + D, C)
    torch.div(grad, norm[..., None, :], out=n_bar[..., 1:, :])
    n_bar[..., 0, :] = (n_bar[..., 1:, :] * out).sum(-2).neg_()
    if clamp:
        n_bar[..., 0, :].masked_fill_(norm <= clamp, 0)
    return n_bar.flatten(0, -3)


class Scores:
    """One block of scores after another, in the same memory."""

    def __init__(self, order: int, like: Tensor, size: int) -> None:
        self.polynomial = Polynomial(order, like)
        self.memory = like.new_empty(3, size)

    def _blocks(self, q_bar: Tensor, k_bar: Tensor) -> Tensor:
        G, _, C = q_bar.shape
        S = k_bar.shape[2]
        return self.memory[:, : G * S * C].view(3, G, S, C)

    def forward(
        self, q_bar: Tensor, k_bar: Tensor, v_bar: Tensor, n_bar: Tensor, mask: Tensor | None
    ) -> None:
        """n̄ += v̄ (p(k̄ᵀq̄) ⊙ mask)."""
        t, w, _ = self._blocks(q_bar, k_bar)
        torch.bmm(k_bar.mT, q_bar, out=t)
        w = self.polynomial.value(t, w)
        if mask is not None:
            w.mul_(mask)
        n_bar.baddbmm_(v_bar, w)

    def backward(
        self,
        q_bar: Tensor,
        k_bar: Tensor,
        v_bar: Tensor,
        n_bar: Tensor,
        mask: Tensor | None,
        dq: Tensor,
        dk: Tensor,
        dv: Tensor,
    ) -> None:
        """With n̄ = ∂E/∂n̄:  ∂v += n wᵀ;  ∂t = (v̄ᵀ n̄) ⊙ p'(t) ⊙ mask;  ∂q += k ∂t;  ∂k += q ∂tᵀ."""
        t, w, dt = self._blocks(q_bar, k_bar)
        torch.bmm(k_bar.mT, q_bar, out=t)
        torch.bmm(v_bar.mT, n_bar, out=dt)
        self.polynomial.times_slope(dt, t, w)
        w = self.polynomial.value(t, w)
        if mask is not None:
            w.mul_(mask)
            dt.mul_(mask)
        dv.baddbmm_(n_bar[:, 1:], w.mT)
        dq.baddbmm_(k_bar[:, 1:], dt)
        dk.baddbmm_(q_bar[:, 1:], dt.mT)


def forward(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, norm: Tensor, settings: Settings
) -> None:
    """Fill out_GTD and norm_GT."""
    order, causal, scale, block, clamp = settings
    keys = [lift(x) for x in k.split(block, 1)]
    values = [lift(x) for x in v.split(block, 1)]
    scores = Scores(order, keys[0], len(q) * block * block)
    mask = keys[0].new_ones(block, block).triu_()
    for i, (x, out_i, norm_i) in enumerate(
        zip(q.split(block, 1), out.split(block, 1), norm.split(block, 1), strict=True)
    ):
        q_bar = lift(x, scale)
        n_bar = q_bar.new_zeros(len(q), values[0].shape[1], q_bar.shape[2])
        for j in range(i + 1 if causal else len(keys)):
            C = q_bar.shape[2]
            scores.forward(q_bar, keys[j], values[j], n_bar, mask[:C, :C] if causal and i == j else None)
        normalise(n_bar, out_i.mT, norm_i, clamp)


def backward(
    q: Tensor, k: Tensor, v: Tensor, out: Tensor, norm: Tensor, grad: Tensor,
    dq: Tensor, dk: Tensor, dv: Tensor, settings: Settings,
) -> None:
    order, causal, scale, block, clamp = settings
    keys = [lift(x) for x in k.split(block, 1)]
    values = [lift(x) for x in v.split(block, 1)]
    dks = [torch.zeros_like(x[:, 1:], memory_format=torch.contiguous_format) for x in keys]
    dvs = [torch.zeros_like(x[:, 1:], memory_format=torch.contiguous_format) for x in values]
    scores = Scores(order, keys[0], len(q) * block * block)
    mask = keys[0].new_ones(block, block).triu_()
    for i, (x, g, out_i, norm_i, dq_i) in enumerate(
        zip(*(x.split(block, 1) for x in (q, grad, out, norm, dq)), strict=True)
    ):
        q_bar = lift(x, scale)
        n_bar = cotangent(g.mT, out_i.mT, norm_i, clamp)
        dq_bar = q_bar.new_zeros(len(q), q_bar.shape[1] - 1, q_bar.shape[2])
        C = q_bar.shape[2]
        for j in range(i + 1 if causal else len(keys)):
            scores.backward(
                q_bar, keys[j], values[j], n_bar, mask[:C, :C] if causal and i == j else None,
                dq_bar, dks[j], dvs[j],
            )
        torch.mul(dq_bar.mT, scale, out=dq_i)
    for found, d in ((dks, dk), (dvs, dv)):
        for f, d_j in zip(found, d.split(block, 1), strict=True):
            d_j.copy_(f.mT)
