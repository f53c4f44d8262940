"""Under autocast, the type that hand-written backward passes multiply in: float32 or bfloat16.

Torch's own layers follow `torch.autocast` by themselves; the functions with a backward written by
hand ask here.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

P = ParamSpec("P")
Result = TypeVar("Result")


def is_autocast(x: Tensor) -> bool:
    """Whether autocast is on for a tensor's device; for the meta device, of shapes, never."""
    return not x.is_meta and torch.is_autocast_enabled(x.device.type)


def product_type(x: Tensor) -> torch.dtype:
    """The type in which x is multiplied: under autocast that of autocast, else its own."""
    if x.dtype == torch.float32 and is_autocast(x):
        return torch.get_autocast_dtype(x.device.type)
    return x.dtype


def without_autocast(method: Callable[P, Result]) -> Callable[P, Result]:
    """The forward or backward of an autograd function, whose products have the types it gives them.

    Autocast would change the types inside it, and of some operations only.
    """

    @functools.wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> Result:
        first = next(x for x in args if isinstance(x, Tensor))
        if not is_autocast(first):
            return method(*args, **kwargs)
        with torch.autocast(first.device.type, enabled=False):
            return method(*args, **kwargs)

    return run
