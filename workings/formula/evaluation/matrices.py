"""Matrices in formulas: norms, determinants, inverses, traces, products of Kronecker."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula.errors import Singular, Uncomputed, Undefined
from workings.formula.evaluation import decompositions
from workings.formula.evaluation.decompositions import is_singular, is_symmetric, of_finite

LARGEST = 1_000_000  # entries of one value: 8 MB
SMALL_EXPONENT = 0.1
"""up to this norm e^X is summed here: torch's own is off by 1e-11 where it is 0.01 to 0.05"""


def check_size(*sides: int) -> None:
    """Refuse a value that would be too large, before it is made."""
    if math.prod(sides) > LARGEST:
        shown = "×".join(map(str, sides))
        raise WorkingsError(f"a value of {shown} entries is too large; give smaller [sizes]")


def diag(x: Tensor) -> Tensor:
    """A vector on a diagonal; of a square matrix, its diagonal part."""
    if x.ndim < 2:
        return x
    if 1 in x.shape:
        check_size(x.numel(), x.numel())
        return torch.diag(x.reshape(-1))
    return torch.diag(torch.diagonal(square(x, "diag")))


def square(x: Tensor, what: str) -> Tensor:
    """The matrix itself, which must be square."""
    if x.ndim < 2 or x.shape[0] != x.shape[1]:
        raise Undefined(f"{what} of {shape(x)}, which is not square")
    return x


def shape(x: Tensor) -> str:
    """The shape of a value for a message: 2×3, or a number."""
    return "×".join(map(str, x.shape)) if x.ndim else "a number"


def norm(x: Tensor, order: Tensor | None = None) -> Tensor:
    """‖x‖_p of a vector; of a matrix the induced norm, without an order Frobenius's.

    ‖x‖_A with a matrix A is √(xᵀ A x).
    """
    is_vector = x.ndim < 2 or 1 in x.shape
    if order is not None and order.numel() > 1:
        return _norm_by(x, order)
    power = 2.0 if order is None else float(order)
    if power < 1 or math.isnan(power):
        raise Uncomputed(f"a norm of the order {power:g}")
    if order is None or (is_vector and power == 2):
        return (x * x).sum().sqrt()
    if is_vector:
        flat = x.abs().reshape(-1)
        return flat.max() if math.isinf(power) else (flat**power).sum() ** (1 / power)
    if power == 2:
        return of_finite(lambda y: torch.linalg.matrix_norm(y, 2), x)
    if power == 1 or math.isinf(power):
        return x.abs().sum(0 if power == 1 else 1).max()
    raise Uncomputed(f"the norm of the order {power:g} of a matrix")


def _norm_by(x: Tensor, by: Tensor) -> Tensor:
    column = x.reshape(-1, 1)
    if (x.ndim == 2 and 1 not in x.shape) or tuple(by.shape) != (len(column), len(column)):
        raise Undefined(f"a norm of {shape(x)} by {shape(by)}")
    return (column.t() @ by @ column).sqrt()


def bars(x: Tensor) -> Tensor:
    """|x|: of a number its absolute value, of a vector its norm, of a square matrix its det."""
    if x.ndim < 2:
        return x.abs()
    return norm(x) if 1 in x.shape else determinant(x)


def inner(a: Tensor, b: Tensor) -> Tensor:
    """⟨a, b⟩ of two vectors, or of two matrices entry by entry."""
    if a.numel() == b.numel() and (is_vector(a) and is_vector(b)):
        return (a.reshape(-1) * b.reshape(-1)).sum()
    if a.shape != b.shape:
        raise Undefined(f"the inner product of {shape(a)} and {shape(b)}")
    return (a * b).sum()


def is_vector(x: Tensor) -> bool:
    """One row or one column, or a number."""
    return x.ndim < 2 or 1 in x.shape


def vec(x: Tensor) -> Tensor:
    """The columns of a matrix below each other."""
    return x.t().reshape(-1, 1) if x.ndim == 2 and 1 not in x.shape else x.reshape(-1, 1)


def pinv(x: Tensor) -> Tensor:
    """The Moore-Penrose inverse."""
    return of_finite(torch.linalg.pinv, x) if x.ndim == 2 else 1 / x


def expm(x: Tensor) -> Tensor:
    """The matrix exponential Σ Xⁿ/n!."""
    if not x.ndim:
        return x.exp()
    size = float(torch.linalg.matrix_norm(square(x, "the matrix exponential").detach(), 1))
    if size > 40:
        raise Uncomputed("the matrix exponential of large values, which rounding spoils")
    if size > SMALL_EXPONENT:
        return torch.linalg.matrix_exp(x)
    one = torch.eye(len(x), dtype=x.dtype)
    total = one
    for order in range(10, 0, -1):
        total = one + x @ total / order
    return total


