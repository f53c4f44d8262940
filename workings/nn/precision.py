"""In which type matrix products are made: that of the tensors, or the one torch.autocast asks for.

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


def product_type(x: Tensor) -> torch.dtype:
    """The type in which x is multiplied: under autocast that of autocast, else its own."""
    device = x.device.type
    if x.dtype == torch.float32 and torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return x.dtype


def without_autocast(method: Callable[P, Result]) -> Callable[P, Result]:
    """The forward or backward of an autograd function, whose products have the types it gives them.

    Autocast would change the types inside it, and of some operations only.
    """

    @functools.wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> Result:
        device = next(x.device.type for x in args if isinstance(x, Tensor))
        if not torch.is_autocast_enabled(device):
            return method(*args, **kwargs)
        with torch.autocast(device, enabled=False):
            return method(*args, **kwargs)

    return run
