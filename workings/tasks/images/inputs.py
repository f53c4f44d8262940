"""Images that a trained model is used on: whatever the user names, in the form it knows."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from workings.data.readers import pictures
from workings.errors import WorkingsError
from workings.schema import build
from workings.tasks.images import dataset as images
from workings.tasks.images import files as image_files
from workings.tasks.images import paths as image_paths
from workings.tasks.images.config import ImageConfig
from workings.tasks.images.dataset import Images
from workings.tasks.images.files import Raw
from workings.tasks.images.preprocessing import Preprocessing

BATCH = 500  # pictures read before they are handed on


@dataclass(frozen=True)
class Part:
    """Some images, what each is called, and what was done to it."""

    labels: list[str]
    pixels: torch.Tensor  # uint8, N×C×H×W
    notes: list[str]


@dataclass(frozen=True)
class Unread:
    """A picture that cannot be read, and why."""

    label: str
    problem: str


def labelled(paths: list[Path], form: Preprocessing, skip_bad: bool = False) -> tuple[Images, str]:
    """Images with labels of the model's classes, and what was done to them.

    Of files or folders with several splits, the test split is taken. skip_bad: leave out pictures
    that cannot be read.
    """
    keys = image_paths.from_paths(paths)
    if "name" in keys:
        config = build(ImageConfig, keys, "data")
        loaded = images.load(config)
        form.require(loaded)
        return loaded.splits["test"], ""
    files = [Path(path) for path in keys.get("test") or keys["train"]]
    raw = _test_split(files, form, skip_bad)
    return images.labelled(raw, form.names), _note(raw)


def _test_split(files: list[Path], form: Preprocessing, skip_bad: bool = False) -> Raw:
    splits = image_files.read(files, form.shape[0], form.shape[1:], skip_bad)
    return splits.get("test") or next(iter(splits.values()))


def _note(raw: Raw) -> str:
    return f"resized from {raw.was[0]}×{raw.was[1]}" if raw.was else ""


def pixels_of(array: np.ndarray, form: Preprocessing) -> torch.Tensor:
    """uint8 N×C×H×W of an array of pictures; numbers up to 1 are shares of 255."""
    channels, height, width = form.shape
    alone = [(height, width)] if channels == 1 else [form.shape, (height, width, channels)]
    if array.shape in alone:
        array = array[None]
    shapes = {
        (height, width): array[:, None] if array.ndim == 3 else array,
        (channels, height, width): array,
        (height, width, channels): np.moveaxis(array, -1, 1),
    }
    pixels = shapes.get(array.shape[1:])
    if pixels is None or pixels.shape[1:] != form.shape:
        raise WorkingsError(
            f"predict: an array of shape {array.shape}; the model knows pictures of "
            f"{images.shape_words(form.shape)}: N×{height}×{width}×{channels}, or "
            f"N×{channels}×{height}×{width}"
        )
    if not np.issubdtype(pixels.dtype, np.integer):
        pixels = np.rint(pixels * 255 if pixels.size and pixels.max() <= 1 else pixels)
    if pixels.size and not 0 <= pixels.min() <= pixels.max() <= 255:
        raise WorkingsError("predict: pixels must be from 0 to 255, or from 0 to 1")
    return torch.from_numpy(np.ascontiguousarray(pixels.astype(np.uint8)))


def parts(what: list[str], form: Preprocessing) -> Iterator[Part | Unread]:
    """The images of pictures, folders of pictures, and files of many images.

    A picture that cannot be read does not lose the others.
    """
    waiting: list[Path] = []
    for name in what:
        path = Path(name)
        if not path.exists():
            raise WorkingsError(f"{name}: no such file or folder")
        if not path.is_dir() and image_paths.is_file_of_images(path):
            yield from _from_pictures(waiting, form)
            waiting = []
            yield _from_file(path, form)
        else:
            waiting += image_paths.pictures_in(path) if path.is_dir() else [path]
    yield from _from_pictures(waiting, form)


def _from_file(path: Path, form: Preprocessing) -> Part:
    raw = _test_split([path], form)
    labels = [f"{path}[{number}]" for number in range(len(raw.pixels))]
    return Part(labels, torch.from_numpy(raw.pixels), [_note(raw)] * len(labels))


def _from_pictures(files: list[Path], form: Preprocessing) -> Iterator[Part | Unread]:
    channels, size = form.shape[0], form.shape[1:]
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        bad = image_files.unreadable(batch)
        yield from (Unread(str(file), problem) for file, problem in bad.items())
        batch = [file for file in batch if file not in bad]
        if not batch:
            continue
        looks = [pictures.look(file)[1:] for file in batch]
        notes = ["" if look == size else f"resized from {look[0]}×{look[1]}" for look in looks]
        pixels: np.ndarray = image_files.from_pictures(batch, channels, size)
        yield Part([str(file) for file in batch], torch.from_numpy(pixels), notes)
