"""Switching matrix products to bfloat16 for a block of code; sums and weights stay float32."""

import contextlib
from typing import Literal

import torch

Precision = Literal["float32", "bfloat16"]


def products(precision: str, device: torch.device) -> contextlib.AbstractContextManager[object]:
    """Make matrix products in this precision, with sums in float32, in what is computed inside."""
    if precision == "bfloat16":
        return torch.autocast(device.type, torch.bfloat16)
    return contextlib.nullcontext()
