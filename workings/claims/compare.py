"""A claimed value beside the right one, at several draws: the verdict and its evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import torch
from torch import Tensor

from workings.claims.evidence import Evidence
from workings.claims.verdict import Verdict
from workings.formula.functions import shape

TOLERANCE = 1e-8


@dataclass(frozen=True)
class Pair:
    """What is claimed and what is right, at one draw of these sizes."""

    claimed: Tensor
    right: Tensor
    sizes: Mapping[str, int]


def equal(a: Tensor, b: Tensor) -> bool:
    """Equal to rounding; a number may be written as a 1×1 matrix."""
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
    """The verdict on all draws together."""
    evidence = _evidence(pairs)
    if all(equal(pair.claimed, pair.right) for pair in pairs):
        return Verdict.HOLDS, evidence
    if all(_transposed(pair) for pair in pairs):
        return Verdict.TRANSPOSED, evidence
    if any(_sides(pair.claimed) != _sides(pair.right) for pair in pairs):
        return Verdict.WRONG_SHAPE, evidence
    factors = [factor(pair.claimed, pair.right) for pair in pairs]
    known = [each for each in factors if each is not None]
    if len(known) == len(pairs):
        name = name_factor(known, [pair.sizes for pair in pairs])
        if name == "-1":
            return Verdict.FLIPPED, evidence
        if name:
            return Verdict.SCALED, replace(evidence, factor=name)
    return Verdict.WRONG_VALUE, evidence


def _transposed(pair: Pair) -> bool:
    claimed = pair.claimed
    return claimed.ndim == 2 and claimed.numel() > 1 and equal(claimed.t(), pair.right)


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
    """The constant that all draws share, or the size that it is: 2, 1/2, n, 1/n; else nothing."""
    if all(abs(each - factors[0]) <= 1e-9 * abs(factors[0]) for each in factors):
        exact = Fraction(factors[0]).limit_denominator(1000)
        close = abs(float(exact) - factors[0]) <= 1e-9 * abs(factors[0])
        return str(exact) if close else f"{factors[0]:.6g}"
    for name in sizes[0]:
        pairs = list(zip(factors, sizes, strict=True))
        if constant := _constant([each / size[name] for each, size in pairs]):
            top, bottom = constant.numerator, constant.denominator
            text = name if bottom == 1 else f"{name}/{bottom}"
            return text if top == 1 else f"-{text}" if top == -1 else f"{top} {text}"
        if constant := _constant([each * size[name] for each, size in pairs]):
            top, bottom = constant.numerator, constant.denominator
            return f"{top}/{name}" if bottom == 1 else f"{top}/({bottom} {name})"
    return ""


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
    worst = max(pairs, key=lambda pair: error(*_alike(pair)))
    claimed, right = _alike(worst)
    entry = int(torch.nan_to_num(claimed - right, nan=float("inf")).abs().argmax())
    position = torch.unravel_index(torch.tensor(entry), right.shape)
    return replace(
        _shapes(worst, len(pairs)),
        largest_relative_error=error(claimed, right),
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


def _alike(pair: Pair) -> tuple[Tensor, Tensor]:
    if pair.right.numel() == 1:
        return pair.claimed.reshape(()), pair.right.reshape(())
    return pair.claimed, pair.right
