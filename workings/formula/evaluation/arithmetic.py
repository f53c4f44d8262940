"""Sums, products, quotients and powers of matrices and numbers, with strict shapes."""

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula.errors import Singular, Uncomputed, Undefined, Unfit
from workings.formula.evaluation.decompositions import eigen, is_symmetric
from workings.formula.evaluation.matrices import check_size, inverse, shape

MOST_WORK = 100_000_000  # multiplications of one product


def add(a: Tensor, b: Tensor) -> Tensor:
    """a + b of one shape; a number to every entry, a row (column) to every row (column)."""
    if a.numel() == 1 or b.numel() == 1:
        return a.reshape(()) + b if a.numel() == 1 else a + b.reshape(())
    if a.shape != b.shape and not _repeats(a, b) and not _repeats(b, a):
        raise Unfit(f"the sum of {shape(a)} and {shape(b)}")
    return a + b


def _repeats(small: Tensor, large: Tensor) -> bool:
    """A row under every row, or a column beside every column."""
    return any(
        small.shape[side] == 1 and small.shape[1 - side] == large.shape[1 - side] for side in (0, 1)
    )


def times(a: Tensor, b: Tensor) -> Tensor:
    """a ⊙ b, entry by entry."""
    if a.numel() == 1 or b.numel() == 1:
        return a.reshape(()) * b if a.numel() == 1 else a * b.reshape(())
    if a.shape != b.shape:
        raise Unfit(f"the elementwise product of {shape(a)} and {shape(b)}")
    return a * b


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product; a number scales."""
    if a.numel() == 1 or b.numel() == 1:
        return times(a, b)
    if a.shape[1] != b.shape[0]:
        raise Unfit(f"the product of {shape(a)} and {shape(b)}")
    check_size(a.shape[0], b.shape[1])
    if a.shape[0] * a.shape[1] * b.shape[1] > MOST_WORK:
        raise WorkingsError(
            f"the product of {shape(a)} and {shape(b)} is too large; give smaller [sizes]"
        )
    return a @ b


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The inner product of two vectors of one shape, else the matrix product."""
    if a.numel() > 1 and a.shape == b.shape and 1 in a.shape:
        return (a * b).sum()
    return matmul(a, b)


def divide(a: Tensor, b: Tensor) -> Tensor:
    """a / b by a number, or entry by entry."""
    if b.numel() == 1:
        return a / b.reshape(())
    if a.numel() != 1 and a.shape != b.shape:
        raise Unfit(f"the quotient of {shape(a)} and {shape(b)}")
    return (a.reshape(()) if a.numel() == 1 else a) / b


def power(base: Tensor, exponent: Tensor) -> Tensor:
    """Of a number; of a square matrix, whole, or any if that is real; of a vector by entries."""
    if exponent.numel() != 1:
        raise Undefined(f"a power with the exponent {shape(exponent)}")
    if base.numel() == 1 or base.shape[0] != base.shape[1]:
        return base ** exponent.reshape(())
    order = float(exponent)
    if order.is_integer() and abs(order) <= 64:
        return torch.linalg.matrix_power(inverse(base) if order < 0 else base, abs(int(order)))
    diagonal = torch.diagonal(base)
    if torch.equal(base, torch.diag(diagonal)):
        return torch.diag(diagonal**order)  # D^{-1/2} of a diagonal matrix
    return _power_by_eigenvalues(base, order)


def _power_by_eigenvalues(base: Tensor, order: float) -> Tensor:
    """Of a symmetric matrix with positive eigenvalues."""
    if not is_symmetric(base):
        raise Uncomputed(f"the power {order:g} of a matrix that is not symmetric is not computed")
    values, vectors = eigen(base)
    smallest, largest = (float(values.detach()[place]) for place in (0, -1))
    least = largest * len(base) * 1e-14
    if smallest < -least:
        raise Uncomputed(f"the power {order:g} of a matrix with negative eigenvalues")
    if smallest <= least and order < 0:
        raise Singular(f"the power {order:g} of a singular matrix")
    return vectors @ torch.diag(values.clamp_min(0) ** order) @ vectors.t()
