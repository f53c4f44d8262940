"""IDX files: read as they were written, and named when they are not what they say."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.tasks.images.image_sets import idx as idx_bytes
from tests.tasks.images.image_sets import write_idx
from workings.data.readers import idx
from workings.errors import WorkingsError

IMAGES = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("name", ["a-idx3-ubyte", "a-idx3-ubyte.gz"])
@pytest.mark.parametrize("array", [IMAGES, IMAGES[0, 0], IMAGES[..., None]])
def test_an_array_is_read_as_it_was_written(tmp_path: Path, name: str, array: np.ndarray) -> None:
    pixels = idx.read(write_idx(tmp_path / name, array))
    assert pixels.dtype == np.uint8
    assert np.array_equal(pixels, array)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "is not an IDX file of bytes: it begins with 89 50 4e 47"),
        (b"\0\0\x0d\x03" + bytes(40), "is not an IDX file of bytes"),  # 32-bit floats
        (b"\0\0\x08\x09" + bytes(40), "is not an IDX file of bytes"),  # nine dimensions
        (b"\0\0\x08", "is not an IDX file"),
        (idx_bytes(IMAGES)[:12], "cut short within its header"),
        (idx_bytes(IMAGES)[:-1], r"promises 2 × 3 × 4 bytes and holds only 23"),
        (idx_bytes(IMAGES) + b"x", r"promises 2 × 3 × 4 bytes and holds more"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_not_as_promised_is_named(
    tmp_path: Path, content: bytes, said: str, packed: bool
) -> None:
    path = tmp_path / "some-ubyte"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(WorkingsError, match=said) as caught:
        idx.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_header_that_promises_terabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bomb-ubyte"
    path.write_bytes(b"\0\0\x08\x03" + b"\xff\xff\xff\xff" * 3 + bytes(100))
    with pytest.raises(WorkingsError, match="zip bomb"):
        idx.read(path)


def test_names_of_idx_files() -> None:
    known = ["train-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz", "digits.idx3", "x-ubyte"]
    assert all(idx.looks_like(Path(name)) for name in known)
    assert not any(idx.looks_like(Path(name)) for name in ["a.npz", "index.txt", "a.csv.gz"])
