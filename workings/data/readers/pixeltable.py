"""Images as a table: a row of comma-separated grey values each, and the label."""

import io
import math
import warnings
from pathlib import Path

import numpy as np

from workings.data.readers import unpack
from workings.errors import WorkingsError


def looks_like(path: Path) -> bool:
    """Whether a file may be such a table, by its name."""
    return path.name.lower().removesuffix(".gz").endswith(".csv")


def wide(path: Path) -> bool:
    """Whether its first row has as many columns as an image of 4×4 pixels or more."""
    return unpack.read(path, 1 << 16).partition(b"\n")[0].count(b",") >= 16


def read(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    """Square grey images N×H×W and labels N, or None where there is no column for them.

    The label is in the column that a header calls `label`; without a header in the last one, if
    the other columns make a square.
    """
    content = unpack.read(path)
    unpack.require_sane(str(path), unpack.size(path), 8 * content.count(b","))
    first = content.partition(b"\n")[0].decode("utf-8", "replace").lower()
    header = [name.strip(" \"'\r") for name in first.split(",")]
    named = not any(_is_number(name) for name in header)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a table of comments only: see below
            table = np.loadtxt(
                io.BytesIO(content), np.int64, delimiter=",", skiprows=int(named), ndmin=2
            )
    except (ValueError, OverflowError, UnicodeDecodeError) as error:
        line = str(error).partition("\n")[0]
        raise WorkingsError(f"{path}: is not a table of whole numbers ({line})") from None
    if not table.size:
        raise WorkingsError(f"{path}: holds no images: expected a row of grey values each")
    columns = table.shape[1]
    if named and "label" in header:
        label_column = header.index("label")
    elif _side(columns - 1):
        label_column = columns - 1
    else:
        label_column = -1
    labels = table[:, label_column].copy() if label_column >= 0 else None
    if labels is not None:
        table[:, label_column] = 0  # as a pixel might be
    side = _side(columns - (labels is not None))
    if not side:
        raise WorkingsError(
            f"{path}: has {columns} columns; expected the pixels of a square image (784 for "
            "28×28), and a label in the last column or in one named label"
        )
    if table.min() < 0 or table.max() > 255:
        row = int(np.argmax((table < 0).any(1) | (table > 255).any(1)))
        raise WorkingsError(f"{path}: row {row + 1} has a pixel outside 0 to 255")
    pixels = table.astype(np.uint8)
    if labels is not None:
        pixels = np.delete(pixels, label_column, 1)
    return pixels.reshape(-1, side, side), labels


def _side(pixels: int) -> int:
    """The side of a square of so many pixels, or 0 where there is none."""
    side = math.isqrt(pixels)
    return side if side * side == pixels else 0


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
