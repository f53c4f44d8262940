"""What a folder of pictures is trained with, where the config does not say; bad pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from workings.data.readers import pictures
from workings.errors import WorkingsError
from workings.run import train
from workings.tasks.images import ImageTask, augment
from workings.tasks.images.config import ImageConfig, ImageTrain
from workings.tasks.images.models import ConvConfig


def folder_of(path: Path, sizes: list[tuple[int, int]], each: int = 3) -> Path:
    """Two classes, dark and light, with so many pictures of each size."""
    for label, level in (("dark", 40), ("light", 200)):
        (path / label).mkdir(parents=True)
        for number, (width, height) in enumerate(sizes * each):
            picture = Image.new("RGB", (width, height), (level + number % 7,) * 3)
            picture.save(path / label / f"{number}.png")
    return path


def settled(path: Path, model: Any = None, **data: Any) -> tuple[ImageTask, list[str]]:
    task = ImageTask(ImageConfig(train=(str(path),), **data), model, ImageTrain(), 1, {})
    return task, task.settle()


@pytest.mark.parametrize(
    ("sizes", "resize"),
    [
        ([(48, 64)], 0),
        ([(224, 224)], 96),
        ([(300, 200)], 96),
        ([(20, 30), (40, 24), (24, 24)], 24),  # the median of the shorter sides
    ],
)
def test_the_size_is_chosen_by_looking(
    tmp_path: Path, sizes: list[tuple[int, int]], resize: int
) -> None:
    task, chosen = settled(folder_of(tmp_path / "pictures", sizes))
    assert task.data.resize == resize
    assert bool(chosen) == bool(resize)
    how = "brought" if sizes == [(224, 224)] else "stretched or shrunk"
    assert not resize or f"{how} to {resize}×{resize}" in chosen[0]
    assert task.set.splits["train"].pixels.shape[2:] == ((resize, resize) if resize else (64, 48))


def test_large_pictures_have_a_network_without_dense_layers(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "pictures", [(100, 100)], 8)
    task, _ = settled(path, ConvConfig())
    assert (task.kind, task.data.normalise, task.train.shift) == ("resnet", "standard", 8)
    assert task.train.batch == 4
    assert (task.train.schedule, task.best, task.headline) == ("cosine", "loss", "accuracy")
    told, _ = settled(path, ConvConfig(channels=(8, 16)))
    assert told.kind == "cnn"
    small, _ = settled(path, ConvConfig(), resize=20)
    assert small.kind == "cnn"
    values = {"task": "images", "data": {"train": [str(path)]}, "train": {"epochs": 1, "batch": 4}}
    run = train(values, str(tmp_path / "run"))
    assert (run.config.kind, run.config.data.model_dump()["resize"]) == ("resnet", 96)


def test_bad_pictures_are_named_left_out_and_do_not_lose_the_others(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "pictures", [(8, 8)], 6)
    bad = path / "dark" / "zz.png"
    bad.write_bytes(b"no picture")
    values: dict[str, Any] = {"task": "images", "data": {"train": [str(path)]}}
    values |= {"train": {"epochs": 1}, "model": {"channels": [2], "dense": []}}
    with pytest.raises(WorkingsError, match=r"zz.png: is not a .*data.skip_bad=true"):
        train(values, str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
    values["data"]["skip_bad"] = True
    run = train(values, str(tmp_path / "run"))
    assert f"left out: {bad}: is not a" in run.task.describe()
    good = str(path / "dark" / "0.png")
    rows = run.predict([good, str(bad), good])
    assert [bool(row["prediction"]) for row in rows] == [False, True, True]
    assert "is not a" in str(rows[0]["note"])
    with pytest.raises(WorkingsError, match=r"zz.png: is not a"):
        run.predict([str(bad)])
    assert run.evaluate(data=[path])["images"] == len(list(path.glob("*/*.png"))) - 1


def test_what_lies_beside_the_pictures_is_said(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "pictures", [(8, 8)], 6)
    (path / "dark" / "holiday.HEIC").write_bytes(b"of a telephone")
    (path / "dark" / "scan.tiff").write_bytes(b"of a scanner")
    (path / "light" / "notes.heic").write_bytes(b"")
    (path / "light" / "deep").mkdir()
    picture = (path / "dark" / "0.png").read_bytes()
    (path / "light" / "deep" / "0.png").write_bytes(picture)
    (path / "loose.png").write_bytes(picture)
    for name in (".DS_Store", "Thumbs.db"):  # what systems leave is not the user's
        (path / "dark" / name).write_bytes(b"")
    taken = sorted(path.glob("*/*.png"))
    assert pictures.passed_over(path, taken) == [
        "not used: 2 of the pictures, as light/deep/0.png, which is not in pictures/CLASS itself",
        "not used: files that are no PNG, JPEG, BMP, WEBP by name: 2 .heic, 1 .tiff",
    ]
    task, _ = settled(path, ConvConfig())
    assert "2 .heic, 1 .tiff" in task.describe()
    assert sum(map(len, task.set.splits.values())) == len(taken)


def test_cutout_blanks_one_square() -> None:
    torch.manual_seed(1)
    x = torch.rand(50, 2, 9, 7) + 1
    changed = augment.cutout(x, 4, torch.tensor([0.25, 0.5]))
    for before, after in zip(x, changed, strict=True):
        blank = np.argwhere((before != after).all(0).numpy())
        height, width = np.ptp(blank, axis=0) + 1
        assert len(blank) == height * width <= 16  # whole, but for what is outside
        assert after[:, blank[0][0], blank[0][1]].tolist() == [0.25, 0.5]
    assert (
        max((before != after).all(0).sum() for before, after in zip(x, changed, strict=True)) == 16
    )


def test_mixup_mixes_images_and_labels_by_one_share(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "pictures", [(8, 8)], 6)
    task, _ = settled(path, ConvConfig(channels=(2,), dense=(), dropout=0.0))
    model = task.build().train()
    batch = next(iter(task.batches(0, 0)))
    plain = task.loss(model, batch, None)[0]
    task.train = task.train.model_copy(update={"mixup": 0.4})
    torch.manual_seed(3)
    mixed = task.loss(model, batch, None)[0]
    torch.manual_seed(3)
    share, order = augment.mixing(len(batch[1]), 0.4, torch.device("cpu"))
    x = share * batch[0] + (1 - share) * batch[0][order]
    log_p = model(x)
    rows = torch.arange(len(x))
    wanted = -(share * log_p[rows, batch[1]] + (1 - share) * log_p[rows, batch[1][order]]).mean()
    assert torch.allclose(mixed, wanted)
    assert not torch.allclose(mixed, plain)


def test_a_picture_under_two_classes_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "pictures", [(20, 20)])
    classes = sorted(path for path in folder.iterdir() if path.is_dir())
    task, _ = settled(folder)
    assert not any("two classes" in line for line in task.set.passed_over)
    first = sorted(classes[0].iterdir())[0]
    (classes[1] / "zz.png").write_bytes(first.read_bytes())
    (classes[0] / "zz.png").write_bytes(first.read_bytes())  # twice in one class is said elsewhere
    task, _ = settled(folder)
    assert task.set.passed_over == (
        f"the same picture is under two classes: {classes[0].name}/{first.name} and "
        f"{classes[1].name}/zz.png",
    )
