"""Taylor attention through features: linear in the length, in time and in memory.

With a causal mask the tokens are cut into chunks: inside a chunk the scores are made directly, and
the sums hold what is before it. Backward, they are summed once more for ∂q; ∂k and ∂v come from
their mirror image, ∂S = Σ_q ∂n̄ φ(q)ᵀ over what is after. Features are made again wherever they are
needed, and kept nowhere.
"""

# G heads (of any batch), n chunks, B = n·G blocks, C columns of a chunk, D width of a key, E of a
# value. Tokens are columns here: x_BDC.

from typing import NamedTuple

import torch
from torch import Tensor

from workings.nn.attention.taylor.direct import (
    Gradients,
    Heads,
    Scores,
    Settings,
    cotangent,
    triangle,
)
from workings.nn.attention.taylor.features import Features, Gradient, layout
from workings.nn.attention.taylor.sums import Running, Sums

# Width times columns of all heads at once: so many stay in the cache.
COLUMNS = 2**15


class Stretch(NamedTuple):
    """n chunks of C tokens, worked on side by side."""

    start: int
    chunks: int
    columns: int

    @property
    def rows(self) -> slice:
        """Where its tokens are."""
        return slice(self.start, self.start + self.chunks * self.columns)

    def split(self, x_GRD: Tensor) -> Tensor:
        """The R = n·C tokens of this stretch as columns, n×G×D×C; a view."""
        return x_GRD.unflatten(1, (self.chunks, self.columns)).permute(1, 0, 3, 2)


