"""Taylor attention through features: linear in the length, in time and in memory.

With v̄ = [1; v] the numerator and the denominator are one product,

    n̄(q) = [norm; n] = Σ_k v̄ p(q·k) = S φ(q),  S = Σ_k v̄ φ(k)ᵀ,

the weights of the features being taken into S when it is read. With a causal mask the tokens are cut
into chunks: inside a chunk the scores are made directly, and S holds what is before it. Backward, S
is summed once more for ∂q; ∂k and ∂v come from its mirror image, ∂S = Σ_q ∂n̄ φ(q)ᵀ over what is
after. Features are made again wherever they are needed, and kept nowhere.
"""

# G heads (of any batch), n chunks, B = n·G blocks, C columns of a chunk, D width of a key, E of a
# value, M features. Tokens are columns here: x_BDC.

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from workings.nn.taylor_direct import Gradients, Heads, Scores, Settings, cotangent, triangle
from workings.nn.taylor_features import Features, Gradient, Layout, layout

# Columns times width, and features of a panel: what stays in the cache.
COLUMNS, FEATURES = 2**15, 600_000


class Stretch(NamedTuple):
    """n chunks of C tokens, worked on side by side."""

    start: int
    chunks: int
    columns: int

    @property
    def rows(self) -> slice:
        return slice(self.start, self.start + self.chunks * self.columns)

    def split(self, x_GRD: Tensor) -> Tensor:
        """The R = n·C rows of this stretch as columns, n×G×D×C; a view."""
        return x_GRD.unflatten(1, (self.chunks, self.columns)).permute(1, 0, 3, 2)


