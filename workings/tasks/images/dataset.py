"""Labelled images: read, checked and split."""

# N images, C channels, H height, W width

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from workings.data import sources
from workings.errors import WorkingsError, nearest
from workings.names import check_name
from workings.tasks.images import files as image_files
from workings.tasks.images.config import ImageConfig
from workings.tasks.images.files import Raw
from workings.tasks.images.splits import first_of_each, stratified

CLASSES = {
    "fashion-mnist": (
        *("T-shirt/top", "trouser", "pullover", "dress", "coat"),
        *("sandal", "shirt", "sneaker", "bag", "ankle boot"),
    ),
    "octmnist": ("neovascularisation", "macular oedema", "drusen", "normal"),
    "pneumoniamnist": ("normal", "pneumonia"),
    "breastmnist": ("malignant", "normal or benign"),
}
COURSE = (182, 55, 42, 250)  # test images of octmnist's classes 0-3: the course's own test set


@dataclass(frozen=True)
class Images:
    """One split."""

    pixels: Tensor  # uint8, N×C×H×W
    labels: Tensor  # int64, N

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, positions: np.ndarray) -> "Images":
        """Those at these positions."""
        chosen = torch.from_numpy(positions)
        return Images(self.pixels[chosen], self.labels[chosen])


@dataclass(frozen=True)
class ImageSet:
    """All splits, what their classes are called, and what identifies their content."""

    splits: dict[str, Images]
    names: tuple[str, ...]
    sha256: str
    left_out: tuple[str, ...] = ()  # pictures that could not be read, and why
    passed_over: tuple[str, ...] = ()  # what else lies in the folders


def load(config: ImageConfig) -> ImageSet:
    """Read, check and split a set."""
    if config.name:
        sources.verify(config.name)
    raw = _read(config)
    names = _names(config, raw)
    given = {split: labelled(part, names) for split, part in raw.items()}
    _same_shape(raw)
    _every_class(given["train"], names, raw["train"].path)
    digest = _checksum(given, names)
    shares = {"valid": config.valid_share, "test": config.test_share}
    missing = {split: share for split, share in shares.items() if split not in given}
    for split, share in missing.items():
        if not share:
            raise WorkingsError(
                f"the {split} split is empty: raise data.{split}_share or give data.{split}"
            )
    if missing:
        whole = given["train"]
        parts = stratified(whole.labels.numpy(), missing, config.split_seed, names)
        given |= {split: whole.take(positions) for split, positions in parts.items()}
    if config.subset == "course":
        given["test"] = _course(given["test"])
    splits = {split: given[split] for split in ("train", "valid", "test")}
    left_out = tuple(each for part in raw.values() for each in part.left_out)
    passed_over = tuple(each for part in raw.values() for each in part.passed_over)
    return ImageSet(splits, names, digest, left_out, passed_over)


def _read(config: ImageConfig) -> dict[str, Raw]:
    """The images by split, as the files give them."""
    files = config.files()
    raw = image_files.read(files["train"], config.channels, config.size, config.skip_bad)
    if "train" not in raw:
        raise WorkingsError(f"{files['train'][0]}: has no training images, only {', '.join(raw)}")
    channels = config.channels or raw["train"].pixels.shape[1]
    for split in ("valid", "test"):
        if split in files:
            inside = image_files.read(files[split], channels, config.size, config.skip_bad)
            raw[split] = inside.get(split) or inside["train"]
    return raw


def _names(config: ImageConfig, raw: dict[str, Raw]) -> tuple[str, ...]:
    """What the classes are called: by the folders, the config, the named set, or by number."""
    train = raw["train"]
    if train.labels is None:
        raise WorkingsError(f"{train.path}: has no labels; training needs a class for every image")
    names = train.names or config.classes or CLASSES.get(config.name, ())
    most = int(train.labels.max(initial=0))
    if not names and most >= len(train.labels):  # before so many names are made
        raise WorkingsError(
            f"{train.path}: has label {most:,} and only {len(train.labels):,} images; the classes "
            "are numbered from 0 without gaps"
        )
    names = names or tuple(map(str, range(most + 1)))
    if len(names) < 2:
        raise WorkingsError(
            f"{train.path}: has one class only ({names[0]!r}); a classifier needs two or more"
        )
    if len(set(names)) < len(names):
        raise WorkingsError("data.classes: two classes have one name")
    for name in names:
        check_name(f"{train.path}: class", name)
    return names


def labelled(raw: Raw, names: tuple[str, ...]) -> Images:
    """The images with the numbers that their classes have among `names`."""
    if raw.labels is None:
        raise WorkingsError(f"{raw.path}: has no labels; give the file of labels with it")
    labels = raw.labels
    if raw.names:
        for name in raw.names:
            if name not in names:
                raise WorkingsError(
                    f"{raw.path / name}: is no class of the model{nearest(name, names)}; its "
                    f"classes are {', '.join(names)}"
                )
        labels = np.array([names.index(name) for name in raw.names])[labels]
    outside = np.flatnonzero((labels < 0) | (labels >= len(names)))
    if len(outside):
        raise WorkingsError(
            f"{raw.path}: image {outside[0]} has label {labels[outside[0]]}, outside the classes "
            f"0 to {len(names) - 1}"
        )
    return Images(torch.from_numpy(raw.pixels), torch.from_numpy(labels.astype(np.int64)))


def _same_shape(raw: dict[str, Raw]) -> None:
    first = raw["train"]
    for part in raw.values():
        if part.pixels.shape[1:] != first.pixels.shape[1:]:
            raise WorkingsError(
                f"{part.path}: its images are {shape_words(part.pixels.shape[1:])}, those of "
                f"{first.path} {shape_words(first.pixels.shape[1:])}; bring all to one form with "
                "data.resize and data.channels"
            )


def shape_words(shape: tuple[int, ...]) -> str:
    """A shape as users read it: 28×28 grey."""
    channels, height, width = shape
    return f"{height}×{width} {'grey' if channels == 1 else 'colour'}"


def _every_class(train: Images, names: tuple[str, ...], path: Path) -> None:
    counts = torch.bincount(train.labels, minlength=len(names)).tolist()
    for name, count in zip(names, counts, strict=True):
        if not count:
            raise WorkingsError(
                f"{path}: class {name!r} has no training examples; the classes are numbered from "
                "0 without gaps"
            )


def _course(test: Images) -> Images:
    positions = None
    if int(test.labels.max()) + 1 == len(COURSE):
        positions = first_of_each(test.labels.numpy(), COURSE)
    if positions is None:
        raise WorkingsError(
            f"data.subset: course takes the first {', '.join(map(str, COURSE))} test images of "
            "four classes, as octmnist has them; this set has not so many"
        )
    return test.take(positions)


def _checksum(given: dict[str, Images], names: tuple[str, ...]) -> str:
    """SHA-256 of pixels, labels and class names: the same however the files are packed."""
    total = hashlib.sha256("\n".join(names).encode())
    for split in sorted(given):
        part = given[split]
        total.update(f"\n{split} {tuple(part.pixels.shape)}\n".encode())
        total.update(part.pixels.contiguous().numpy().data)
        total.update(part.labels.contiguous().numpy().data)
    return total.hexdigest()
