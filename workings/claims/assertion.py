"""`assert_gradient`, for people who write their own backward passes: a failure has evidence."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from workings.claims.compare import EPSILON, Pair, compare
from workings.claims.verdict import Verdict

STEP = 1e-6
LARGE = 1_000  # entries of an input, above which derivatives along random directions are compared
DIRECTIONS = 8
FLOOR = 1e-11  # of the largest gradient: a small entry's difference beyond that is no rounding
GROSS = 1e-3  # of an entry: so far off, it is wrong beside others of any size
MOST_KINKS = 64  # entries at which the derivatives from both sides are asked for
ASIDE = 1e-3  # how far a point is moved to be on no kink

Input = Tensor | np.ndarray | float


def assert_gradient(
    fn: Callable[..., object],
    hand_backward: Callable[..., object],
    *inputs: Input,
    tolerance: float = 1e-6,
    names: Sequence[str] = (),
) -> None:
    """Raise AssertionError unless `hand_backward` gives the gradients of `fn`.

    fn(*inputs) gives one tensor, NumPy array or number; hand_backward(grad, *inputs) the gradient
    of sum(grad * output) by each input, in their order: a tensor, an array, or None for one that
    has none, such as integers. Everything is computed in float64; inputs that are arrays are given
    to both as arrays. The reference is autograd, checked by central differences, for every entry
    or, of a large input, along random directions (as the fast mode of torch.autograd.gradcheck
    does). Where fn gives autograd nothing, differences are the reference. At a kink, whatever lies
    between the derivatives from both sides is right. tolerance: relative to the largest gradient.

    >>> assert_gradient(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x.T @ g), x, w)
    """
    if not inputs:
        raise ValueError("assert_gradient: give the inputs at which to compare")
    called = _Called(fn, inputs)
    points = [_point(x, _name(names, position)) for position, x in enumerate(inputs)]
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in points]
    out = called.followed(leaves)
    if not torch.allclose(out.detach(), called(points), rtol=1e-9, equal_nan=True):
        raise ValueError("assert_gradient: fn gives another value each time; seed what it draws")
    # A generator of its own: the caller's random state is left alone.
    drawn = torch.randn(out.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    grad = drawn.to(out.device)
    claimed = hand_backward(*called.as_given([grad, *(x.clone() for x in points)], 1))
    claimed = claimed if isinstance(claimed, tuple | list) else (claimed,)
    if len(claimed) != len(points):
        raise AssertionError(
            f"hand_backward gives {len(claimed)} gradients for {len(points)} inputs"
        )
    for position, mine in enumerate(claimed):
        name, like = _name(names, position), points[position]
        if not like.is_floating_point():
            _require_none(name, mine)
            continue
        at = _At(called, points, grad, position)
        right = at.autograd(leaves, out)
        gradient = None if mine is None else torch.as_tensor(mine).to(torch.float64)
        if right is None and like.numel() > LARGE and gradient is not None:
            _compare_along(name, at, gradient)
            continue
        by_differences = right is None
        right = at.differences() if right is None else right
        if gradient is None:
            if right.numel() and float(right.abs().max()) > tolerance:
                raise AssertionError(f"{name}: no gradient is given, but it is not zero")
            continue
        _compare(name, at, gradient, right, tolerance, 1.0 if by_differences else FLOOR)


def _name(names: Sequence[str], position: int) -> str:
    return names[position] if position < len(names) else f"input {position}"


def _point(x: Input, name: str) -> Tensor:
    """An input in float64; integers as they are."""
    value = x.detach() if isinstance(x, Tensor) else torch.as_tensor(x)
    if value.is_complex():
        raise ValueError(f"{name}: is complex; give its real and imaginary parts")
    return value.double() if value.is_floating_point() else value


def _require_none(name: str, mine: object) -> None:
    """Integers have no gradient: only None, or zeros, is right."""
    if mine is not None and bool(torch.as_tensor(mine).any()):
        raise AssertionError(f"{name}: are integers, which have no gradient; give None")


class _Called:
    """The user's function, called with tensors, or with arrays where it was given some."""

    def __init__(self, fn: Callable[..., object], inputs: Sequence[Input]) -> None:
        self.fn = fn
        self.is_array = [isinstance(x, np.ndarray) for x in inputs]

    def as_given(self, values: Sequence[Tensor], first: int = 0) -> list[Tensor | np.ndarray]:
        """The values, from the first one on as arrays where the inputs were."""
        arrays = any(self.is_array)
        kinds = [arrays] * first + self.is_array
        return [
            value.detach().numpy() if is_array else value
            for value, is_array in zip(values, kinds, strict=True)
        ]

    def __call__(self, values: Sequence[Tensor]) -> Tensor:
        """What it gives, as a tensor of float64."""
        with torch.no_grad():
            return self._tensor(self.fn(*self.as_given(values)))

    def followed(self, leaves: Sequence[Tensor]) -> Tensor:
        """The same with autograd's record, where the function leaves one."""
        try:
            with torch.enable_grad():
                return self._tensor(self.fn(*self.as_given(leaves)))
        except RuntimeError as error:
            if "requires grad" not in str(error):  # a function of NumPy's
                raise
            return self([leaf.detach() for leaf in leaves])

    def _tensor(self, out: object) -> Tensor:
        if isinstance(out, Tensor):
            return out
        if isinstance(out, np.ndarray | np.generic | float | int):
            return torch.as_tensor(out, dtype=torch.float64)
        kind = type(out).__name__
        raise ValueError(f"assert_gradient: fn gives a {kind}, where one tensor is expected")


