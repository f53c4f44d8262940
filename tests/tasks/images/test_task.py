"""The images task: batches, loss, evaluation, prediction, the user's own model, resuming."""

import itertools
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn
from torch.nn import functional as F

from tests.run.faults import assert_resumes
from tests.tasks.images.image_sets import class_folders, drawn, medmnist, mnist, table
from workings.errors import WorkingsError
from workings.run import config as configs
from workings.run import open_run, train
from workings.schema import build
from workings.tasks import TASKS
from workings.tasks.config import OwnModel
from workings.tasks.images import task as images
from workings.tasks.images.config import ImageConfig, ImageTrain
from workings.tasks.images.models import ConvConfig
from workings.tasks.images.task import ImageTask

SMALL = {"channels": [4], "dense": [8], "dropout": 0.2}


def quiet(done: int) -> None: ...


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return table(tmp_path / "some.csv", *drawn(60, 3))


def task_of(path: Path, seed: int = 1, data: Any = None, **train_: Any) -> ImageTask:
    config = build(ImageConfig, {"train": str(path), **(data or {})}, "data")
    model = build(ConvConfig, SMALL, "model")
    return ImageTask(config, model, build(ImageTrain, train_, "train"), seed, {})


def values(path: Path, **train_: Any) -> dict[str, Any]:
    train_ = {"epochs": 2, "batch": 8, "device": "cpu", **train_}
    return {"task": "images", "data": {"train": [str(path)]}, "model": SMALL, "train": train_}


def test_the_task_is_listed() -> None:
    assert TASKS["images"] is ImageTask


def test_a_run_learns_what_can_be_learned(csv: Path, tmp_path: Path) -> None:
    run = train(values(csv, epochs=40, patience=40, lr=0.01), str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.accuracy"] == 1.0
    assert run.result["metrics"]["test.images"] == 6
    assert run.evaluate("test")["accuracy"] == 1.0
    assert run.result["baselines"]["most frequent class"]["test.accuracy"] == pytest.approx(1 / 3)
    classes = run.result["details"]["classes"]
    assert [row["class"] for row in classes] == ["0", "1", "2"]


def test_an_epoch_has_every_image_once_in_its_own_order(csv: Path) -> None:
    task = task_of(csv, batch=7)
    x, y = task._kept
    epochs = []
    for epoch in (0, 1, 0):
        batches = list(task.batches(epoch, 0))
        assert len(batches) == task.steps
        seen = torch.cat([b[0] for b in batches])
        assert len(seen) == task.units == len(x)
        places = [int((x == one).flatten(1).all(1).nonzero()) for one in seen]
        assert sorted(places) == list(range(len(x)))
        assert torch.equal(torch.cat([b[1] for b in batches]), y[places])
        epochs.append(places)
    assert epochs[0] == epochs[2] != epochs[1]
    assert epochs[0] != list(range(len(x)))


def test_batches_go_on_from_any_position_and_depend_on_the_seed(csv: Path) -> None:
    task = task_of(csv, batch=7)
    whole = list(task.batches(3, 0))
    rest = list(task.batches(3, 4))
    assert all(torch.equal(a[0], b[0]) for a, b in zip(whole[4:], rest, strict=True))
    other = list(task_of(csv, seed=2, batch=7).batches(3, 0))
    assert not torch.equal(whole[0][0], other[0][0])


def test_a_lone_last_image_is_left_out(csv: Path) -> None:
    task = task_of(csv, batch=47)  # of 48
    assert [len(batch[1]) for batch in task.batches(0, 0)] == [47]
    assert (task.steps, task.units) == (1, 47)
    assert task_of(csv, batch=1).units == 48


def test_the_loss_is_the_cross_entropy(csv: Path) -> None:
    task = task_of(csv, batch=8)
    model = task.build().eval()
    x, y = batch = next(iter(task.batches(0, 0)))
    loss, units, carry = task.loss(model, batch, None)
    assert loss.item() == pytest.approx(F.nll_loss(model(x), y).item(), rel=1e-5)
    assert (units, carry) == (8, None)
    assert x.max() <= 1.0


def test_images_too_many_to_keep_as_numbers_give_the_same(
    csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"normalise": "standard"}
    kept, bytes_ = task_of(csv, data=data), task_of(csv, data=data)
    model = kept.build().eval()
    expected = kept.loss(model, next(iter(kept.batches(0, 0))), None)[0].item()
    monkeypatch.setattr(images, "KEPT", 0)
    batch = next(iter(bytes_.batches(0, 0)))
    assert batch[0].dtype == torch.uint8
    assert bytes_.loss(model, batch, None)[0].item() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "changed", [{"shift": 2}, {"flip": True}, {"rotate": 30.0}, {"smoothing": 0.3}]
)
def test_each_augmentation_changes_the_loss_and_is_said(csv: Path, changed: dict[str, Any]) -> None:
    plain, other = task_of(csv), task_of(csv, **changed)
    model = plain.build().eval()
    batch = next(iter(plain.batches(0, 0)))
    assert other.loss(model, batch, None)[0] != plain.loss(model, batch, None)[0]
    assert other.training_variant() != plain.training_variant()
    # Evaluation sees the images as they are.
    assert other.evaluate(model, "test", quiet) == plain.evaluate(model, "test", quiet)


