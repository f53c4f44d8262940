"""The features of a block of columns, made a panel of rows at a time, and the way back.

Every feature of degree two and more is a product of two others, and products are made many at once
by broadcasting. For order 2 the variables are halved: the two halves crossed are one product, the
halves of both halves crossed another, and so on; what cannot be halved goes by suffixes, as every
higher order does.
"""

# B blocks (heads × chunks), C columns, D width, K order

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from workings.nn.attention.taylor.series import factors, feature_count, weights

Factors = tuple[Tensor, Tensor]
Product = tuple[Tensor, Tensor, Tensor]  # a, b and a ⊙ b

# Rows of a panel, as a multiple of the width: with the columns of a call they stay in the cache.
ROWS = 18


class Layout(NamedTuple):
    """How Φ is cut into panels: the first has the held rows too, which the others are made of."""

    width: int
    order: int
    rows: int  # of a panel at most, beside the held ones
    held: int
    panels: list[int]  # products in each
    sizes: list[int]  # rows of each
    weights: list[Tensor]  # of the rows of each: p_K(q·k) = Σ_m weight_m φ_m(q) φ_m(k)


def layout(width: int, order: int) -> Layout:
    """The layout of the features of this width and order, made once."""
    return _layout(width, order, ROWS * width)


@lru_cache(maxsize=16)
def _layout(width: int, order: int, rows: int) -> Layout:
    held = feature_count(width, max(order - 1, 1))
    numbers = torch.arange(held)[None, :, None]
    products = [
        torch.stack([x.flatten() for x in torch.broadcast_tensors(a, b)])
        for a, b in _top(numbers, width, order, rows)
    ]
    panels, sizes = [0], [0]
    for product in products:
        if panels[-1] and sizes[-1] + product.shape[1] > rows:
            panels.append(0)
            sizes.append(0)
        panels[-1] += 1
        sizes[-1] += product.shape[1]
    sizes[0] += held
    known = factors(width, max(order - 1, 1))
    a, b = torch.cat([torch.empty(2, 0, dtype=torch.long), *products], 1)
    top = torch.cat([known[b], a[:, None]], 1).sort(1).values
    every = torch.cat([weights(known), weights(top)])
    return Layout(width, order, rows, held, panels, sizes, list(every.split(sizes)))


def _top(held: Tensor, width: int, order: int, rows: int) -> Iterator[Factors]:
    """Factors whose products are the monomials of degree K, each once, at most `rows` at a time."""
    if order == 2:
        yield from _pairs(held[:, 1:], rows)
    elif order > 2:
        yield from _suffixes(held, width, order, rows)


