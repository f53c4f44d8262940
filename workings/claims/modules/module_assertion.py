"""`assert_computes`, for people's own tests: a module computes its formula, or says where not."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence

from torch import nn

from workings.claims.modules.computes import check_computes
from workings.claims.modules.live_module import LiveModule
from workings.claims.sets import Claim, ClaimSet
from workings.claims.system.symbols import declare
from workings.cost.counts.samples import Refused
from workings.errors import WorkingsError, first_line


def assert_computes(
    module: nn.Module | Callable[..., nn.Module],
    formula: str,
    *,
    inputs: Mapping[str, str],
    parameters: Mapping[str, str] | None = None,
    equations: Sequence[str] = (),
    sizes: Mapping[str, int | str] | None = None,
    steps: int = 0,
    seed: int = 0,
) -> None:
    r"""Raise AssertionError unless the module computes the formula, forward and gradient.

    module: a module, whose sizes are then given by `sizes`, or a function of sizes that builds one;
    it is copied, and the copy's parameters are drawn at random in float64.
    inputs: the names and shapes of what forward takes, in its order.
    parameters: what each of its parameters is in the formula; the others are matched by value.
    equations, steps: a sequence module by the equations of its step; its input is x^{(t)}.

    >>> assert_computes(nn.Linear(4, 3), "x W + b", inputs={"x": "n x 4"},
    ...                 parameters={"weight": "W^T", "bias": "b"})
    """
    claim = Claim(computes=formula, inputs=dict(inputs), parameters=dict(parameters or {}))
    given = ClaimSet(
        equations=tuple(equations), sizes=dict(sizes or {}), steps=steps, claims=(claim,)
    )

    def build(at: Mapping[str, int]) -> nn.Module:
        if isinstance(module, nn.Module):
            return copy.deepcopy(module)
        try:
            return module(**{name: size for name, size in at.items() if name in wanted})
        except Exception as error:  # a user's module may refuse sizes with anything
            raise Refused(f"{type(error).__name__}: {first_line(error)}") from error

    wanted = [] if isinstance(module, nn.Module) else _parameters(module)
    symbols = [name for name in wanted if name not in given.sizes]
    shapes = {name: declare(name, text) for name, text in inputs.items()}
    live = LiveModule(formula, build, symbols, shapes, given.sizes, steps)
    result = check_computes(claim, given, live, seed)
    if not result.holds:
        raise AssertionError(str(result))


def _parameters(function: Callable[..., nn.Module]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        kind = getattr(function, "__name__", type(function).__name__)
        raise WorkingsError(
            f"{kind}: a torch.nn.Module is expected, or a function of sizes that gives one"
        ) from None
    return [each.name for each in parameters if each.default is each.empty]
