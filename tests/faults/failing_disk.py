"""A disk whose n-th call fails, once or from then on, as a full or a broken one does."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workings import files
from workings.files import Disk

# What the calls of a real disk answer: full, broken; for once, or until it is mended.
MODES = {
    "full": (errno.ENOSPC, False),
    "full for a moment": (errno.ENOSPC, True),
    "broken": (errno.EIO, False),
}


class FailingDisk(Disk):
    """Counts its calls, and fails at the given one; a write that fails has written a half."""

    def __init__(self, at: int, number: int = errno.ENOSPC, once: bool = False) -> None:
        self.at, self.number, self.once, self.calls = at, number, once, 0

    def fails(self) -> bool:
        """Count a call; whether it is one that fails."""
        call, self.calls = self.calls, self.calls + 1
        return call == self.at or (call > self.at and not self.once)

    @property
    def failed(self) -> bool:
        """Whether the call that fails has come."""
        return self.calls > self.at

    def error(self) -> OSError:
        return OSError(self.number, os.strerror(self.number))

    def write(self, file: BinaryIO, content: bytes) -> None:
        if self.fails():
            super().write(file, content[: len(content) // 2])
            raise self.error()
        super().write(file, content)

    def sync(self, handle: int) -> None:
        """Without waiting for the disk: what is tested is what its answer leads to."""
        if self.fails():
            raise self.error()

    def rename(self, source: Path, target: Path) -> None:
        if self.fails():
            raise self.error()
        super().rename(source, target)

    def replace(self, source: Path, target: Path) -> None:
        if self.fails():
            raise self.error()
        super().replace(source, target)


@contextmanager
def using(disk: Disk) -> Iterator[None]:
    """All that is written within goes to that disk."""
    before, files.disk = files.disk, disk
    try:
        yield
    finally:
        files.disk = before
