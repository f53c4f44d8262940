"""The sums S = Σ v̄ φ(k)ᵀ that stand for any number of keys and values.

With v̄ = [1; v] the numerator and the denominator of Taylor attention are one product,

    n̄(q) = [norm; n] = Σ_k v̄ p(q·k) = S φ(q).
"""

# G heads (of any batch), n chunks, B = n·G blocks, C columns, E width of a value, M features

from itertools import pairwise

import torch
from torch import Tensor

from workings.nn.attention.taylor.features import Features, Gradient, Layout


class Sums:
    """S, B×(1+E)×M in panels, with the weights of the features in it."""

    def __init__(self, panels: list[Tensor], weights: list[Tensor]) -> None:
        self.panels, self.weights = panels, weights

    @classmethod
    def zeros(cls, layout: Layout, blocks: int, rows: int, like: Tensor) -> "Sums":
        """The sums of no keys."""
        panels = [like.new_zeros(blocks, rows, size) for size in layout.sizes]
        return cls(panels, [weights.to(like) for weights in layout.weights])

    def add(self, features: Features, v_bar: Tensor) -> None:
        """S += v̄ (Φ ⊙ weights)ᵀ."""
        for S, weights, panel in zip(self.panels, self.weights, features, strict=True):
            S.baddbmm_(v_bar, (panel * weights[:, None]).mT)

    def read(self, features: Features, n_bar: Tensor) -> None:
        """n̄ += S Φ."""
        for S, panel in zip(self.panels, features, strict=True):
            n_bar.baddbmm_(S, panel)

    def step(self, keys: Features, queries: Features, v_bar: Tensor) -> Tensor:
        """`add`, then `read`, for a single column: by elements, as products are slow there."""
        n_bar = torch.zeros_like(v_bar)
        for S, weights, k, q in zip(self.panels, self.weights, keys, queries, strict=True):
            S.addcmul_(v_bar, (k * weights[:, None]).mT)
            n_bar += (S * q.mT).sum(-1, keepdim=True)
        return n_bar

    def pull(self, gradient: Gradient, dn_bar: Tensor) -> Tensor:
        """∂E/∂x from ∂E/∂Φ = Sᵀ ∂E/∂n̄."""
        for number, S in enumerate(self.panels):
            torch.bmm(S.mT, dn_bar, out=gradient.panels[number])
            gradient.pull(number)
        return gradient.finish()

    def clone(self) -> "Sums":
        """A copy with memory of its own."""
        return Sums([S.clone() for S in self.panels], self.weights)

    def without_norm(self) -> "Sums":
        """Without the row of the denominator: Σ v φ(k)ᵀ."""
        return Sums([S[:, 1:] for S in self.panels], self.weights)


class Running:
    """The sums of all chunks so far, from the first on; reversed, from the last on."""

    def __init__(self, start: Sums, chunks: int, reverse: bool = False) -> None:
        self.weights, self.reverse = start.weights, reverse
        self.slots = [S.new_empty(chunks + 1, *S.shape) for S in start.panels]
        self.position = 0  # where in the slots the sums of all chunks so far are
        for slots, S in zip(self.slots, start.panels, strict=True):
            slots[0] = S

    def take(self, features: Features, v_bar: Tensor) -> Sums:
        """Take in some chunks; gives, for each of them, the sums before it came."""
        before = []
        n = len(v_bar) // self.slots[0].shape[1]
        for memory, weights, panel in zip(self.slots, self.weights, features, strict=True):
            slots = memory[: n + 1]
            own, others = (slots[:-1], slots[1:]) if self.reverse else (slots[1:], slots[:-1])
            in_order = slots.unbind()[:: -1 if self.reverse else 1]
            if self.position != (n if self.reverse else 0):
                in_order[0].copy_(memory[self.position])
            torch.bmm(v_bar, panel.mT, out=own.flatten(0, 1))
            for earlier, later in pairwise(in_order):
                torch.addcmul(earlier, later, weights, out=later)
            before.append(others.flatten(0, 1))
        self.position = 0 if self.reverse else n
        return Sums(before, self.weights)

    def sums(self) -> Sums:
        """Those of all chunks so far."""
        return Sums([slots[self.position] for slots in self.slots], self.weights)
