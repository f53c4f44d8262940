"""`assert_gradient`, for people who write their own backward passes: a failure has evidence."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from workings.claims.compare import Pair, compare
from workings.claims.verdict import Verdict

STEP = 1e-6
LARGE = 1_000  # entries of an input, above which derivatives along random directions are compared
DIRECTIONS = 8


def assert_gradient(
    fn: Callable[..., Tensor],
    hand_backward: Callable[..., object],
    *inputs: Tensor,
    tolerance: float = 1e-6,
    names: Sequence[str] = (),
) -> None:
    """Raise AssertionError unless `hand_backward` gives the gradients of `fn`.

    fn(*inputs) gives a tensor; hand_backward(grad, *inputs) the gradient of sum(grad * output) by
    each input, in their order: a tensor, a NumPy array, or None for one that has none, such as
    integers. Everything is computed in float64; the reference is autograd, checked by central
    differences, for every entry or, of a large input, along random directions (as the fast mode of
    torch.autograd.gradcheck does). Where fn gives autograd nothing, differences are the reference.

    >>> assert_gradient(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x.T @ g), x, w)
    """
    if not inputs:
        raise ValueError("assert_gradient: give the inputs at which to compare")
    points = [x.detach().double() if x.is_floating_point() else x.detach() for x in inputs]
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in points]
    with torch.enable_grad():
        out = fn(*leaves)
    # A generator of its own: the caller's random state is left alone.
    drawn = torch.randn(out.shape, generator=torch.Generator().manual_seed(0), dtype=out.dtype)
    grad = drawn.to(out.device)
    claimed = hand_backward(grad, *points)
    claimed = claimed if isinstance(claimed, tuple | list) else (claimed,)
    if len(claimed) != len(points):
        raise AssertionError(
            f"hand_backward gives {len(claimed)} gradients for {len(points)} inputs"
        )
    for position, mine in enumerate(claimed):
        name = names[position] if position < len(names) else f"input {position}"
        if not points[position].is_floating_point():
            _require_none(name, mine)
            continue
        right = _autograd(fn, leaves, out, grad, position)
        if right is None and points[position].numel() > LARGE and mine is not None:
            _compare_along(name, fn, points, grad, position, torch.as_tensor(mine).double())
            continue
        right = _differences(fn, points, grad, position) if right is None else right
        if mine is None:
            if float(right.abs().max()) > tolerance:
                raise AssertionError(f"{name}: no gradient is given, but it is not zero")
            continue
        _compare(name, torch.as_tensor(mine).double(), right, tolerance)


def _require_none(name: str, mine: object) -> None:
    """Integers have no gradient: only None, or zeros, is right."""
    if mine is not None and bool(torch.as_tensor(mine).any()):
        raise AssertionError(f"{name}: are integers, which have no gradient; give None")


def _autograd(
    fn: Callable[..., Tensor], leaves: list[Tensor], out: Tensor, grad: Tensor, position: int
) -> Tensor | None:
    """What autograd says, where central differences agree; None where it says nothing or errs."""
    if not out.requires_grad:
        return None
    leaf, points = leaves[position], [x.detach() for x in leaves]
    (gradient,) = torch.autograd.grad(out, leaf, grad, retain_graph=True, allow_unused=True)
    gradient = torch.zeros_like(leaf) if gradient is None else gradient.detach()
    if leaf.numel() <= LARGE:
        off = gradient - _differences(fn, points, grad, position)
    else:
        directions = list(_directions(leaf))
        along = [_along(fn, points, grad, position, u) for u in directions]
        off = torch.stack([(gradient * u).sum() for u in directions]) - torch.stack(along)
    scale = max(1.0, float(gradient.abs().max()))
    return gradient if float(off.abs().max()) <= 1e-4 * scale else None


def _directions(like: Tensor) -> Iterator[Tensor]:
    """Random directions of length 1, always the same ones."""
    generator = torch.Generator().manual_seed(1)
    for _ in range(DIRECTIONS):
        u = torch.randn(like.shape, generator=generator, dtype=like.dtype).to(like.device)
        yield u / u.norm()


def _along(
    fn: Callable[..., Tensor], points: list[Tensor], grad: Tensor, position: int, step: Tensor
) -> Tensor:
    """The derivative of sum(grad * output) along a direction, by central differences."""
    with torch.no_grad():
        higher, lower = (
            fn(*[x + sign * STEP * step if at == position else x for at, x in enumerate(points)])
            for sign in (1, -1)
        )
    return ((higher - lower) * grad).sum() / (2 * STEP)


def _compare_along(
    name: str,
    fn: Callable[..., Tensor],
    points: list[Tensor],
    grad: Tensor,
    position: int,
    mine: Tensor,
) -> None:
    """A large gradient without autograd's: only its derivatives along directions are compared."""
    if mine.shape != points[position].shape:
        shapes = f"given {tuple(mine.shape)}, right {tuple(points[position].shape)}"
        raise AssertionError(f"{name}: {Verdict.WRONG_SHAPE}; {shapes}")
    for u in _directions(mine):
        given, right = float((mine * u).sum()), float(_along(fn, points, grad, position, u))
        if abs(given - right) > 1e-4 * max(1.0, abs(right), float(mine.abs().max())):
            raise AssertionError(
                f"{name}: {Verdict.WRONG_VALUE}; along a random direction given {given:.6g}, "
                f"right {right:.6g}"
            )


def _differences(
    fn: Callable[..., Tensor], points: list[Tensor], grad: Tensor, position: int
) -> Tensor:
    gradient = torch.zeros_like(points[position])
    for entry in range(gradient.numel()):
        unit = torch.zeros_like(gradient)
        unit.view(-1)[entry] = 1
        gradient.view(-1)[entry] = _along(fn, points, grad, position, unit)
    return gradient


def _compare(name: str, mine: Tensor, right: Tensor, tolerance: float) -> None:
    if mine.shape == right.shape:
        scale = max(float(right.abs().max()), 1e-12)
        if float((mine - right).abs().max()) <= tolerance * scale:
            return
    verdict, evidence = compare([Pair(mine, right, {})])
    if verdict is Verdict.HOLDS:
        return
    worst = ""
    if evidence.worst_entry is not None:
        worst = (
            f"; largest relative error {evidence.largest_relative_error:.2g} at "
            f"{tuple(index - 1 for index in evidence.worst_entry)}: given "
            f"{evidence.claimed:.6g}, right {evidence.right:.6g}"
        )
    given, wanted = tuple(mine.shape), tuple(right.shape)
    raise AssertionError(f"{name}: {verdict}; given {given}, right {wanted}{worst}")
