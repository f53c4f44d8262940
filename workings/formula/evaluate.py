"""The value of a formula: float64 tensors with two axes, numbers with none.

Shapes are strict: a product needs equal inner sides, an elementwise product equal shapes. Only a
number scales or shifts what it meets, and a row (column) is added to every row (column) of a
matrix, as a bias is.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.arithmetic import add, divide, dot, matmul, power, times
from workings.formula.declared import Function
from workings.formula.errors import Undefined
from workings.formula.functions import FUNCTIONS, POINTWISE, check_size, shape
from workings.formula.latex import latex

MOST_KEPT = 20_000  # values that are kept for another use
MOST_STEPS = 150_000  # operations for one formula
LONGEST_SECONDS = 5.0


@dataclass
class Budget:
    """What one evaluation may cost; a formula is data and must not hang its reader."""

    steps: int = MOST_STEPS
    until: float = field(default_factory=lambda: time.monotonic() + LONGEST_SECONDS)

    def spend(self) -> None:
        """Count one operation."""
        self.steps -= 1
        if self.steps < 0 or (self.steps % 256 == 0 and time.monotonic() > self.until):
            raise WorkingsError("the formula takes too long to compute; give smaller [sizes]")

    def check(self) -> None:
        """Refuse to go on after the time is up."""
        if time.monotonic() > self.until:
            raise WorkingsError("the claim takes too long to check; give smaller [sizes]")


@dataclass
class Scope:
    """What names stand for while formulas are computed."""

    sizes: Mapping[str, int]
    values: dict[str, Tensor]
    functions: Mapping[str, Function] = field(default_factory=dict)
    indices: dict[str, int] = field(default_factory=dict)
    derivative: Callable[[f.Derivative, "Scope"], Tensor] | None = None
    budget: Budget = field(default_factory=Budget)
    hessian: Callable[[f.Hessian, "Scope"], Tensor] | None = None
    independent: bool = False
    """no value was computed from another: a derivative is that of the formula itself"""
    memo: dict[tuple[object, ...], tuple[f.Node, Tensor]] = field(default_factory=dict)
    trace: Callable[[f.Node, Tensor, "Scope"], Tensor] | None = None
    """sees every value when it is computed, and gives what is used in its place"""

    def value(self, node: f.Node) -> Tensor:
        """The value of a resolved formula; parts that were computed before are not again."""
        memo_key = (id(node), *self.indices.items())
        if known := self.memo.get(memo_key):
            return known[1]
        self.budget.spend()
        value = _compute(node, self)
        if self.trace is not None:
            value = self.trace(node, value, self)
        check_size(value.numel())
        if len(self.memo) > MOST_KEPT:
            self.memo.clear()
        self.memo[memo_key] = (node, value)  # the node is kept, so that its id stays its own
        return value

    def check_independent(self) -> None:
        """Refuse a derivative where values may depend on each other in a way not known here."""
        if not self.independent:
            raise Undefined("a derivative inside an equation, or a second one, is not computed")

    def step(self, node: f.Node | None) -> int | None:
        """The step of a name that lives in time; None of another."""
        return None if node is None else self.whole(node)

    def whole(self, node: f.Node) -> int:
        """A bound, an index or a step."""
        value = self.value(node)
        if value.numel() != 1 or not float(value).is_integer() or abs(float(value)) > 1e15:
            raise Undefined(f"{latex(node)} is not a whole number")
        return int(value)


def key(name: str, step: int | None) -> str:
    """Where the value of a name at a step is kept."""
    return name if step is None else f"{name}@{step}"


def _compute(node: f.Node, scope: Scope) -> Tensor:
    match node:
        case f.Number(number):
            return torch.tensor(float(number), dtype=torch.float64)
        case f.Variable(name):
            if name not in scope.indices:
                raise Undefined(f"the index {name} has no value here")
            return torch.tensor(float(scope.indices[name]), dtype=torch.float64)
        case f.Size(name):
            return torch.tensor(float(scope.sizes[name]), dtype=torch.float64)
        case f.Constant(name):
            return torch.tensor({"\\pi": math.pi, "e": math.e}[name], dtype=torch.float64)
        case f.Reference(name, _, step):
            return _look_up(node, key(name, scope.step(step)), scope)
        case f.Sum(terms):
            return _fold(terms, add, f.Sum, scope)
        case f.Negative(body):
            return -scope.value(body)
        case f.Product(factors):
            return _fold(factors, matmul, f.Product, scope)
        case f.Elementwise(factors):
            return _fold(factors, times, f.Elementwise, scope)
        case f.Dot(left, right):
            return dot(scope.value(left), scope.value(right))
        case f.Quotient(top, bottom):
            return divide(scope.value(top), scope.value(bottom))
        case f.Power(base, exponent):
            return power(scope.value(base), scope.value(exponent))
        case f.TransposeOrPower(body, exponent):
            value = scope.value(body)
            return value.t() if value.ndim == 2 else power(value, scope.value(exponent))
        case f.Transpose(body):
            value = scope.value(body)
            return value.t() if value.ndim == 2 else value
        case f.Call():
            return _call(node, scope)
        case f.Index(body, indices):
            return _entry(node, scope.value(body), [_index(index, scope) for index in indices])
        case f.Total(ranges, body):
            return _total(ranges, body, scope)
        case f.Chain(bound, body):
            parts = [_under(scope, bound.variable, k, body) for k in _values(bound, body, scope)]
            return reduce(matmul, parts) if parts else torch.tensor(1.0, dtype=torch.float64)
        case f.Extreme(function, ranges, body):
            return _extreme(function, ranges, body, scope)
        case f.Condition(sides, relations):
            return _condition([scope.value(side) for side in sides], relations)
        case f.Cases(values, conditions):
            return _cases(values, conditions, scope)
        case f.Derivative(of, wrt):
            if scope.derivative is not None:
                return scope.derivative(node, scope)
            scope.check_independent()
            return _jacobian(of, wrt, scope)
        case f.Hessian(of, first, second):
            if scope.hessian is not None:
                return scope.hessian(node, scope)
            scope.check_independent()
            return _hessian(of, first, second, scope)
        case f.Ones(rows, columns):
            height, width = _side(rows, scope), _side(columns, scope)
            check_size(height, width)
            return torch.ones(height, width, dtype=torch.float64)
        case f.SideOf(bodies, axis):
            beside = [value for value in map(scope.value, bodies) if value.ndim == 2]
            if not beside:
                raise Undefined("a vector of ones beside numbers only; write \\mathbf{1}_n")
            return torch.tensor(float(beside[0].shape[axis]), dtype=torch.float64)
        case f.Identity(size):
            side = _side(size, scope)
            check_size(side, side)
            return torch.eye(side, dtype=torch.float64)
        case f.Matrix(rows):
            return _blocks([[scope.value(entry) for entry in row.entries] for row in rows])
        case f.Unsaid(text) if text == "∞":
            return torch.tensor(math.inf, dtype=torch.float64)
        case f.Unsaid(text):
            raise Undefined(f"{text or 'an empty place'} cannot be computed; write it out")
    raise Undefined(f"{latex(node)} cannot be computed")


def _look_up(node: f.Reference, name: str, scope: Scope) -> Tensor:
    value = scope.values.get(name)
    if value is None:
        raise Undefined(f"{node.latex} has no value (step {name.partition('@')[2] or '?'})")
    return value


def _fold(
    parts: tuple[f.Node, ...],
    operation: Callable[[Tensor, Tensor], Tensor],
    kind: Callable[[tuple[f.Node, ...]], f.Node],
    scope: Scope,
) -> Tensor:
    """Parts combined from left to right; where two do not fit, they are named."""
    value = scope.value(parts[0])
    for count, part in enumerate(parts[1:], start=1):
        try:
            value = operation(value, scope.value(part))
        except Undefined as error:
            if str(error).startswith("the "):
                left = latex(kind(parts[:count]) if count > 1 else parts[0])
                raise Undefined(f"{error}: {left} with {latex(part)}") from None
            raise
    return value


def _call(node: f.Call, scope: Scope) -> Tensor:
    arguments = [scope.value(argument) for argument in node.arguments]
    if own := scope.functions.get(node.function):
        return _own(node, own, arguments, scope)
    function = FUNCTIONS[node.function]
    try:
        if node.primes:
            return _slope(node, function, arguments[0])
        return function(*arguments)
    except TypeError:
        raise Undefined(f"{node.function} does not take {len(arguments)} arguments") from None
    except (IndexError, RuntimeError) as error:  # torch's own, for a shape or a singular matrix
        reason = str(error).strip().partition("\n")[0]
        raise Undefined(f"{node.function} has no value here: {reason}") from None


def _own(node: f.Call, own: Function, arguments: list[Tensor], scope: Scope) -> Tensor:
    if len(arguments) != len(own.parameters):
        raise Undefined(
            f"{node.function} takes {len(own.parameters)} arguments, not {len(arguments)}"
        )

    def body(*given: Tensor) -> Tensor:
        inner = dict(zip(own.parameters, given, strict=True))
        return _inside(scope, inner).value(own.body)

    if not node.primes:
        return body(*arguments)
    if len(arguments) != 1 or arguments[0].numel() != 1:
        raise Undefined(f"{node.function}' of what is not one number; write a \\nabla")
    return _slopes(body, arguments[0], node.primes)


def _inside(scope: Scope, values: Mapping[str, Tensor]) -> Scope:
    """The scope with other values of some names, and nothing of what was computed before."""
    return Scope(
        scope.sizes, {**scope.values, **values}, scope.functions, dict(scope.indices),
        scope.derivative, scope.budget, scope.hessian, scope.independent,
        trace=scope.trace,
    )  # fmt: skip


def _slope(node: f.Call, function: Callable[..., Tensor], x: Tensor) -> Tensor:
    """f'(x), entry by entry, as often as there are primes."""
    if node.primes > 3:
        raise Undefined(f"{node.primes} primes; at most three were expected")
    if node.function not in POINTWISE:
        raise Undefined(f"{node.function}' (a derivative with primes is of an entrywise function)")
    return _slopes(function, x, node.primes)


