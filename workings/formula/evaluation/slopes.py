"""Derivatives of formulas by autograd: f'(x), Jacobians, Hessians, functions of an equation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workings.formula import nodes as f
from workings.formula.errors import Uncomputed, Undefined
from workings.formula.evaluation.functions import POINTWISE
from workings.formula.evaluation.matrices import check_size
from workings.formula.printing.latex import latex
from workings.formula.resolution.declared import Function

if TYPE_CHECKING:
    from workings.formula.evaluation.evaluate import Scope

MOST_PRIMES = 3


def called(node: f.Call, own: Function, arguments: Sequence[Tensor], scope: "Scope") -> Tensor:
    """The value, or with primes the slope, of a function that an equation defines."""
    if len(arguments) != len(own.parameters):
        raise Undefined(
            f"{node.function} takes {len(own.parameters)} arguments, not {len(arguments)}"
        )

    def body(*given: Tensor) -> Tensor:
        return inside(scope, dict(zip(own.parameters, given, strict=True))).value(own.body)

    if not node.primes:
        return body(*arguments)
    if len(arguments) != 1:
        raise Uncomputed(f"{node.function}' of several arguments; write a \\partial")
    x = arguments[0]
    if x.numel() > 1 and not _is_entrywise(body, x):
        raise Uncomputed(f"{node.function}' of a vector or matrix; write a \\nabla")
    return _slopes(body, x, node.primes)


def _is_entrywise(function: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """Whether each entry depends on its own entry only."""
    jacobian = torch.autograd.functional.jacobian(function, x.detach())
    if not isinstance(jacobian, Tensor) or jacobian.numel() != x.numel() ** 2:
        return False
    square = jacobian.reshape(x.numel(), x.numel())
    return bool(torch.equal(square, torch.diag(square.diagonal())))


def inside(scope: "Scope", values: Mapping[str, Tensor]) -> "Scope":
    """The scope with other values of some names, and nothing of what was computed before."""
    return replace(scope, values={**scope.values, **values}, indices=dict(scope.indices), memo={})


def slope(node: f.Call, function: Callable[..., Tensor], x: Tensor) -> Tensor:
    """f'(x) of a function of the table, entry by entry, as often as there are primes."""
    if node.primes > MOST_PRIMES:
        raise Uncomputed(f"{node.primes} primes; at most three were expected")
    if node.function not in POINTWISE:
        raise Uncomputed(f"{node.function}' (a derivative with primes is of an entrywise function)")
    return _slopes(function, x, node.primes)


def _slopes(function: Callable[[Tensor], Tensor], x: Tensor, primes: int) -> Tensor:
    with torch.enable_grad():
        point = x if x.requires_grad else x.detach().requires_grad_()
        result = function(point)
        for _ in range(primes):
            if not result.requires_grad:  # a constant has no slope
                return torch.zeros_like(x)
            (result,) = torch.autograd.grad(result.sum(), point, create_graph=True)
    return result if x.requires_grad else result.detach()


def jacobian(of: f.Node, wrt: f.Node, scope: "Scope") -> Tensor:
    """∂ of / ∂ wrt: of a number in the shape of wrt, else a row for each of its entries."""
    with torch.enable_grad():
        out, point = _differentiable(of, wrt, scope)
        check_size(out.numel(), point.numel())
        rows = [gradient(entry, point).reshape(-1) for entry in out.reshape(-1)]
        whole = torch.stack(rows)
    if isinstance(wrt, f.Index):
        chosen = positions(wrt, point, scope)
        columns = whole[:, chosen.reshape(-1)]
        return columns.reshape(chosen.shape) if out.numel() == 1 else columns
    return whole.reshape(point.shape) if out.numel() == 1 else whole


def positions(wrt: f.Index, point: Tensor, scope: "Scope") -> Tensor:
    """Where, in a value laid out as one row, the entries stand that an index chooses."""
    places = torch.arange(point.numel(), dtype=torch.float64).reshape(point.shape)
    chosen = replace(
        scope, values={"": places}, indices=dict(scope.indices), memo={}, trace=None
    ).value(f.Index(f.Reference("", ""), wrt.indices))
    return chosen.long()


def hessian(of: f.Node, first: f.Node, second: f.Node, scope: "Scope") -> Tensor:
    """∂² of / ∂ first ∂ second of a number: numel(first) × numel(second)."""
    with torch.enable_grad():
        whole = second.body if isinstance(second, f.Index) else second
        if not isinstance(whole, f.Reference):
            raise Uncomputed(f"a derivative by {latex(second)}")
        if scope.value(of).numel() != 1:
            raise Uncomputed(f"a second derivative of {latex(of)}, which is not a number")
        out, point = _differentiable(f.Derivative(of, first), second, scope)
        check_size(out.numel(), point.numel())
        rows = [gradient(entry, point).reshape(-1) for entry in out.reshape(-1)]
    matrix = torch.stack(rows)
    return matrix.reshape(()) if matrix.numel() == 1 and point.ndim == 0 else matrix


def _differentiable(of: f.Node, wrt: f.Node, scope: "Scope") -> tuple[Tensor, Tensor]:
    """The value of a formula, and the point that it is a differentiable function of."""
    whole = wrt.body if isinstance(wrt, f.Index) else wrt
    if not isinstance(whole, f.Reference):
        raise Uncomputed(f"a derivative by {latex(wrt)}")
    name = scope.key_of(whole)
    value = scope.value(whole)
    point = value * 1 if value.requires_grad else value.detach().requires_grad_()
    return inside(scope, {name: point}).value(of), point


def gradient(value: Tensor, point: Tensor) -> Tensor:
    """The gradient of a number, itself differentiable; zero if it does not depend on the point."""
    if not value.requires_grad:
        return torch.zeros_like(point)
    (slope,) = torch.autograd.grad(
        value, point, create_graph=True, retain_graph=True, allow_unused=True
    )
    return torch.zeros_like(point) if slope is None else slope