def stretches(length: int, chunks: int, columns: int) -> list[Stretch]:
    """A length cut into full stretches, the chunks that are left, and the columns that are left."""
    parts, start = [], 0
    while start < length:
        left = length - start
        n, C = (min(chunks, left // columns), columns) if left >= columns else (1, left)
        parts.append(Stretch(start, n, C))
        start += n * C
    return parts


def _chunk(width: int, causal: bool) -> int:
    """Tokens worked on at once; in a causal chunk so few that scores cost less than features."""
    return max(64, 2 * width) if causal else max(256, 8 * width)


def heads_at_once(heads: Heads, settings: Settings) -> int:
    """How many heads: so many that their features stay in the cache."""
    D = heads.q.shape[2]
    return max(1, COLUMNS // (D * (settings.chunk or _chunk(D, settings.causal))))


class Work:
    """How a call for some heads is cut, and what it needs for a stretch of each shape."""

    def __init__(self, heads: Heads, settings: Settings) -> None:
        self.heads, self.settings = heads, settings
        self.G, T, D = heads.q.shape
        columns = max(1, COLUMNS // (D * self.G))
        usual = _chunk(D, True) if settings.causal else columns
        self.chunk = min(settings.chunk or usual, max(T, heads.k.shape[1]))
        self.chunks = max(1, columns // self.chunk) if settings.causal else 1
        self.layout = layout(D, settings.order)
        self.made: dict[tuple[bool, int, int], tuple[Features, Gradient | None]] = {}

    def stretches(self, length: int) -> list[Stretch]:
        """How so many tokens are cut."""
        return stretches(length, self.chunks, self.chunk)

    def features(self, stretch: Stretch, of_keys: bool) -> Features:
        """φ(scale q) or φ(k), until another stretch takes its place."""
        shape = (of_keys, stretch.chunks, stretch.columns)
        if shape not in self.made:
            blocks = self.G * stretch.chunks
            made = Features(self.layout, blocks, stretch.columns, self.heads.norm)
            self.made[shape] = made, None
        x = self.heads.k if of_keys else self.heads.q
        scale = 1.0 if of_keys else self.settings.scale
        return self.made[shape][0].load(stretch.split(x[:, stretch.rows]), scale)

    def gradient(self, stretch: Stretch, of_keys: bool) -> Gradient:
        """Through the features of the stretch, which have been made."""
        shape = (of_keys, stretch.chunks, stretch.columns)
        features, gradient = self.made[shape]
        if gradient is None:
            gradient = Gradient(features)
            self.made[shape] = features, gradient
        return gradient

    def v_bar(self, stretch: Stretch) -> Tensor:
        """v̄ = [1; v], B×(1+E)×C."""
        return _lift(stretch.split(self.heads.v[:, stretch.rows]), 1.0)

    def dn_bar(self, stretch: Stretch, grad: Tensor) -> Tensor:
        """∂E/∂n̄ from ∂E/∂out, B×(1+E)×C."""
        rows, (_, _, _, out, norm) = stretch.rows, self.heads
        dn, dnorm = cotangent(grad[:, rows], out[:, rows], norm[:, rows], self.settings.clamp)
        return _lift(stretch.split(dn), stretch.split(dnorm[..., None])[:, :, 0])

    def sums(self) -> Sums:
        """Sums of no keys yet."""
        return Sums.zeros(self.layout, self.G, 1 + self.heads.v.shape[2], self.heads.norm)

    def scores(self) -> tuple[Scores, Tensor]:
        """Memory for the scores inside chunks, and the causal mask of one."""
        size = self.G * self.chunks * self.chunk**2
        scores = Scores(self.settings.order, size, self.heads.norm)
        return scores, triangle(self.chunk, self.heads.norm)

    def normalise(self, stretch: Stretch, n_bar: Tensor) -> None:
        """norm, and out = n / norm."""
        norm, n = n_bar.unflatten(0, (stretch.chunks, self.G)).tensor_split([1], 2)
        if self.settings.clamp is not None:
            norm.clamp_(min=self.settings.clamp)
        rows = stretch.rows
        stretch.split(self.heads.norm[:, rows, None]).copy_(norm)
        torch.div(n, norm, out=stretch.split(self.heads.out[:, rows]))


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
        forward_causal(work, work.sums())
        return
    sums = _all_keys(work)
    for stretch in work.stretches(heads.q.shape[1]):
        n_bar = heads.norm.new_zeros(work.G, 1 + heads.v.shape[2], stretch.columns)
        sums.read(work.features(stretch, False), n_bar)
        work.normalise(stretch, n_bar)


def forward_causal(work: Work, start: Sums) -> Sums:
    """Fill out and norm of tokens that come after those in the sums; gives the sums of all."""
    running = Running(start, work.chunks)
    scores, mask = work.scores()
    for stretch in work.stretches(work.heads.q.shape[1]):
        C = stretch.columns
        phi_q, phi_k = work.features(stretch, False), work.features(stretch, True)
        v_bar = work.v_bar(stretch)
        n_bar = torch.bmm(v_bar, scores.weights(phi_q.x.mT, phi_k.x.mT, 1.0, mask[:C, :C]))
        running.take(phi_k, v_bar).read(phi_q, n_bar)
        work.normalise(stretch, n_bar)
    return running.sums()


def backward(heads: Heads, grad: Tensor, gradients: Gradients, settings: Settings) -> None:
    """Fill the gradients from that of out."""
    work = Work(heads, settings)
    (_backward_causal if settings.causal else _backward)(work, grad, gradients)


def _backward(work: Work, grad: Tensor, gradients: Gradients) -> None:
    q, k, v, _, _ = work.heads
    sums, dsums = _all_keys(work), work.sums()
    for stretch in work.stretches(q.shape[1]):
        dn_bar = work.dn_bar(stretch, grad)
        dsums.add(work.features(stretch, False), dn_bar)
        dq = sums.pull(work.gradient(stretch, False), dn_bar)
        _store(stretch, dq, gradients.q, work.settings.scale)
    for stretch in work.stretches(k.shape[1]):
        dv = v.new_zeros(work.G, v.shape[2], stretch.columns)
        dsums.without_norm().read(work.features(stretch, True), dv)
        dk = dsums.pull(work.gradient(stretch, True), work.v_bar(stretch))
        _store(stretch, dk, gradients.k)
        _store(stretch, dv, gradients.v)


def _all_keys(work: Work) -> Sums:
    sums = work.sums()
    for stretch in work.stretches(work.heads.k.shape[1]):
        sums.add(work.features(stretch, True), work.v_bar(stretch))
    return sums


def _backward_causal(work: Work, grad: Tensor, gradients: Gradients) -> None:
    scale = work.settings.scale
    every = work.stretches(work.heads.q.shape[1])
    cotangents = [work.dn_bar(stretch, grad) for stretch in every]
    before = Running(work.sums(), work.chunks)
    for stretch, dn_bar in zip(every, cotangents, strict=True):
        work.features(stretch, False)
        sums = before.take(work.features(stretch, True), work.v_bar(stretch))
        _store(stretch, sums.pull(work.gradient(stretch, False), dn_bar), gradients.q, scale)

    after = Running(work.sums(), work.chunks, reverse=True)
    scores, mask = work.scores()
    for stretch, dn_bar in zip(every[::-1], cotangents[::-1], strict=True):
        C = stretch.columns
        phi_q, phi_k = work.features(stretch, False), work.features(stretch, True)
        v_bar, dn = work.v_bar(stretch), dn_bar[:, 1:]
        w, dt = scores.gradients(
            phi_q.x.mT, phi_k.x.mT, v_bar[:, 1:].mT, dn.mT, dn_bar[:, 0], 1.0, mask[:C, :C]
        )
        dq, dk, dv = torch.bmm(phi_k.x, dt), torch.bmm(phi_q.x, dt.mT), torch.bmm(dn, w.mT)
        sums = after.take(phi_q, dn_bar)
        sums.without_norm().read(phi_k, dv)
        dk += sums.pull(work.gradient(stretch, True), v_bar)
        into = stretch.split(gradients.q[:, stretch.rows])
        into.add_(dq.view(into.shape), alpha=scale)
        _store(stretch, dk, gradients.k)
        _store(stretch, dv, gradients.v)


def _store(stretch: Stretch, dx: Tensor, gradient: Tensor, scale: float = 1.0) -> None:
    into = stretch.split(gradient[:, stretch.rows])
    torch.mul(dx.unflatten(0, into.shape[:2]), scale, out=into)