def _slopes(function: Callable[[Tensor], Tensor], x: Tensor, primes: int) -> Tensor:
    with torch.enable_grad():
        point = x if x.requires_grad else x.detach().requires_grad_()
        slope = function(point)
        for _ in range(primes):
            if not slope.requires_grad:  # a constant has no slope
                return torch.zeros_like(x)
            (slope,) = torch.autograd.grad(slope.sum(), point, create_graph=True)
    return slope if x.requires_grad else slope.detach()


def _index(node: f.Node, scope: Scope) -> int | None:
    """A whole number, or None for the whole axis."""
    return None if isinstance(node, f.Unsaid) and node.text == ":" else scope.whole(node)


def _entry(node: f.Index, body: Tensor, chosen: list[int | None]) -> Tensor:
    sides = list(body.shape)
    if None in chosen:
        return _rows_or_columns(node, body, chosen)
    indices = [index for index in chosen if index is not None]
    if len(indices) == 1 and body.ndim == 2:
        vector = 1 in sides
        if not 1 <= indices[0] <= (body.numel() if vector else sides[0]):
            raise Undefined(f"{latex(node)} at {indices[0]}, outside {shape(body)}")
        return body.reshape(-1)[indices[0] - 1] if vector else body[indices[0] - 1 : indices[0]]
    if len(indices) != body.ndim or not all(
        1 <= index <= side for index, side in zip(indices, sides, strict=False)
    ):
        raise Undefined(f"{latex(node)} at {indices}, outside {shape(body)}")
    return body[tuple(index - 1 for index in indices)]


