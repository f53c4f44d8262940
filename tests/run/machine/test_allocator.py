"""Freed memory stays with the process where the C library is glibc."""

import platform
import subprocess
import sys

import pytest

COUNT_FAULTS = """
import resource, sys
from workings.run.machine.allocator import keep_memory
if sys.argv[1] == "keep":
    assert keep_memory()
import torch
def step():
    for _ in range(2):
        torch.ones(10_000_000)
for _ in range(6):
    step()  # the heap grows to what the steps need
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_large_tensors_do_not_fault_anew() -> None:
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", COUNT_FAULTS, how]))
        for how in ("keep", "leave")
    }
    assert faults["keep"] < 0.05 * faults["leave"]
