"""Images as the task reads them: splits, classes, and what is chosen by looking at them."""

# C channels, H height, W width

import functools
from collections import Counter
from pathlib import Path

from torch import Tensor

from workings.schema import Config
from workings.tasks.batch_size import fitting_batch
from workings.tasks.images import dataset as images
from workings.tasks.images import models, picture_sizes
from workings.tasks.images import paths as image_paths
from workings.tasks.images.config import ImageConfig, ImageTrain
from workings.tasks.images.dataset import ImageSet, shape_words
from workings.tasks.images.preprocessing import Preprocessing, moments
from workings.tasks.task import Task

FEW = 300  # validation images, below which the loss and not the accuracy decides

Batch = tuple[Tensor, Tensor]  # the images, and their classes


class ReadsImages(Task[ImageConfig, ImageTrain, Batch]):
    """What is read of labelled images, and what is chosen where the config leaves it open."""

    name = "images"
    unit = "images"
    best = "accuracy"
    lower_is_better = False
    Data = ImageConfig
    Train = ImageTrain
    LOCATION = ("name", "train", "valid", "test", "classes")
    PREPROCESSING = ("channels", "resize", "normalise")
    ASSETS = ("classes.json",)
    METRICS = (
        *("loss", "accuracy", "balanced_accuracy", "roc_auc", "calibration_error", "images"),
        *(f"accuracy_shifted_{pixels}" for pixels in range(1, 9)),
    )
    extra_metrics = ("balanced_accuracy", "calibration_error")

    def __init__(
        self,
        data: ImageConfig,
        model: Config | None,
        train: ImageTrain,
        seed: int,
        assets: dict[str, bytes],
    ) -> None:
        super().__init__(data, model, train, seed, assets)
        self._set_metrics()

    def _set_metrics(self) -> None:
        """These are of a run, not of the class: its config says what decides."""
        self.headline = "accuracy"
        by_loss = self.train.select == "loss"
        self.best, self.lower_is_better = "loss" if by_loss else self.headline, by_loss

    def use_assets(self, assets: dict[str, bytes]) -> None:
        self.form = Preprocessing.from_json(assets["classes.json"])

    @staticmethod
    def data_from(paths: list[Path]) -> dict[str, str | list[str]]:
        return image_paths.from_paths(paths)

    @classmethod
    def recognises(cls, path: Path) -> bool:
        return image_paths.recognises(path)

    @classmethod
    def show(cls, data: ImageConfig) -> dict[str, object]:
        task = cls(data, None, ImageTrain(), 0, {})
        chosen = task.settle()
        names, splits = task.form.names, task.set.splits
        about: dict[str, object] = {"images": shape_words(task.form.shape)}
        about |= {split: f"{len(part):,}" for split, part in splits.items()}
        for number, name in enumerate(names):
            counts = [int((part.labels == number).sum()) for part in splits.values()]
            about[f"class {name}"] = " / ".join(f"{count:,}" for count in counts)
        pixels = splits["train"].pixels
        about["mean and deviation"] = ", ".join(
            f"{m:.4f} {d:.4f}" for m, d in zip(*moments(pixels), strict=True)
        )
        for number, note in enumerate([*chosen, *task.set.left_out, *task.set.passed_over], 1):
            about[f"note {number}"] = note
        return about | {"sha256": task.checksum()}

    def settle(self) -> list[str]:
        """What fits the user's own images, and what decides which weights are best."""
        own = [] if self.data.name else self._settle_own()
        return [*own, *self._settle_select()]

    def _settle_own(self) -> list[str]:
        """Of the user's own images: a size, a network for it, and a batch for their number."""
        chosen: list[str] = []
        if self.data.resize == "auto":
            files = self.data.files().values()
            side, why = picture_sizes.fitting(sum(map(picture_sizes.sizes, files), Counter()))
            self.data = self.data.model_copy(update={"resize": side})
            chosen += [why] if why else []
        if self.model is None:
            return chosen
        images = len(self.set.splits["train"])
        side = max(self.set.splits["train"].pixels.shape[2:])
        if side > picture_sizes.DENSE_UP_TO and not self.model.model_fields_set:
            self.model = models.ResNetConfig()
            chosen.append(f"model.kind = resnet, for pictures of {side} pixels a side")
            chosen += self._settle_training(side)
        if "batch" not in self.train.model_fields_set:
            batch = fitting_batch(self.train.batch, images)
            if batch < self.train.batch:
                self.train = self.train.model_copy(update={"batch": batch})
                chosen.append(f"batches of {batch}, for {images:,} training images")
        return chosen

    def _settle_select(self) -> list[str]:
        """An accuracy over few images has ties and luck; their loss is finer."""
        if "select" in self.train.model_fields_set or self.model is None:
            return []
        valid = len(self.set.splits["valid"])
        if valid >= FEW:
            return []
        self.train = self.train.model_copy(update={"select": "loss"})
        self._set_metrics()
        return [
            f"the epoch of the lowest validation loss is best, of {valid} images (train.select)"
        ]

    def _settle_training(self, side: int) -> list[str]:
        """What a residual network learns best with, where the config does not say."""
        chosen = []
        if "normalise" not in self.data.model_fields_set:
            self.data = self.data.model_copy(update={"normalise": "standard"})
            chosen.append("pixels less their mean, over the deviation (data.normalise = standard)")
        if "shift" not in self.train.model_fields_set:
            self.train = self.train.model_copy(update={"shift": side // 12})
            chosen.append(f"pictures moved by up to {side // 12} pixels (train.shift)")
        if not self.train.model_fields_set & {"schedule", "patience"}:
            slowly = {"schedule": "cosine", "patience": 10}
            self.train = self.train.model_copy(update=slowly)
            chosen.append("a learning rate that falls to 0 (train.schedule = cosine)")
        return chosen

    @functools.cached_property
    def set(self) -> ImageSet:
        """The images, in their splits."""
        loaded = images.load(self.data)
        if "form" in self.__dict__:  # of the run folder: the model was made for images such as it
            self.form.require(loaded)
        return loaded

    @functools.cached_property
    def form(self) -> Preprocessing:
        """The classes, the shape, and how pixels become numbers."""
        return Preprocessing.of(self.set, self.data.normalise)

    def checksum(self) -> str:
        return self.set.sha256

    def assets(self) -> dict[str, bytes]:
        return {"classes.json": self.form.to_json()}

    def describe(self) -> str:
        sizes = ", ".join(f"{split} {len(part):,}" for split, part in self.set.splits.items())
        name = self.data.name or Path(self.data.train[0]).name
        subset = f" ({self.data.subset} subset of test)" if self.data.subset else ""
        return (
            f"{name}: {sizes} images{subset}; {shape_words(self.form.shape)}, "
            f"{len(self.form.names)} classes" + self._left_out()
        )

    def _left_out(self) -> str:
        said = "".join(f"; {line}" for line in self.set.passed_over)
        if left_out := self.set.left_out:
            more = f"; and {len(left_out) - 3:,} more" if len(left_out) > 3 else ""
            said += f"; left out: {'; '.join(left_out[:3])}{more}"
        return said

    def sizes(self) -> dict[str, int]:
        channels, height, width = self.form.shape
        classes = len(self.form.names)
        return {"channels": channels, "height": height, "width": width, "classes": classes}