def _rows_or_columns(node: f.Index, body: Tensor, chosen: list[int | None]) -> Tensor:
    """X_{i,:} is a row, X_{:,j} a column."""
    if len(chosen) != 2 or body.ndim != 2:
        raise Undefined(f"{latex(node)} of {shape(body)}")
    for side, index in zip(body.shape, chosen, strict=True):
        if index is not None and not 1 <= index <= side:
            raise Undefined(f"{latex(node)} at {index}, outside {shape(body)}")
    row, column = (slice(None) if i is None else slice(i - 1, i) for i in chosen)
    return body[row, column]


def _side(node: f.Node, scope: Scope) -> int:
    side = scope.whole(node)
    if not 0 < side <= 100_000:
        raise Undefined(f"a side of {side}")
    return side


def _under(scope: Scope, variable: str, index: int, body: f.Node) -> Tensor:
    """The body's value where a bound index has this value."""
    outer = scope.indices.get(variable)
    scope.indices[variable] = index
    try:
        return scope.value(body)
    finally:  # an Undefined may be caught, and the scope used again
        if outer is None:
            del scope.indices[variable]
        else:
            scope.indices[variable] = outer


def _total(ranges: tuple[f.Range, ...], body: f.Node, scope: Scope) -> Tensor:
    if not ranges:
        return scope.value(body).sum()
    outer, rest = ranges[0], ranges[1:]
    inner = f.Total(rest, body) if rest else body
    parts = [_under(scope, outer.variable, k, inner) for k in _values(outer, body, scope)]
    return reduce(add, parts) if parts else torch.tensor(0.0, dtype=torch.float64)


