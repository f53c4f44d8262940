"""Taylor attention through features, linear in the length."""

# G heads (of any batch), n chunks, B = n·G blocks, D width, M features, C columns of a chunk

from collections.abc import Iterator
from functools import cache

import torch
from torch import Tensor

from workings.nn.taylor_features import Features, Gradient, layout
from workings.nn.taylor_direct import Scores, Settings, cotangent, normalise, working

class Sums:
    """S = Σ v̄ φ(k)ᵀ in panels"""

    def __init__(self, plan, G, value_rows: int, slots, like) -> None:
        self.G = G
        self.weights = [w.to(like) for w in plan.weights]
        self.slots = [like.new_zeros(slots + 1, G, value_rows, r) for r in plan.sizes]
        self.scratch = like.new_empty(slots * G * value_rows * max(plan.sizes))
        self.filled = 0

    def run(self, phi: Features, v_bar: Tensor, reverse: bool = False) -> list[Tensor]:
        """Add the chunks; what stands before (or after) each."""
        n = len(v_bar) // self.G
        found = []
        for P, panel in zip(self.slots, phi):
            if reverse:
                if self.filled:
                    P[n].copy_(P[0])
                torch.bmm(v_bar, panel.mT, out=P[:n].flatten(0, 1))
                for j in range(n - 1, -1, -1):
                    P[j].add_(P[j + 1])
                found.append(P[1 : n + 1].flatten(0, 1))
            else:
                if self.filled:
                    P[0].copy_(P[self.filled])
                torch.bmm(v_bar, panel.mT, out=P[1 : n + 1].flatten(0, 1))
                for j in range(n):
                    P[j + 1].add_(P[j])
                found.append(P[:n].flatten(0, 1))
        self.filled = n
        return found

    def add(self, phi: Features, v_bar: Tensor) -> None:
        for P, panel in zip(self.slots, phi):
            P[0].baddbmm_(v_bar, panel.mT)

    def now(self):
        return [P[0] for P in self.slots]

    def read(self, sums, phi: Features, n_bar: Tensor) -> None:
        for S, c, panel in zip(sums, self.weights, phi):
            n_bar.baddbmm_(torch.mul(S, c, out=self.scratch[: S.numel()].view(S.shape)), panel)

    def pull(self, sums, gradient: Gradient, n_bar: Tensor, dx: Tensor) -> None:
        for number, (S, c, E) in enumerate(zip(sums, self.weights, gradient.panels)):
            torch.bmm(torch.mul(S, c, out=self.scratch[: S.numel()].view(S.shape)).mT, n_bar, out=E)
            gradient.pull(number)
        dx.add_(gradient.finish())


def blocks(x_GTD: Tensor, start: int, n: int, C: int) -> Tensor:
    """n×G×D×C"""
    return x_GTD[:, start : start + n * C].unflatten(1, (n, C)).permute(1, 0, 3, 2)


