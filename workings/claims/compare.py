"""A claimed value beside the right one, at several draws: the verdict and its evidence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

import torch
from torch import Tensor

from workings.claims.evidence import Evidence
from workings.claims.verdict import Verdict
from workings.formula.evaluation.matrices import shape

TOLERANCE = 1e-8
ZERO = 1e-10  # what is smaller at draws of all magnitudes is 0
NEAR = 100.0  # times what rounding explains: up to that, a difference may still be rounding
EPSILON = torch.finfo(torch.float64).eps
SAFETY = 3e3  # times the rounding that was seen is allowed for
MovedByRounding = Callable[[bool], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Pair:
    """What is claimed and what is right, at one draw of these sizes."""

    claimed: Tensor
    right: Tensor
    sizes: Mapping[str, int]
    rounding: MovedByRounding | None = None
    """how far rounding may have moved the entries of each, asked for where they differ;
    False: by one try, True: by all, which may only find that it moves them farther"""
    has_size_one: bool = False
    floor: float = 0.0
    """a difference that may be rounding, as where 1 - σ(x) is lost beside σ(x)"""

    @property
    def alike(self) -> tuple[Tensor, Tensor]:
        """Both sides, a number without axes."""
        if self.right.numel() == 1:
            return self.claimed.reshape(()), self.right.reshape(())
        return self.claimed, self.right

    @property
    def vanishes(self) -> bool:
        """Whether nothing but rounding is left of either side."""
        return all(float(side.abs().max()) < ZERO for side in self.alike if side.numel())

    @property
    def is_equal(self) -> bool:
        """Whether that has been found already."""
        return self.__dict__.get("excess", float("inf")) <= 1

    @cached_property
    def error(self) -> float:
        """The largest difference, relative to the largest number that it is a difference of."""
        claimed, right = self.alike
        plain = error(claimed, right)
        if self.rounding is None or plain == 0 or (plain > 1e-6 and not self.is_equal):
            return plain
        cancelled = float(self.rounding(False)[1].max()) / (EPSILON * SAFETY)
        largest = float(right.abs().max()) or float(claimed.abs().max())
        scale = cancelled if cancelled > 10 * largest else largest
        return float((claimed - right).abs().max()) / scale

    @cached_property
    def is_lost(self) -> bool:
        """Whether the sides differ and rounding alone may have made either what it is."""
        if self.rounding is None or self.excess > 0:
            return False
        return not torch.equal(*self.alike) and any(
            not torch.isfinite(each).all() for each in self.rounding(True)
        )

    @cached_property
    def excess(self) -> float:
        """How many times the difference is what rounding explains; inf if the shapes differ."""
        return self._excess(False)

    @cached_property
    def excess_transposed(self) -> float:
        """The same for the transpose of what is claimed."""
        if self.claimed.ndim != 2 or self.claimed.numel() == 1:
            return float("inf")
        return self._excess(True)

    def _excess(self, transpose: bool) -> float:
        a, b = (self.claimed.t() if transpose else self.claimed), self.right
        if a.numel() == b.numel() == 1:
            a, b = a.reshape(()), b.reshape(())
        if a.shape != b.shape:
            return float("inf")
        difference = (a - b).abs()
        if not difference.numel() or float(difference.max()) == 0:
            return 0.0
        if self.rounding is None:
            return error(a, b) / TOLERANCE
        by_one_try = self._times(difference, transpose, *self.rounding(False))
        if by_one_try <= 1:
            return by_one_try
        return self._times(difference, transpose, *self.rounding(True))

    def _times(
        self, difference: Tensor, transpose: bool, of_claimed: Tensor, of_right: Tensor
    ) -> float:
        """How many times a difference is what may come of these moves of both sides."""
        of_claimed = of_claimed.t() if transpose else of_claimed
        allowed = of_claimed.reshape(difference.shape) + of_right.reshape(difference.shape)
        ratio = difference / allowed.clamp(min=self.floor or 1e-300)
        return float(torch.where(difference == 0, torch.zeros_like(ratio), ratio).max())


def equal(a: Tensor, b: Tensor) -> bool:
    """Equal as far as a search needs it; a number may be written as a 1×1 matrix."""
    if a.numel() == b.numel() == 1:
        a, b = a.reshape(()), b.reshape(())
    return a.shape == b.shape and error(a, b) <= TOLERANCE


def error(a: Tensor, b: Tensor) -> float:
    """The largest difference, relative to the largest entry of what is right."""
    difference = float((a - b).abs().max()) if a.numel() else 0.0
    if difference != difference:
        return float("inf")
    return difference / max(float(b.abs().max()), 1e-12)


def compare(pairs: Sequence[Pair]) -> tuple[Verdict, Evidence]:
    """The verdict on all draws together; draws with a size of 1 only add a remark."""
    pairs = [pair for pair in pairs if not pair.is_lost]
    if not pairs:
        return Verdict.UNDECIDED, Evidence(why="at every draw rounding alone decides the values")
    plain = [pair for pair in pairs if not pair.has_size_one] or list(pairs)
    holds = all(pair.excess <= 1 for pair in plain)
    evidence = _evidence(plain)
    if holds:
        odd = [pair for pair in pairs if pair.has_size_one and pair.excess > NEAR]
        vanishes = all(pair.vanishes for pair in pairs)
        evidence = replace(evidence, draws=len(pairs), vanishes=vanishes)
        return Verdict.HOLDS, replace(evidence, except_where=_ones(odd))
    if all(pair.excess <= NEAR for pair in plain):
        return Verdict.UNDECIDED, replace(evidence, why="the difference may be rounding, or not")
    if all(pair.excess_transposed <= NEAR for pair in plain):
        return Verdict.TRANSPOSED, evidence
    if any(_sides(pair.claimed) != _sides(pair.right) for pair in plain):
        return Verdict.WRONG_SHAPE, evidence
    factors = [factor(pair.claimed, pair.right) for pair in plain]
    known = [each for each in factors if each is not None]
    if len(known) == len(plain):
        name = name_factor(known, [pair.sizes for pair in plain])
        if name == "-1":
            return Verdict.FLIPPED, evidence
        if name and name != "1":
            return Verdict.SCALED, replace(evidence, factor=name)
    return Verdict.WRONG_VALUE, evidence


def _ones(pairs: Sequence[Pair]) -> str:
    names = [name for pair in pairs for name, size in pair.sizes.items() if size == 1]
    return " or ".join(f"{name} = 1" for name in dict.fromkeys(names))


def _sides(x: Tensor) -> tuple[int, ...]:
    return () if x.numel() == 1 else tuple(x.shape)


def factor(claimed: Tensor, right: Tensor) -> float | None:
    """c with claimed = c · right, if there is one other than 0."""
    if claimed.numel() != right.numel() or float(right.abs().max()) == 0:
        return None
    flat, other = claimed.reshape(-1), right.reshape(-1)
    c = float(flat @ other / (other @ other))
    return c if abs(c) > 1e-12 and equal(flat, c * other) else None


def name_factor(factors: Sequence[float], sizes: Sequence[Mapping[str, int]]) -> str:
    """The constant that all draws share, or the size that it is: 2, 1/2, n, 1/√n; else nothing."""
    if all(abs(each - factors[0]) <= 1e-9 * abs(factors[0]) for each in factors):
        exact = Fraction(factors[0]).limit_denominator(1000)
        close = abs(float(exact) - factors[0]) <= 1e-9 * abs(factors[0])
        return str(exact) if close else f"{factors[0]:.6g}"
    for name, lengths in _units(sizes):
        pairs = list(zip(factors, lengths, strict=True))
        if constant := _constant([each / length for each, length in pairs]):
            top, bottom = constant.numerator, constant.denominator
            text = name if bottom == 1 else f"{name}/{bottom}"
            return text if top == 1 else f"-{text}" if top == -1 else f"{top} {text}"
        if constant := _constant([each * length for each, length in pairs]):
            top, bottom = constant.numerator, constant.denominator
            return (
                f"{top}/{name}" if bottom == 1 and " " not in name else f"{top}/({bottom} {name})"
            )
    return ""


def _units(sizes: Sequence[Mapping[str, int]]) -> Iterator[tuple[str, list[float]]]:
    """What a factor may be a multiple of at each draw: a size, its root, a product of two."""
    yield from ((name, [float(each[name]) for each in sizes]) for name in sizes[0])
    yield from ((f"√{name}", [each[name] ** 0.5 for each in sizes]) for name in sizes[0])
    for a, b in combinations_with_replacement(sizes[0], 2):
        yield f"{a} {b}", [float(each[a] * each[b]) for each in sizes]


def _constant(values: Sequence[float]) -> Fraction | None:
    """A small fraction that all of them are."""
    exact = Fraction(values[0]).limit_denominator(100)
    close = all(abs(each - float(exact)) <= 1e-9 * abs(each) for each in values)
    return exact if close and exact else None


def _evidence(pairs: Sequence[Pair]) -> Evidence:
    """The draw with the largest error: its shapes, its worst entry and its sizes."""
    misfits = [pair for pair in pairs if _sides(pair.claimed) != _sides(pair.right)]
    if misfits:
        return _shapes(misfits[0], len(pairs))
    worst = max(pairs, key=lambda pair: pair.error)
    claimed, right = worst.alike
    entry = int(torch.nan_to_num(claimed - right, nan=float("inf")).abs().argmax())
    position = torch.unravel_index(torch.tensor(entry), right.shape)
    return replace(
        _shapes(worst, len(pairs)),
        largest_relative_error=worst.error,
        worst_entry=tuple(int(index) + 1 for index in position),
        claimed=float(claimed.reshape(-1)[entry]),
        right=float(right.reshape(-1)[entry]),
    )


def _shapes(pair: Pair, draws: int) -> Evidence:
    return Evidence(
        claimed_shape=shape(pair.claimed),
        right_shape=shape(pair.right),
        sizes=dict(pair.sizes),
        draws=draws,
    )
