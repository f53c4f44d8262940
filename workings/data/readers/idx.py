"""IDX files, the format of MNIST: a magic number, the sizes, then the bytes."""

import math
import struct
from pathlib import Path

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError

BYTES = 0x08  # the only type of entry that images and labels have
MOST_DIMENSIONS = 4


def looks_like(path: Path) -> bool:
    """By name, as MNIST's files have it: train-images-idx3-ubyte.gz."""
    name = path.name.removesuffix(".gz").lower()
    return "-idx" in name or ".idx" in name or name.endswith("-ubyte")


def read(path: Path) -> np.ndarray:
    """The array of bytes that an IDX file holds, packed by gzip or not."""
    head = unpack.read(path, 4 + 4 * MOST_DIMENSIONS)
    if len(head) < 8 or head[:3] != bytes([0, 0, BYTES]) or not 1 <= head[3] <= MOST_DIMENSIONS:
        raise WorkingsError(
            f"{path}: is not an IDX file of bytes: it begins with {head[:4].hex(' ')}, "
            "expected 00 00 08 01 (labels) or 00 00 08 03 (images)"
        )
    start = 4 + 4 * head[3]
    if len(head) < start:
        raise WorkingsError(f"{path}: is cut short within its header")
    shape = struct.unpack(f">{head[3]}I", head[4:start])
    expected = start + math.prod(shape)
    unpack.require_sane(str(path), unpack.size(path), expected)
    content = unpack.read(path, expected + 1)
    if len(content) != expected:
        sizes = " × ".join(map(str, shape))
        raise WorkingsError(
            f"{path}: promises {sizes} bytes and holds "
            f"{'more' if len(content) > expected else f'only {len(content) - start:,}'}; "
            "it is damaged or cut short: get it again"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
