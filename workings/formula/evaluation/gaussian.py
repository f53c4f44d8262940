r"""Gaussians in closed form: \mathbb{E}_{x \sim \mathcal{N}(\mu, \Sigma)}[…], \mathrm{KL}(…\|…).

Nothing is sampled. The mean of a polynomial of degree 5 or less is a weighted sum over 2n² + 1
points, exactly; what is no such polynomial is not read.
"""

import math
from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.arithmetic import add
from workings.formula.evaluation.decompositions import eigenvalues, of_finite
from workings.formula.evaluation.matrices import shape
from workings.formula.evaluation.slopes import inside

if TYPE_CHECKING:
    from workings.formula.evaluation.evaluate import Scope

HIGHEST = 5  # degree of a polynomial whose mean is exact
_LINEAR = ("tr", "trace", "Tr", "sum", "mean", "vec", "diag", "Diag", "transpose", "concat")
_BILINEAR = ("inner", "outer", "kronecker")


def expectation(node: f.Expectation, scope: "Scope") -> Tensor:
    """The mean of a polynomial of a Gaussian vector or number."""
    mean, covariance = scope.value(node.mean), scope.value(node.covariance)
    root = _root(mean, covariance)
    size = root.shape[0]
    column = mean.reshape(-1, 1) if mean.numel() == size else mean.expand(size, 1)
    parts = []
    for weight, offset in _points(size):
        point = column + root @ offset
        at = point.reshape(mean.shape) if mean.numel() == size else point
        parts.append(weight * inside(scope, {node.variable: at}).value(node.body))
    return reduce(add, parts)


def _points(size: int) -> list[tuple[float, Tensor]]:
    """Weights and points of a rule that is exact for polynomials of degree 5 or less."""
    unit = math.sqrt(3) * torch.eye(size, dtype=torch.float64)
    columns = [unit[:, k : k + 1] for k in range(size)]
    points = [(1 + (size * size - 7 * size) / 18, torch.zeros(size, 1, dtype=torch.float64))]
    points += [((4 - size) / 18, sign * column) for column in columns for sign in (1, -1)]
    points += [
        (1 / 36, sign_a * a + sign_b * b)
        for a, b in combinations(columns, 2)
        for sign_a in (1, -1)
        for sign_b in (1, -1)
    ]
    return points


def _root(mean: Tensor, covariance: Tensor) -> Tensor:
    """A square root of the covariance, which must be one."""
    if covariance.numel() == 1:
        covariance = covariance.reshape(1, 1)
    fits = mean.numel() in (1, covariance.shape[0])
    if covariance.shape[0] != covariance.shape[1] or not fits:
        raise Undefined(f"a Gaussian of the mean {shape(mean)}, covariance {shape(covariance)}")
    symmetric = bool(torch.allclose(covariance, covariance.t(), equal_nan=True))
    if not symmetric or bool((eigenvalues(covariance.detach()) <= 0).any()):
        raise WorkingsError("a covariance must be positive definite: declare it as definite")
    return of_finite(torch.linalg.cholesky, covariance)


def divergence_of_gaussians(first: Sequence[Tensor], second: Sequence[Tensor]) -> Tensor:
    """KL(N(μ, Σ) ‖ N(ν, Ω)) = ½(tr Ω⁻¹Σ + (ν - μ)ᵀΩ⁻¹(ν - μ) - n + log det Ω - log det Σ)."""
    roots = [_root(*each) for each in (first, second)]
    size = max(root.shape[0] for root in roots)
    wide = [root if root.shape[0] == size else root * torch.eye(size).to(root) for root in roots]
    means = [mean.reshape(-1, 1).expand(size, 1) for mean, _ in (first, second)]
    whitened = torch.linalg.solve_triangular(wide[1], wide[0], upper=False)
    offset = torch.linalg.solve_triangular(wide[1], means[1] - means[0], upper=False)
    logs = [root.diagonal().log().sum() for root in wide]
    return ((whitened**2).sum() + (offset**2).sum() - size) / 2 + logs[1] - logs[0]


def degree(node: f.Node, name: str) -> float:
    """The degree of a polynomial in a name; infinite where it is none."""
    if not any(isinstance(part, f.Reference) and part.name == name for part in node.walk()):
        return 0
    match node:
        case f.Reference():
            return 1
        case f.Negative(body) | f.Transpose(body) | f.Index(body, _) | f.Total(_, body):
            return degree(body, name)
        case f.Sum(parts) | f.Matrix(parts) | f.Row(parts):
            return max(degree(part, name) for part in parts)
        case f.Product(parts) | f.Elementwise(parts):
            return sum(degree(part, name) for part in parts)
        case f.Dot(left, right):
            return degree(left, name) + degree(right, name)
        case f.Quotient(top, bottom) if degree(bottom, name) == 0:
            return degree(top, name)
        case f.Power(f.Call("norm", (body,)) | f.Call("frobenius", (body,)), f.Number(power)):
            return degree(body, name) * int(power) if power in (2, 4) else math.inf
        case f.Power(f.Call("norm", (body, f.Number(order))), f.Number(power)) if order == 2:
            return degree(body, name) * int(power) if power in (2, 4) else math.inf
        case f.Power(base, f.Number(power)) if power.denominator == 1 and power >= 0:
            return degree(base, name) * int(power)
        case f.Call(function, arguments) if function in _LINEAR:
            return max(degree(part, name) for part in arguments)
        case f.Call(function, arguments) if function in _BILINEAR:
            return sum(degree(part, name) for part in arguments)
    return math.inf
