"""Small image sets in every form, made for a test."""

import gzip
import struct
from pathlib import Path

import numpy as np
from PIL import Image


def drawn(n: int, classes: int, side: int = 8, channels: int = 0, seed: int = 1) -> tuple:
    """Images whose brightest column tells their class, and labels 0, 1, … in turn."""
    draw = np.random.default_rng(seed)
    labels = np.arange(n) % classes
    shape = (n, side, side, channels) if channels else (n, side, side)
    pixels = draw.integers(0, 60, shape)
    for image, label in zip(pixels, labels, strict=True):
        image[:, label % side] += 180
    return pixels.astype(np.uint8), labels.astype(np.uint8)


def idx(array: np.ndarray) -> bytes:
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return head + array.astype(np.uint8).tobytes()


def write_idx(path: Path, array: np.ndarray, level: int = 6) -> Path:
    content = idx(array)
    zipped = gzip.compress(content, level, mtime=0) if path.suffix == ".gz" else content
    path.write_bytes(zipped)
    return path


def mnist(folder: Path, train: int = 40, test: int = 10, suffix: str = ".gz") -> Path:
    """Files named as MNIST's."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, n, seed in (("train", train, 1), ("t10k", test, 2)):
        pixels, labels = drawn(n, 2, seed=seed)
        write_idx(folder / f"{part}-images-idx3-ubyte{suffix}", pixels)
        write_idx(folder / f"{part}-labels-idx1-ubyte{suffix}", labels)
    return folder


def medmnist(path: Path, sizes: dict[str, int], classes: int = 4, channels: int = 0) -> Path:
    """An .npz of MedMNIST's form: labels N×1."""
    arrays = {}
    for seed, (split, n) in enumerate(sizes.items()):
        pixels, labels = drawn(n, classes, channels=channels, seed=seed)
        arrays |= {f"{split}_images": pixels, f"{split}_labels": labels[:, None]}
    np.savez_compressed(path, **arrays)
    return path


def class_folders(folder: Path, each: int = 6, names: tuple[str, ...] = ("cat", "dog")) -> Path:
    pixels, labels = drawn(each * len(names), len(names))
    for number, (image, label) in enumerate(zip(pixels, labels, strict=True)):
        place = folder / names[label]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(place / f"{number:03}.png")
    return folder


def table(path: Path, pixels: np.ndarray, labels: np.ndarray | None, header: str = "") -> Path:
    """A row an image, the label last."""
    flat = pixels.reshape(len(pixels), -1)
    rows = flat if labels is None else np.column_stack([flat, labels])
    lines = ([header] if header else []) + [",".join(map(str, row)) for row in rows.tolist()]
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path
