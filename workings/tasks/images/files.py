"""Images as they are in files, of any of the known kinds, made into one array of bytes."""

# N images, C channels, H height, W width

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from workings.data.progress_bar import following
from workings.data.readers import idx, npz, pictures, pixeltable, unpack
from workings.errors import WorkingsError

# The keys of images and labels by split: MedMNIST's, Keras', and a file with one part only.
NPZ_KEYS = {
    "train": (("train_images", "train_labels"), ("x_train", "y_train"), ("images", "labels")),
    "valid": (("val_images", "val_labels"), ("x_val", "y_val")),
    "test": (("test_images", "test_labels"), ("x_test", "y_test")),
}
CHUNK = 2048  # images resized or converted at a time


@dataclass(frozen=True)
class Raw:
    """Images of one file or folder, with labels if it has them."""

    path: Path  # what errors name
    pixels: np.ndarray  # uint8, N×C×H×W
    labels: np.ndarray | None = None  # int64, N
    names: tuple[str, ...] = ()  # of the classes, where folders or labels have them
    was: tuple[int, int] | None = None  # height and width before it was resized
    left_out: tuple[str, ...] = ()  # pictures that could not be read, and why
    passed_over: tuple[str, ...] = ()  # what else lies in the folder, and what lies there twice


def read(
    paths: list[Path],
    channels: int = 0,
    resize: tuple[int, int] | None = None,
    skip_bad: bool = False,
) -> dict[str, Raw]:
    """The images of one or more splits: an .npz or class folders, IDX files, a table.

    channels: 1 or 3 to convert to; 0: as they are. resize: height and width to change them to.
    skip_bad: leave out pictures that cannot be read.
    """
    if not paths:
        raise WorkingsError("no image files are given")
    first = paths[0]
    if first.is_dir() and len(paths) == 1:
        return {"train": from_folder(first, channels, resize, skip_bad)}
    if len(paths) <= 2 and any(idx.looks_like(path) for path in paths):
        by_split = {"train": _from_idx(paths)}
    elif len(paths) > 1:
        raise WorkingsError(
            f"{paths[1]}: {first.name} was given too; a split is one file or folder, or IDX "
            "images with their labels"
        )
    elif first.suffix.lower() == ".npz":
        by_split = _from_npz(first)
    elif pixeltable.looks_like(first):
        pixels, labels = pixeltable.read(first)
        by_split = {"train": Raw(first, pixels[:, None], labels)}
    else:
        unpack.size(first)  # says so if it is not there
        raise WorkingsError(
            f"{first}: is no kind of image data known here: .npz, IDX (…-idx3-ubyte, .gz or not), "
            ".csv (.gz), or a folder of class folders with pictures"
        )
    return {split: fit(raw, channels, resize) for split, raw in by_split.items()}


def from_folder(
    folder: Path, channels: int, resize: tuple[int, int] | None, skip_bad: bool = False
) -> Raw:
    """A folder of class folders with pictures; those that cannot be read are left out if asked."""
    classes = pictures.class_folders(folder)
    files = [file for inside in classes.values() for file in inside]
    labels = np.repeat(np.arange(len(classes)), [len(inside) for inside in classes.values()])
    bad = unreadable(files) if skip_bad else {}
    if len(bad) == len(files):
        raise WorkingsError(next(iter(bad.values())))
    labels = labels[[file not in bad for file in files]]
    try:
        pixels = from_pictures([file for file in files if file not in bad], channels, resize)
    except pictures.BadPicture as error:
        raise WorkingsError(
            f"{error}; mend it, or leave such pictures out with --set data.skip_bad=true"
        ) from None
    return Raw(
        folder,
        pixels,
        labels.astype(np.int64),
        tuple(classes),
        left_out=tuple(bad.values()),
        passed_over=(
            *pictures.passed_over(folder, files),
            *_of_two_classes([file for file in files if file not in bad], pixels, labels),
        ),
    )


