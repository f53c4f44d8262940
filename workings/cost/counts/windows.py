"""Operations whose every output reads several elements: pooling, interpolation, distances, bags."""

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd, prod

from torch import Tensor

from workings.cost.counts.products import Argument, Arguments, elements


def _window(args: Arguments, out: Argument) -> int:
    """Every output looks at a window."""
    return elements(out) * prod(args[1])


def _spread(args: Arguments, out: Argument) -> int:
    """Every gradient goes to a window."""
    return args[0].numel() * prod(args[2])


def _adaptive(args: Arguments, out: Argument) -> int:
    """Every output looks at a window; those along a dimension may differ by one, and overlap."""
    return _seen(args[0], args[1])


def _adaptive_backward(args: Arguments, out: Argument, dimensions: int) -> int:
    """Every gradient goes to such a window."""
    gradient, x = args[0], args[1]
    return _seen(x, gradient.shape[-dimensions:])


def _seen(x: Tensor, sizes: Sequence[int]) -> int:
    """Window i of s over L elements is from ⌊iL/s⌋ to ⌈(i+1)L/s⌉.

    Two neighbours share an element unless s divides iL, which it does gcd(L, s) - 1 times.
    """
    lengths = x.shape[-len(sizes) :]
    seen = (
        length + size - gcd(length, size) if size else 0
        for length, size in zip(lengths, sizes, strict=True)
    )
    return prod(x.shape[: -len(sizes)]) * prod(seen)


def _interpolated(args: Arguments, out: Argument, reads: int) -> int:
    """Every output is a weighted sum of so many elements."""
    return elements(out) * reads


def _distances(args: Arguments, out: Tensor) -> int:
    """Of every pair, in every coordinate: subtract, raise, add."""
    return 3 * out.numel() * args[0].shape[-1]


def _distances_backward(args: Arguments, out: Tensor) -> int:
    return 3 * args[0].numel() * args[1].shape[-1]


def _bags(args: Arguments, out: Argument) -> int:
    """Every id adds a row of the table, or of the gradient to one."""
    return args[1].numel() * args[0].shape[-1]


WINDOWS: dict[str, Callable[[Arguments, Argument], int]] = {
    "max_pool2d_with_indices": _window,
    "max_pool3d_with_indices": _window,
    "fractional_max_pool2d": _window,
    "fractional_max_pool3d": _window,
    "avg_pool2d": _window,
    "avg_pool3d": _window,
    "avg_pool2d_backward": _spread,
    "avg_pool3d_backward": _spread,
    "adaptive_max_pool2d": _adaptive,
    "adaptive_max_pool3d": _adaptive,
    "_adaptive_avg_pool2d": _adaptive,
    "_adaptive_avg_pool3d": _adaptive,
    "_adaptive_avg_pool2d_backward": partial(_adaptive_backward, dimensions=2),
    "_adaptive_avg_pool3d_backward": partial(_adaptive_backward, dimensions=3),
    "upsample_linear1d": partial(_interpolated, reads=2),
    "upsample_bilinear2d": partial(_interpolated, reads=4),
    "upsample_trilinear3d": partial(_interpolated, reads=8),
    "upsample_bicubic2d": partial(_interpolated, reads=16),
    "_pdist_forward": _distances,
    "_pdist_backward": _distances_backward,
    "_cdist_forward": _distances,
    "_cdist_backward": _distances_backward,
    "_embedding_bag": _bags,
    "_embedding_bag_backward": _bags,
    "_embedding_bag_dense_backward": _bags,
}