def test_evaluation_does_not_depend_on_its_batch(csv: Path) -> None:
    task = task_of(csv)
    model = task.build()
    ticks: list[int] = []
    one = task_of(csv, eval_batch=2).evaluate(model, "valid", ticks.append)
    assert one == pytest.approx(task.evaluate(model, "valid", quiet), rel=1e-6)
    assert ticks == [2, 4, 6]
    assert model.training


def test_a_first_loss_is_near_an_even_guess(csv: Path) -> None:
    task = task_of(csv)
    loss, _, _ = task.loss(task.build(), next(iter(task.batches(0, 0))), None)
    assert task.first_loss() == pytest.approx(np.log(3))
    assert loss.item() == pytest.approx(task.first_loss(), abs=0.3)


def test_the_data_is_described(csv: Path) -> None:
    assert task_of(csv).describe() == (
        "some.csv: train 48, valid 6, test 6 images; 8×8 grey, 3 classes"
    )
    about = ImageTask.show(build(ImageConfig, {"train": str(csv)}, "data"))
    assert about["class 2"] == "16 / 2 / 2"
    assert about["images"] == "8×8 grey"
    assert about["sha256"] == task_of(csv).checksum()


def test_a_run_predicts_where_its_data_is_not(tmp_path: Path) -> None:
    folder = class_folders(tmp_path / "set", 20)
    settings = values(folder, epochs=12, lr=0.01)
    settings["data"]["normalise"] = "standard"
    path = tmp_path / "run"
    train(settings, str(path))
    pixels, _ = drawn(4, 2, seed=7)
    Image.fromarray(pixels[1]).save(tmp_path / "one.png")
    Image.fromarray(pixels[0]).resize((16, 16), Image.Resampling.NEAREST).save(tmp_path / "two.png")
    shutil.rmtree(folder)
    run = open_run(str(path))
    rows = run.predict([str(tmp_path / "one.png"), str(tmp_path / "two.png")])
    assert [row["prediction"] for row in rows] == ["dog", "cat"]
    (alone,) = run.predict(str(tmp_path / "one.png"))
    assert alone["prediction"] == "dog"
    assert [row["note"] for row in rows] == ["", "resized from 16×16"]
    for row in rows:
        assert sum(row["probabilities"].values()) == pytest.approx(1.0)
        assert row["prediction"] == max(row["probabilities"], key=row["probabilities"].get)
    assert "note" not in run.predict([str(tmp_path / "one.png")])[0]
    with pytest.raises(WorkingsError, match="no such file"):
        run.evaluate("test")


def test_own_files_are_evaluated_by_class_name(tmp_path: Path) -> None:
    class_folders(tmp_path / "set", 20)
    run = train(values(tmp_path / "set", epochs=12, lr=0.01), str(tmp_path / "run"))
    pixels, labels = drawn(8, 2, seed=5)
    for number, (image, label) in enumerate(zip(pixels, labels, strict=True)):
        place = tmp_path / "mine" / ("cat", "dog")[label]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).resize((24, 24), Image.Resampling.NEAREST).save(
            place / f"{number}.png"
        )
    metrics = run.evaluate(data=[tmp_path / "mine"])
    assert metrics["accuracy"] == 1.0
    assert metrics["images"] == 8


