"""Convolutional image classifiers: pixels to log-probabilities of the classes; torch alone."""

# B batch, C channels, H height, W width, K classes

from itertools import pairwise
from typing import NotRequired, TypedDict

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Config(TypedDict):
    """The sizes of the model, as config.json has them; of a resnet, channels and blocks alone."""

    kind: str
    shape: list[int]
    classes: int
    mean: list[float]
    deviation: list[float]
    channels: list[int]
    blocks: NotRequired[int]
    kernel: NotRequired[int]
    padding: NotRequired[list[int]]
    pool: NotRequired[list[str]]
    batch_norm: NotRequired[bool]
    flat: NotRequired[int]
    dense: NotRequired[list[int]]


class Convolution(nn.Module):
    """pool(ReLU([norm](conv(x)))).

    Shapes: x_BCHW; returns B×C'×H'×W', half as high and wide where it pools or strides.
    """

    def __init__(self, inputs: int, outputs: int, kernel: int, padding: int, pool: str, norm: bool):
        super().__init__()
        self.pool, stride = pool, 2 if pool == "stride" else 1
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=not norm)
        self.norm = nn.BatchNorm2d(outputs) if norm else None

    def forward(self, x_BCHW: Tensor) -> Tensor:
        y_BCHW = self.conv(x_BCHW)
        y_BCHW = (y_BCHW if self.norm is None else self.norm(y_BCHW)).relu()
        if self.pool == "max":
            return F.max_pool2d(y_BCHW, 2)
        return F.avg_pool2d(y_BCHW, 2) if self.pool == "average" else y_BCHW


class CNN(nn.Module):
    """Convolutions, then dense layers with ReLU, then the output layer.

    Shapes: x B×C×H×W; returns logits B×K.
    """

    def __init__(self, config: Config, channels: int, classes: int) -> None:
        super().__init__()
        sizes = [channels, *config["channels"]]
        layers = zip(pairwise(sizes), config["padding"], config["pool"], strict=True)
        self.convolutions = nn.ModuleList(
            Convolution(*pair, config["kernel"], padding, pool, config["batch_norm"])
            for pair, padding, pool in layers
        )
        widths = [config["flat"], *config["dense"]]
        self.dense = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.output = nn.Linear(widths[-1], classes)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.convolutions:
            x = layer(x)
        x = x.flatten(1)
        for layer in self.dense:
            x = layer(x).relu()
        return self.output(x)


class ResidualBlock(nn.Module):
    """y = ReLU(s(x) + N(K_2 * ReLU(N(K_1 * x)))).

    Shapes: x B×C×H×W; returns B×C'×H/stride×W/stride.
    """

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv_1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm_1, self.norm_2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.conv_2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.around: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            shrink = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.around = nn.Sequential(shrink, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm_1(self.conv_1(x)).relu()
        return (self.around(x) + self.norm_2(self.conv_2(y))).relu()


class ResNet(nn.Module):
    """A convolution of stride 2, residual blocks, the mean over the picture, one layer.

    Shapes: x B×C×H×W; returns logits B×K.
    """

    def __init__(self, config: Config, channels: int, classes: int) -> None:
        super().__init__()
        stages = config["channels"]
        self.stem = nn.Conv2d(channels, stages[0], 3, 2, 1, bias=False)
        self.norm, layers = nn.BatchNorm2d(stages[0]), []
        for stage, outputs in enumerate(stages):
            first = ResidualBlock(stages[max(0, stage - 1)], outputs, 1 if stage == 0 else 2)
            rest = [ResidualBlock(outputs, outputs, 1) for _ in range(1, config["blocks"])]
            layers += [first, *rest]
        self.blocks = nn.ModuleList(layers)
        self.output = nn.Linear(stages[-1], classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(self.stem(x)).relu()
        for block in self.blocks:
            x = block(x)
        return self.output(x.mean((2, 3)))


class Model(nn.Module):
    """log softmax of the network on (pixel/255 - mean)/deviation.

    config: kind (cnn, resnet) with its sizes, shape [C, H, W], classes K, mean and deviation of
    each channel.

    Shapes: pixels_BCHW, numbers from 0 to 255; returns log-probabilities B×K.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        kind = {"cnn": CNN, "resnet": ResNet}[config["kind"]]
        self.network = kind(config, config["shape"][0], config["classes"])
        self.mean = torch.tensor(config["mean"]).view(1, -1, 1, 1)
        self.deviation = torch.tensor(config["deviation"]).view(1, -1, 1, 1)

    def forward(self, pixels_BCHW: Tensor) -> Tensor:
        x_BCHW = (pixels_BCHW.float() - 255 * self.mean) / (255 * self.deviation)
        return self.network(x_BCHW).log_softmax(1)
