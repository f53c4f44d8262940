"""The value of indicators and cases: what holds where a condition does."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from workings.formula import nodes as f
from workings.formula.errors import Undefined
from workings.formula.evaluation.arithmetic import times
from workings.formula.evaluation.matrices import shape

if TYPE_CHECKING:
    from workings.formula.evaluation.evaluate import Scope

_COMPARE: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "=": torch.eq, "≠": torch.ne, "<": torch.lt, ">": torch.gt, "≤": torch.le, "≥": torch.ge,
}  # fmt: skip


def condition(sides: Sequence[Tensor], relations: Sequence[str]) -> Tensor:
    """1 where every relation holds, 0 elsewhere."""
    holds = torch.tensor(1.0, dtype=torch.float64)
    for left, relation, right in zip(sides, relations, sides[1:], strict=False):
        if relation not in _COMPARE:
            raise Undefined(f"a condition with {relation}")
        if left.numel() > 1 and right.numel() > 1 and left.shape != right.shape:
            raise Undefined(f"{shape(left)} {relation} {shape(right)}")
        a, b = (x.reshape(()) if x.numel() == 1 else x for x in (left, right))
        holds = times(holds, _COMPARE[relation](a, b).to(torch.float64))
    return holds


def cases(values: Sequence[f.Node], conditions: Sequence[f.Node], scope: "Scope") -> Tensor:
    """The value of the first condition that holds, entry by entry; 0 has any shape."""

    def filled(value: f.Node) -> Tensor:
        if not f.is_zero(value):
            return scope.value(value)
        return _zero_like([other for other in values if not f.is_zero(other)], scope)

    result = filled(values[-1]) if len(values) > len(conditions) else None
    for value, each in reversed(list(zip(values, conditions, strict=False))):
        holds = scope.value(each)
        if holds.numel() == 1:
            if float(holds):
                result = filled(value)
            continue
        chosen = filled(value)
        other = holds.new_tensor(math.nan) if result is None else result
        if any(part.numel() not in (1, holds.numel()) for part in (chosen, other)):
            raise Undefined("cases of different shapes")
        chosen, other = (p.reshape(()) if p.numel() == 1 else p for p in (chosen, other))
        result = torch.where(holds > 0, chosen, other)
    if result is None:
        raise Undefined("no case holds, and there is none otherwise")
    return result


def _zero_like(others: Sequence[f.Node], scope: "Scope") -> Tensor:
    """0 in the shape of the first of these that is no number and has a value here."""
    for other in others:
        try:
            value = scope.value(other)
        except Undefined:
            continue
        if value.numel() > 1:
            return torch.zeros_like(value)
    return torch.tensor(0.0, dtype=torch.float64)
