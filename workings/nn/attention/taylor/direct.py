"""Taylor attention without features: the polynomial of every score, a block of scores at a time."""

# G heads (of any batch), T queries, S keys, D width of a key, E of a value, C columns of a block

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from workings.nn.attention.taylor.series import Polynomial

# Keys of a block, and scores of all its heads: enough for the matrix products, and in the cache.
KEYS, SCORES = 256, 2**18


class Settings(NamedTuple):
    """How an attention is computed."""

    order: int
    causal: bool
    scale: float
    clamp: float | None  # the smallest denominator, where one is asked for
    chunk: int | None  # queries worked on at once, where the choice is not left to us


class Heads(NamedTuple):
    """Some heads of an attention: what goes in, what comes out, and the denominators."""

    q: Tensor  # G×T×D
    k: Tensor  # G×S×D
    v: Tensor  # G×S×E
    out: Tensor  # G×T×E
    norm: Tensor  # G×T

    def some(self, which: slice) -> "Heads":
        """Those heads."""
        return Heads(*(x[which] for x in self))


class Gradients(NamedTuple):
    """The gradients of the loss by what went in."""

    q: Tensor
    k: Tensor
    v: Tensor

    def some(self, which: slice) -> "Gradients":
        """Those of those heads."""
        return Gradients(*(x[which] for x in self))


class Scores:
    """Blocks of scores, keys × queries, one after the other in the same memory."""

    def __init__(self, order: int, size: int, like: Tensor) -> None:
        self.polynomial = Polynomial(order, like)
        # Up to order 2 the polynomial takes the place of its argument.
        self.memory = like.new_empty(2 if order <= 2 else 3, size)
        self.one = like.new_ones(())

    def weights(self, q: Tensor, k: Tensor, scale: float, mask: Tensor | None) -> Tensor:
        """w = p(t) with t = 1 + scale k qᵀ, G×S×C; the mask is for the last of the keys."""
        t, _, w = self._blocks(k, q)
        torch.baddbmm(self.one, k, q.mT, alpha=scale, out=t)
        w = self.polynomial.value(t, w)
        return _masked(w, mask)

    def gradients(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        dn: Tensor,
        dnorm: Tensor,
        scale: float,
        mask: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """w, and ∂E/∂t = (v ∂nᵀ + ∂norm) ⊙ p'(t), from the gradients of n = wᵀv and norm = wᵀ1."""
        t, dt, w = self._blocks(k, q)
        torch.baddbmm(self.one, k, q.mT, alpha=scale, out=t)
        torch.baddbmm(dnorm[:, None], v, dn.mT, out=dt)
        self.polynomial.times_slope(dt, t, w)
        w = self.polynomial.value(t, w)
        return _masked(w, mask), _masked(dt, mask)

    def _blocks(self, k: Tensor, q: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        G, S, C = len(k), k.shape[1], q.shape[1]
        blocks = self.memory[:, : G * S * C].view(-1, G, S, C)
        return blocks[0], blocks[1], blocks[2 if len(blocks) > 2 else 0]


def _masked(w: Tensor, mask: Tensor | None) -> Tensor:
    if mask is not None:
        w[:, -len(mask) :].mul_(mask)
    return w


def triangle(columns: int, like: Tensor) -> Tensor:
    """1 where the key (row) is not after the query (column)."""
    return like.new_ones(columns, columns).triu_()


def cotangent(
    grad: Tensor, out: Tensor, norm: Tensor, clamp: float | None
) -> tuple[Tensor, Tensor]:
    """∂E/∂n and ∂E/∂norm, where out = n / norm; a clamped denominator gets none."""
    dn = grad / norm[..., None]
    dnorm = (dn * out).sum(-1).neg_()
    return dn, dnorm if clamp is None else dnorm.masked_fill_(norm <= clamp, 0)


def heads_at_once(heads: Heads, settings: Settings) -> int:
    """How many heads: so many that their scores of one block stay in the cache."""
    queries, keys = _sizes(heads, settings)
    return max(1, SCORES // (queries * keys))


def _sizes(heads: Heads, settings: Settings) -> tuple[int, int]:
    """The queries and keys of a block: fewer queries where half of the last block is masked."""
    T, S = heads.q.shape[1], heads.k.shape[1]
    keys = KEYS if len(heads.q) > 2 else 2 * KEYS
    queries = min(settings.chunk or (keys // 2 if settings.causal else keys), T)
    return queries, min(max(1, keys // queries) * queries, S)


class _Blocks:
    """Every block of queries, with every block of keys that it may see."""

    def __init__(self, heads: Heads, settings: Settings) -> None:
        T, S = heads.q.shape[1], heads.k.shape[1]
        queries, keys = _sizes(heads, settings)
        self.queries = [slice(a, min(a + queries, T)) for a in range(0, T, queries)]
        self.keys = [slice(a, min(a + keys, S)) for a in range(0, S, keys)]
        self.causal = settings.causal
        self.mask = triangle(queries if self.causal else 0, heads.norm)
        self.scores = Scores(settings.order, len(heads.q) * queries * keys, heads.norm)

    def seen(self, queries: slice) -> Iterator[tuple[slice, Tensor | None]]:
        """The blocks of keys, each with the mask of its last ones, if they are on the diagonal."""
        C = queries.stop - queries.start
        for keys in self.keys:
            if not self.causal:
                yield keys, None
            elif keys.start < queries.stop:
                stop = min(keys.stop, queries.stop)
                yield slice(keys.start, stop), self.mask[:C, :C] if stop == queries.stop else None


def forward(heads: Heads, settings: Settings) -> None:
    """Fill out and norm."""
    q, k, v, out, norm = heads
    blocks = _Blocks(heads, settings)
    norm.zero_()
    for rows in blocks.queries:
        n_GEC = q.new_zeros(len(q), v.shape[2], rows.stop - rows.start)
        for keys, mask in blocks.seen(rows):
            w = blocks.scores.weights(q[:, rows], k[:, keys], settings.scale, mask)
            n_GEC.baddbmm_(v[:, keys].mT, w)
            norm[:, rows] += w.sum(1)
        if settings.clamp is not None:
            norm[:, rows].clamp_(min=settings.clamp)
        torch.div(n_GEC.mT, norm[:, rows, None], out=out[:, rows])


def backward(heads: Heads, grad: Tensor, gradients: Gradients, settings: Settings) -> None:
    """Fill the gradients from that of out: ∂v = w ∂n;  ∂k = scale ∂t q;  ∂q = scale ∂tᵀ k."""
    q, k, v, out, norm = heads
    scale = settings.scale
    blocks = _Blocks(heads, settings)
    gradients.k.zero_()
    gradients.v.zero_()
    for rows in blocks.queries:
        dn, dnorm = cotangent(grad[:, rows], out[:, rows], norm[:, rows], settings.clamp)
        dq_GDC = q.new_zeros(len(q), q.shape[2], rows.stop - rows.start)
        for keys, mask in blocks.seen(rows):
            w, dt = blocks.scores.gradients(
                q[:, rows], k[:, keys], v[:, keys], dn, dnorm, scale, mask
            )
            dq_GDC.baddbmm_(k[:, keys].mT, dt)
            gradients.k[:, keys].add_(torch.bmm(dt, q[:, rows]), alpha=scale)
            gradients.v[:, keys].add_(torch.bmm(w, dn))
        torch.mul(dq_GDC.mT, scale, out=gradients.q[:, rows])
