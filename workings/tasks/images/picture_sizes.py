"""The size to which pictures are brought, where the config leaves it to them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from workings.data.readers import pictures
from workings.errors import WorkingsError
from workings.tasks.images import files as image_files

LARGEST = 96  # pixels of a side, up to which a small network on a CPU learns in minutes
DENSE_UP_TO = 64  # pixels of a side: larger pictures need a network without dense layers

Size = tuple[int, int]  # height and width


def sizes(paths: Sequence[Path]) -> Counter[Size]:
    """How many images there are of each size, in a split's files or folder."""
    first = paths[0]
    if first.is_dir() and len(paths) == 1:
        counts: Counter[Size] = Counter()
        for inside in pictures.class_folders(first).values():
            for file in inside:
                try:
                    counts[pictures.look(file)[1:]] += 1
                except WorkingsError:
                    continue  # named when it is read
        return counts
    raw = image_files.read(list(paths)).values()
    return Counter({part.pixels.shape[2:]: len(part.pixels) for part in raw})


def fitting(counts: Counter[Size]) -> tuple[int, str]:
    """The side of the square that all are brought to, 0 for none, and why.

    It is the median of their shorter sides.
    """
    if not counts:
        return 0, ""
    if len(counts) == 1 and max(next(iter(counts))) <= LARGEST:
        return 0, ""
    sides = np.repeat([min(size) for size in counts], list(counts.values()))
    side = int(min(LARGEST, np.median(sides)))
    smallest, largest = min(counts), max(counts)
    what = f"{smallest[0]}×{smallest[1]}"
    if len(counts) > 1:
        what = f"{len(counts)} sizes from {what} to {largest[0]}×{largest[1]}"
    square = all(height == width for height, width in counts)
    how = f"brought to {side}×{side}" if square else f"stretched or shrunk to {side}×{side}"
    return side, f"pictures of {what} {how} (data.resize = {side})"
