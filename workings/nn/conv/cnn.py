"""Convolutional networks for images: convolutions that halve them, then dense layers."""

# B batch, C channels, H height, W width, K classes

from typing import Any, Literal

import torch
from pydantic import model_validator
from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.conv.byhand import ByHand, Conv, Dense, loss_and_gradients
from workings.nn.conv.maxpool import max_pool
from workings.nn.dropout import Dropout
from workings.schema import Config, Count, Probability, Size

Pool = Literal["max", "average", "stride", "none"]
BY_HAND = 16  # images: in larger batches PyTorch's own kernels outweigh what calling them costs


class Convolution(nn.Module):
    """conv k×k · [batch norm] · ReLU · pool, one layer of the stack.

    Pooling takes the largest, or the mean, of every 2×2 window; "stride" moves the kernel by two
    pixels instead, so that the image is halved without pooling; "none" keeps its size.

    Shapes: x B×C×H×W, returns B×out×H'×W' as `size` gives them.
    """

    def __init__(
        self, inputs: int, outputs: int, kernel: int, padding: int, pool: Pool, batch_norm: bool
    ) -> None:
        super().__init__()
        self.kernel, self.padding, self.pool = kernel, padding, pool
        self.stride = 2 if pool == "stride" else 1
        # A bias before a batch norm would be taken away again.
        self.conv = nn.Conv2d(inputs, outputs, kernel, self.stride, padding, bias=not batch_norm)
        self.norm = nn.BatchNorm2d(outputs) if batch_norm else None

    def size(self, side: int) -> int:
        """Pixels along a side after this layer; 0 or less where there are too few before it."""
        left = side + 2 * self.padding - self.kernel
        convolved = left // self.stride + 1 if left >= 0 else 0
        return convolved // 2 if self.pool in ("max", "average") else convolved

    def forward(self, x_BCHW: Tensor) -> Tensor:
        y_BCHW = self.conv(x_BCHW)
        if self.norm is not None:
            y_BCHW = self.norm(y_BCHW)
        if self.pool == "max":  # the largest of the ReLUs is the ReLU of the largest
            return max_pool(y_BCHW).relu()
        y_BCHW = y_BCHW.relu()
        return F.avg_pool2d(y_BCHW, 2) if self.pool == "average" else y_BCHW

    def by_hand(self) -> Conv | None:
        """The layer as `loss_and_gradients` takes it; None if it is of no kind known there."""
        weight, bias = self.conv.weight, self.conv.bias
        if bias is None or self.pool == "average":
            return None
        return Conv(weight, bias, self.stride, self.padding, self.pool == "max")


class CNN(nn.Module):
    """A stack of convolutions, then dense layers with ReLU, then log-softmax.

    The defaults are conv 1→8, 3×3, padding 1 · ReLU · max pool 2 · conv 8→16, 3×3 · ReLU · max
    pool 2 · dense 576→320 · ReLU · dropout · dense 320→120 · ReLU · dense 120→K · log-softmax.
    The mean of -log p of the right classes (NLL) of that output is the cross-entropy.

    Shapes: x B×C×H×W, returns log-probabilities B×K.
    """

    def __init__(
        self,
        channels_in: int,
        height: int,
        width: int,
        classes: int,
        channels: tuple[int, ...] = (8, 16),
        kernel: int = 3,
        padding: tuple[int, ...] = (1, 0),
        pool: tuple[Pool, ...] = ("max", "max"),
        batch_norm: bool = False,
        dropout: float = 0.7,
        dense: tuple[int, ...] = (320, 120),
    ) -> None:
        super().__init__()
        sizes = (channels_in, *channels)
        layers = []
        for number, (pad, how) in enumerate(zip(padding, pool, strict=True)):
            layer = Convolution(sizes[number], sizes[number + 1], kernel, pad, how, batch_norm)
            before, (height, width) = (height, width), (layer.size(height), layer.size(width))
            if min(height, width) < 1:
                raise WorkingsError(
                    f"model: convolution {number + 1} of {len(channels)} gets an image of "
                    f"{before[0]}×{before[1]} pixels, too small for it (kernel {kernel}, padding "
                    f"{pad}, pool {how}); take fewer convolutions, more padding, or larger "
                    "images (data.resize)"
                )
            layers.append(layer)
        self.convolutions = nn.ModuleList(layers)
        widths = (sizes[-1] * height * width, *dense)
        self.dense = nn.ModuleList(nn.Linear(*pair) for pair in zip(widths, dense, strict=False))
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(widths[-1], classes)

    def features(self, x_BCHW: Tensor) -> Tensor:
        """What the dense layers see, B×D."""
        for layer in self.convolutions:
            x_BCHW = layer(x_BCHW)
        return x_BCHW.flatten(1)

    def logits(self, x_BCHW: Tensor) -> Tensor:
        """What the log-softmax is taken of, B×K."""
        h_BD = self.features(x_BCHW)
        if not self.dense:
            h_BD = self.dropout(h_BD)
        for number, dense in enumerate(self.dense):
            h_BD = dense(h_BD).relu()
            if number == 0:
                h_BD = self.dropout(h_BD)
        return self.output(h_BD)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        return self.logits(x_BCHW).log_softmax(1)

    def loss(self, x_BCHW: Tensor, y_B: Tensor, smoothing: float = 0.0) -> Tensor:
        """Mean cross-entropy of y, in nats; small batches with their gradients by hand."""
        convs = [layer.by_hand() for layer in self.convolutions]  # type: ignore[operator]
        known = all(convs) and x_BCHW.device.type == "cpu" and not x_BCHW.requires_grad
        known = known and len(x_BCHW) <= BY_HAND
        if not (known and torch.is_grad_enabled()):
            return F.cross_entropy(self.logits(x_BCHW), y_B, label_smoothing=smoothing)
        layers: Any = (*self.dense, self.output)
        denses = [Dense(layer.weight, layer.bias) for layer in layers]
        weights = [tensor for layer in (*convs, *denses) for tensor in layer[:2]]
        dropout = self.dropout.p if self.training else 0.0

        def run() -> Any:
            return loss_and_gradients(x_BCHW, y_B, convs, denses, dropout, smoothing)

        return ByHand.apply(run, *weights)


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
    def _one_for_all(cls, values: Any) -> Any:
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
        each = len(self.channels)
        return CNN(
            channels,
            height,
            width,
            classes,
            self.channels,
            self.kernel,
            self.padding * each if len(self.padding) == 1 else self.padding,
            self.pool * each if len(self.pool) == 1 else self.pool,
            self.batch_norm,
            self.dropout,
            self.dense,
        )


def _tuple(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return value if isinstance(value, tuple) else (value,)
