"""What is computed by decomposing a matrix: NaN where the matrix is not finite.

LAPACK answers such a matrix with numbers, an error or a line on the terminal, by processor.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from workings.formula.errors import Uncomputed

EPSILON = torch.finfo(torch.float64).eps


def of_finite(compute: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """compute(x) of a matrix; NaN in the same shape where x has an entry that is not finite."""
    if not torch.isfinite(x).all():
        return compute(torch.eye(*x.shape, dtype=x.dtype)) * (x.sum() * math.nan)
    try:
        return compute(x)
    except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]
        raise Uncomputed(f"a matrix that cannot be decomposed: {error}") from error


def is_symmetric(x: Tensor) -> bool:
    """Whether a square matrix is symmetric but for rounding; yes where it is not finite."""
    largest = float(x.detach().abs().max())
    if not math.isfinite(largest):
        return True  # what is computed of it is NaN
    return torch.allclose(x, x.t(), rtol=1e-10, atol=1e-12 * largest)


def eigen(x: Tensor) -> tuple[Tensor, Tensor]:
    """λ, the smallest first, and V with x = V diag(λ) Vᵀ, of a symmetric matrix."""
    both = of_finite(_eigen_rows, (x + x.t()) / 2)
    return both[0], both[1:]


def _eigen_rows(x: Tensor) -> Tensor:
    values, vectors = torch.linalg.eigh(x)
    return torch.cat([values[None], vectors])


def eigenvalues(x: Tensor) -> Tensor:
    """λ of a symmetric matrix, the smallest first."""
    return of_finite(torch.linalg.eigvalsh, (x + x.t()) / 2)


def singular_values(x: Tensor) -> Tensor:
    """σ of a matrix, the largest first."""
    return of_finite(torch.linalg.svdvals, x)


def is_singular(x: Tensor) -> bool:
    """Whether a square matrix has no inverse, as far as float64 can tell."""
    values = singular_values(x.detach())
    return bool(values.min() <= values.max() * len(x) * EPSILON)  # False of NaN
