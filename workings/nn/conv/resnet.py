"""A small residual network for pictures of any size: residual blocks, then global pooling."""

# B batch, C channels, H height, W width, K classes

from torch import Tensor, nn
from torch.nn import functional as F

from workings.nn.dropout import Dropout


class ResidualBlock(nn.Module):
    """y = ReLU(s(x) + N(K_2 * ReLU(N(K_1 * x)))), N a batch norm, K 3×3 (He et al., 2016).

    s(x) = x where the shape stays, else a 1×1 convolution with a batch norm of its own.
    inputs, outputs: channels. stride: by how many pixels the first kernel moves.

    Shapes: x B×inputs×H×W, returns B×outputs×⌈H/stride⌉×⌈W/stride⌉.
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        # A bias before a batch norm would be taken away again.
        self.conv_1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm_1 = nn.BatchNorm2d(outputs)
        self.conv_2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm_2 = nn.BatchNorm2d(outputs)
        self.around: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.around = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x_BCHW: Tensor) -> Tensor:
        y_BCHW = self.norm_1(self.conv_1(x_BCHW)).relu()
        return (self.around(x_BCHW) + self.norm_2(self.conv_2(y_BCHW))).relu()


class ResNet(nn.Module):
    """A convolution of stride 2, stages of residual blocks, the mean over the picture, one layer.

    Every stage but the first halves the picture. As the mean is taken over whatever is left of it
    (global average pooling), the number of parameters does not depend on its size.

    channels_in: of a picture; classes: K. channels: of each stage. blocks: in a stage. dropout:
    the probability of dropping a unit before the output.

    Shapes: x B×C×H×W, returns logits B×K.
    """

    def __init__(
        self,
        channels_in: int,
        classes: int,
        channels: tuple[int, ...] = (16, 32, 64, 128),
        blocks: int = 1,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        self.stem = nn.Conv2d(channels_in, channels[0], 3, 2, 1, bias=False)
        self.norm = nn.BatchNorm2d(channels[0])
        layers = []
        for stage, outputs in enumerate(channels):
            inputs = channels[max(0, stage - 1)]
            layers.append(ResidualBlock(inputs, outputs, 1 if stage == 0 else 2))
            layers += [ResidualBlock(outputs, outputs) for _ in range(blocks - 1)]
        self.blocks = nn.ModuleList(layers)
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(channels[-1], classes)

    def features(self, x_BCHW: Tensor) -> Tensor:
        """What the output layer sees: each channel's mean over the picture, B×D."""
        x_BCHW = self.norm(self.stem(x_BCHW)).relu()
        for block in self.blocks:
            x_BCHW = block(x_BCHW)
        return F.adaptive_avg_pool2d(x_BCHW, 1).flatten(1)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        return self.output(self.dropout(self.features(x_BCHW)))
