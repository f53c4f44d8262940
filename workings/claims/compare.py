"""A claimed value beside the right one, at several draws: the verdict and its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from workings.formula.functions import shape

HOLDS = "holds"
TRANSPOSED = "holds transposed"
FLIPPED = "holds with the sign flipped"
SCALED = "holds up to a constant factor"
WRONG_VALUE = "wrong value"
WRONG_SHAPE = "wrong shape"
UNDEFINED = "undefined"
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Pair:
    """What is claimed and what is right, at one draw of these sizes."""

    claimed: Tensor
    right: Tensor
    sizes: dict[str, int]


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


def compare(pairs: Sequence[Pair]) -> tuple[str, dict[str, Any]]:
    """The verdict on all draws together."""
    evidence = _evidence(pairs)
    if all(equal(pair.claimed, pair.right) for pair in pairs):
        return HOLDS, evidence
    if all(_transposed(pair) for pair in pairs):
        return TRANSPOSED, evidence
    if any(_sides(pair.claimed) != _sides(pair.right) for pair in pairs):
        return WRONG_SHAPE, evidence
    factors = [factor(pair.claimed, pair.right) for pair in pairs]
    if all(each is not None for each in factors):
        known = [each for each in factors if each is not None]
        name = name_factor(known, [pair.sizes for pair in pairs])
        if name == "-1":
            return FLIPPED, evidence
        if name:
            return SCALED, {**evidence, "factor": name}
    return WRONG_VALUE, evidence


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


def name_factor(factors: Sequence[float], sizes: Sequence[dict[str, int]]) -> str:
    """The constant that all draws share, or the size that it is: 2, 1/2, n, 1/n; else nothing."""
    if all(abs(each - factors[0]) <= 1e-9 * abs(factors[0]) for each in factors):
        exact = Fraction(factors[0]).limit_denominator(1000)
        close = abs(float(exact) - factors[0]) <= 1e-9 * abs(factors[0])
        return str(exact) if close else f"{factors[0]:.6g}"
    for name in sizes[0]:
        pairs = list(zip(factors, sizes, strict=True))
        if found := _constant([each / size[name] for each, size in pairs]):
            return _signed(found.numerator, f"{name}/{found.denominator}", name, found.denominator)
        if found := _constant([each * size[name] for each, size in pairs]):
            under = name if found.denominator == 1 else f"({found.denominator} {name})"
            return f"{found.numerator}/{under}"
    return ""


def _constant(values: Sequence[float]) -> Fraction | None:
    """A small fraction that all of them are."""
    exact = Fraction(values[0]).limit_denominator(100)
    close = all(abs(each - float(exact)) <= 1e-9 * abs(each) for each in values)
    return exact if close and exact else None


def _signed(number: int, over: str, name: str, denominator: int) -> str:
    text = name if denominator == 1 else over
    return text if number == 1 else f"-{text}" if number == -1 else f"{number} {text}"


def _evidence(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The draw with the largest error: shapes, the worst entry, the sizes."""
    same = [pair for pair in pairs if _sides(pair.claimed) == _sides(pair.right)]
    first = pairs[0]
    found: dict[str, Any] = {
        "claimed_shape": shape(first.claimed),
        "right_shape": shape(first.right),
        "sizes": first.sizes,
        "draws": len(pairs),
    }
    if not same:
        return found
    worst = max(same, key=lambda pair: error(*_alike(pair)))
    claimed, right = _alike(worst)
    place = int(torch.nan_to_num(claimed - right, nan=float("inf")).abs().argmax())
    entry = [int(x) + 1 for x in torch.unravel_index(torch.tensor(place), right.shape)]
    return found | {
        "largest_relative_error": error(claimed, right),
        "worst_entry": entry,
        "claimed": float(claimed.reshape(-1)[place]),
        "right": float(right.reshape(-1)[place]),
        "sizes": worst.sizes,
    }


def _alike(pair: Pair) -> tuple[Tensor, Tensor]:
    if pair.right.numel() == 1:
        return pair.claimed.reshape(()), pair.right.reshape(())
    return pair.claimed, pair.right