def stretches(length: int, chunks: int, columns: int) -> list[Stretch]:
    """Full ones, then the chunks that are left, then the columns that are left."""
    found, at = [], 0
    while at < length:
        left = length - at
        n, C = (min(chunks, left // columns), columns) if left >= columns else (1, left)
        found.append(Stretch(at, n, C))
        at += n * C
    return found


class Sums:
    """S = Σ v̄ φ(k)ᵀ ⊙ weights, B×(1+E)×M, in panels."""

    def __init__(self, panels: list[Tensor]) -> None:
        self.panels = panels

    def read(self, features: Features, n_bar: Tensor) -> None:
        """n̄ += S Φ."""
        for S, panel in zip(self.panels, features, strict=True):
            n_bar.baddbmm_(S, panel)

    def pull(self, gradient: Gradient, dn_bar: Tensor, dx: Tensor) -> None:
        """∂x from ∂Φ = Sᵀ ∂n̄, added to what is there."""
        for number, S in enumerate(self.panels):
            torch.bmm(S.mT, dn_bar, out=gradient.panels[number])
            gradient.pull(number)
        dx.add_(gradient.finish())

    def without_norm(self) -> "Sums":
        return Sums([S[:, 1:] for S in self.panels])


class Total:
    """The sums over all chunks."""

    def __init__(self, plan: Layout, heads: int, rows: int, like: Tensor) -> None:
        self.panels = [like.new_zeros(heads, rows, size) for size in plan.sizes]
        self.weights = [weights.to(like) for weights in plan.weights]

    def add(self, features: Features, v_bar: Tensor) -> None:
        for S, panel in zip(self.panels, features, strict=True):
            S.baddbmm_(v_bar, panel.mT)

    def sums(self) -> Sums:
        return Sums([S * weights for S, weights in zip(self.panels, self.weights, strict=True)])


class Running:
    """The sums of all chunks so far, from the first on; reversed, from the last on."""

    def __init__(self, plan, heads, rows, like, chunks: int, reverse: bool = False) -> None:
        self.reverse = reverse
        self.slots = [like.new_zeros(chunks + 1, heads, rows, size) for size in plan.sizes]
        self.weights = [weights.to(like) for weights in plan.weights]
        self.last = 0 if not reverse else chunks

    def take(self, features: Features, v_bar: Tensor, chunks: int) -> Sums:
        """Take in the chunks of a stretch; gives, for each of them, the sums before it came."""
        found = []
        for memory, weights, panel in zip(self.slots, self.weights, features, strict=True):
            slots = memory[: chunks + 1]
            own, earlier = (slots[:-1], slots[1:]) if self.reverse else (slots[1:], slots[:-1])
            turn = slots.unbind()[:: -1 if self.reverse else 1]
            turn[0].copy_(memory[self.last])
            torch.bmm(v_bar, panel.mT, out=own.flatten(0, 1))
            for before, after in pairwise(turn):
                torch.addcmul(before, after, weights, out=after)
            found.append(earlier.flatten(0, 1))
        self.last = 0 if self.reverse else chunks
        return Sums(found)


class Work:
    """One call for some heads: how it is cut, and buffers for every shape of stretch."""

    def __init__(self, heads: Heads, settings: Settings) -> None:
        self.heads, self.settings = heads, settings
        self.G, T, D = heads.q.shape
        columns = max(1, COLUMNS // (D * self.G))
        usual = _chunk(D) if settings.causal else columns
        self.chunk = min(settings.chunk or usual, max(T, heads.k.shape[1]))
        self.chunks = max(1, columns // self.chunk) if settings.causal else 1
        rows = max(D, FEATURES // (self.G * self.chunks * self.chunk))
        self.layout = layout(D, settings.order, rows)
        self.made: dict[tuple[bool, int, int], Features] = {}
        self.gradients: dict[tuple[bool, int, int], Gradient] = {}

    def stretches(self, length: int) -> list[Stretch]:
        return stretches(length, self.chunks, self.chunk)

    def features(self, stretch: Stretch, of_keys: bool) -> Features:
        """φ(scale q) or φ(k), until the next stretch takes its place."""
        shape = (of_keys, stretch.chunks, stretch.columns)
        if shape not in self.made:
            blocks = self.G * stretch.chunks
            self.made[shape] = Features(self.layout, blocks, stretch.columns, self.heads.norm)
        x = self.heads.k if of_keys else self.heads.q
        scale = 1.0 if of_keys else self.settings.scale
        return self.made[shape].load(stretch.split(x[:, stretch.rows]), scale)

    def gradient(self, stretch: Stretch, of_keys: bool) -> Gradient:
        """For the features that were made last."""
        shape = (of_keys, stretch.chunks, stretch.columns)
        if shape not in self.gradients:
            self.gradients[shape] = Gradient(self.made[shape])
        return self.gradients[shape]

    def v_bar(self, stretch: Stretch) -> Tensor:
        return _lift(stretch.split(self.heads.v[:, stretch.rows]), 1.0)

    def dn_bar(self, stretch: Stretch, grad: Tensor) -> Tensor:
        rows = stretch.rows
        dn, dnorm = cotangent(
            grad[:, rows], self.heads.out[:, rows], self.heads.norm[:, rows], self.settings.clamp
        )
        return _lift(stretch.split(dn), stretch.split(dnorm[..., None])[:, :, 0])

    def zeros(self, stretch: Stretch, rows: int) -> Tensor:
        return self.heads.norm.new_zeros(self.G * stretch.chunks, rows, stretch.columns)

    def total(self) -> Total:
        return Total(self.layout, self.G, 1 + self.heads.v.shape[2], self.heads.norm)

    def scores(self) -> tuple[Scores, Tensor]:
        size = self.G * self.chunks * self.chunk**2
        scores = Scores(self.settings.order, size, self.heads.norm)
        return scores, triangle(self.chunk, self.heads.norm)

    def normalise(self, stretch: Stretch, n_bar: Tensor) -> None:
        """norm and out = n / norm."""
        norm, n = n_bar.unflatten(0, (stretch.chunks, self.G)).tensor_split([1], 2)
        if self.settings.clamp is not None:
            norm.clamp_(min=self.settings.clamp)
        rows = stretch.rows
        stretch.split(self.heads.norm[:, rows, None]).copy_(norm)
        torch.div(n, norm, out=stretch.split(self.heads.out[:, rows]))


def _chunk(width: int) -> int:
    """Tokens of a causal chunk: features inside one would cost more than its scores."""
    return max(64, 2 * width)


def heads_at_once(heads: Heads, settings: Settings) -> int:
    """So many that their features stay in the cache."""
    D = heads.q.shape[2]
    return max(1, COLUMNS // (D * (settings.chunk or _chunk(D))))


def _lift(x_nGDC: Tensor, first: Tensor | float) -> Tensor:
    """[first; x], B×(1+D)×C."""
    n, G, D, C = x_nGDC.shape
    lifted = x_nGDC.new_empty(n, G, 1 + D, C)
    lifted[:, :, 0] = first
    lifted[:, :, 1:] = x_nGDC
    return lifted.flatten(0, 1)


def forward(heads: Heads, settings: Settings) -> None:
    """Fill out and norm."""
    work = Work(heads, settings)
    if settings.causal:
        forward_causal(work)
        return
    total = work.total()
    for stretch in work.stretches(heads.k.shape[1]):
        total.add(work.features(stretch, True), work.v_bar(stretch))
    sums = total.sums()
    for stretch in work.stretches(heads.q.shape[1]):
        n_bar = work.zeros(stretch, 1 + heads.v.shape[2])
        sums.read(work.features(stretch, False), n_bar)
        work.normalise(stretch, n_bar)


def forward_causal(work: Work) -> None:
    """After what is in the sums already, which take in the new tokens."""
    running = Running(work.layout, work.G, 1+work.heads.v.shape[2], work.heads.q, work.chunks)
    scores, mask = work.scores()
    for stretch in work.stretches(work.heads.q.shape[1]):
        C = stretch.columns
        phi_q, phi_k = work.features(stretch, False), work.features(stretch, True)
        v_bar = work.v_bar(stretch)
        n_bar = torch.bmm(v_bar, scores.weights(phi_q.x.mT, phi_k.x.mT, 1.0, mask[:C, :C]))
        running.take(phi_k, v_bar, stretch.chunks).read(phi_q, n_bar)
        work.normalise(stretch, n_bar)


def backward(heads: Heads, grad: Tensor, gradients: Gradients, settings: Settings) -> None:
    """Fill the gradients from that of out."""
    work = Work(heads, settings)
    (_backward_causal if settings.causal else _backward)(work, grad, gradients)


def _backward(work: Work, grad: Tensor, gradients: Gradients) -> None:
    q, k, v, _, _ = work.heads
    total, dtotal = work.total(), work.total()
    for stretch in work.stretches(k.shape[1]):
        total.add(work.features(stretch, True), work.v_bar(stretch))
    sums = total.sums()
    for stretch in work.stretches(q.shape[1]):
        dn_bar, dq = work.dn_bar(stretch, grad), work.zeros(stretch, q.shape[2])
        dtotal.add(work.features(stretch, False), dn_bar)
        sums.pull(work.gradient(stretch, False), dn_bar, dq)
        _store(stretch, dq, gradients.q, work.settings.scale)
    dsums = dtotal.sums()
    for stretch in work.stretches(k.shape[1]):
        dk, dv = work.zeros(stretch, k.shape[2]), work.zeros(stretch, v.shape[2])
        dsums.without_norm().read(work.features(stretch, True), dv)
        dsums.pull(work.gradient(stretch, True), work.v_bar(stretch), dk)
        _store(stretch, dk, gradients.k)
        _store(stretch, dv, gradients.v)


def _backward_causal(work: Work, grad: Tensor, gradients: Gradients) -> None:
    q = work.heads.q
    before = Running(work.layout, work.G, 1+work.heads.v.shape[2], q, work.chunks)
    every = work.stretches(q.shape[1])
    cotangents = [work.dn_bar(stretch, grad) for stretch in every]
    for stretch, dn_bar in zip(every, cotangents, strict=True):
        dq = work.zeros(stretch, q.shape[2])
        work.features(stretch, False)
        sums = before.take(work.features(stretch, True), work.v_bar(stretch), stretch.chunks)
        sums.pull(work.gradient(stretch, False), dn_bar, dq)
        _store(stretch, dq, gradients.q, work.settings.scale)

    after = Running(work.layout, work.G, 1+work.heads.v.shape[2], q, work.chunks, reverse=True)
    scores, mask = work.scores()
    for stretch, dn_bar in zip(every[::-1], cotangents[::-1], strict=True):
        C = stretch.columns
        phi_q, phi_k = work.features(stretch, False), work.features(stretch, True)
        v_bar, dn = work.v_bar(stretch), dn_bar[:, 1:]
        w, dt = scores.gradients(
            phi_q.x.mT, phi_k.x.mT, v_bar[:, 1:].mT, dn.mT, dn_bar[:, 0], 1.0, mask[:C, :C]
        )
        dq, dk, dv = torch.bmm(phi_k.x, dt), torch.bmm(phi_q.x, dt.mT), torch.bmm(dn, w.mT)
        sums = after.take(phi_q, dn_bar, stretch.chunks)
        sums.without_norm().read(phi_k, dv)
        sums.pull(work.gradient(stretch, True), v_bar, dk)
        into = stretch.split(gradients.q[:, stretch.rows])
        into.add_(dq.view_as(into), alpha=work.settings.scale)
        _store(stretch, dk, gradients.k)
        _store(stretch, dv, gradients.v)


def _store(stretch: Stretch, dx: Tensor, gradient: Tensor, scale: float = 1.0) -> None:
    into = stretch.split(gradient[:, stretch.rows])
    torch.mul(dx.view(into.shape), scale, out=into)
