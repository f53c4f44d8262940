"""Small convolutional networks, and what they compute in PyTorch's own functions."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from workings.nn.conv import CNN


def plain(model: CNN, x: Tensor) -> Tensor:
    """Logits, layer by layer in PyTorch's own functions, in training without dropout."""
    for layer in model.convolutions:
        x = F.conv2d(x, layer.conv.weight, layer.conv.bias, layer.stride, layer.padding)
        if layer.norm is not None:
            x = F.batch_norm(x, None, None, layer.norm.weight, layer.norm.bias, True)
        x = x.relu()
        if layer.pool == "max":
            x = F.max_pool2d(x, 2)
        if layer.pool == "average":
            x = F.avg_pool2d(x, 2)
    x = x.flatten(1)
    for dense in model.dense:
        x = dense(x).relu()
    return model.output(x)


def example(**fields: Any) -> tuple[CNN, Tensor, Tensor]:
    """A small network, six images and their classes."""
    model = CNN(2, 11, 13, 5, **{"channels": (3, 4), "dropout": 0.0, **fields}).double()
    return model, torch.randn(6, 2, 11, 13, dtype=torch.double), torch.randint(0, 5, (6,))
