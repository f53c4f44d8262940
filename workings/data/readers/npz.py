"""Arrays of an .npz file, checked before they are unpacked; nothing is unpickled."""

import math
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError

# What reading a damaged file raises: from the archive, the compression, or the array's header.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, struct.error),
    *(ValueError, KeyError, SyntaxError, tokenize.TokenError),
)


def names(path: Path) -> list[str]:
    """The arrays in the file."""
    with _open(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def read(path: Path, wanted: list[str]) -> dict[str, np.ndarray]:
    """Those arrays; together they must fit into memory."""
    found, total = {}, 0
    with _open(path) as archive:
        for name in wanted:
            info = archive.getinfo(f"{name}.npy")
            total += info.file_size
            unpack.require_sane(f"{path}: {name}", info.compress_size, info.file_size)
            unpack.require_sane(str(path), unpack.size(path), total)
            found[name] = _read(archive, info, path, name)
    return found


def _open(path: Path) -> zipfile.ZipFile:
    unpack.size(path)  # says what is wrong with the file itself
    try:
        return zipfile.ZipFile(path)
    except DAMAGED:
        raise WorkingsError(f"{path}: is not an .npz file, or is cut short: get it anew") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, name: str) -> np.ndarray:
    try:
        with archive.open(info) as file:
            shape, dtype = _header(file)
            if dtype.hasobject:
                raise WorkingsError(
                    f"{path}: {name} holds pickled Python objects, which can run code: refused; "
                    "save plain arrays of numbers"
                )
            if math.prod(shape) * dtype.itemsize > info.file_size:
                raise ValueError(f"{shape} of {dtype} is more than it holds")
        with archive.open(info) as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except DAMAGED as error:
        line = str(error).partition("\n")[0]
        raise WorkingsError(f"{path}: {name} is damaged ({line}); get the file anew") from None


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise ValueError(f"array format {version} is not known")
    shape, _, dtype = read[version](file)
    return shape, dtype
