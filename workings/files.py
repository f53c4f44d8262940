"""Writing to disk so that a file or folder is there whole or not at all."""

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workings.errors import WorkingsError


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


def sync_folder(folder: Path) -> None:
    """Make renames inside `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_file(path: Path, content: bytes) -> None:
    """Write `path` atomically: into a temporary file beside it, synced, then renamed."""
    with explain(path):
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(0o644)
            os.replace(temporary, path)  # noqa: PTH105
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


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
                os.rename(temporary, folder)  # noqa: PTH104
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
                with (temporary / name).open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            temporary.chmod(0o755)
            sync_folder(temporary)
            os.rename(temporary, path)  # noqa: PTH104
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        sync_folder(path.parent)
