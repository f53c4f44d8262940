"""An image classifier of one's own: a convolution, then the mean over the whole image.

    workings train images --data pictures --set model.kind=images_own:MeanPooled \
        --set model.args.filters=8

The task builds `MeanPooled(channels=…, height=…, width=…, classes=…, filters=8)`.
"""

from torch import Tensor, nn


class MeanPooled(nn.Module):
    """Called with images B×C×H×W, gives logits B×classes."""

    def __init__(
        self, channels: int, height: int, width: int, classes: int, filters: int = 8
    ) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(channels, filters, kernel_size=3, padding=1)
        self.output = nn.Linear(filters, classes)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        return self.output(self.convolution(x_BCHW).relu().mean((2, 3)))
