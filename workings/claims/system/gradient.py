"""Derivatives of the equations at one draw: by autograd, checked by central differences."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial

import torch
from torch import Tensor

from workings.claims.system.at_point import value_there
from workings.claims.system.equations import Draw, System, Trace
from workings.formula import nodes as f
from workings.formula.errors import Uncomputed, Undefined
from workings.formula.evaluation import slopes
from workings.formula.evaluation.budget import LONGEST_SECONDS, Budget, now
from workings.formula.evaluation.evaluate import Scope, key
from workings.formula.evaluation.matrices import check_size, vec
from workings.formula.printing.latex import latex

STEP = 1e-6
AGREEMENT = 1e-5
MANY = 8  # times as many entries above as below: a pass for each of those below is cheaper
SAMPLE = 8  # entries that central differences are taken at


class Layout(Enum):
    """Which shape a derivative inside a formula has; all three are in use."""

    ROWS = "derivatives are Jacobians, with a row for every entry above"
    GRADIENTS = "gradients have the shape of what they are taken by, Jacobians a row for each entry"
    COLUMNS = "derivatives have a row for every entry of what they are taken by"


@dataclass
class Point:
    """A system at one draw, where formulas with derivatives in them have a value."""

    system: System
    draw: Draw
    immediate: bool = False
    """a derivative by a weight inside a formula is of one equation, earlier states held constant"""
    only: bool = False
    """derivatives are at the last step only, earlier states held constant"""
    layout: Layout = Layout.ROWS
    """the shape of a derivative inside a formula"""
    indices: Mapping[str, int] = field(default_factory=dict)
    until: float = math.inf
    """when to give up, by this thread's own clock"""
    trace: Trace | None = None
    """watches every value when it is computed"""
    scope: Scope = field(init=False)
    seen: dict[tuple[int, ...], tuple[Tensor, Tensor]] = field(default_factory=dict)
    """derivatives that were checked already"""

    def __post_init__(self) -> None:
        with torch.no_grad():
            self.scope = self.system.run(self.draw, trace=self.trace)
        self.scope.indices.update(self.indices)
        self.scope.derivative = self._jacobian_in
        self.scope.hessian = self._hessian_in
        self.scope.at_point = partial(value_there, self)

    def value(self, node: f.Node) -> Tensor:
        """What a formula is worth here."""
        self.scope.budget = Budget(until=min(self.until, now() + LONGEST_SECONDS))
        return self.scope.value(node).detach()

    def gradient(self, node: f.Derivative) -> Tensor:
        """Of a number, in the shape of what it is taken by; of a vector, its Jacobian."""
        of, jacobian = self.jacobian(node, self.scope)
        wrt = self.scope.value(node.wrt)
        return jacobian.reshape(wrt.shape) if of.numel() == 1 else jacobian

    def jacobian(
        self, node: f.Derivative, scope: Scope, immediate: bool = False
    ) -> tuple[Tensor, Tensor]:
        """The value, and its derivative in numerator layout: numel(of) × numel(wrt)."""
        at, of = self._function(node, scope, immediate)
        point = self.scope.values[at]
        leaf = point.clone().requires_grad_()
        with torch.enable_grad():
            out = of(leaf)
            check_size(out.numel(), point.numel())
            by_columns = out.numel() > MANY * point.numel()
            jacobian = (self._by_columns if by_columns else self._by_rows)(out, leaf)
        return out.detach(), self._entries(node, jacobian, point, scope)

    def _by_rows(self, out: Tensor, leaf: Tensor) -> Tensor:
        """One pass back for every entry of what is differentiated."""
        rows = []
        for entry in out.reshape(-1):
            Budget(until=self.until).check()
            grad = None
            if entry.requires_grad:
                (grad,) = torch.autograd.grad(entry, leaf, retain_graph=True, allow_unused=True)
            rows.append((torch.zeros_like(leaf) if grad is None else grad).detach().reshape(-1))
        return torch.stack(rows)

    def _by_columns(self, out: Tensor, leaf: Tensor) -> Tensor:
        """One pass for every entry of what it is taken by: backward, and backward through that."""
        weights = torch.ones_like(out, requires_grad=True)
        if not out.requires_grad:
            return torch.zeros(out.numel(), leaf.numel(), dtype=out.dtype)
        (pulled,) = torch.autograd.grad(out, leaf, weights, create_graph=True, allow_unused=True)
        columns = []
        for entry in torch.zeros_like(leaf).reshape(-1) if pulled is None else pulled.reshape(-1):
            Budget(until=self.until).check()
            columns.append(slopes.gradient(entry, weights).detach().reshape(-1))
        return torch.stack(columns, 1)

    def differences(self, node: f.Derivative, entries: Sequence[int]) -> Tensor:
        """Columns of the same Jacobian by central differences, at some entries."""
        at, of = self._function(node, self.scope)
        point = self.scope.values[at]
        columns = []
        with torch.no_grad():
            for entry in entries:
                Budget(until=self.until).check()
                width = STEP * max(1.0, abs(float(point.reshape(-1)[entry])))
                step = torch.zeros(point.numel(), dtype=point.dtype)
                step[entry] = width
                step = step.reshape(point.shape)
                columns.append((of(point + step) - of(point - step)).reshape(-1) / (2 * width))
        return torch.stack(columns, 1)

    def checked(self, node: f.Derivative, numerically: bool = True) -> Tensor:
        """The gradient, once autograd and central differences agree on it, if that is asked for."""
        known = (id(node), *(self.scope.indices.get(name, -1) for name in variables(node.of)))
        if known in self.seen:  # by another entry of what it is taken by
            return self._shaped(node, *self.seen[known])
        of, jacobian = self.compared(node, numerically)
        self.seen[known] = (of, jacobian)
        return self._shaped(node, of, jacobian)

    def compared(self, node: f.Derivative, numerically: bool = True) -> tuple[Tensor, Tensor]:
        """The value and its Jacobian by all entries, once central differences agree."""
        whole = f.Derivative(node.of, _whole(node.wrt), node.only)
        of, jacobian = self.jacobian(whole, self.scope)
        if numerically:
            self._compare_numerically(whole, of, jacobian)
        return of, jacobian

    def _compare_numerically(self, node: f.Derivative, of: Tensor, jacobian: Tensor) -> None:
        if not torch.isfinite(of).all():
            way_out = "declare what must be positive as positive"
            raise Undefined(f"{latex(node.of)} is not a finite number at random values; {way_out}")
        count = jacobian.shape[1]
        entries = torch.linspace(0, count - 1, min(SAMPLE, count)).long().tolist()
        numeric = self.differences(node, entries)
        scale = max(1e-3, float(jacobian.abs().max()))
        if float((jacobian[:, entries] - numeric).abs().max()) > AGREEMENT * scale:
            message = "autograd and central differences disagree; it may not exist there"
            raise Undefined(f"{latex(node)}: {message}")

    def _shaped(self, node: f.Derivative, of: Tensor, whole: Tensor) -> Tensor:
        """The entries asked for, in the shape of what the derivative is taken by."""
        point = self.scope.value(_whole(node.wrt))
        jacobian = self._entries(node, whole, point, self.scope)
        wrt = self.scope.value(node.wrt)
        if wrt.numel() == 1 and is_matrix(of):
            return jacobian.reshape(of.shape)  # the derivative of each entry in its place
        return jacobian.reshape(wrt.shape) if of.numel() == 1 else jacobian

    def _function(
        self, node: f.Derivative, scope: Scope, immediate: bool = False
    ) -> tuple[str, Callable[[Tensor], Tensor]]:
        """Where the derivative is taken by, and what is differentiated as a function of it."""
        whole = _whole(node.wrt)
        at = key(whole.name, scope.step(whole.step))
        if at not in self.scope.values:
            raise Undefined(f"{latex(node.wrt)} has no value at that step")
        indices = dict(scope.indices)

        def through_all(x: Tensor) -> Tensor:
            before = self._before() if self.only or node.only else {}
            inner = self.system.run(self.draw, {**before, at: x}, self.trace)
            inner.indices.clear()
            inner.indices.update(indices)
            inner.derivative = self._jacobian_in
            return inner.value(node.of)

        def through_one(x: Tensor) -> Tensor:
            body, step = self._equation(node.of, scope)
            if body is None:
                return self.scope.value(node.of)  # the state before the first step
            inner = Scope(
                self.draw.sizes, {**self.scope.values, at: x}, self.system.names.functions,
                trace=self.trace,
            )  # fmt: skip
            inner.indices.update(indices)
            if step is not None:
                inner.indices[self.system.names.time] = step
            return inner.value(body)

        alone = immediate and isinstance(node.of, f.Reference) and whole.step is None
        return at, through_one if alone else through_all

    def _before(self) -> dict[str, Tensor]:
        """The states of all steps but the last, as constants."""
        last = f"@{self.system.steps}"
        values = self.scope.values
        return {name: values[name] for name in values if "@" in name and not name.endswith(last)}

    def _equation(self, of: f.Node, scope: Scope) -> tuple[f.Node | None, int | None]:
        if not isinstance(of, f.Reference):
            raise Uncomputed(f"{latex(of)} is not the name of an equation")
        step = scope.step(of.step)
        for equation in self.system.equations:
            if equation.name == of.name and (step is None or step > 0):
                return equation.body, step
        return None, step

    def _entries(self, node: f.Derivative, jacobian: Tensor, point: Tensor, scope: Scope) -> Tensor:
        """The columns asked for, where the derivative is taken by an entry or a row."""
        if isinstance(node.wrt, f.Call):  # vec(X), whose columns are below each other
            return jacobian[:, vec(torch.arange(point.numel()).reshape(point.shape)).reshape(-1)]
        if not isinstance(node.wrt, f.Index):
            return jacobian
        return jacobian[:, slopes.positions(node.wrt, point, scope).reshape(-1)]

    def _jacobian_in(self, node: f.Derivative, scope: Scope) -> Tensor:
        of, jacobian = self._jacobian_by_entries(node, scope)
        if jacobian.shape[1] == 1 and is_matrix(of):
            return jacobian.reshape(of.shape)
        if of.numel() > 1:
            return jacobian.t() if self.layout is Layout.COLUMNS else jacobian
        if self.layout is Layout.ROWS:
            return jacobian
        return jacobian.reshape(scope.value(node.wrt).shape)

    def _jacobian_by_entries(self, node: f.Derivative, scope: Scope) -> tuple[Tensor, Tensor]:
        """By an entry, what was computed for another one: a sum over k asks for each ∂L/∂P_{ik}."""
        if scope is not self.scope or not isinstance(node.wrt, f.Index):
            return self.jacobian(node, scope, self.immediate)
        inside = {*variables(node.of), *variables(node.wrt.body)}
        asked = (id(node), -1, *(scope.indices.get(name, -1) for name in sorted(inside)))
        if asked not in self.seen:
            whole = f.Derivative(node.of, node.wrt.body, node.only)
            self.seen[asked] = self.jacobian(whole, scope, self.immediate)
        of, jacobian = self.seen[asked]
        return of, self._entries(node, jacobian, scope.value(node.wrt.body), scope)

    def _hessian_in(self, node: f.Hessian, scope: Scope) -> Tensor:
        """∂² of / ∂ first ∂ second of a number through all equations, in numel × numel entries.

        By entries of what it is taken by, only those rows and columns.
        """
        first, second = _whole(node.first), _whole(node.second)
        names = [key(each.name, scope.step(each.step)) for each in (first, second)]
        if any(name not in self.scope.values for name in names):
            raise Undefined(f"{latex(node)} is by what has no value at that step")
        rows = self.scope.values[names[0]].clone().requires_grad_()
        same = names[0] == names[1]
        columns = rows if same else self.scope.values[names[1]].clone().requires_grad_()
        check_size(rows.numel(), columns.numel())
        with torch.enable_grad():
            inner = self.system.run(self.draw, {names[0]: rows, names[1]: columns}, self.trace)
            inner.indices.clear()
            inner.indices.update(scope.indices)
            out = inner.value(node.of)
            if rows.ndim == columns.ndim == 0:  # of each entry in its place
                return _second_slopes(out, rows, columns)
            if out.numel() != 1:
                raise Uncomputed(f"a second derivative of {latex(node.of)}, which is not a number")
            first_order = slopes.gradient(out.reshape(()), rows)
            entries = first_order.reshape(-1)
            second_order = [slopes.gradient(entry, columns).reshape(-1) for entry in entries]
        hessian = self._entries(
            f.Derivative(node.of, node.second), torch.stack(second_order), columns, scope
        )
        hessian = self._entries(f.Derivative(node.of, node.first), hessian.t(), rows, scope).t()
        return hessian.detach()


def _second_slopes(out: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """The second derivative of every entry by two numbers."""
    slopes_of = [slopes.gradient(entry, first) for entry in out.reshape(-1)]
    curvatures = [slopes.gradient(slope, second) for slope in slopes_of]
    return torch.stack(curvatures).reshape(out.shape).detach()


def _whole(wrt: f.Node) -> f.Reference:
    """What a derivative is taken by, where it is by an entry, or by vec of it."""
    whole = wrt.body if isinstance(wrt, f.Index) else wrt
    whole = whole.arguments[0] if isinstance(whole, f.Call) else whole
    if not isinstance(whole, f.Reference):
        raise Undefined(f"a derivative by {latex(wrt)}, which is no name")
    return whole


def is_matrix(x: Tensor) -> bool:
    """Whether it has several rows and several columns."""
    return x.ndim == 2 and 1 not in x.shape


def variables(node: f.Node) -> list[str]:
    """The indices that a formula depends on."""
    return sorted({part.name for part in node.walk() if isinstance(part, f.Variable)})
