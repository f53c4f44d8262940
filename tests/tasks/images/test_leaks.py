"""Images that are in two splits, and pixels that tell the class."""

import numpy as np
import pytest
import torch

from workings.tasks.images.dataset import Images
from workings.tasks.images.leaks import same_images, telling_pixels

DRAW = np.random.default_rng(0)


def images(count: int, side: int = 9, classes: int = 2) -> Images:
    pixels = torch.from_numpy(DRAW.integers(0, 256, (count, 1, side, side), dtype=np.uint8))
    return Images(pixels, torch.arange(count) % classes)


def together(*parts: Images) -> Images:
    return Images(torch.cat([p.pixels for p in parts]), torch.cat([p.labels for p in parts]))


@pytest.mark.parametrize("side", [8, 9, 28])
def test_the_share_of_images_that_are_in_train_too(side: int) -> None:
    splits = {"train": images(200, side), "valid": images(50, side), "test": images(100, side)}
    assert list(same_images(splits)) == []
    twins = splits["train"].take(DRAW.permutation(200)[:30])
    splits["test"] = together(splits["test"].take(np.arange(70)), twins)
    (leak,) = same_images(splits)
    assert "30% of the test images are among those of train" in leak.text
    assert not leak.grave
    splits["test"] = images(100, side)
    splits["valid"] = splits["train"].take(np.arange(50)[::-1].copy())
    assert [leak.grave for leak in same_images(splits)] == [True]
    splits["valid"] = splits["test"].take(np.arange(50))
    (leak,) = same_images(splits)
    assert "50% of the test images are among those of valid" in leak.text
    assert not leak.grave  # nothing of it is trained on


def test_one_pixel_more_is_another_image() -> None:
    splits = {"train": images(40, 28), "valid": images(10, 28), "test": images(10, 28)}
    near = splits["train"].pixels[:10].clone()
    near[:, 0, 0, 0] += 1
    splits["test"] = Images(near, splits["test"].labels)
    assert list(same_images(splits)) == []


def test_a_pixel_that_is_the_label() -> None:
    train = images(90, classes=3)
    assert list(telling_pixels(train, ("a", "b", "c"))) == []
    train.pixels[:, 0, 2, 5] = train.labels.byte() * 40
    (leak,) = telling_pixels(train, ("a", "b", "c"))
    assert "its pixels (2, 5)" in leak.text
    assert not leak.grave


def test_black_and_white_pictures_are_told_apart_by_right() -> None:
    train = images(60)
    train.pixels[:] = (train.labels * 255).byte()[:, None, None, None]
    assert list(telling_pixels(train, ("black", "white"))) == []
