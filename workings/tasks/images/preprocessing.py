"""Preprocessing: the classes and the shape that a model knows, and how pixels become numbers."""

# N images, C channels, H height, W width

import json
from dataclasses import asdict, dataclass
from typing import TypedDict

import torch
from torch import Tensor

from workings.errors import WorkingsError
from workings.json_files import Count, conform, parse
from workings.tasks.images.dataset import ImageSet, shape_words

CHUNK = 4096  # images whose pixels are summed at a time: the sums stay exact


def moments(pixels_NCHW: Tensor) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of pixel/255, channel by channel."""
    channels = pixels_NCHW.shape[1]
    total, squares = torch.zeros(2, channels, dtype=torch.double)
    for chunk in pixels_NCHW.split(CHUNK):
        values = chunk.transpose(0, 1).reshape(channels, -1).double() / 255
        total += values.sum(1)
        squares += values.square().sum(1)
    count = pixels_NCHW.numel() // channels
    mean = total / count
    deviation = (squares / count - mean.square()).clamp_min_(0).sqrt()
    return tuple(mean.tolist()), tuple(deviation.tolist())


class _PreprocessingRecord(TypedDict):
    names: list[str]
    shape: list[Count]
    mean: list[float]
    deviation: list[float]


@dataclass(frozen=True)
class Preprocessing:
    """What is kept of a data set so that its model can be used without it."""

    names: tuple[str, ...]
    shape: tuple[int, int, int]  # C, H, W
    mean: tuple[float, ...]  # taken from pixel/255, channel by channel
    deviation: tuple[float, ...]  # what is left is divided by it

    @classmethod
    def of(cls, data: ImageSet, normalise: str) -> "Preprocessing":
        """From the training pictures: size, classes, and where asked, mean and deviation."""
        pixels = data.splits["train"].pixels
        _, channels, height, width = pixels.shape
        mean, deviation = (0.0,) * channels, (1.0,) * channels
        if normalise == "standard":
            mean, deviation = moments(pixels)
            # A channel that is the same everywhere has none, and says nothing.
            deviation = tuple(value or 1.0 for value in deviation)
        return cls(data.names, (channels, height, width), mean, deviation)

    def normalised(self, pixels_NCHW: Tensor) -> Tensor:
        """(pixel/255 - mean)/deviation, as 32-bit numbers."""
        mean, deviation = (
            torch.tensor(each, device=pixels_NCHW.device).view(1, -1, 1, 1)
            for each in (self.mean, self.deviation)
        )
        return pixels_NCHW.float().sub_(255 * mean).div_(255 * deviation)

    @property
    def black(self) -> Tensor:
        """What a pixel of 0 becomes, by channel."""
        return -torch.tensor(self.mean) / torch.tensor(self.deviation)

    def require(self, data: ImageSet) -> None:
        """Say how a data set differs from the one the model was made for."""
        shape = tuple(data.splits["train"].pixels.shape[1:])
        if data.names != self.names:
            raise WorkingsError(
                f"the data has the classes {', '.join(data.names)}; the model knows "
                f"{', '.join(self.names)}"
            )
        if shape != self.shape:
            raise WorkingsError(
                f"the images are {shape_words(shape)}; the model knows {shape_words(self.shape)}: "
                "set data.resize and data.channels"
            )

    def to_json(self) -> bytes:
        """The content of classes.json, which a run folder keeps."""
        return (json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Preprocessing":
        """What `to_json` wrote; WorkingsError where it is damaged."""
        try:
            given = conform(parse(content), _PreprocessingRecord)
            names, (channels, height, width) = tuple(given["names"]), given["shape"]
            mean, deviation = tuple(given["mean"]), tuple(given["deviation"])
            if not len(mean) == len(deviation) == channels or min(deviation) <= 0 or not names:
                raise ValueError("its parts do not fit together")
        except ValueError as error:
            raise WorkingsError(
                f"classes.json: cannot be read ({error}); without it the run cannot be used"
            ) from None
        return cls(names, (channels, height, width), mean, deviation)
