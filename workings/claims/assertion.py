"""`assert_gradient`, for people who write their own backward passes: a failure has evidence."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from workings.claims.compare import Pair, compare
from workings.claims.verdict import Verdict

STEP = 1e-6


def assert_gradient(
    fn: Callable[..., Tensor],
    hand_backward: Callable[..., Any],
    *inputs: Tensor,
    tolerance: float = 1e-6,
    names: Sequence[str] = (),
) -> None:
    """Raise AssertionError unless `hand_backward` gives the gradients of `fn`.

    fn(*inputs) gives a tensor; hand_backward(grad, *inputs) the gradient of sum(grad * output) by
    each input, in their order (None for one that has none). Everything is computed in float64;
    the reference is autograd, checked by central differences where fn gives autograd nothing.

    >>> assert_gradient(lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x.T @ g), x, w)
    """
    if not inputs:
        raise ValueError("assert_gradient: give the inputs at which to compare")
    points = [x.detach().double() for x in inputs]
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
        right = _reference(fn, leaves, out, grad, position)
        if mine is None:
            if float(right.abs().max()) > tolerance:
                raise AssertionError(f"{name}: no gradient is given, but it is not zero")
            continue
        _compare(name, mine.double(), right, tolerance)


def _reference(
    fn: Callable[..., Tensor], leaves: list[Tensor], out: Tensor, grad: Tensor, position: int
) -> Tensor:
    """Central differences, and autograd where it knows the function; both must agree."""
    numeric = _differences(fn, [x.detach() for x in leaves], grad, position)
    if out.requires_grad:
        leaf = leaves[position]
        (gradient,) = torch.autograd.grad(out, leaf, grad, retain_graph=True, allow_unused=True)
        gradient = torch.zeros_like(leaf) if gradient is None else gradient
        scale = max(1.0, float(gradient.abs().max()))
        if float((gradient - numeric).abs().max()) <= 1e-4 * scale:
            return gradient.detach()
    return numeric


def _differences(
    fn: Callable[..., Tensor], points: list[Tensor], grad: Tensor, position: int
) -> Tensor:
    gradient = torch.zeros_like(points[position])
    with torch.no_grad():
        for entry in range(gradient.numel()):
            step = torch.zeros_like(points[position])
            step.view(-1)[entry] = STEP
            higher, lower = (
                fn(*[x + sign * step if at == position else x for at, x in enumerate(points)])
                for sign in (1, -1)
            )
            gradient.view(-1)[entry] = ((higher - lower) * grad).sum() / (2 * STEP)
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
