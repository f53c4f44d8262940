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
        found: Counter[Size] = Counter()
        for inside in pictures.class_folders(first).values():
            for file in inside:
                try:
                    found[pictures.look(file)[1:]] += 1
                except WorkingsError:
                    continue  # named when it is read
        return found
    raw = image_files.read(list(paths)).values()
    return Counter({part.pixels.shape[2:]: len(part.pixels) for part in raw})


def fitting(found: Counter[Size]) -> tuple[int, str]:
    """The side that all are brought to, 0 for none, and why."""
    if not found:
        return 0, ""
    if len(found) == 1 and max(next(iter(found))) <= LARGEST:
        return 0, ""
    sides = np.repeat([min(size) for size in found], list(found.values()))
    side = int(min(LARGEST, np.median(sides)))
    smallest, largest = min(found), max(found)
    what = f"{smallest[0]}×{smallest[1]}"
    if len(found) > 1:
        what = f"{len(found)} sizes from {what} to {largest[0]}×{largest[1]}"
    return side, f"pictures of {what} brought to {side}×{side} (data.resize = {side})"