def matrix_function(name: str, x: Tensor) -> Tensor:
    """sin X, log X, … as their power series in X give them; of a number, the function itself."""
    if not x.ndim:
        return _OF_NUMBERS[name](x)
    if name in _BY_EXPONENTIALS:
        return _BY_EXPONENTIALS[name](square(x, name))
    if not is_symmetric(square(x, name)):
        raise Uncomputed(f"{name} of a matrix that is not symmetric is not computed")
    values, vectors = decompositions.eigen(x)
    if float(values.detach().min()) <= 0:
        raise Uncomputed(f"{name} of a matrix with an eigenvalue that is not positive")
    return vectors @ torch.diag(_OF_NUMBERS[name](values)) @ vectors.t()


_BY_EXPONENTIALS: dict[str, Callable[[Tensor], Tensor]] = {
    "sin": lambda x: expm(1j * x).imag,
    "cos": lambda x: expm(1j * x).real,
    "sinh": lambda x: (expm(x) - expm(-x)) / 2,
    "cosh": lambda x: (expm(x) + expm(-x)) / 2,
}
_OF_NUMBERS: dict[str, Callable[[Tensor], Tensor]] = {
    "sin": torch.sin, "cos": torch.cos, "sinh": torch.sinh, "cosh": torch.cosh,
    "log": torch.log, "ln": torch.log, "sqrt": torch.sqrt,
}  # fmt: skip
MATRIX_FUNCTIONS = frozenset(_OF_NUMBERS)
"""the functions that are written of a whole matrix too"""


NEARLY = 3e-6
"""how far a matrix may be from symmetric, so that its eigenvalues can be differentiated by it"""


def eigenvalues(x: Tensor) -> Tensor:
    """The eigenvalues of a symmetric matrix as a column, the largest first."""
    if not x.ndim:
        return x.reshape(1, 1)
    off = float((square(x, "the eigenvalues") - x.t()).detach().abs().max())
    if off > NEARLY * max(1.0, float(x.detach().abs().max())):
        raise Uncomputed("the eigenvalues of a matrix that is not symmetric are not computed")
    return decompositions.eigenvalues(x).flip(0).reshape(-1, 1)


def singular_values(x: Tensor) -> Tensor:
    """The singular values of a matrix as a column, the largest first."""
    return decompositions.singular_values(x).reshape(-1, 1) if x.ndim else x.abs().reshape(1, 1)


SPECTRAL: dict[str, Callable[[Tensor], Tensor]] = {
    "\\lambda_{\\max}": lambda x: eigenvalues(x).max(),
    "\\lambda_{\\min}": lambda x: eigenvalues(x).min(),
    "\\sigma_{\\max}": lambda x: singular_values(x).max(),
    "\\sigma_{\\min}": lambda x: singular_values(x).min(),
}
"""what λ and σ with max or min mean before a matrix in brackets"""


def diagonal(x: Tensor) -> Tensor:
    """The diagonal of a square matrix, as a column."""
    return torch.diagonal(square(x, "diag")).reshape(-1, 1)


def kronecker(a: Tensor, b: Tensor) -> Tensor:
    """The Kronecker product: every entry of a times b."""
    check_size(a.numel(), b.numel())
    return torch.kron(a.contiguous(), b.contiguous()) if a.ndim and b.ndim else a * b


def trace(x: Tensor) -> Tensor:
    """The sum of the diagonal; of a number, itself."""
    return square(x, "the trace").diagonal().sum() if x.ndim else x


def outer(a: Tensor, b: Tensor) -> Tensor:
    """u ⊗ v of two vectors, numel(u) × numel(v); of matrices the Kronecker product."""
    if not is_vector(a) or not is_vector(b):
        return kronecker(a, b)
    check_size(a.numel(), b.numel())
    return a.reshape(-1, 1) @ b.reshape(1, -1)


def inverse(x: Tensor) -> Tensor:
    """x⁻¹ of a square matrix or a number."""
    if x.ndim == 0:
        return 1 / x
    if is_singular(square(x, "the inverse")):
        raise Singular(f"the inverse of a singular matrix, {shape(x)}")
    return of_finite(torch.linalg.inv, x)


def determinant(x: Tensor) -> Tensor:
    """The determinant; exactly 0 where only rounding makes it another number."""
    if x.ndim == 0:
        return x
    det = torch.linalg.det(square(x, "the determinant"))
    return det - det.detach() if is_singular(x) else det
