"""Files of images of every kind read into one form, resized, recoloured; what is wrong named."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table, write_idx
from workings.data import progress_bar
from workings.data.readers import unpack
from workings.errors import WorkingsError
from workings.tasks.images import files as image_files
from workings.tasks.images.files import recoloured, resized

GREY, LABELS = drawn(6, 3)
COLOUR, _ = drawn(6, 3, channels=3)


def npz(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def test_medmnist_has_its_three_splits(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "oct.npz", {"train": 12, "val": 8, "test": 4})
    found = image_files.read([path])
    assert {split: raw.pixels.shape for split, raw in found.items()} == {
        "train": (12, 1, 8, 8),
        "valid": (8, 1, 8, 8),
        "test": (4, 1, 8, 8),
    }
    pixels, labels = drawn(8, 4, seed=1)
    assert np.array_equal(found["valid"].pixels[:, 0], pixels)
    assert found["valid"].labels is not None
    assert found["valid"].labels.tolist() == labels.tolist()


def test_colour_has_its_channels_first(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "path.npz", {"train": 4}, channels=3)
    found = image_files.read([path])["train"].pixels
    assert np.array_equal(found, drawn(4, 4, channels=3, seed=0)[0].transpose(0, 3, 1, 2))


@pytest.mark.parametrize(
    "keys", [("x_train", "y_train"), ("images", "labels"), ("train_images", "train_labels")]
)
def test_other_names_of_arrays(tmp_path: Path, keys: tuple[str, str]) -> None:
    path = npz(tmp_path / "a.npz", **{keys[0]: GREY, keys[1]: LABELS})
    (raw,) = image_files.read([path]).values()
    assert np.array_equal(raw.pixels[:, 0], GREY)
    assert raw.labels is not None


def test_idx_and_tables(tmp_path: Path) -> None:
    folder = mnist(tmp_path / "m", suffix="")
    paths = [folder / "train-labels-idx1-ubyte", folder / "train-images-idx3-ubyte"]
    raw = image_files.read(paths)["train"]  # in any order
    assert raw.pixels.shape == (40, 1, 8, 8)
    assert raw.labels is not None
    assert raw.labels[:4].tolist() == [0, 1, 0, 1]
    assert image_files.read(paths[1:])["train"].labels is None
    raw = image_files.read([table(tmp_path / "a.csv", GREY, LABELS)])["train"]
    assert np.array_equal(raw.pixels[:, 0], GREY)


def test_class_folders(tmp_path: Path) -> None:
    raw = image_files.read([class_folders(tmp_path, 3, ("dog", "cat"))])["train"]
    assert raw.names == ("cat", "dog")
    assert raw.labels is not None
    assert raw.labels.tolist() == [0, 0, 0, 1, 1, 1]
    pixels = drawn(6, 2)[0]
    assert np.array_equal(raw.pixels[:, 0], np.concatenate([pixels[1::2], pixels[::2]]))


def test_many_pictures_say_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress_bar, "INTERVAL", 0.0)
    image_files.read([class_folders(tmp_path / "pets")])
    count = len(list(tmp_path.rglob("*.*")))
    assert f"pictures: 1 of {count}" in capsys.readouterr().err


def test_a_folder_is_in_colour_if_any_picture_is(tmp_path: Path) -> None:
    class_folders(tmp_path, 2)
    assert image_files.read([tmp_path])["train"].pixels.shape[1] == 1
    Image.fromarray(COLOUR[0]).save(tmp_path / "cat" / "z.png")
    assert image_files.read([tmp_path])["train"].pixels.shape[1] == 3
    assert image_files.read([tmp_path], channels=1)["train"].pixels.shape[1] == 1


def test_pictures_of_two_sizes_name_both_files_and_the_way_out(tmp_path: Path) -> None:
    class_folders(tmp_path, 2)
    Image.fromarray(GREY[0][:5]).save(tmp_path / "dog" / "odd.png")
    with pytest.raises(
        WorkingsError, match=r"dog/odd\.png: is 5×8 .*cat/000\.png is 8×8"
    ) as caught:
        image_files.read([tmp_path])
    assert "data.resize=8" in str(caught.value)
    assert image_files.read([tmp_path], resize=(8, 8))["train"].pixels.shape == (5, 1, 8, 8)


def test_resizing_to_the_same_size_changes_nothing_and_is_not_said() -> None:
    raw = image_files.Raw(Path("a"), GREY[:, None])
    same = image_files.fit(raw, 0, (8, 8))
    assert np.array_equal(same.pixels, raw.pixels)
    assert same.was is None
    assert image_files.fit(raw, 0, (4, 4)).was == (8, 8)


def test_resizing_keeps_an_even_image_and_averages_when_shrinking() -> None:
    even = np.full((3, 1, 6, 10), 99, np.uint8)
    assert (resized(even, (4, 7)) == 99).all()
    board = np.indices((8, 8)).sum(0) % 2 * 200
    shrunk = resized(board.astype(np.uint8)[None, None], (4, 4))[0, 0]
    assert np.abs(shrunk.astype(int)[1:-1, 1:-1] - 100).max() <= 1  # no moiré


def test_resizing_many_is_resizing_each(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resized(GREY[:, None], (5, 6))
    monkeypatch.setattr(image_files, "CHUNK", 2)
    assert np.array_equal(resized(GREY[:, None], (5, 6)), whole)


def test_grey_from_colour_is_as_pillow_makes_it() -> None:
    found = recoloured(COLOUR.transpose(0, 3, 1, 2), 1)
    expected = [np.asarray(Image.fromarray(one).convert("L")) for one in COLOUR]
    assert np.array_equal(found[:, 0], np.stack(expected))
    assert np.array_equal(recoloured(GREY[:, None], 3), np.stack([GREY] * 3, 1))


def test_fractions_and_bools_become_bytes(tmp_path: Path) -> None:
    fractions = GREY.astype(np.float32) / 255
    for images, expected in (
        (fractions, GREY),
        (GREY.astype(np.int64), GREY),
        (GREY > 100, (GREY > 100) * 255),
    ):
        raw = image_files.read([npz(tmp_path / "a.npz", images=images, labels=LABELS)])["train"]
        assert raw.pixels.dtype == np.uint8
        assert np.array_equal(raw.pixels[:, 0], expected)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"images": GREY + 0.5}, "pixels from .* expected fractions from 0 to 1"),
        ({"images": GREY / 255 - 0.5}, "expected fractions from 0 to 1"),
        ({"images": np.full((2, 4, 4), np.nan)}, "expected fractions from 0 to 1"),
        ({"images": GREY.astype(np.int64) + 100}, "expected whole numbers from 0 to 255"),
        ({"images": np.full((2, 3, 3), "a")}, "expected pixels as numbers"),
        ({"images": GREY[0]}, "images is 8 × 8; expected N×H×W"),
        ({"images": np.zeros((2, 4, 4, 2), np.uint8)}, "2 × 4 × 4 × 2; expected"),
        ({"images": np.zeros((0, 4, 4), np.uint8)}, "holds no images"),
        ({"images": GREY, "labels": LABELS[:-1]}, "5 labels for 6 images"),
        ({"images": GREY, "labels": np.zeros((6, 14))}, "14 labels an image"),
        ({"images": GREY, "labels": LABELS / 2}, "expected class numbers"),
        ({"pictures": GREY}, "holds pictures; expected train_images, train_labels"),
    ],
)
def test_arrays_that_are_no_images_are_named(
    tmp_path: Path, arrays: dict[str, Any], said: str
) -> None:
    path = npz(tmp_path / "bad.npz", **arrays)
    with pytest.raises(WorkingsError, match=said) as caught:
        image_files.read([path])
    assert "bad.npz" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_do_not_go_together_are_named(tmp_path: Path) -> None:
    one, other = (npz(tmp_path / name, images=GREY) for name in ("a.npz", "b.npz"))
    with pytest.raises(WorkingsError, match=r"b\.npz: a\.npz was given too"):
        image_files.read([one, other])
    images = [write_idx(tmp_path / f"{name}-idx3-ubyte", GREY) for name in "ab"]
    with pytest.raises(WorkingsError, match="expected one IDX file of images and one of labels"):
        image_files.read(images)
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(WorkingsError, match=r"a\.txt: is no kind of image data known here"):
        image_files.read([tmp_path / "a.txt"])
    with pytest.raises(WorkingsError, match=r"none\.npz: no such file"):
        image_files.read([tmp_path / "none.npz"])


def test_a_folder_of_too_many_pictures_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_folders(tmp_path, 4)
    monkeypatch.setattr(unpack, "memory_budget", lambda: 8 * 8 * 8 - 1)
    with pytest.raises(WorkingsError, match="more than half of this machine's memory"):
        image_files.read([tmp_path])
