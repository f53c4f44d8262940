"""Freed memory stays with the process where the C library is glibc."""

import platform
import subprocess
import sys

import pytest

COUNT_FAULTS = """
import resource, sys
from workings.run.machine.allocator import keep_memory
keep = sys.argv[1] == "keep"
if keep:
    assert keep_memory()
import torch
for _ in range(11 if keep else 1):
    torch.ones(9_000_000)  # 36 MB, more than glibc keeps by itself; the heap grows until it is full
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
torch.ones(9_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_large_tensors_do_not_fault_anew() -> None:
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", COUNT_FAULTS, how]))
        for how in ("keep", "leave")
    }
    assert faults["keep"] < 0.05 * faults["leave"]