def test_a_folder_of_one_class_can_be_evaluated(tmp_path: Path) -> None:
    class_folders(tmp_path / "set", 20)
    run = train(values(tmp_path / "set"), str(tmp_path / "run"))
    shutil.rmtree(tmp_path / "set" / "cat")
    metrics = run.evaluate(data=[tmp_path / "set"])
    assert metrics["images"] == 20
    assert run.task.details()["classes"][0]["recall"] is None
    with pytest.raises(WorkingsError, match=r"has one class only \('dog'\)"):
        train(values(tmp_path / "set"), str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


def test_nothing_to_predict_is_said(csv: Path) -> None:
    task = task_of(csv)
    with pytest.raises(WorkingsError, match="predict: name pictures"):
        task.predict(task.build(), [])


def test_weights_go_on_to_other_data_of_the_same_classes(csv: Path, tmp_path: Path) -> None:
    train(values(csv, epochs=40, patience=40, lr=0.01), str(tmp_path / "first"))
    more = table(tmp_path / "more.csv", *drawn(60, 3, seed=4))
    first = {"task": "images", "data": {"train": [str(more)]}, "train": {"epochs": 1}}
    run = train(first, str(tmp_path / "second"), init_from=str(tmp_path / "first"))
    assert run.result is not None
    assert run.result["metrics"]["valid.accuracy"] > 0.6  # three classes, one epoch
    four = table(tmp_path / "four.csv", *drawn(60, 4))
    first["data"] = {"train": [str(four)]}
    with pytest.raises(WorkingsError, match="the data has the classes 0, 1, 2, 3; the model"):
        train(first, str(tmp_path / "third"), init_from=str(tmp_path / "first"))


MINE = """
from torch import nn


class Linear(nn.Module):
    def __init__(self, channels, height, width, classes, bias=True):
        super().__init__()
        self.layer = nn.Linear(channels * height * width, classes, bias)

    def forward(self, x):
        return self.layer(x.flatten(1))


class Turned(Linear):
    def forward(self, x):
        return super().forward(x).t()


class Broken(Linear):
    def forward(self, x):
        return self.layer(x)


class Empty(nn.Module):
    def __init__(self, channels, height, width, classes):
        super().__init__()
"""


@pytest.fixture
def _mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_images.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "mine_images", raising=False)


@pytest.mark.usefixtures("_mine")
def test_a_class_of_the_user_s_is_trained(csv: Path, tmp_path: Path) -> None:
    own = {"kind": "mine_images:Linear", "args": {"bias": False}}
    run = train({**values(csv, epochs=20, lr=0.01), "model": own}, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["parameters"] == 64 * 3
    assert run.result["metrics"]["test.accuracy"] == 1.0


@pytest.mark.usefixtures("_mine")
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Turned", r"must give logits of shape B×3; it gave \(3, 2\) for x of shape"),
        ("Broken", "must give logits of shape B×3; for x of shape .* it raised RuntimeError"),
        ("Empty", "has no parameters to train"),
        ("Missing", "has no class or function"),
    ],
)
def test_a_class_that_is_no_classifier_is_refused(csv: Path, kind: str, said: str) -> None:
    task = task_of(csv)
    task.model = OwnModel(kind=f"mine_images:{kind}")
    with pytest.raises(WorkingsError, match=said) as caught:
        task.build()
    assert "\n" not in str(caught.value)