def pieces(length: int, n: int, C: int) -> list[tuple[int, int, int]]:
    """(start, chunks, columns)"""
    found = []
    at = 0
    while at < length:
        left = length - at
        size = (min(n, left // C), C) if left >= C else (1, left)
        found.append((at, *size))
        at += size[0] * size[1]
    return found


class Work:
    def __init__(self, q, v, settings, rows, n):
        self.order, causal, scale, self.block, clamp = settings
        self.G, _, self.D = q.shape
        self.Dv = v.shape[2]
        self.like = q.new_empty(0, dtype=working(q))
        self.rows = rows
        self.n = n
        self.cache = {}

    def features(self, which, x, piece, scale=1.0):
        key = which, *piece[1:]
        if key not in self.cache:
            _, n, C = piece
            self.cache[key] = Features(layout(self.D, self.order, self.rows), n * self.G, C, self.like)
        return self.cache[key].load(blocks(x, *piece), scale)

    def gradient(self, which, piece):
        key = "g", which, *piece[1:]
        if key not in self.cache:
            self.cache[key] = Gradient(self.cache[which, *piece[1:]])
        return self.cache[key]

    def sums(self):
        return Sums(layout(self.D, self.order, self.rows), self.G, 1 + self.Dv, self.n, self.like)

    def lift(self, x, piece):
        x = blocks(x, *piece)
        n, G, D, C = x.shape
        lifted = self.like.new_empty(n, G, 1 + D, C)
        lifted[:, :, 0] = 1
        lifted[:, :, 1:] = x
        return lifted.flatten(0, 1)


def forward(q, k, v, out, norm, settings, rows, n):
    order, causal, scale, block, clamp = settings
    G, _, D = q.shape
    W = Work(q, v, settings, rows, n)
    sums = W.sums()
    if not causal:
        for p in pieces(k.shape[1], 1, block):
            sums.add(W.features(0, k, p), W.lift(v, p))
        for p in pieces(q.shape[1], 1, block):
            n_bar = W.like.new_zeros(G, 1 + W.Dv, p[2])
            sums.read(sums.now(), W.features(0, q, p, scale), n_bar)
            normalise(n_bar.unflatten(0, (1, G)), blocks(out, *p), blocks(norm[..., None], *p)[:, :, 0], clamp)
        return sums
    scores = Scores(order, W.like, n * G * block * block)
    mask = W.like.new_ones(block, block).triu_()
    for p in pieces(q.shape[1], n, block):
        C = p[2]
        phi_q = W.features(0, q, p, scale)
        phi_k = W.features(1, k, p)
        v_bar = W.lift(v, p)
        n_bar = torch.zeros_like(v_bar)
        scores.forward(phi_q.lifted, phi_k.lifted, v_bar, n_bar, mask[:C, :C])
        sums.read(sums.run(phi_k, v_bar), phi_q, n_bar)
        normalise(n_bar.unflatten(0, p[1:2] + (G,)), blocks(out, *p), blocks(norm[..., None], *p)[:, :, 0], clamp)


def backward(q, k, v, out, norm, grad, dq, dk, dv, settings, rows, n):
    order, causal, scale, block, clamp = settings
    G, _, D = q.shape
    W = Work(q, v, settings, rows, n)
    sums, dsums = W.sums(), W.sums()
    if not causal:
        for p in pieces(k.shape[1], 1, block):
            sums.add(W.features(0, k, p), W.lift(v, p))
        for p in pieces(q.shape[1], 1, block):
            n_bar = cotangent(blocks(grad, *p), blocks(out, *p), blocks(norm[..., None], *p)[:, :, 0], clamp)
            d = W.like.new_zeros(G, D, p[2])
            phi = W.features(0, q, p, scale)
            sums.pull(sums.now(), W.gradient(0, p), n_bar, d)
            dsums.add(phi, n_bar)
            torch.mul(d[None], scale, out=blocks(dq, *p))
        for p in pieces(k.shape[1], 1, block):
            phi = W.features(0, k, p)
            v_bar = W.lift(v, p)
            d = W.like.new_zeros(G, D, p[2])
            dv_bar = torch.zeros_like(v_bar)
            dsums.pull(dsums.now(), W.gradient(0, p), v_bar, d)
            dsums.read(dsums.now(), phi, dv_bar)
            blocks(dk, *p).copy_(d[None])
            blocks(dv, *p).copy_(dv_bar[None, :, 1:])
        return
    scores = Scores(order, W.like, n * G * block * block)
    mask = W.like.new_ones(block, block).triu_()
    ps = pieces(q.shape[1], n, block)
    ns = []
    for p in ps:
        C = p[2]
        phi_q = W.features(0, q, p, scale)
        phi_k = W.features(1, k, p)
        n_bar = cotangent(blocks(grad, *p), blocks(out, *p), blocks(norm[..., None], *p)[:, :, 0], clamp)
        ns.append(n_bar)
        d = W.like.new_zeros(p[1], G, D, C)
        v_bar = W.lift(v, p)
        sums.pull(sums.run(phi_k, v_bar), W.gradient(0, p), n_bar, d.flatten(0, 1))
        torch.mul(d, scale, out=blocks(dq, *p))
    for p, n_bar in list(zip(ps, ns))[::-1]:
        C = p[2]
        phi_q = W.features(0, q, p, scale)
        phi_k = W.features(1, k, p)
        v_bar = W.lift(v, p)
        d, dqi = W.like.new_zeros(2, p[1]*G, D, C)
        dv_i = W.like.new_zeros(p[1]*G, W.Dv, C)
        scores.backward(phi_q.lifted, phi_k.lifted, v_bar, n_bar, mask[:C, :C], dqi, d, dv_i)
        after = dsums.run(phi_q, n_bar, reverse=True)
        dsums.pull(after, W.gradient(1, p), v_bar, d)
        dsums.read([S[:, 1:] for S in after], phi_k, dv_i)
        s = p[1:2] + (G,)
        blocks(dk, *p).copy_(d.unflatten(0, s))
        blocks(dv, *p).copy_(dv_i.unflatten(0, s))
        blocks(dq, *p).add_(dqi.unflatten(0, s), alpha=scale)
