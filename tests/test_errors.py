"""Which errors say that something is too large, and which stay what they are."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from workings.errors import WorkingsError, explain_out_of_memory, is_out_of_memory

TOO_LARGE: dict[str, Callable[[], object]] = {
    "more memory than there is": lambda: torch.empty(10**18),
    "more bytes than can be counted": lambda: torch.empty(2**62, 2**62),
    "more numbers than can be counted": lambda: torch.eye(10**10),
    "a size of 100 bits": lambda: nn.Linear(10**30, 3),
    "a layer": lambda: nn.LSTM(10**12, 10**12),
    "a numpy array": lambda: np.zeros(10**18),
    "a numpy array beyond its index": lambda: np.zeros((2**62, 2**10)),
    "a Python list": lambda: [0] * 10**18,
    "Python's bytes": lambda: bytes(10**30),
}
BUGS: dict[str, Callable[[], object]] = {
    "shapes that do not fit": lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    "an argument too many": lambda: nn.Linear(1, 2, True, None, None, None),  # type: ignore[arg-type, call-arg]
    "not a number": lambda: torch.empty("3"),  # type: ignore[call-overload]
    "a range error": lambda: __import__("math").exp(1e6),
    "a bad value": lambda: nn.Dropout(2.0),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_what_is_too_large_is_said_in_one_line(case: str) -> None:
    with (
        pytest.raises(WorkingsError, match="model: too large for this machine") as raised,
        explain_out_of_memory("model"),
    ):
        TOO_LARGE[case]()
    assert "\n" not in str(raised.value)
    assert "enforce fail" not in str(raised.value)


@pytest.mark.parametrize("case", BUGS)
def test_any_other_error_stays_itself(case: str) -> None:
    with pytest.raises(Exception) as plain:  # noqa: PT011 - compared below
        BUGS[case]()
    with pytest.raises(type(plain.value)) as raised, explain_out_of_memory("model"):
        BUGS[case]()
    assert not isinstance(raised.value, WorkingsError)
    assert str(raised.value) == str(plain.value)


def test_a_device_that_is_full_is_out_of_memory() -> None:
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"))
    assert not is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