def test_images_too_small_for_the_network_leave_nothing_behind(tmp_path: Path) -> None:
    path = table(tmp_path / "tiny.csv", *drawn(30, 2, side=3))
    settings = {**values(path), "model": {"channels": [4, 4, 4]}}
    with pytest.raises(WorkingsError, match="convolution 2 of 3 gets an image of 1×1 pixels"):
        train(settings, str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


RECIPES: dict[str, Any] = {
    "sgd": {"optimizer": "sgd", "lr": 0.05},
    "augmented": {"shift": 1, "flip": True, "rotate": 10.0, "smoothing": 0.1},
    "bfloat16": {"precision": "bfloat16"},
    "batch norm": {"optimizer": "sgd", "momentum": 0.9, "schedule": "cosine"},
}


@pytest.mark.parametrize("recipe", RECIPES)
def test_killed_and_resumed_it_ends_the_same_bit_for_bit(
    recipe: str, csv: Path, tmp_path: Path
) -> None:
    settings = values(csv, batch=20, checkpoint_seconds=0, **RECIPES[recipe])
    settings["model"] = {**SMALL, "dropout": 0.5, "batch_norm": recipe == "batch norm"}
    assert assert_resumes(settings, tmp_path, itertools.count(3, 7)) > 10


def test_changed_data_is_not_gone_on_with(csv: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(values(csv), str(path))
    table(csv, *drawn(60, 3, seed=9))
    with pytest.raises(WorkingsError, match="its data has changed since it was trained"):
        open_run(str(path)).evaluate("test")


@pytest.mark.parametrize("variant", ["pool", "stride"])
def test_the_octmnist_configs_train_on_a_set_of_its_form(variant: str, tmp_path: Path) -> None:
    path = medmnist(tmp_path / "octmnist.npz", {"train": 40, "val": 8, "test": 1000})
    settings = configs.load(f"octmnist-{variant}")
    settings["data"] = {"train": [str(path)], "subset": settings["data"]["subset"], "resize": 28}
    settings["train"] |= {"epochs": 1, "device": "cpu"}
    run = train(settings, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["parameters"] == 224_892
    assert run.result["metrics"]["test.images"] == 529
    assert run.config.train.lr == 0.01
    assert run.config.train.batch == 8
    assert run.config.model.dropout == 0.7


def test_a_named_set_must_be_the_published_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "medmnist").mkdir()
    medmnist(tmp_path / "medmnist" / "octmnist.npz", {"train": 40, "val": 8, "test": 8})
    monkeypatch.setenv("WORKINGS_DATA", str(tmp_path))
    task = ImageTask(ImageConfig(name="octmnist"), None, ImageTrain(), 1, {})
    with pytest.raises(WorkingsError, match=r"octmnist\.npz: is not the published file"):
        task.describe()


def test_charts_and_drawings_of_a_trained_run(csv: Path, tmp_path: Path) -> None:
    run = train(values(csv), str(tmp_path / "run"))
    drawn_ = run.charts()
    assert {"loss-by-epoch", "accuracy-by-epoch", "confusion", "filters"} <= set(drawn_)
    counts = [row["images"] for row in drawn_["confusion"].to_dict()["data"]["values"]]
    assert sum(counts) == 6
    (line,) = run.task.illustrate(run.model)
    assert line.count("%") == 3
    assert any("predict" in line for line in run.task.next_commands(run.folder.command))


def test_a_model_without_a_convolution_has_no_filters(csv: Path) -> None:
    task = task_of(csv)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
    assert "filters" not in task.charts(model)


def test_idx_files_train_too(tmp_path: Path) -> None:
    settings = values(mnist(tmp_path / "m"))
    settings["data"] = ImageTask.data_from([tmp_path / "m"])
    run = train(settings, str(tmp_path / "run"))
    assert run.result is not None
    assert run.result["metrics"]["test.images"] == 10


def test_a_run_logs_the_accuracy_on_training_images_and_on_moved_test_images(
    tmp_path: Path,
) -> None:
    path = table(tmp_path / "some.csv", *drawn(40, 2))
    run = train(values(path, epochs=12, patience=12, lr=0.01, test_shifts=2), str(tmp_path / "run"))
    assert run.result is not None
    metrics, task = run.result["metrics"], run.task
    logged = [line["accuracy"] for line in run.folder.metrics() if line["split"] == "train"]
    assert len(logged) == 12
    part = task.set.splits["train"]
    with torch.no_grad():
        right = run.model(part.pixels.float() / 255).argmax(1) == part.labels
    assert metrics["train.accuracy"] == pytest.approx(right.double().mean().item())
    test, hits = task.set.splits["test"], []
    for shift, axis in itertools.product((-2, 2), (2, 3)):
        moved = test.pixels.roll(shift, axis).clone()
        edge = slice(0, 2) if shift > 0 else slice(-2, None)
        (moved if axis == 3 else moved.transpose(2, 3))[..., edge] = 0
        with torch.no_grad():
            hits.append(run.model(moved.float() / 255).argmax(1) == test.labels)
    expected = torch.stack(hits).double().mean().item()
    assert metrics["test.accuracy_shifted_2"] == pytest.approx(expected)
    assert "test.accuracy_shifted_3" not in metrics
