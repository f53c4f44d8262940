"""The image classifiers by the names and fields of a config."""

from typing import Literal

from pydantic import model_validator

from workings.nn.conv import CNN, Pool, ResNet
from workings.schema import Config, Count, Probability, Size


class ConvConfig(Config):
    """Convolutions, then dense layers."""

    kind: Literal["cnn"] = "cnn"
    channels: tuple[Size, ...] = (8, 16)
    """output channels of the convolutions, the first one first"""
    kernel: Size = 3
    """side of every convolution's kernel, in pixels"""
    padding: tuple[Count, ...] = (1, 0)
    """pixels of zeros around the image: one number for all convolutions, or one for each; 1 for
    all where there are not two of them"""
    pool: tuple[Pool, ...] = ("max",)
    """how the image is halved after a convolution, for all or for each: the largest or the mean
    of 2×2 pixels, a convolution of stride 2 instead, or not at all"""
    batch_norm: bool = False
    """normalise every channel over the batch, between convolution and ReLU"""
    dropout: Probability = 0.7
    """probability of dropping a unit after the first dense layer (before the output, if there is
    no dense layer)"""
    dense: tuple[Size, ...] = (320, 120)
    """units of the dense layers between the convolutions and the output"""

    @model_validator(mode="before")
    @classmethod
    def _one_for_all(cls, values: object) -> object:
        """One value or a list of them."""
        if not isinstance(values, dict):
            return values
        given = {
            key: _tuple(value) if key in ("channels", "padding", "pool", "dense") else value
            for key, value in values.items()
        }
        if len(given.get("channels", (8, 16))) != 2:
            given.setdefault("padding", (1,))
        return given

    @model_validator(mode="after")
    def _as_many(self) -> "ConvConfig":
        if not self.channels:
            raise ValueError("channels names no convolution")
        for key in ("padding", "pool"):
            given = len(getattr(self, key))
            if given not in (1, len(self.channels)):
                raise ValueError(
                    f"{key} has {given} entries for {len(self.channels)} convolutions; "
                    "give one for all, or one for each"
                )
        return self

    def build(self, channels: int, height: int, width: int, classes: int) -> CNN:
        """The network for images of that size; a single padding or pooling is for all layers."""
        number = len(self.channels)
        fields = self.model_dump(exclude={"kind"})
        for key in ("padding", "pool"):
            fields[key] *= 1 if len(fields[key]) == number else number
        return CNN(channels, height, width, classes, **fields)


class ResNetConfig(Config):
    """Residual blocks, then the mean over the picture: for pictures of any size."""

    kind: Literal["resnet"] = "resnet"
    channels: tuple[Size, ...] = (16, 32, 64, 128)
    """channels of each stage; every stage but the first halves the picture"""
    blocks: Size = 1
    """residual blocks in a stage"""
    dropout: Probability = 0.2
    """probability of dropping a unit before the output"""

    @model_validator(mode="before")
    @classmethod
    def _one_or_more(cls, values: object) -> object:
        """One value or a list of them."""
        if not isinstance(values, dict) or "channels" not in values:
            return values
        return {**values, "channels": _tuple(values["channels"])}

    @model_validator(mode="after")
    def _some(self) -> "ResNetConfig":
        if not self.channels:
            raise ValueError("channels names no stage")
        return self

    def build(self, channels: int, height: int, width: int, classes: int) -> ResNet:
        """The network for images with so many channels; it takes those of any size."""
        return ResNet(channels, classes, self.channels, self.blocks, self.dropout)


def _tuple(value: object) -> tuple[object, ...]:
    """One value, or a list of them, as a tuple."""
    if isinstance(value, list):
        return tuple(value)
    return value if isinstance(value, tuple) else (value,)


MODELS: dict[str, type[Config]] = {"cnn": ConvConfig, "resnet": ResNetConfig}
