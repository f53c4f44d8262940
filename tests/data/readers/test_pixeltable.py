"""Tables of grey values: the label found, the square made, what is wrong named."""

from pathlib import Path

import numpy as np
import pytest

from tests.tasks.images.image_sets import drawn, table
from workings.data.readers import pixeltable
from workings.errors import WorkingsError

PIXELS, LABELS = drawn(5, 3, side=4)
NAMES = [f"pixel{i}" for i in range(16)]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_the_label_is_last(tmp_path: Path, name: str) -> None:
    pixels, labels = pixeltable.read(table(tmp_path / name, PIXELS, LABELS))
    assert np.array_equal(pixels, PIXELS)
    assert labels is not None
    assert np.array_equal(labels, LABELS)


def test_a_header_says_where_the_label_is(tmp_path: Path) -> None:
    rows = np.column_stack([LABELS, PIXELS.reshape(5, -1)])
    path = table(tmp_path / "a.csv", rows, None, ",".join(["label", *NAMES]))
    pixels, labels = pixeltable.read(path)
    assert np.array_equal(pixels, PIXELS)
    assert labels is not None
    assert np.array_equal(labels, LABELS)


def test_without_a_label_there_is_none(tmp_path: Path) -> None:
    pixels, labels = pixeltable.read(table(tmp_path / "a.csv", PIXELS, None))
    assert np.array_equal(pixels, PIXELS)
    assert labels is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,x,4,0\n5,6,7,8,1\n", "is not a table of whole numbers"),
        ("1,2,3,4,0\n1,2,3,0\n", "is not a table of whole numbers"),
        ("1,2,3,4,5,6,7,0\n", "has 8 columns; expected the pixels of a square"),
        ("1,2,300,4,0\n", "row 1 has a pixel outside 0 to 255"),
        ("9,9,9,9,0\n1,-2,3,4,0\n", "row 2 has a pixel outside 0 to 255"),
        ("1.5,2,3,4,0\n1,2,3,4,0\n", "is not a table of whole numbers"),
        ("label,a,b,c,d\n", "holds no images"),
        ("hello\n", "holds no images"),
    ],
)
def test_what_is_no_image_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(WorkingsError, match=said) as caught:
        pixeltable.read(path)
    assert "bad.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wide_table_may_be_images(tmp_path: Path) -> None:
    assert pixeltable.wide(table(tmp_path / "a.csv", PIXELS, LABELS))
    (tmp_path / "b.csv").write_text("node,label\n1,2\n")
    assert not pixeltable.wide(tmp_path / "b.csv")


@pytest.mark.parametrize("content", ["# a\n# b\n", "# a\n", "label,pixel0\n# a\n"])
def test_a_table_of_comments_only(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(WorkingsError, match="holds no images"):
        pixeltable.read(tmp_path / "a.csv")


@pytest.mark.parametrize("cell", ["0\0", "9" * 4301, "x" * 131_073, "9" * 30])
def test_a_cell_that_is_no_whole_number(cell: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",".join([cell] + ["0"] * 16) + "\n" + ",".join(["0"] * 17))
    with pytest.raises(WorkingsError) as error:
        pixeltable.read(tmp_path / "a.csv")
    assert "\n" not in str(error.value)