def _pairs(x: Tensor, rows: int) -> Iterator[Factors]:
    """Every x_i x_j with i ≤ j once, by halves."""
    parts, size = 1, x.shape[1]
    while size % 2 == 0:
        size //= 2
        halves = x.unflatten(1, (parts, 2, size))
        first, second = halves[:, :, 0, :, None], halves[:, :, 1, None]
        step = max(1, rows // size**2)
        for a, b in zip(first.split(step, 1), second.split(step, 1), strict=True):
            for some in a.split(max(1, rows // size), 2):
                yield some, b
        parts *= 2
    left = x.unflatten(1, (parts, size))
    for i in range(size):
        yield left[:, :, i : i + 1], left[:, :, i:]


def _suffixes(held: Tensor, width: int, degree: int, rows: int) -> Iterator[Factors]:
    """x̄_i times the monomials of one degree less that use none before x̄_i."""
    lower = held[:, : feature_count(width, degree - 1)]
    for i in range(1, width + 1):
        suffix = lower[:, -feature_count(width - i, degree - 1) :]
        for some in suffix.split(rows, 1):
            yield held[:, i : i + 1], some


def _products(pairs: list[Factors], out: Tensor) -> list[Product]:
    """The factors with their products, one below the other in the rows of `out`."""
    products, start = [], 0
    for a, b in pairs:
        shape = [max(sizes) for sizes in zip(a.shape[1:-1], b.shape[1:-1], strict=True)]
        stop = start + math.prod(shape)
        products.append((a, b, out[:, start:stop].unflatten(1, shape)))
        start = stop
    return products


class Features:
    """Φ(x̄) of B blocks of C columns, in panels that pass through one buffer.

    Iterating gives the panels, B×rows×C; each is overwritten by the next.
    """

    def __init__(self, plan: Layout, blocks: int, columns: int, like: Tensor) -> None:
        self.layout = plan
        rows = max(plan.sizes[0], plan.held + max(plan.sizes[1:], default=0))
        self.buffer = like.new_empty(blocks, rows, columns)
        self.buffer[:, 0] = 1
        self.held = self.buffer[:, : plan.held]
        self.x = self.buffer[:, 1 : 1 + plan.width]
        self.below = held_products(self.held, plan)
        top = self.buffer[:, plan.held :]
        self.panels = [
            (self.buffer[:, 0 if number == 0 else plan.held :][:, :size], _products(pairs, top))
            for number, (size, pairs) in enumerate(
                zip(plan.sizes, panel_factors(self.held, plan), strict=True)
            )
        ]

    def load(self, x: Tensor, scale: float = 1.0) -> "Features":
        """Take the columns x, …×D×C with the blocks in front, times `scale`."""
        into = self.x.unflatten(0, x.shape[:-2])
        torch.mul(x, scale, out=into)
        _multiply(self.below)
        return self

    def __iter__(self) -> Iterator[Tensor]:
        for panel, products in self.panels:
            _multiply(products)
            yield panel


def held_products(held: Tensor, plan: Layout) -> list[Product]:
    """The products of the degrees below K, whose factors and results are all held rows."""
    return [
        product
        for degree in range(2, plan.order)
        for product in _products(
            list(_suffixes(held, plan.width, degree, plan.held)),
            held[:, feature_count(plan.width, degree - 1) :],
        )
    ]


def panel_factors(held: Tensor, plan: Layout) -> list[list[Factors]]:
    """The factors of each panel's products."""
    top = _top(held, plan.width, plan.order, plan.rows)
    return [[next(top) for _ in range(count)] for count in plan.panels]


def _multiply(products: list[Product]) -> None:
    for a, b, out in products:
        torch.mul(a, b, out=out)


class Gradient:
    """From ∂E/∂Φ, panel by panel, to ∂E/∂x: ∂a += ∂(a ⊙ b) ⊙ b and ∂b += ∂(a ⊙ b) ⊙ a."""

    def __init__(self, features: Features) -> None:
        plan, like = features.layout, features.buffer
        blocks, _, columns = like.shape
        self.features = features
        first = like.new_empty(blocks, plan.sizes[0], columns)
        spare = like.new_empty(blocks * max(plan.sizes[1:], default=0) * columns)
        others = [spare[: blocks * r * columns].view(blocks, r, columns) for r in plan.sizes[1:]]
        self.held = first[:, : plan.held]
        self.panels = [first, *others]
        pairs = panel_factors(self.held, plan)
        self.products = [
            _products(p, e) for p, e in zip(pairs, [first[:, plan.held :], *others], strict=True)
        ]
        self.below = held_products(self.held, plan)

    def pull(self, number: int) -> None:
        """Take back the products of a panel whose gradient has been written, from the first on."""
        _pull(self.products[number], self.features.panels[number][1])

    def finish(self) -> Tensor:
        """∂E/∂x, B×D×C."""
        _pull(self.below[::-1], self.features.below[::-1])
        return self.held[:, 1 : 1 + self.features.layout.width]


def _pull(gradients: list[Product], products: list[Product]) -> None:
    for (da, db, e), (a, b, _) in zip(gradients, products, strict=True):
        da.add_((e * b).sum_to_size(da.shape))
        db.add_((e * a).sum_to_size(db.shape))