class _At:
    """The derivative of sum(grad * output) by one of the inputs, at a point."""

    def __init__(
        self, called: _Called, points: Sequence[Tensor], grad: Tensor, position: int
    ) -> None:
        self.called, self.points, self.grad, self.position = called, list(points), grad, position

    @property
    def point(self) -> Tensor:
        """The input that it is taken by."""
        return self.points[self.position]

    def total(self, moved: Tensor) -> Tensor:
        """sum(grad * output), with that input moved."""
        point = self.point + moved
        values = [point if at == self.position else x for at, x in enumerate(self.points)]
        return (self.called(values) * self.grad).sum()

    def along(self, step: Tensor, length: float = STEP) -> Tensor:
        """The derivative along a direction, by central differences."""
        return (self.total(length * step) - self.total(-length * step)) / (2 * length)

    def differences(self) -> Tensor:
        """By every entry, by central differences."""
        gradient = torch.zeros_like(self.point)
        for entry in range(gradient.numel()):
            gradient.view(-1)[entry] = self.along(self.unit(entry))
        return gradient

    def unit(self, entry: int) -> Tensor:
        """The direction of one entry."""
        unit = torch.zeros_like(self.point)
        unit.view(-1)[entry] = 1
        return unit

    def directions(self) -> Iterator[Tensor]:
        """Random directions with entries of 1 and -1, always the same ones."""
        generator = torch.Generator().manual_seed(1)
        for _ in range(DIRECTIONS):
            signs = torch.randint(0, 2, self.point.shape, generator=generator) * 2 - 1
            yield signs.to(self.point)

    def autograd(self, leaves: Sequence[Tensor], out: Tensor) -> Tensor | None:
        """What autograd says, where differences agree here or aside; None where it errs."""
        if not out.requires_grad:
            return None
        gradient = self._taken(leaves, out)
        if self.is_confirmed(gradient):
            return gradient
        # On a kink, differences are between the sides: autograd is tried where there is none.
        generator = torch.Generator().manual_seed(2)
        aside = [
            x + ASIDE * torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x.device)
            if x.is_floating_point()
            else x
            for x in self.points
        ]
        moved = [x.clone().requires_grad_(x.is_floating_point()) for x in aside]
        other = _At(self.called, aside, self.grad, self.position)
        at_other = other._taken(moved, self.called.followed(moved))
        return gradient if other.is_confirmed(at_other) else None

    def _taken(self, leaves: Sequence[Tensor], out: Tensor) -> Tensor:
        leaf = leaves[self.position]
        (gradient,) = torch.autograd.grad(
            out, leaf, self.grad.to(out.dtype), retain_graph=True, allow_unused=True
        )
        return torch.zeros_like(leaf) if gradient is None else gradient.detach()

    def is_confirmed(self, gradient: Tensor) -> bool:
        """Whether central differences say the same, of a large one along directions."""
        if gradient.numel() <= LARGE:
            off = (gradient - self.differences()).abs()
            scale = max(1.0, float(gradient.abs().max())) if gradient.numel() else 1.0
            return not off.numel() or float(off.max()) <= 1e-4 * scale
        return self.off_along(gradient) is None

    def off_along(self, gradient: Tensor) -> tuple[float, float] | None:
        """What it gives along a direction, and what is right, if that is not the same."""
        for u in self.directions():
            given, right = float((gradient * u).sum()), float(self.along(u))
            noise = abs(right - float(self.along(u, 2 * STEP)))
            allowed = 1e-6 * max(1.0, abs(right), float(gradient.norm()))
            if not abs(given - right) <= allowed + 10 * noise:
                return given, right
        return None

    def is_between(self, gradient: Tensor, entries: Tensor) -> bool:
        """Whether each of these entries is a kink, and is between the derivatives of its sides."""
        here = self.total(torch.zeros_like(self.point))
        noise = 8 * EPSILON * float((self.called(self.points) * self.grad).abs().sum()) / STEP
        for entry in entries.tolist() if len(entries) <= MOST_KINKS else [-1]:
            if entry < 0:
                return False
            step = STEP * self.unit(entry)
            above = float((self.total(step) - here) / STEP)
            below = float((here - self.total(-step)) / STEP)
            allowed = 1e-4 * max(abs(above), abs(below)) + noise
            mine = float(gradient.reshape(-1)[entry])
            is_kink = abs(above - below) > 10 * allowed
            between = min(above, below) - allowed <= mine <= max(above, below) + allowed
            if not (is_kink and between):
                return False
        return True


