"""Images that a trained model is used on, in the form it knows."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table
from workings.errors import WorkingsError
from workings.tasks.images import inputs as image_use
from workings.tasks.images.preprocessing import Preprocessing

FORM = Preprocessing(("cat", "dog"), (1, 8, 8), (0.0,), (1.0,))
PIXELS, LABELS = drawn(4, 2)


def test_pictures_files_and_folders_in_the_order_given(tmp_path: Path) -> None:
    class_folders(tmp_path / "set", 2)
    Image.fromarray(PIXELS[3]).save(tmp_path / "one.png")
    np.savez(tmp_path / "two.npz", images=PIXELS[:2])
    what = [str(tmp_path / name) for name in ("one.png", "two.npz", "set")]
    parts = list(image_use.parts(what, FORM))
    labels = [label for part in parts for label in part.labels]
    assert labels[:3] == [what[0], f"{what[1]}[0]", f"{what[1]}[1]"]
    names = [Path(label).name for label in labels[3:]]
    assert names == [
        "000.png",
        "002.png",
        "001.png",
        "003.png",
    ]
    pixels = np.concatenate([part.pixels.numpy() for part in parts])
    assert np.array_equal(pixels[:, 0], PIXELS[[3, 0, 1, 0, 2, 1, 3]])
    assert not any(note for part in parts for note in part.notes)


def test_many_pictures_are_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_use, "BATCH", 3)
    class_folders(tmp_path, 4)
    parts = list(image_use.parts([str(tmp_path)], FORM))
    assert [len(part.labels) for part in parts] == [3, 3, 2]


def test_another_size_and_colour_are_changed_and_said(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((6, 9, 3), np.uint8)).save(tmp_path / "a.png")
    np.savez(tmp_path / "b.npz", images=np.zeros((2, 5, 5), np.uint8))
    first, second = image_use.parts([str(tmp_path / name) for name in ("a.png", "b.npz")], FORM)
    assert first.pixels.shape == (1, 1, 8, 8)
    assert first.notes == ["resized from 6×9"]
    assert second.notes == ["resized from 5×5"] * 2


def test_of_several_splits_the_test_images_are_taken(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "a.npz", {"train": 6, "test": 4}, classes=2)
    (part,) = image_use.parts([str(path)], FORM)
    assert len(part.labels) == 4
    some, note = image_use.labelled([path], FORM)
    assert (len(some), note) == (4, "")
    some, _ = image_use.labelled([mnist(tmp_path / "m", train=40, test=10)], FORM)
    assert len(some) == 10


def test_labels_go_by_the_names_of_folders(tmp_path: Path) -> None:
    class_folders(tmp_path, 2)
    some, _ = image_use.labelled(
        [tmp_path], Preprocessing(("dog", "ant", "cat"), (1, 8, 8), (0.0,), (1.0,))
    )
    assert some.labels.tolist() == [2, 2, 0, 0]


def test_labels_that_the_model_does_not_know_are_named(tmp_path: Path) -> None:
    class_folders(tmp_path / "f", 2, ("cat", "dgo"))
    with pytest.raises(WorkingsError, match=r"f/dgo: is no class of the model \(did you mean dog"):
        image_use.labelled([tmp_path / "f"], FORM)
    path = table(tmp_path / "a.csv", PIXELS, LABELS + 1)
    with pytest.raises(WorkingsError, match="image 1 has label 2, outside the classes 0 to 1"):
        image_use.labelled([path], FORM)


@pytest.mark.parametrize(
    ("name", "said"), [("none.png", "no such file or folder"), ("empty", "holds no pictures")]
)
def test_what_is_not_there_is_named(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkingsError, match=said):
        list(image_use.parts([str(tmp_path / name)], FORM))
