"""Unpacking gzip, and the limits against zip bombs that every reader keeps."""

import gzip
import os
import zlib
from pathlib import Path

from workings.errors import WorkingsError

BLOCK = 1 << 22  # bytes unpacked at a time
BOMB_SIZE, BOMB_RATIO = 1 << 28, 400  # what unpacks to more, and so much more than it is, is one


def memory_budget() -> int:
    """Bytes that data may take once unpacked: half of this machine's memory."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return 8 << 30


def require_sane(what: str, packed: int, unpacked: int) -> None:
    """Refuse what would unpack to an absurd size; `what` is named in the error."""
    if unpacked > BOMB_SIZE and unpacked > BOMB_RATIO * max(1, packed):
        raise WorkingsError(
            f"{what}: unpacks from {packed:,} bytes to {unpacked / 1e9:,.1f} GB or more: "
            "a zip bomb, not data"
        )
    if unpacked > memory_budget():
        raise WorkingsError(
            f"{what}: unpacks to {unpacked / 1e9:,.1f} GB, more than half of this machine's "
            "memory; give less data"
        )


def size(path: Path) -> int:
    """A regular file's size in bytes, or an error that says why there is none."""
    try:
        if path.is_dir():
            raise WorkingsError(f"{path}: is a folder; name the file in it")
        if path.exists() and not path.is_file():
            raise WorkingsError(f"{path}: is not a regular file; write its content to one first")
        with path.open("rb"):
            bytes_on_disk = path.stat().st_size
    except FileNotFoundError:
        raise WorkingsError(f"{path}: no such file") from None
    except OSError as error:
        raise WorkingsError(f"{path}: cannot be read ({error.strerror})") from None
    if not bytes_on_disk:
        raise WorkingsError(f"{path}: is empty")
    return bytes_on_disk


def read(path: Path, at_most: int | None = None) -> bytearray:
    """A file's content, unpacked if it is gzip's; no more than `at_most` bytes of it."""
    packed = size(path)
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    if not zipped and at_most is None:
        require_sane(str(path), packed, packed)
    content = bytearray()
    try:
        with gzip.open(path, "rb") if zipped else path.open("rb") as file:
            while at_most is None or len(content) < at_most:
                left = BLOCK if at_most is None else min(BLOCK, at_most - len(content))
                block = file.read(left)
                if not block:
                    break
                content += block
                require_sane(str(path), packed, len(content))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise WorkingsError(f"{path}: is damaged or cut short ({_line(error)})") from None
    return content


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
