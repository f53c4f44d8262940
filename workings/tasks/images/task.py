"""The images task: the class of an image.

What it reads is in `reads_images`; this is how it learns, what it reports and what it can do.
"""

# B batch, N images, C channels, H height, W width, K classes

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.conv.cnn import CNN
from workings.tasks import classification, examples
from workings.tasks.embedding import Embedding, before_output
from workings.tasks.examples import Examples
from workings.tasks.images import augment, models
from workings.tasks.images import baselines as image_baselines
from workings.tasks.images import drawing as image_drawing
from workings.tasks.images import evaluation_charts as image_charts
from workings.tasks.images import inputs as image_use
from workings.tasks.images import leaks as image_leaks
from workings.tasks.images.dataset import Images
from workings.tasks.images.portable import portable
from workings.tasks.images.reads_images import Batch, ReadsImages
from workings.tasks.leak import Leak
from workings.tasks.own import try_out
from workings.tasks.portable import Portable
from workings.tasks.prediction import classified
from workings.tasks.task import Carry, Metrics, Tick

if TYPE_CHECKING:
    from workings.tasks.abilities import Chart

TRAINING_TESTED = 10_000  # training images at most, of which the accuracy is logged
KEPT = 1 << 30  # bytes: training images are kept as 32-bit numbers if they take no more


