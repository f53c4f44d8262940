"""Looking for a counterexample to an inequality step by step, where random draws show none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import torch
from torch import Tensor

from workings.claims.system.draws import SMALL
from workings.claims.system.equations import Style
from workings.claims.system.gradient import Point
from workings.claims.system.live import LiveClaim
from workings.claims.system.symbols import Symbol
from workings.errors import WorkingsError
from workings.formula.errors import Undefined

STARTS = 6
STEPS = 60
FIRST_SEED = 7000
LEAST_EIGENVALUE = 1e-8  # of a definite matrix, beside its largest
KEPT_BY_CONGRUENCE = frozenset({"definite", "symmetric"})
KEPT_BY_FACTORS = frozenset({"positive", "diagonal", "lower", "upper"})
SHARES = frozenset({"probability", "stochastic"})

Gap = Callable[[Point], float]
"""by how much an inequality is broken at a point, relative to its sides; below 0 where it holds"""


def worst_points(live: LiveClaim, gap: Gap, starts: int = STARTS) -> Iterator[Point]:
    """From each of some draws of small sizes, the point that small changes lead to.

    A change is kept where the inequality comes nearer to being broken.
    """
    if not live.system.symbols:
        return
    for start in range(starts):
        generator = torch.Generator().manual_seed(live.seed + FIRST_SEED + start)
        try:
            point = live.point(FIRST_SEED + start, Style(SMALL))
            nearest = gap(point)
        except (Undefined, WorkingsError):
            continue
        for _ in range(STEPS):
            if nearest > 0 or live.hurries:
                break
            try:
                other = _moved(live, point, generator)
                reached = gap(other)
            except (Undefined, WorkingsError):
                continue  # no value there
            if reached > nearest:
                point, nearest = other, reached
        yield point


def _moved(live: LiveClaim, point: Point, generator: torch.Generator) -> Point:
    """The point with one of its symbols changed."""
    leaves = dict(point.draw.leaves)
    names = [name for name in leaves if name.partition("@")[0] in live.system.symbols]
    name = names[int(torch.randint(len(names), (), generator=generator))]
    symbol = live.system.symbols[name.partition("@")[0]]
    leaves[name] = _changed(leaves[name], symbol, point.draw.sizes, generator)
    return replace(point, draw=replace(point.draw, leaves=leaves), seen={})


def _is_almost_singular(x: Tensor) -> bool:
    """Whether rounding may have taken a positive eigenvalue away."""
    eigenvalues = torch.linalg.eigvalsh(x)
    return bool(eigenvalues[0] <= LEAST_EIGENVALUE * eigenvalues[-1])


def _shares(x: Tensor, factors: Tensor, symbol: Symbol) -> Tensor:
    """Other shares of 1; of a number, another one between 0 and 1."""
    if not x.ndim:
        odds = x / (1 - x) * factors
        return odds / (1 + odds) if x < 1 else x
    scaled = x * factors
    by_rows = "stochastic" in symbol.kinds and x.shape[1] > 1
    return scaled / (scaled.sum(1, keepdim=True) if by_rows else scaled.sum())


def _changed(
    x: Tensor, symbol: Symbol, sizes: Mapping[str, int], generator: torch.Generator
) -> Tensor:
    """Another value of the same kind: near by, far larger in places, or with zeros."""
    how = int(torch.randint(3, (), generator=generator))
    decades = torch.randn(x.shape, generator=generator, dtype=x.dtype)
    kinds = set(symbol.kinds)
    if not kinds:
        if how == 0:
            return x + 0.3 * x.abs().mean() * decades
        if how == 1:
            return x * 10**decades
        some = torch.rand(x.shape, generator=generator) < 0.6
        return x * some if (x * some).any() else x  # x > 0 is said of what is not 0
    factors = 10 ** (decades if how else 0.3 * decades)
    if kinds == {"positive"} or (how and kinds <= KEPT_BY_FACTORS):
        return x * factors
    if kinds <= SHARES:
        return _shares(x, factors, symbol)
    if kinds <= KEPT_BY_CONGRUENCE and x.ndim == 2:
        turn = torch.eye(len(x), dtype=x.dtype) + (0.3 if how else 1.0) * decades
        moved = turn @ x @ turn.t()
        moved = (moved + moved.t()) / 2
        return x if "definite" in kinds and _is_almost_singular(moved) else moved
    return symbol.draw(sizes, generator)