def _extreme(function: str, ranges: tuple[f.Range, ...], body: f.Node, scope: Scope) -> Tensor:
    """max, min, argmax or argmin over the values of its indices."""
    outer, rest = ranges[0], ranges[1:]
    if rest and function.startswith("arg"):
        raise Undefined(f"{function} over several indices")
    inner = f.Extreme(function, rest, body) if rest else body
    values = _values(outer, body, scope)
    parts = [_under(scope, outer.variable, k, inner) for k in values]
    if not parts or any(part.numel() != 1 for part in parts):
        raise Undefined(f"{function} over {outer.variable} of what are no numbers")
    stacked = torch.stack([part.reshape(()) for part in parts])
    chosen = stacked.argmax() if function.endswith("max") else stacked.argmin()
    if function.startswith("arg"):
        return torch.tensor(float(values[int(chosen)]), dtype=torch.float64)
    return stacked[chosen]


_COMPARE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "=": torch.eq, "≠": torch.ne, "<": torch.lt, ">": torch.gt, "≤": torch.le, "≥": torch.ge,
}  # fmt: skip


def _condition(sides: list[Tensor], relations: tuple[str, ...]) -> Tensor:
    """1 where every relation holds, 0 elsewhere."""
    holds = torch.tensor(1.0, dtype=torch.float64)
    for left, relation, right in zip(sides, relations, sides[1:], strict=False):
        if relation not in _COMPARE:
            raise Undefined(f"a condition with {relation}")
        if left.numel() > 1 and right.numel() > 1 and left.shape != right.shape:
            raise Undefined(f"{shape(left)} {relation} {shape(right)}")
        one, other = (x.reshape(()) if x.numel() == 1 else x for x in (left, right))
        holds = times(holds, _COMPARE[relation](one, other).to(torch.float64))
    return holds


def _cases(values: tuple[f.Node, ...], conditions: tuple[f.Node, ...], scope: Scope) -> Tensor:
    """The value of the first condition that holds, entry by entry."""
    result = scope.value(values[-1]) if len(values) > len(conditions) else None
    for value, condition in reversed(list(zip(values, conditions, strict=False))):
        holds = scope.value(condition)
        if holds.numel() == 1:
            if float(holds):
                result = scope.value(value)
            continue
        chosen = scope.value(value)
        other = holds.new_tensor(math.nan) if result is None else result
        if any(part.numel() not in (1, holds.numel()) for part in (chosen, other)):
            raise Undefined("cases of different shapes")
        chosen, other = (p.reshape(()) if p.numel() == 1 else p for p in (chosen, other))
        result = torch.where(holds > 0, chosen, other)
    if result is None:
        raise Undefined("no case holds, and there is none otherwise")
    return result


def _differentiable(of: f.Node, wrt: f.Node, scope: Scope) -> tuple[Tensor, Tensor]:
    """The value of a formula, and the point that it is a differentiable function of."""
    whole = wrt.body if isinstance(wrt, f.Index) else wrt
    if not isinstance(whole, f.Reference):
        raise Undefined(f"a derivative by {latex(wrt)}")
    name = key(whole.name, scope.step(whole.step))
    value = _look_up(whole, name, scope)
    point = value * 1 if value.requires_grad else value.detach().requires_grad_()
    return _inside(scope, {name: point}).value(of), point


