"""The value of a formula: float64 tensors with two axes, numbers with none.

Shapes are strict: a product needs equal inner sides, an elementwise product equal shapes. Only a
number scales or shifts what it meets, and a row (column) is added to every row (column) of a
matrix, as a bias is.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.formula import nodes as f
from workings.formula.errors import Uncomputed, Undefined
from workings.formula.evaluation import slopes
from workings.formula.evaluation.arithmetic import add, divide, dot, matmul, power, times
from workings.formula.evaluation.budget import Budget
from workings.formula.evaluation.cases import cases, condition
from workings.formula.evaluation.entries import by_entries, entry, extreme, total, under, values
from workings.formula.evaluation.functions import FUNCTIONS
from workings.formula.evaluation.gaussian import divergence_of_gaussians, expectation
from workings.formula.evaluation.matrices import check_size
from workings.formula.evaluation.reach import reach
from workings.formula.printing.latex import latex
from workings.formula.resolution.declared import Function

MOST_KEPT = 20_000  # values that are kept for another use


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
    at_point: Callable[[f.At, "Scope"], Tensor] | None = None
    independent: bool = False
    """no value was computed from another: a derivative is that of the formula itself"""
    memo: dict[tuple[object, ...], tuple[f.Node, Tensor]] = field(default_factory=dict)
    trace: Callable[[f.Node, Tensor, "Scope"], Tensor] | None = None
    """sees every value when it is computed, and gives what is used in its place"""

    def value(self, node: f.Node) -> Tensor:
        """The value of a resolved formula; parts that were computed before are not again."""
        memo_key = self._memo_key(node)
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

    def _memo_key(self, node: f.Node) -> tuple[object, ...]:
        """The formula with the indices in force that its value may depend on."""
        if not self.indices:
            return (id(node),)
        within = reach(node)
        if within.sees_all or not within.functions.isdisjoint(self.functions):
            return (id(node), *self.indices.items())
        return (id(node), *(self.indices.get(name) for name in within.variables))

    def check_independent(self) -> None:
        """Refuse a derivative where values may depend on each other in a way not known here."""
        if not self.independent:
            raise Uncomputed("a derivative inside an equation, or a second one, is not computed")

    def step(self, node: f.Node | None) -> int | None:
        """The step of a name that lives in time; None of another."""
        return None if node is None else self.whole(node)

    def key_of(self, node: f.Reference) -> str:
        """Where the value of a name is kept."""
        return key(node.name, self.step(node.step))

    def whole(self, node: f.Node) -> int:
        """A bound, an index or a step."""
        match node:  # what most of them are needs no tensor
            case f.Variable(name) if name in self.indices:
                return self.indices[name]
            case f.Number(number) if number.denominator == 1 and abs(number) <= 10**15:
                return int(number)
        value = self.value(node)
        if value.numel() != 1 or not float(value).is_integer() or abs(float(value)) > 1e15:
            raise Undefined(f"{latex(node)} is not a whole number")
        return int(value)


def key(name: str, step: int | None) -> str:
    """Where the value of a name at a step is kept."""
    return name if step is None else f"{name}@{step}"


@lru_cache(maxsize=1024)
def _number(value: float) -> Tensor:
    """A number without axes; one tensor for all places, as no value is ever written to."""
    return torch.tensor(value, dtype=torch.float64)


def _compute(node: f.Node, scope: Scope) -> Tensor:
    match node:
        case f.Number(number):
            return _number(float(number))
        case f.Variable(name):
            if name not in scope.indices:
                raise Uncomputed(f"the index {name} has no value here")
            return _number(float(scope.indices[name]))
        case f.Size(name):
            return _number(float(scope.sizes[name]))
        case f.Constant(name):
            return torch.tensor({"\\pi": math.pi, "e": math.e}[name], dtype=torch.float64)
        case f.Reference():
            return _look_up(node, scope)
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
        case f.Index():
            return entry(node, scope)
        case f.Total(ranges, body):
            return total(ranges, body, scope)
        case f.Chain(bound, body):
            parts = [under(scope, bound.variable, k, body) for k in values(bound, body, scope)]
            return reduce(matmul, parts) if parts else torch.tensor(1.0, dtype=torch.float64)
        case f.Extreme(function, ranges, body):
            return extreme(function, ranges, body, scope)
        case f.Entries():
            return by_entries(node, scope)
        case f.Expectation():
            return expectation(node, scope)
        case f.Condition(sides, relations):
            return condition([scope.value(side) for side in sides], relations)
        case f.Cases(results, conditions):
            return cases(results, conditions, scope)
        case f.Derivative(of, wrt):
            if scope.derivative is not None:
                return scope.derivative(node, scope)
            scope.check_independent()
            return slopes.jacobian(of, wrt, scope)
        case f.Hessian(of, first, second):
            if scope.hessian is not None:
                return scope.hessian(node, scope)
            scope.check_independent()
            return slopes.hessian(of, first, second, scope)
        case f.At():
            if scope.at_point is None:
                raise Uncomputed(f"{latex(node)}: a value at a point inside another derivative")
            return scope.at_point(node, scope)
        case f.Ones(rows, columns):
            height, width = _side(rows, scope), _side(columns, scope)
            check_size(height, width)
            return torch.ones(height, width, dtype=torch.float64)
        case f.SideOf(bodies, axis):
            return torch.tensor(float(_side_of(bodies, axis, scope)), dtype=torch.float64)
        case f.Identity(size):
            side = _side(size, scope)
            check_size(side, side)
            return torch.eye(side, dtype=torch.float64)
        case f.Matrix(rows):
            return _blocks([[_block(entry, scope) for entry in row.entries] for row in rows])
        case f.Unsaid(text) if text == "∞":
            return torch.tensor(math.inf, dtype=torch.float64)
        case f.Unsaid(text):
            raise Uncomputed(f"{text or 'an empty place'} cannot be computed; write it out")
    raise Uncomputed(f"{latex(node)} cannot be computed")


def _look_up(node: f.Reference, scope: Scope) -> Tensor:
    name = scope.key_of(node)
    value = scope.values.get(name)
    if value is None:
        raise Uncomputed(f"{node.latex} has no value (step {name.partition('@')[2] or '?'})")
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
                raise type(error)(f"{error}: {left} with {latex(part)}") from None
            raise
    return value


def _call(node: f.Call, scope: Scope) -> Tensor:
    arguments = [scope.value(argument) for argument in node.arguments]
    if own := scope.functions.get(node.function):
        return slopes.called(node, own, arguments, scope)
    if node.function == "divergence of Gaussians":
        return divergence_of_gaussians(arguments[:2], arguments[2:])
    function = FUNCTIONS[node.function]
    try:
        if node.primes:
            return slopes.slope(node, function, arguments[0])
        return function(*arguments)
    except TypeError:
        raise Undefined(f"{node.function} does not take {len(arguments)} arguments") from None
    except (IndexError, RuntimeError) as error:  # torch's own, for a shape or a singular matrix
        reason = str(error).strip().partition("\n")[0]
        raise Uncomputed(f"{node.function} has no value here: {reason}") from None


def _side(node: f.Node, scope: Scope) -> int:
    side = scope.whole(node)
    if not 0 < side <= 100_000:
        raise Undefined(f"a side of {side}")
    return side


def _side_of(bodies: tuple[f.Node, ...], axis: int, scope: Scope) -> int:
    """A side of the first of these that is no number; a gradient has that of what it is by."""
    for body in bodies:
        if isinstance(body, f.Derivative) and scope.value(body.of).numel() == 1:
            body = body.wrt
        value = scope.value(body)
        if value.ndim == 2:
            return value.shape[axis]
    raise WorkingsError("what has the size that fits stands beside numbers only; write its size")


def _block(entry: f.Node, scope: Scope) -> Tensor | None:
    """The value of a block; none of a 0, which has the size that fits."""
    return None if f.is_zero(entry) else scope.value(entry)


def _with_zeros(rows: list[list[Tensor | None]]) -> Iterator[list[Tensor]]:
    """Zeros as high as the blocks beside them and as wide as those above and below."""
    for row in rows:
        height = max((len(block) for block in row if block is not None and block.ndim), default=1)
        line = []
        for at, block in enumerate(row):
            column = [other[at] for other in rows if at < len(other)]
            widths = [other.shape[1] for other in column if other is not None and other.ndim]
            zeros = torch.zeros(height, max(widths, default=1), dtype=torch.float64)
            line.append(zeros if block is None else block)
        yield line


def _blocks(rows: list[list[Tensor | None]]) -> Tensor:
    """Blocks side by side and below each other; numbers are 1×1."""
    check_size(sum(block.numel() for row in rows for block in row if block is not None))
    if not rows or not all(rows):
        raise Undefined("a matrix without entries")
    lines = []
    for row in _with_zeros(rows):
        blocks = [block.reshape(1, 1) if block.ndim == 0 else block for block in row]
        if len({block.shape[0] for block in blocks}) > 1:
            raise Undefined("blocks of different heights side by side")
        lines.append(torch.cat(blocks, 1))
    if len({line.shape[1] for line in lines}) > 1:
        raise Undefined("rows of different widths in a matrix")
    return torch.cat(lines, 0)
