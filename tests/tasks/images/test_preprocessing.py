"""What is kept of an image set: moments, normalisation, and their way through JSON."""

import numpy as np
import pytest
import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.tasks.images.dataset import Images, ImageSet
from workings.tasks.images.preprocessing import Preprocessing, moments


def made(pixels: Tensor) -> ImageSet:
    some = Images(pixels, torch.arange(len(pixels)) % 2)
    return ImageSet(dict.fromkeys(("train", "valid", "test"), some), ("a", "b"), "")


@pytest.fixture
def pixels() -> Tensor:
    draw = np.random.default_rng(1)
    return torch.from_numpy(draw.integers(0, 256, (5000, 3, 4, 2)).astype(np.uint8))


def test_moments_are_those_of_numpy(pixels: Tensor) -> None:
    mean, deviation = moments(pixels)
    values = pixels.numpy().astype(np.float64) / 255
    np.testing.assert_allclose(mean, values.mean((0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(deviation, values.std((0, 2, 3)), rtol=1e-9)


def test_standard_normalisation_has_mean_0_and_deviation_1(pixels: Tensor) -> None:
    x = Preprocessing.of(made(pixels), "standard").normalised(pixels)
    assert x.dtype == torch.float32
    torch.testing.assert_close(x.mean((0, 2, 3)), torch.zeros(3), atol=1e-5, rtol=0)
    torch.testing.assert_close(x.std((0, 2, 3)), torch.ones(3), atol=1e-3, rtol=0)


def test_unit_normalisation_is_pixel_over_255(pixels: Tensor) -> None:
    form = Preprocessing.of(made(pixels), "unit")
    torch.testing.assert_close(form.normalised(pixels), pixels.float() / 255)
    assert form.black.tolist() == [0, 0, 0]


@pytest.mark.parametrize("normalise", ["unit", "standard"])
def test_black_is_what_a_pixel_of_0_becomes(pixels: Tensor, normalise: str) -> None:
    form = Preprocessing.of(made(pixels), normalise)
    black = form.normalised(torch.zeros(1, 3, 1, 1, dtype=torch.uint8)).flatten()
    torch.testing.assert_close(form.black, black)


def test_an_even_channel_divides_by_no_zero() -> None:
    even = torch.full((4, 1, 3, 3), 7, dtype=torch.uint8)
    assert Preprocessing.of(made(even), "standard").normalised(even).abs().max() < 1e-6


def test_json_gives_the_same_form(pixels: Tensor) -> None:
    form = Preprocessing.of(made(pixels), "standard")
    assert Preprocessing.from_json(form.to_json()) == form


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"{}",
        b'{"names": ["a"], "shape": [1, 2], "mean": [0], "deviation": [1]}',
        b'{"names": ["a"], "shape": [3, 2, 2], "mean": [0], "deviation": [1]}',
        b'{"names": ["a"], "shape": [1, 2, 2], "mean": [0], "deviation": [0]}',
    ],
)
def test_a_damaged_file_is_named(content: bytes) -> None:
    with pytest.raises(WorkingsError, match=r"classes\.json: cannot be read"):
        Preprocessing.from_json(content)


def test_other_data_is_told_from_its_own(pixels: Tensor) -> None:
    form = Preprocessing.of(made(pixels), "unit")
    form.require(made(pixels))
    with pytest.raises(WorkingsError, match="the images are 3×2 colour; the model knows 4×2"):
        form.require(made(pixels[:, :, :3]))
    other = ImageSet(made(pixels).splits, ("a", "c"), "")
    with pytest.raises(WorkingsError, match="the data has the classes a, c; the model knows a, b"):
        form.require(other)
