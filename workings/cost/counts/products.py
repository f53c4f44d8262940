"""The multiply-adds of matrix products and convolutions: a table by torch operation."""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor

# An argument or a result of a torch operation: a tensor, a number, a flag, a list of them or None.
# Which, the schema of the operation says; the dispatcher that hands it over does not.
Argument = Any
Arguments = tuple[Argument, ...]


def names(text: str) -> frozenset[str]:
    """The operations that a text names, apart by spaces."""
    return frozenset(text.split())


class Work(NamedTuple):
    """What one operation does."""

    products: int = 0
    elementwise: int = 0
    moved: int = 0


def entries(matrix: Tensor) -> int:
    """Of a sparse matrix those that are stored."""
    return matrix.numel() if matrix.layout == torch.strided else matrix._nnz()


def elements(out: Argument) -> int:
    """Of the result, or of the first of several."""
    return entries(out) if isinstance(out, Tensor) else next(elements(part) for part in out)


def _matrix(a: Tensor, b: Tensor, out: Tensor) -> int:
    """Multiply-adds of a (batched) product: each stored entry of a meets a row of b."""
    if b.layout != torch.strided:
        return a.numel() // a.shape[-1] * b._nnz()
    return entries(a) * (b.shape[-1] if b.dim() > 1 else 1)


def _product(first: int) -> Callable[[Arguments, Argument], Work]:
    """A product of the arguments `first` and the next; what it is added to comes before them."""

    def count(args: Arguments, out: Argument) -> Work:
        products = _matrix(args[first], args[first + 1], out)
        return Work(products, elementwise=out.numel() if first else 0)

    return count


def _convolution(x: Tensor, w: Tensor, out: Tensor, transposed: bool) -> int:
    """Every output takes a kernel's weights; transposed, every input gives to as many."""
    return (x if transposed else out).numel() * prod(w.shape[1:])


def _forward_convolution(args: Arguments, out: Tensor) -> Work:
    x, w, bias, transposed = args[0], args[1], args[2], args[6]
    products = _convolution(x, w, out, transposed)
    return Work(products, elementwise=0 if bias is None else out.numel())


def _backward_convolution(args: Arguments, out: Argument) -> Work:
    """∂E/∂x and ∂E/∂w are each a convolution of the forward's size; ∂E/∂b is a sum."""
    grad, x, w, transposed, wanted = args[0], args[1], args[2], args[7], args[10]
    forward = _convolution(x, w, grad, transposed)
    return Work(forward * (wanted[0] + wanted[1]), elementwise=grad.numel() if wanted[2] else 0)


def _convolution_tbc(args: Arguments, out: Tensor) -> Work:
    """Along time, its weights T×in×out: every output takes those of its channel."""
    return Work(out.numel() * prod(args[1].shape[:2]), elementwise=out.numel())


def _convolution_tbc_backward(args: Arguments, out: Argument) -> Work:
    grad, w = args[0], args[2]
    return Work(2 * grad.numel() * prod(w.shape[:2]), elementwise=grad.numel())


PRODUCTS: dict[str, Callable[[Arguments, Argument], Work]] = {
    "mm": _product(0),
    "bmm": _product(0),
    "mv": _product(0),
    "dot": _product(0),
    "vdot": _product(0),
    "_sparse_mm": _product(0),
    "addmm": _product(1),
    "addmv": _product(1),
    "baddbmm": _product(1),
    "addbmm": _product(1),
    "_sparse_addmm": _product(1),
    "_int_mm": _product(0),
    "conv_tbc": _convolution_tbc,
    "conv_tbc_backward": _convolution_tbc_backward,
    "convolution": _forward_convolution,
    "convolution_backward": _backward_convolution,
}