def _jacobian(of: f.Node, wrt: f.Node, scope: Scope) -> Tensor:
    """∂ of / ∂ wrt: of a number in the shape of wrt, else a row for each of its entries."""
    with torch.enable_grad():
        out, point = _differentiable(of, wrt, scope)
        check_size(out.numel(), point.numel())
        rows = [_gradient(entry, point).reshape(-1) for entry in out.reshape(-1)]
        jacobian = torch.stack(rows)
    if isinstance(wrt, f.Index):
        places = torch.arange(point.numel(), dtype=torch.float64).reshape(point.shape)
        chosen = Scope(scope.sizes, {"": places}, indices=dict(scope.indices)).value(
            f.Index(f.Reference("", ""), wrt.indices)
        )
        jacobian = jacobian[:, chosen.reshape(-1).long()]
        return jacobian.reshape(chosen.shape) if out.numel() == 1 else jacobian
    return jacobian.reshape(point.shape) if out.numel() == 1 else jacobian


def _gradient(value: Tensor, point: Tensor) -> Tensor:
    if not value.requires_grad:
        return torch.zeros_like(point)
    (gradient,) = torch.autograd.grad(
        value, point, create_graph=True, retain_graph=True, allow_unused=True
    )
    return torch.zeros_like(point) if gradient is None else gradient


def _hessian(of: f.Node, first: f.Node, second: f.Node, scope: Scope) -> Tensor:
    """∂² of / ∂ first ∂ second of a number: numel(first) × numel(second)."""
    with torch.enable_grad():
        whole = second.body if isinstance(second, f.Index) else second
        if not isinstance(whole, f.Reference):
            raise Undefined(f"a derivative by {latex(second)}")
        gradient = f.Derivative(of, first)
        if scope.value(of).numel() != 1:
            raise Undefined(f"a second derivative of {latex(of)}, which is not a number")
        out, point = _differentiable(gradient, second, scope)
        check_size(out.numel(), point.numel())
        rows = [_gradient(entry, point).reshape(-1) for entry in out.reshape(-1)]
    hessian = torch.stack(rows)
    return hessian.reshape(()) if hessian.numel() == 1 and point.ndim == 0 else hessian


def _values(bound: f.Range, body: f.Node, scope: Scope) -> list[int]:
    """The values of a bound index, in their order."""
    if bound.members:
        return [scope.whole(member) for member in bound.members]
    if isinstance(bound.low, f.Unsaid) or isinstance(bound.high, f.Unsaid):
        raise Undefined(f"a sum over a set or to infinity by {bound.variable}; write its bounds")
    low = 1 if bound.low is None else scope.whole(bound.low)
    if bound.high is not None:
        high = scope.whole(bound.high)
    else:
        high = length_of(bound.variable, [body], scope)
    if abs(high - low) > MOST_STEPS:
        raise WorkingsError(f"a sum or product of {abs(high - low):,} parts takes too long")
    without = {scope.whole(value) for value in bound.without}
    values = range(low, high - 1, -1) if bound.descending else range(low, high + 1)
    return [value for value in values if value not in without]


def length_of(variable: str, bodies: Sequence[f.Node], scope: Scope) -> int:
    """How far an index without bounds goes: to the end of what it indexes."""
    for body in bodies:
        for node in body.walk():
            if isinstance(node, f.Index):
                for axis, index in enumerate(node.indices):
                    if isinstance(index, f.Variable) and index.name == variable:
                        indexed = scope.value(node.body)
                        if len(node.indices) == 1 and 1 in indexed.shape:
                            return indexed.numel()
                        if axis >= indexed.ndim:
                            raise Undefined(f"{latex(node)}: it has no such index")
                        return indexed.shape[axis]
    raise Undefined(f"the sum over {variable} has no bounds, and it indexes nothing")


def _blocks(rows: list[list[Tensor]]) -> Tensor:
    """Blocks side by side and below each other; numbers are 1×1."""
    check_size(sum(block.numel() for row in rows for block in row))
    if not rows or not all(rows):
        raise Undefined("a matrix without entries")
    lines = []
    for row in rows:
        blocks = [block.reshape(1, 1) if block.ndim == 0 else block for block in row]
        if len({block.shape[0] for block in blocks}) > 1:
            raise Undefined("blocks of different heights side by side")
        lines.append(torch.cat(blocks, 1))
    if len({line.shape[1] for line in lines}) > 1:
        raise Undefined("rows of different widths in a matrix")
    return torch.cat(lines, 0)