class ImageTask(ReadsImages):
    """Image classification, one class an image."""

    sharded = True
    MODELS = models.MODELS
    OWN = ("loss", "metrics")

    _details: Mapping[str, object] = MappingProxyType({})  # of the last evaluation

    def try_own(self, model: nn.Module, kind: str) -> None:
        try_images(model, kind, self.form.shape, len(self.form.names))

    @functools.cached_property
    def _kept(self) -> tuple[Tensor, Tensor]:
        """The training images, ready for the model if they are few enough, and their labels."""
        train = self.set.splits["train"]
        pixels, labels = train.pixels.to(self.device), train.labels.to(self.device)
        small = pixels.numel() * 4 <= KEPT
        return self.form.normalised(pixels) if small else pixels, labels

    @property
    def steps(self) -> int:
        return math.ceil(self.units / self.train.batch)

    @property
    def units(self) -> int:
        # A lone last image is left out of its epoch: a batch norm cannot normalise one.
        images, batch = len(self.set.splits["train"]), self.train.batch
        return images - 1 if images % batch == 1 < batch else images

    def batches(self, epoch: int, position: int) -> Iterator[Batch]:
        """Every training image once, in an order drawn from the seed and the epoch."""
        x_NCHW, y_N = self._kept
        order = np.random.default_rng([self.seed, epoch]).permutation(len(y_N))[: self.units]
        positions = torch.from_numpy(order).to(self.device).split(self.train.batch)
        for chosen_B in map(self.shard.take, positions[position:]):
            yield x_NCHW.index_select(0, chosen_B), y_N.index_select(0, chosen_B)

    def loss(self, model: nn.Module, batch: Batch, carry: Carry) -> tuple[Tensor, int, Carry]:
        x_BCHW, y_B = batch
        if x_BCHW.dtype == torch.uint8:
            x_BCHW = self.form.normalised(x_BCHW)
        x_BCHW, smoothing = self._augmented(x_BCHW), self.train.smoothing
        mixed = None
        if self.train.mixup and model.training:
            share, order_B = mixed = augment.mixing(len(y_B), self.train.mixup, y_B.device)
            x_BCHW = share * x_BCHW + (1 - share) * x_BCHW[order_B]
        # The softmax of log-probabilities is their own: right for both kinds of output.
        logits_BK = model.logits(x_BCHW) if isinstance(model, CNN) else model(x_BCHW)
        smooth = functools.partial(F.cross_entropy, label_smoothing=smoothing)
        criterion = self.criterion if self.train.loss else smooth
        loss = criterion(logits_BK, y_B)
        if mixed:
            loss = share * loss + (1 - share) * criterion(logits_BK, y_B[order_B])
        return loss, len(y_B), None

    def _augmented(self, x_BCHW: Tensor) -> Tensor:
        train = self.train
        if train.flip:
            x_BCHW = augment.flip(x_BCHW)
        if train.rotate:
            x_BCHW = augment.rotate(x_BCHW, train.rotate, self.form.black)
        if train.shift:
            x_BCHW = augment.shift(x_BCHW, train.shift, self.form.black)
        if train.cutout:
            x_BCHW = augment.cutout(x_BCHW, train.cutout, self.form.black)
        return x_BCHW

    def evaluate(self, model: nn.Module, split: str, tick: Tick) -> Metrics:
        return self.evaluate_images(model, self.set.splits[split], tick)

    def evaluate_images(self, model: nn.Module, examples: Images, tick: Tick) -> Metrics:
        """Metrics of labelled images; `details` has the tables."""
        logits_NK = self.logits(model, examples.pixels, tick)
        self._details = classification.details(logits_NK, examples.labels, self.form.names)
        metrics = classification.metrics(logits_NK, examples.labels) | {"images": len(examples)}
        return metrics | self.own_metrics(logits_NK, examples.labels)

    def examples(self, model: nn.Module, split: str, tick: Tick) -> Examples:
        """Loss and hit of every image."""
        part = self.set.splits[split]
        columns = examples.classified(self.logits(model, part.pixels, tick), part.labels)
        shown = "\n".join(self.form.names), part.pixels.numpy(), part.labels.numpy()
        return Examples("image", examples.identity(*shown), columns)

    @torch.no_grad()
    def logits(self, model: nn.Module, pixels_NCHW: Tensor, tick: Tick) -> Tensor:
        """The model's output for every image, N×K, on the CPU."""
        was_training, parts, done = model.training, [], 0
        model.eval()
        for batch in pixels_NCHW.split(self.train.eval_batch):
            parts.append(model(self.form.normalised(batch.to(self.device))).float().cpu())
            done += len(batch)
            tick(done)
        model.train(was_training)
        return torch.cat(parts)

    def evaluate_training(self, model: nn.Module, tick: Tick) -> Metrics:
        """The accuracy on training images as they are, without dropout: what overfits shows."""
        part = self._training_tested
        logits_NK = self.logits(model, part.pixels, tick)
        return {"accuracy": (logits_NK.argmax(1) == part.labels).double().mean().item()}

    @functools.cached_property
    def _training_tested(self) -> Images:
        """The training images, or so many of them evenly, in the order of their file."""
        train = self.set.splits["train"]
        count = min(len(train), TRAINING_TESTED)
        return train.take(np.arange(count) * len(train) // count)

    def evaluate_further(self, model: nn.Module, tick: Tick) -> Metrics:
        """The accuracy on test images moved by one pixel, two and so on."""
        test = self.set.splits["test"]
        further = {}
        for pixels in range(1, self.train.test_shifts + 1):
            hits = [
                (self.logits(model, moved, tick).argmax(1) == test.labels).double().mean().item()
                for moved in augment.four_ways(test.pixels, pixels)
            ]
            further[f"accuracy_shifted_{pixels}"] = sum(hits) / len(hits)
        return further

    def training_variant(self) -> str:
        train = self.train
        augmented = (train.shift, train.flip, train.rotate, train.cutout, train.mixup)
        changes = ["augmentation"] if any(augmented) else []
        changes += ["label smoothing"] if train.smoothing else []
        measured = " and ".join([super().training_variant(), *changes])
        return f"loss: {measured}; accuracy: after the best epoch, of the images as they are"

    def suspect_inputs(self) -> str:
        """A channel that hardly varies in training, and so becomes huge elsewhere."""
        smallest = min(self.form.deviation)
        if smallest >= 0.01:
            return ""
        return (
            f"a channel's deviation is {smallest:.4f}, so that its pixels become very large; set "
            "data.normalise = unit"
        )

    def leaks(self, model: nn.Module) -> Iterator[Leak]:
        yield from image_leaks.same_images(self.set.splits)
        yield from image_leaks.telling_pixels(self.set.splits["train"], self.form.names)

    def first_loss(self) -> float:
        """ln K, which an untrained softmax gives."""
        return math.log(len(self.form.names))

    def details(self) -> Mapping[str, object]:
        return self._details

    def baselines(self) -> dict[str, Metrics]:
        return image_baselines.baselines(self.set.splits, len(self.form.names))

    def evaluate_files(self, model: nn.Module, paths: list[Path], tick: Tick) -> Metrics:
        """Metrics of the user's own labelled images, brought to the form the model knows."""
        examples, note = image_use.labelled(paths, self.form, self.data.skip_bad)
        metrics = self.evaluate_images(model, examples, tick)
        if note:
            self._details = {"images": [{"note": note}], **self._details}
        return metrics

    def predict(self, model: nn.Module, what: list[str]) -> list[dict[str, object]]:
        """The class of every image in the named files, with the probability of each class."""
        if not what:
            raise WorkingsError(
                "predict: name pictures, a folder of them, or an .npz, IDX or .csv file of images"
            )
        names = self.form.names
        rows: list[dict[str, object]] = []
        unread: list[str] = []
        for part in image_use.parts(what, self.form):
            if isinstance(part, image_use.Unread):
                unread.append(part.problem)
                none = {"input": part.label, "prediction": "", "probability": None}
                rows.append({**none, "probabilities": {}, "note": part.problem})
                continue
            p_NK = self.logits(model, part.pixels, lambda done: None).softmax(1)
            for label, p_K, note in zip(part.labels, p_NK.tolist(), part.notes, strict=True):
                probabilities = dict(zip(names, p_K, strict=True))
                rows.append({**classified(label, probabilities), "note": note})
        if unread and len(unread) == len(rows):
            raise WorkingsError(unread[0])
        if not any(row["note"] for row in rows):
            for row in rows:
                del row["note"]
        return rows

    def predict_array(self, model: nn.Module, array: np.ndarray) -> np.ndarray:
        """The probabilities N×K of pictures of the size that the model knows."""
        pixels = image_use.pixels_of(array, self.form)
        return self.logits(model, pixels, lambda done: None).softmax(1).numpy()

    def embed(self, model: nn.Module, what: list[str]) -> Embedding:
        """What the output layer sees of each picture; of the test images if none is named."""
        if not what:
            test = self.set.splits["test"]
            labels = [self.form.names[label] for label in test.labels.tolist()]
            names = [f"test[{number}]" for number in range(len(test))]
            return Embedding("picture", names, self._features(model, test.pixels), labels)
        parts = list(image_use.parts(what, self.form))
        for part in parts:
            if isinstance(part, image_use.Unread):
                raise WorkingsError(part.problem)
        read = [part for part in parts if isinstance(part, image_use.Part)]
        vectors = [self._features(model, part.pixels) for part in read]
        names = [name for part in read for name in part.labels]
        return Embedding("picture", names, np.concatenate(vectors))

    def _features(self, model: nn.Module, pixels_NCHW: Tensor) -> np.ndarray:
        model.eval()
        batches = pixels_NCHW.split(self.train.eval_batch)
        normalised = (self.form.normalised(batch.to(self.device)) for batch in batches)
        seen = [before_output(model, x_BCHW).flatten(1).float().cpu() for x_BCHW in normalised]
        return torch.cat(seen).numpy()

    def portable(self, model: nn.Module) -> Portable:
        """The network with its normalisation, verified on the first test images."""
        return portable(model, self.model, self.form, self.set.splits["test"].pixels[:4])

    def illustrate(self, model: nn.Module) -> list[str]:
        """Three test images, drawn, and what the model takes them for."""
        test = self.set.splits["test"]
        chosen = test.take(np.array([len(test) * part // 6 for part in (1, 3, 5)]))
        p_NK = self.logits(model, chosen.pixels, lambda done: None).softmax(1)
        return [image_drawing.side_by_side(chosen, p_NK, self.form.names)]

    def charts(self, model: nn.Module) -> "dict[str, Chart]":
        """Confusion matrix, calibration and the surest mistakes of the test split; filters."""
        test = self.set.splits["test"]
        logits_NK = self.logits(model, test.pixels, lambda done: None)
        return image_charts.charts(model, test, logits_NK, self.form.names)

    def next_commands(self, command: Callable[[str], str]) -> list[str]:
        return [
            f"{command('predict')} PICTURE.png",
            f"{command('eval')} --data FOLDER_OF_CLASS_FOLDERS",
            f"{command('runs charts')} --format png",
        ]


def try_images(model: nn.Module, kind: str, shape: tuple[int, int, int], classes: int) -> None:
    """Say at once when an image model of the user's is not one."""
    given = (2, *shape)
    wanted = f"forward(x of shape B×C×H×W) must give logits of shape B×{classes}"
    gave = try_out(model, kind, wanted, lambda m: m(torch.zeros(given)), f"x of shape {given}")
    if gave != (2, classes):
        raise WorkingsError(f"model.kind: {kind}: {wanted}; it gave {gave} for x of shape {given}")
