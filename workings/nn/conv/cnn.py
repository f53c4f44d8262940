"""Convolutional networks for images: convolutions that halve them, then dense layers."""

# B batch, C channels, H height, W width, D width of the dense layers' input, K classes

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from workings.errors import WorkingsError
from workings.nn.dropout import Dropout

Pool = Literal["max", "average", "stride", "none"]


class Convolution(nn.Module):
    """y_o = pool(ReLU(Σ_c K_oc * x_c + b_o)) for every channel o, with * the k×k convolution.

    One layer of the stack: conv k×k · [batch norm] · ReLU · pool.

    inputs, outputs: channels. kernel: the side k of the kernel, in pixels. padding: pixels of
    zeros around the image. pool: the largest ("max") or the mean ("average") of every 2×2 window;
    "stride" moves the kernel by two pixels instead, so that the image is halved without pooling;
    "none" keeps its size. batch_norm: every channel is normalised over the batch.

    Shapes: x B×C×H×W, returns B×outputs×H'×W' as `size` gives them.
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
            return F.max_pool2d(y_BCHW, 2).relu()
        y_BCHW = y_BCHW.relu()
        return F.avg_pool2d(y_BCHW, 2) if self.pool == "average" else y_BCHW


class CNN(nn.Module):
    """A stack of convolutions, then dense layers h' = ReLU(h W + b), then log softmax(h U + c).

    The defaults are conv 1→8, 3×3, padding 1 · ReLU · max pool 2 · conv 8→16, 3×3 · ReLU · max
    pool 2 · dense 576→320 · ReLU · dropout · dense 320→120 · ReLU · dense 120→K · log-softmax.
    The mean of -log p of the right classes (NLL) of that output is the cross-entropy.

    channels_in, height, width: of an image; classes: K. channels, padding, pool: of each
    convolution; kernel, batch_norm: of all of them, as in `Convolution`. dense: units of the
    dense layers between the convolutions and the output. dropout: the probability of dropping a
    unit after the first dense layer, or before the output if there is none.

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
        """Mean cross-entropy of the classes y, in nats, with that much label smoothing."""
        return F.cross_entropy(self.logits(x_BCHW), y_B, label_smoothing=smoothing)
