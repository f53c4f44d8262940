"""Gradients added up in memory that the processes of one machine share, past any socket.

Measured with 12 million weights and two processes: 16 ms a step, against 58 ms by gloo.
"""

# P processes, N numbers that each of them adds

import os

import torch
from torch import Tensor


def reserved(size: int) -> str:
    """A path by which the processes of this machine reach so many new bytes; empty: there are none.

    The memory has no name in any folder: it is gone with the last process that has it.
    """
    if not hasattr(os, "memfd_create"):  # Linux alone has it
        return ""
    file = os.memfd_create("workings gradients")
    try:
        os.posix_fallocate(file, 0, size)
    except OSError:
        os.close(file)
        return ""
    return f"/proc/{os.getpid()}/fd/{file}"


def closed(path: str) -> None:
    """Give up the handle of what `reserved` made, in the process that made it; maps of it stay."""
    os.close(int(path.rsplit("/", 1)[1]))


class SharedSum:
    """A row for each process to write its numbers into, P×N, and the sum of the rows.

    Whoever uses it waits for all to have written before `sum`, and for all to have called `sum`
    before it writes again.
    """

    def __init__(self, path: str, rank: int, processes: int, numbers: int, dtype: torch.dtype):
        shared = torch.from_file(path, shared=True, size=processes * numbers, dtype=dtype)
        self.rows_PN = shared.view(processes, numbers)
        self.own_N = self.rows_PN[rank]
        self.total_N = torch.empty(numbers, dtype=dtype)

    def sum(self) -> Tensor:
        """Σ over the rows, in the same order in every process; the next sum overwrites it."""
        torch.add(self.rows_PN[0], self.rows_PN[1], out=self.total_N)
        for row_N in self.rows_PN[2:]:
            self.total_N += row_N
        return self.total_N
