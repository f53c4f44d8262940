"""Switching matrix products to bfloat16 for a block of code; sums and weights stay float32."""

import contextlib
from collections.abc import Iterator
from typing import Literal

import torch

from workings.errors import WorkingsError, first_line

Precision = Literal["float32", "bfloat16"]


@contextlib.contextmanager
def products(precision: str, device: torch.device) -> Iterator[None]:
    """Make matrix products in this precision, with sums in float32, in what is computed inside."""
    if precision != "bfloat16":
        yield
        return
    try:
        with torch.autocast(device.type, torch.bfloat16):
            yield
    except RuntimeError as error:
        if "could not create a primitive" not in str(error):
            raise
        raise WorkingsError(  # oneDNN has no such layer for this processor, or was held to less
            "train.precision: bfloat16 fails on this machine; set train.precision=auto or float32 "
            f"({first_line(error)})"
        ) from error
