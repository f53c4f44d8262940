"""Arrays of an .npz file, checked before they are unpacked; nothing is unpickled."""

import lzma
import math
import struct
import sys
import tokenize
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import IO

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError

LONGEST = 1 << 40  # of an array's lengths
# What reading a damaged file raises: from the archive, the compression, or the array's header.
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError),
    struct.error,
    *(ValueError, KeyError, SyntaxError, tokenize.TokenError, OverflowError, MemoryError),
)


def names(path: Path) -> list[str]:
    """The names of the arrays in the file; what else an archive may hold is none."""
    with _open(path) as archive:
        held = archive.namelist()
    if len(set(held)) < len(held):
        twice = next(name for name, count in Counter(held).items() if count > 1)
        raise WorkingsError(f"{path}: holds {twice!r} twice; which of the two is meant?")
    return [name.removesuffix(".npy") for name in held if name.endswith(".npy")]


def read(path: Path, wanted: list[str]) -> dict[str, np.ndarray]:
    """The arrays of these names; together they must fit into memory."""
    arrays, total = {}, 0
    with _open(path) as archive:
        for name in wanted:
            try:
                info = archive.getinfo(f"{name}.npy")
            except KeyError:
                raise WorkingsError(f"{path}: has no array {name!r}") from None
            total += info.file_size
            unpack.require_sane(f"{path}: {name}", info.compress_size, info.file_size)
            unpack.require_sane(str(path), unpack.size(path), total)
            arrays[name] = _read(archive, info, path, name)
    return arrays


def _open(path: Path) -> zipfile.ZipFile:
    unpack.size(path)  # says what is wrong with the file itself
    try:
        return zipfile.ZipFile(path)
    except DAMAGED:
        raise WorkingsError(f"{path}: is not an .npz file, or is cut short: get it again") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, name: str) -> np.ndarray:
    try:
        with archive.open(info) as file:
            shape, dtype = _header(file)
            if dtype.hasobject:
                raise WorkingsError(
                    f"{path}: {name} holds pickled Python objects, which can run code: refused; "
                    "save plain arrays of numbers"
                )
            if any(type(length) is not int or not 0 <= length < LONGEST for length in shape):
                raise ValueError(f"its shape is {str(shape)[:60]}")
            # An entry of no bytes is as long to go through as any other.
            if math.prod(shape) * max(1, dtype.itemsize) > info.file_size:
                raise ValueError(f"{shape} of {dtype} is more than it holds")
        with archive.open(info) as file:
            return _characters(np.lib.format.read_array(file, allow_pickle=False))
    except DAMAGED as error:
        line = str(error).partition("\n")[0]
        raise WorkingsError(f"{path}: {name} is damaged ({line}); get the file again") from None


def _characters(array: np.ndarray) -> np.ndarray:
    """The array; ValueError where it is of texts, and a number in them is that of no character."""
    if array.dtype.kind == "U" and array.size and array.itemsize:
        number = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        points = np.ascontiguousarray(array).reshape(-1).view(number)
        if (points > sys.maxunicode).any() or ((points >= 0xD800) & (points < 0xE000)).any():
            raise ValueError("it holds what is no character")
    return array


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
