"""Image sets: their files found, classes named, splits made, content summed up."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table, write_idx
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.images import dataset as images
from workings.tasks.images import paths as image_paths
from workings.tasks.images.config import ImageConfig
from workings.tasks.images.dataset import COURSE


def config(paths: list[Path], **fields: Any) -> ImageConfig:
    return build(ImageConfig, image_paths.from_paths(paths) | fields, "data")


def sizes(data: images.ImageSet) -> dict[str, int]:
    return {split: len(one) for split, one in data.splits.items()}


def test_the_default_needs_no_download() -> None:
    assert ImageConfig().name == "mnist-5k"
    data = images.load(ImageConfig())
    assert sizes(data) == {"train": 4000, "valid": 500, "test": 500}
    assert data.names == tuple("0123456789")
    for one in data.splits.values():
        assert torch.bincount(one.labels).unique().tolist() == [len(one) // 10]
        assert one.pixels.shape[1:] == (1, 28, 28)


def test_fashion_mnist_is_split_as_said(shared: Path) -> None:
    data = images.load(ImageConfig(name="fashion-mnist"))
    assert sizes(data) == {"train": 54_000, "valid": 6_000, "test": 10_000}
    assert torch.bincount(data.splits["valid"].labels).tolist() == [600] * 10
    assert data.names[9] == "ankle boot"


def test_idx_files_of_a_folder(tmp_path: Path) -> None:
    data = images.load(config([mnist(tmp_path)]))
    assert sizes(data) == {"train": 36, "valid": 4, "test": 10}
    pixels, labels = drawn(10, 2, seed=2)
    assert np.array_equal(data.splits["test"].pixels[:, 0].numpy(), pixels)
    assert data.splits["test"].labels.tolist() == labels.tolist()


def test_an_npz_has_its_own_splits(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "some.npz", {"train": 16, "val": 8, "test": 4})
    assert sizes(images.load(config([path]))) == {"train": 16, "valid": 8, "test": 4}


def test_splits_that_are_missing_are_cut_off_train(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "some.npz", {"train": 80, "test": 4})
    data = images.load(config([path], valid_share=0.25))
    assert sizes(data) == {"train": 60, "valid": 20, "test": 4}


def test_folders_of_splits(tmp_path: Path) -> None:
    for split, each in (("train", 5), ("val", 2), ("test", 3)):
        class_folders(tmp_path / split, each)
    data = images.load(config([tmp_path]))
    assert sizes(data) == {"train": 10, "valid": 4, "test": 6}
    assert data.names == ("cat", "dog")


def test_one_folder_is_split_by_seed(tmp_path: Path) -> None:
    class_folders(tmp_path, 20)
    one, again, other = (
        images.load(config([tmp_path], split_seed=seed)).splits["test"].pixels for seed in (1, 1, 2)
    )
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_tables_named_by_split(tmp_path: Path) -> None:
    for name, n in (("train.csv", 40), ("test.csv.gz", 6)):
        table(tmp_path / name, *drawn(n, 2))
    assert sizes(images.load(config([tmp_path]))) == {"train": 36, "valid": 4, "test": 6}


def test_the_course_s_test_images_are_the_first_of_each_class(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "octmnist.npz", {"train": 40, "val": 8, "test": 1000})
    whole = images.load(config([path])).splits["test"]
    course = images.load(config([path], subset="course")).splits["test"]
    assert len(course) == 529
    assert torch.bincount(course.labels).tolist() == list(COURSE)
    for label, count in enumerate(COURSE):
        mine = course.pixels[course.labels == label]
        assert torch.equal(mine, whole.pixels[whole.labels == label][:count])


def test_the_course_s_subset_is_of_octmnist_only(tmp_path: Path) -> None:
    path = medmnist(tmp_path / "small.npz", {"train": 40, "val": 8, "test": 80})
    with pytest.raises(WorkingsError, match=r"data\.subset: course takes the first 182, 55"):
        images.load(config([path], subset="course"))


def test_the_checksum_is_of_the_content_not_of_its_packing(tmp_path: Path) -> None:
    pixels, labels = drawn(20, 2)
    found = set()
    for level in (1, 9):
        folder = tmp_path / str(level)
        folder.mkdir()
        write_idx(folder / "train-images-idx3-ubyte.gz", pixels, level)
        write_idx(folder / "train-labels-idx1-ubyte.gz", labels, level)
        found.add(images.load(config([folder])).sha256)
    found.add(images.load(config([table(tmp_path / "same.csv", pixels, labels)])).sha256)
    assert len(found) == 1
    pixels[3, 2, 1] ^= 1
    found.add(images.load(config([table(tmp_path / "other.csv", pixels, labels)])).sha256)
    labels[0], labels[1] = labels[1], labels[0]
    found.add(images.load(config([table(tmp_path / "third.csv", pixels, labels)])).sha256)
    assert len(found) == 3


@pytest.mark.parametrize(
    ("fields", "shape"),
    [({"resize": 5}, (1, 5, 5)), ({"channels": 3}, (3, 8, 8)), ({}, (1, 8, 8))],
)
def test_the_form_asked_for(
    tmp_path: Path, fields: dict[str, Any], shape: tuple[int, int, int]
) -> None:
    data = images.load(config([mnist(tmp_path)], **fields))
    for one in data.splits.values():
        assert tuple(one.pixels.shape[1:]) == shape


def test_classes_are_called_as_given(tmp_path: Path) -> None:
    assert images.load(config([mnist(tmp_path)], classes=["no", "yes"])).names == ("no", "yes")


def labelled(path: Path, labels: list[int], **fields: Any) -> images.ImageSet:
    pixels, _ = drawn(len(labels), 2)
    return images.load(config([table(path, pixels, np.array(labels))], **fields))


@pytest.mark.parametrize(
    ("labels", "fields", "said"),
    [
        ([0, 1, 5] * 5, {}, "class '2' has no training examples"),
        ([0, 1, 2] * 5, {"classes": ["a", "b"]}, "image 2 has label 2, outside the classes 0 to 1"),
        ([0, 1, -1] * 5, {}, "image 2 has label -1, outside the classes"),
        ([0] * 9, {}, "has one class only"),
        ([0, 1] * 5 + [2], {}, "class '2' has 1 example"),
        ([0, 1] * 5, {"valid_share": 0.0}, "the valid split is empty"),
        ([0, 1] * 5, {"test_share": 0.0}, "the test split is empty"),
        ([0, 1] * 5, {"classes": ["a", "a"]}, "two classes have one name"),
    ],
)
def test_labels_that_make_no_classes_are_named(
    tmp_path: Path, labels: list[int], fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(WorkingsError, match=said) as caught:
        labelled(tmp_path / "some.csv", labels, **fields)
    assert "\n" not in str(caught.value)


def test_a_class_that_only_the_test_folder_has_is_named(tmp_path: Path) -> None:
    class_folders(tmp_path / "train", 5)
    class_folders(tmp_path / "test", 2, ("cat", "eel"))
    with pytest.raises(WorkingsError, match=r"test/eel: is no class of the model"):
        images.load(config([tmp_path]))


def test_splits_of_different_forms_are_named(tmp_path: Path) -> None:
    table(tmp_path / "train.csv", *drawn(20, 2))
    table(tmp_path / "test.csv", *drawn(4, 2, side=6))
    with pytest.raises(WorkingsError, match=r"its images are 6×6 grey, those of .* 8×8 grey"):
        images.load(config([tmp_path]))
    assert sizes(images.load(config([tmp_path], resize=6)))["test"] == 4


def test_images_without_labels_cannot_be_learned(tmp_path: Path) -> None:
    pixels, _ = drawn(9, 2)
    with pytest.raises(WorkingsError, match="has no labels"):
        images.load(config([write_idx(tmp_path / "a-idx3-ubyte", pixels)]))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": "fashion-mnst"}, "did you mean fashion-mnist"),
        ({"name": "ptb"}, "is a set of the language task"),
        ({"name": "octmnist", "train": "x.npz"}, "data.name or data.train, not both"),
        ({"test": "x.npz"}, "give data.train too"),
        ({"subset": "mine"}, "data.subset"),
        ({"resise": 5}, r"did you mean data\.resize"),
        ({"channels": 2}, "data.channels"),
    ],
)
def test_a_wrong_config_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkingsError, match=said):
        build(ImageConfig, values, "data")


def test_a_set_that_is_not_here_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKINGS_DATA", "")
    with pytest.raises(WorkingsError, match="workings data get octmnist"):
        images.load(ImageConfig(name="octmnist"))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda folder: None, "holds no images; expected class folders"),
        (lambda folder: (folder / "empty").mkdir(), "holds no class folders with pictures"),
        (lambda folder: (folder / "a.txt").touch(), "holds no images"),
    ],
)
def test_an_empty_folder_is_named(tmp_path: Path, made: Any, said: str) -> None:
    made(tmp_path)
    with pytest.raises(WorkingsError, match=said):
        images.load(config([tmp_path]))


def test_paths_are_kept_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ImageConfig(train="some.npz").train == (str(tmp_path / "some.npz"),)  # type: ignore[arg-type]
