"""Pictures: decoded to the pixels they show, class folders listed, what is none named."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.tasks.images.image_sets import class_folders, drawn
from workings.data.readers import pictures
from workings.errors import WorkingsError

GREY = drawn(1, 2)[0][0]
COLOUR = drawn(1, 2, channels=3)[0][0]


def save(path: Path, pixels: np.ndarray, **options: object) -> Path:
    Image.fromarray(pixels).save(path, **options)
    return path


@pytest.mark.parametrize("name", ["a.png", "a.bmp"])
def test_pixels_are_as_they_were_saved(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / name, GREY)
    assert pictures.look(path) == (1, 8, 8)
    assert np.array_equal(pictures.read(path, 1), GREY[None])
    path = save(tmp_path / name, COLOUR[:6])
    assert pictures.look(path) == (3, 6, 8)
    assert np.array_equal(pictures.read(path, 3), COLOUR[:6].transpose(2, 0, 1))


def test_a_jpeg_is_nearly_as_it_was_saved(tmp_path: Path) -> None:
    flat = np.full((8, 8), 77, np.uint8)
    image = pictures.read(save(tmp_path / "a.jpg", flat, quality=95), 1)
    assert np.abs(image.astype(int) - 77).max() <= 2


def test_channels_are_converted(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", GREY)
    assert np.array_equal(pictures.read(path, 3), np.stack([GREY] * 3))
    path = save(tmp_path / "b.png", COLOUR)
    weights = np.array([0.299, 0.587, 0.114])
    assert np.abs(pictures.read(path, 1)[0] - COLOUR @ weights).max() <= 1


def test_what_is_transparent_lies_on_white(tmp_path: Path) -> None:
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = (0, 0, 0, 255)
    image = pictures.read(save(tmp_path / "a.png", pixels), 1)
    assert image.tolist() == [[[0, 255], [255, 255]]]


def test_a_picture_taken_sideways_is_turned(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    pixels = np.zeros((8, 16), np.uint8)
    pixels[:, :8] = 255
    path = save(tmp_path / "a.jpg", pixels, exif=exif, quality=95)
    assert pictures.look(path) == (1, 16, 8)
    image = pictures.read(path, 1)[0]
    assert image.shape == (16, 8)
    assert image[:6].min() > 200
    assert image[10:].max() < 50


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_a_picture_cut_short_is_named(tmp_path: Path, suffix: str) -> None:
    path = save(tmp_path / f"cut{suffix}", noise())
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(WorkingsError, match=r"cut.* is damaged or cut short") as caught:
        pictures.read(path, 1)
    assert "\n" not in str(caught.value)


def test_a_png_cut_short_is_named_by_a_look_too(tmp_path: Path) -> None:
    path = save(tmp_path / "cut.png", noise())  # what its header lacks may stand at its end
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(WorkingsError, match="is damaged or cut short"):
        pictures.look(path)


def noise() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, (64, 64)).astype(np.uint8)


def test_what_is_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("hello")
    with pytest.raises(WorkingsError, match=r"text\.png: is not a PNG, JPEG"):
        pictures.look(tmp_path / "text.png")
    save(tmp_path / "a.tiff", GREY)
    (tmp_path / "a.tiff").rename(tmp_path / "tiff.png")  # no other decoder is ever run
    with pytest.raises(WorkingsError, match=r"tiff\.png: is not a PNG, JPEG"):
        pictures.read(tmp_path / "tiff.png", 1)


def test_sixteen_bits_are_refused(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "deep.png")
    with pytest.raises(WorkingsError, match="more than 8 bits a channel"):
        pictures.look(tmp_path / "deep.png")


def test_a_picture_of_an_absurd_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(tmp_path / "big.png", noise())
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 64 * 63)
    with pytest.raises(WorkingsError, match=r"big\.png: is too large to be a picture"):
        pictures.look(path)


def test_class_folders_are_in_order_and_hidden_files_are_not_seen(tmp_path: Path) -> None:
    class_folders(tmp_path, 3, ("dog", "cat"))
    (tmp_path / "cat" / ".hidden.png").touch()
    (tmp_path / "cat" / "notes.txt").touch()
    (tmp_path / ".git").mkdir()
    classes = pictures.class_folders(tmp_path)
    assert list(classes) == ["cat", "dog"]
    assert [len(files) for files in classes.values()] == [3, 3]
    assert [file.name for file in classes["cat"]] == ["001.png", "003.png", "005.png"]


def test_links_out_of_the_folder_are_followed(tmp_path: Path) -> None:
    class_folders(tmp_path / "set", 2)
    elsewhere = save(tmp_path / "else.png", GREY)
    (tmp_path / "set" / "cat" / "link.png").symlink_to(elsewhere)
    assert len(pictures.class_folders(tmp_path / "set")["cat"]) == 3


def test_empty_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(WorkingsError, match="holds no class folders with pictures"):
        pictures.class_folders(tmp_path)
    class_folders(tmp_path, 2)
    (tmp_path / "eel").mkdir()
    with pytest.raises(WorkingsError, match="eel: a class with no examples"):
        pictures.class_folders(tmp_path)


def test_a_jpeg_of_scans_without_end_is_refused_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(tmp_path / "a.jpg", COLOUR, progressive=True)
    content = path.read_bytes()
    last_scan = content[content.rindex(pictures.SCAN) : -2]
    path.write_bytes(content[:-2] + 1_000 * last_scan + content[-2:])
    assert pictures.read(path, 3).shape == (3, 8, 8)  # of few pixels, quick
    monkeypatch.setattr(pictures, "MOST_SCANNED", 1_000 * 64)
    with pytest.raises(pictures.BadPicture, match="save it in fewer scans"):
        pictures.look(path)
    path.write_bytes(content)
    assert pictures.read(path, 3).shape == (3, 8, 8)
