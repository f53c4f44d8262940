r"""The value of a formula at a point of its names: \frac{d}{dt} f(x + tv) \Big|_{t=0}."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torch import Tensor

from workings.formula import nodes as f
from workings.formula.errors import Uncomputed, Undefined
from workings.formula.evaluation.evaluate import Scope
from workings.formula.printing.latex import latex

if TYPE_CHECKING:
    from workings.claims.system.gradient import Point

BESIDE, JUMP = 1e-6, 1e-3  # how near a point is looked at, and how far values may differ there


def value_there(point: "Point", node: f.At, scope: Scope) -> Tensor:
    """A formula's value where some names have another one; where it jumps, it has none."""
    given = [scope.value(value) for value in node.values]
    shifts = (0.0, BESIDE, -BESIDE)
    there, *near = (_moved(point, node, given, shift, scope) for shift in shifts)
    for part in node.body.walk():
        if isinstance(part, f.Derivative):
            there.compared(part)
    value, *beside = (each.scope.value(node.body) for each in (there, *near))
    apart = max(float((each - value).abs().max()) for each in beside)
    if not apart <= JUMP * max(1.0, float(value.abs().max())):
        raise Undefined(f"{latex(node)}: it jumps there, or has no value")
    return value


def _moved(
    point: "Point", node: f.At, given: Sequence[Tensor], shift: float, scope: Scope
) -> "Point":
    """The same draw with these values of the names, all moved a little."""
    leaves = dict(point.draw.leaves)
    for name, value in zip(node.names, given, strict=True):
        if name not in leaves or value.numel() not in (1, leaves[name].numel()):
            raise Uncomputed(f"{latex(node)}: what {name} is there is not known")
        whole = (value.reshape(-1) + shift).expand(leaves[name].numel())
        leaves[name] = whole.reshape(leaves[name].shape).clone()
    indices = {**point.indices, **scope.indices}
    draw = replace(point.draw, leaves=leaves)
    return replace(point, draw=draw, indices=indices, seen={}, trace=None)
