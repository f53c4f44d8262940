"""Writing to disk so that a file or folder is there whole or not at all; reading what is one.

Every write, fsync and rename goes through `disk`, so that a test can make any one of them fail.
"""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from workings.errors import WorkingsError


class Disk:
    """What is asked of the operating system, one method a call that can fail."""

    def write(self, file: BinaryIO, content: bytes) -> None:
        """All of it, out of Python's own buffer."""
        file.write(content)
        file.flush()

    def sync(self, handle: int) -> None:
        """Wait until an open file or folder is on the disk."""
        os.fsync(handle)

    def rename(self, source: Path, target: Path) -> None:
        """Give a folder its name; an existing one that is not empty is not replaced."""
        os.rename(source, target)  # noqa: PTH104

    def replace(self, source: Path, target: Path) -> None:
        """Give a file its name, in place of the one that has it."""
        os.replace(source, target)  # noqa: PTH105


disk = Disk()


@contextlib.contextmanager
def explain(path: Path) -> Iterator[None]:
    """Turn what the operating system says about `path` into one line with a way out."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WorkingsError(
                f"{path}: the disk is full; free some space, what was written before is intact"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise WorkingsError(
                f"{path}: cannot be written ({os.strerror(error.errno)}); "
                "change its permissions, or choose another place (--runs, WORKINGS_CACHE)"
            ) from error
        raise WorkingsError(f"{path}: {error.strerror or error}") from error


LARGEST = 1 << 26  # bytes of a file that is read whole, where its reader says nothing else


def read_file(path: Path | str, most: int = LARGEST) -> bytes:
    """The content of a regular file; an OSError says why there is none, also of what is larger.

    A pipe would be waited for, and a device read without end: both are refused unread.
    """
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "no file's name has a zero byte", str(path))
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            number = errno.EISDIR if stat.S_ISDIR(about.st_mode) else errno.EINVAL
            raise OSError(number, f"it is {_kind(about.st_mode)}, not a regular file", str(path))
        size, content = about.st_size, b""
        while size <= most:
            part = os.read(handle, size + 1 - len(content))
            content = content + part if content else part
            if not part or len(content) == about.st_size:
                return content
            size = max(size, 2 * len(content))  # it has grown, as the files of /proc do
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", str(path))
    finally:
        os.close(handle)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"


def sync_folder(folder: Path) -> None:
    """Make renames inside `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        disk.sync(handle)
    finally:
        os.close(handle)


def write_file(path: Path, content: bytes) -> None:
    """Write `path` atomically: into a temporary file beside it, synced, then renamed."""
    with explain(path):
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                disk.write(file, content)
                disk.sync(file.fileno())
            Path(temporary).chmod(0o644)
            disk.replace(Path(temporary), path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def append_file(path: Path, content: bytes) -> None:
    """Add to the end of a file, and see it to the disk; a killed process may leave a part of it.

    A file that is known under another name too is somebody else's, and left alone.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with explain(path), os.fdopen(os.open(path, flags, 0o644), "ab") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_nlink > 1:
            raise OSError(errno.EINVAL, "is not a file of its own; move it away", str(path))
        disk.write(file, content)
        disk.sync(file.fileno())


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder to fill, which takes the name `folder` when the block ends without error.

    Where another process has made `folder` meanwhile, that one stays.
    """
    with explain(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            yield temporary
            temporary.chmod(0o755)
            try:
                disk.rename(temporary, folder)
            except OSError:
                if not folder.is_dir():
                    raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_folder(path: Path, files: dict[str, bytes]) -> None:
    """Write a folder of files, in order, that appears under its name only when all are on disk."""
    with explain(path):
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
        try:
            for name, content in files.items():
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                with (temporary / name).open("wb") as file:
                    disk.write(file, content)
                    disk.sync(file.fileno())
            temporary.chmod(0o755)
            for folder in {(temporary / name).parent for name in files} | {temporary}:
                sync_folder(folder)
            disk.rename(temporary, path)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        sync_folder(path.parent)
