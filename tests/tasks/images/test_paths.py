"""What a path stands for when images are expected."""

from pathlib import Path

import numpy as np
import pytest

from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table
from workings.errors import WorkingsError
from workings.tasks.images import paths as image_paths


def test_names_of_splits_must_be_all_or_none(tmp_path: Path) -> None:
    for name in ("train.csv", "more.csv"):
        table(tmp_path / name, *drawn(4, 2))
    with pytest.raises(WorkingsError, match=r"more\.csv: some files are named train"):
        image_paths.from_paths([tmp_path])


def test_a_path_that_is_not_there_offers_a_name() -> None:
    assert image_paths.from_paths([Path("fashion-mnist")]) == {"name": "fashion-mnist"}
    with pytest.raises(WorkingsError, match="did you mean fashion-mnist"):
        image_paths.from_paths([Path("fashion-mnits")])


def test_what_looks_like_images_is_recognised(tmp_path: Path) -> None:
    pixels, labels = drawn(4, 2)
    class_folders(tmp_path / "classes", 1)
    class_folders(tmp_path / "splits" / "train", 1)
    np.savez(tmp_path / "graph.npz", edge_index=np.zeros((2, 3)))
    (tmp_path / "nodes.csv").write_text("node,label\n1,2\n")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").touch()
    yes = [
        medmnist(tmp_path / "med.npz", {"train": 4}),
        mnist(tmp_path / "idx"),
        mnist(tmp_path / "idx") / "t10k-images-idx3-ubyte.gz",
        table(tmp_path / "a.csv", pixels, labels),
        tmp_path / "classes",
        tmp_path / "splits",
    ]
    assert all(image_paths.recognises(path) for path in yes)
    no = [tmp_path / name for name in ("graph.npz", "nodes.csv", "texts", "texts/a.txt")]
    assert not any(image_paths.recognises(path) for path in no)