def _compare_along(name: str, at: _At, mine: Tensor) -> None:
    """A large gradient without autograd's: only its derivatives along directions are compared."""
    if mine.shape != at.point.shape:
        shapes = f"given {tuple(mine.shape)}, right {tuple(at.point.shape)}"
        raise AssertionError(f"{name}: {Verdict.WRONG_SHAPE}; {shapes}")
    if off := at.off_along(mine):
        given, right = off
        raise AssertionError(
            f"{name}: {Verdict.WRONG_VALUE}; along a random direction given {given:.6g}, "
            f"right {right:.6g}"
        )


def _compare(
    name: str, at: _At, mine: Tensor, right: Tensor, tolerance: float, floor: float
) -> None:
    """floor: of the largest entry, beyond which a small one may be told to be wrong."""
    verdict, evidence = Verdict.WRONG_SHAPE, None
    if mine.shape == right.shape:
        off = (mine - right).abs()
        largest = max(float(right.abs().max()), 1e-12) if right.numel() else 1.0
        gross = (off > max(tolerance, GROSS) * right.abs()) & (off > floor * largest)
        wrong = ~(off <= tolerance * largest) | gross
        entries = wrong.reshape(-1).nonzero()[:, 0]
        if not len(entries) or at.is_between(mine, entries):
            return
        verdict = Verdict.WRONG_VALUE
    found, evidence = compare([Pair(mine, right, {})])
    verdict = verdict if found is Verdict.HOLDS else found
    worst = ""
    if evidence.worst_entry is not None and found is not Verdict.HOLDS:
        worst = (
            f"; largest relative error {evidence.largest_relative_error:.2g} at "
            f"{tuple(index - 1 for index in evidence.worst_entry)}: given "
            f"{evidence.claimed:.6g}, right {evidence.right:.6g}"
        )
    elif mine.shape == right.shape:  # small beside other entries
        entry = int(entries[off.reshape(-1)[entries].argmax()])
        position = tuple(int(i) for i in np.unravel_index(entry, right.shape))
        given, wanted = float(mine.reshape(-1)[entry]), float(right.reshape(-1)[entry])
        worst = f"; at {position}: given {given:.6g}, right {wanted:.6g}"
    raise AssertionError(
        f"{name}: {verdict}; given {tuple(mine.shape)}, right {tuple(right.shape)}{worst}"
    )