def _of_two_classes(files: list[Path], pixels: np.ndarray, labels: np.ndarray) -> list[str]:
    """That a picture lies under two classes, pixel for pixel, with the names of the first two."""
    first: dict[bytes, int] = {}
    found = [
        (files[same], file)
        for number, file in enumerate(files)
        if (same := first.setdefault(hashlib.sha256(pixels[number]).digest(), number)) != number
        and labels[same] != labels[number]
    ]
    if not found:
        return []
    names = " and ".join("/".join(file.parts[-2:]) for file in found[0])
    more = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
    return [f"the same picture is under two classes: {names}{more}"]


def unreadable(files: list[Path]) -> dict[Path, str]:
    """The pictures among these that cannot be read, and why."""
    bad = {}
    for file in files:
        try:
            pictures.read(file, pictures.look(file)[0])
        except pictures.BadPicture as error:
            bad[file] = str(error)
    return bad


def from_pictures(files: list[Path], channels: int, resize: tuple[int, int] | None) -> np.ndarray:
    """Pictures of one size, or resized to one; in colour if any of them is."""
    looks = [pictures.look(file) for file in files]
    channels = channels or max(look[0] for look in looks)
    size = resize or looks[0][1:]
    for file, look in zip(files, looks, strict=True):
        if not resize and look[1:] != size:
            raise WorkingsError(
                f"{file}: is {look[1]}×{look[2]} pixels, but {files[0]} is {size[0]}×{size[1]}; "
                f"bring all to one size with --set data.resize={min(size)}"
            )
    total = len(files) * channels * size[0] * size[1]
    unpack.require_sane(str(files[0].parent), total, total)
    pixels = np.empty((len(files), channels, *size), np.uint8)
    for number, file in enumerate(following(files, "pictures")):
        picture = pictures.read(file, channels)
        fits = picture.shape[1:] == size
        pixels[number] = picture if fits else resized(picture[None], size)[0]
    return pixels


def fit(raw: Raw, channels: int, resize: tuple[int, int] | None) -> Raw:
    """The same images with those channels and that size."""
    pixels, size = raw.pixels, (raw.pixels.shape[2], raw.pixels.shape[3])
    if channels and channels != pixels.shape[1]:
        pixels = recoloured(pixels, channels)
    if resize and resize != size:
        return replace(raw, pixels=resized(pixels, resize), was=size)
    return replace(raw, pixels=pixels)


