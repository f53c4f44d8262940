"""Leaks of an image set: test images that are trained on, a pixel that tells the class."""

# N images, D pixels, W words of eight bytes

from collections.abc import Iterator

import numpy as np

from workings.tasks.images.dataset import Images
from workings.tasks.label_columns import telling_columns
from workings.tasks.leak import Leak, overlap

LEAST = 0.01  # the share of a split's images, found in another one, that is worth a word
WORDS = 64  # of eight bytes, drawn from each image: those that agree in them are compared whole
SAMPLE = 2000  # training images in which a pixel is looked for that tells the class
PAIRS = (("test", "train"), ("valid", "train"), ("test", "valid"))


def same_images(splits: dict[str, Images]) -> Iterator[Leak]:
    """Images of one split that are in another one too, pixel for pixel."""
    hashes = {split: _hashes(part) for split, part in splits.items()}
    for split, other in PAIRS:
        mine, theirs = splits[split], splits[other]
        order = np.argsort(hashes[other], kind="stable")
        sorted_N = hashes[other][order]
        at_N = np.searchsorted(sorted_N, hashes[split]).clip(max=len(sorted_N) - 1)
        likely = np.flatnonzero(sorted_N[at_N] == hashes[split])
        mine_ND = mine.pixels.flatten(1).numpy()[likely]
        theirs_ND = theirs.pixels.flatten(1).numpy()[order[at_N[likely]]]
        same = int((mine_ND == theirs_ND).all(1).sum())
        yield from overlap("images", split, other, same, len(mine), LEAST)


def _hashes(part: Images) -> np.ndarray:
    """A hash of some words of each image, the same words of all."""
    flat_ND = part.pixels.contiguous().numpy().reshape(len(part), -1)
    padded = -flat_ND.shape[1] % 8
    if padded:
        flat_ND = np.pad(flat_ND, ((0, 0), (0, padded)))
    words_NW = flat_ND.view(np.uint64)
    draw = np.random.default_rng(0)
    chosen = np.sort(draw.permutation(words_NW.shape[1])[:WORDS])
    factors = draw.integers(0, 1 << 63, len(chosen), np.uint64) * np.uint64(2) + np.uint64(1)
    total_N = np.zeros(len(part), np.uint64)
    for word, factor in zip(chosen, factors, strict=True):
        mixed_N = words_NW[:, word] * factor
        total_N += mixed_N ^ (mixed_N >> np.uint64(29))
    return total_N


def telling_pixels(train: Images, names: tuple[str, ...]) -> Iterator[Leak]:
    """A pixel, or a few, from which the class can be read: a stamp, or the label itself."""
    few = np.sort(np.random.default_rng(0).permutation(len(train))[:SAMPLE])
    sample = train.take(few)
    labels_N = sample.labels.numpy()
    flat_ND = sample.pixels.flatten(1).numpy()
    present = [label for label in range(len(names)) if (labels_N == label).any()]
    least_CD, most_CD = (
        np.stack([extreme(flat_ND[labels_N == label], 0) for label in present])
        for extreme in (np.min, np.max)
    )
    counts_C = np.array([(labels_N == label).sum() for label in present])
    telling = telling_columns(least_CD, most_CD, counts_C)
    # Where many pixels tell it, the picture does: black ones and white ones, say.
    told = len(present) == len(telling.copies) and len(telling.ordered) <= max(
        1, flat_ND.shape[1] // 50
    )
    if told:
        height, width = train.pixels.shape[2:]
        places = {column % (height * width) for column in telling.copies.values()}
        shown = ", ".join(f"({at // width}, {at % width})" for at in sorted(places)[:3])
        yield Leak(
            f"data: the class of every image can be read from its pixels {shown} (row, column)",
            "blank them, if they are not part of the picture",
            "data.allow_label_features",
            grave=False,
        )