def resized(pixels_NCHW: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Stretched or shrunk to that height and width, linearly, without aliasing."""
    return np.concatenate(
        [
            F.interpolate(torch.from_numpy(chunk).float(), size, mode="bilinear", antialias=True)
            .round_()
            .clamp_(0, 255)
            .byte()
            .numpy()
            for chunk in np.split(pixels_NCHW, range(CHUNK, len(pixels_NCHW), CHUNK))
        ]
    )


def recoloured(pixels_NCHW: np.ndarray, channels: int) -> np.ndarray:
    """Grey from colour by the eye's weights (ITU-R 601), or colour from grey by repeating it."""
    if channels == 3:
        return np.repeat(pixels_NCHW, 3, axis=1)
    red, green, blue = (pixels_NCHW[:, i : i + 1].astype(np.uint32) for i in range(3))
    return ((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16).astype(np.uint8)


def _from_idx(paths: list[Path]) -> Raw:
    arrays = {path: idx.read(path) for path in paths}
    images = [path for path, array in arrays.items() if array.ndim >= 3]
    labels = [path for path, array in arrays.items() if array.ndim == 1]
    if len(images) != 1 or len(images) + len(labels) != len(paths):
        raise WorkingsError(
            f"{paths[-1]}: expected one IDX file of images and one of labels, got "
            + ", ".join(
                f"{path.name} of {array.ndim} dimension(s)" for path, array in arrays.items()
            )
        )
    pixels = _channels_first(arrays[images[0]], images[0], "it")
    if not labels:
        return Raw(images[0], pixels)
    return Raw(images[0], pixels, _labels(arrays[labels[0]], len(pixels), labels[0], "it"))


def _from_npz(path: Path) -> dict[str, Raw]:
    names = npz.names(path)
    chosen = {
        split: next((pair for pair in pairs if pair[0] in names), None)
        for split, pairs in NPZ_KEYS.items()
    }
    keys = {split: pair for split, pair in chosen.items() if pair}
    if "train" not in keys and not keys:
        raise WorkingsError(
            f"{path}: holds {', '.join(names) or 'nothing'}; expected train_images, train_labels "
            "(val_…, test_…), or x_train, y_train (x_test, y_test), or images, labels"
        )
    wanted = [key for pair in keys.values() for key in pair if key in names]
    arrays = npz.read(path, wanted)
    by_split = {}
    for split, (images, labels) in keys.items():
        pixels = _channels_first(_bytes(arrays[images], path, images), path, images)
        given, classes = arrays.get(labels), tuple[str, ...]()
        if given is not None:
            classes, given = _named(given)
            given = _labels(given, len(pixels), path, labels)
        by_split[split] = Raw(path, pixels, given, classes)
    return by_split


def _named(labels: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """The names of classes that labels are given by, in order, and their numbers; or no names."""
    if labels.dtype.kind != "U":
        return (), labels
    names, numbers = np.unique(labels, return_inverse=True)
    return tuple(names.tolist()), numbers.reshape(labels.shape)


def _bytes(array: np.ndarray, path: Path, key: str) -> np.ndarray:
    """Pixels as bytes: whole numbers from 0 to 255, or fractions from 0 to 1 rounded to 1/255."""
    if array.dtype == np.uint8 or not array.size:
        return array if array.size else np.zeros(array.shape, np.uint8)
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * 255
    kind, most = array.dtype.kind, {"i": 255, "u": 255, "f": 1}.get(array.dtype.kind)
    if most is None:
        raise WorkingsError(f"{path}: {key} holds {array.dtype}; expected pixels as numbers")
    low, high = array.min(), array.max()
    if kind == "f" and 1 < high <= 255 and (array == np.rint(array)).all():
        kind, most = "i", 255  # whole numbers, in floating point
    if not (low >= 0 and high <= most):  # a NaN too
        raise WorkingsError(
            f"{path}: {key} has pixels from {low:g} to {high:g}; expected "
            + ("fractions from 0 to 1" if kind == "f" else "whole numbers from 0 to 255")
        )
    return np.rint(array * 255).astype(np.uint8) if kind == "f" else array.astype(np.uint8)


def _channels_first(array: np.ndarray, path: Path, key: str) -> np.ndarray:
    """N×C×H×W from N×H×W or N×H×W×C."""
    if array.ndim == 3:
        array = array[..., None]
    if array.ndim != 4 or array.shape[3] not in (1, 3):
        shape = " × ".join(map(str, array.shape))
        raise WorkingsError(f"{path}: {key} is {shape}; expected N×H×W (grey) or N×H×W×3 (colour)")
    if 0 in array.shape:
        raise WorkingsError(f"{path}: {key} holds no images")
    return np.ascontiguousarray(array.transpose(0, 3, 1, 2))


def _labels(array: np.ndarray, images: int, path: Path, key: str) -> np.ndarray:
    """N class numbers from N or N×1."""
    if array.ndim == 2 and array.shape[1] > 1:
        raise WorkingsError(
            f"{path}: {key} has {array.shape[1]} labels an image; expected one class each"
        )
    labels = array.reshape(-1)
    if labels.dtype.kind not in "iub":
        raise WorkingsError(f"{path}: {key} holds {array.dtype}; expected class numbers")
    if len(labels) != images:
        raise WorkingsError(f"{path}: {key} has {len(labels):,} labels for {images:,} images")
    return labels.astype(np.int64)
