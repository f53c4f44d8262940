"""The residual network: its block by hand, its size, whatever the pictures."""

import pytest
import torch
from torch.nn import functional as F

from workings.nn.conv import ResidualBlock, ResNet


def test_a_block_is_its_equation() -> None:
    torch.manual_seed(1)
    block = ResidualBlock(3, 5, stride=2).double().eval()
    x = torch.randn(2, 3, 7, 6, dtype=torch.double)

    def convolved(x: torch.Tensor, conv: torch.nn.Module, stride: int) -> torch.Tensor:
        """A convolution as a product of patches with the kernel."""
        weight = conv.weight
        patches = F.unfold(x, weight.shape[-1], padding=weight.shape[-1] // 2, stride=stride)
        rows, columns = (-(-side // stride) for side in x.shape[2:])
        return (weight.flatten(1) @ patches).view(len(x), -1, rows, columns)

    scale = (1 + 1e-5) ** -0.5  # a fresh batch norm
    inner = (convolved(x, block.conv_1, 2) * scale).relu()
    around = convolved(x, block.around[0], 2) * scale  # type: ignore[index]
    wanted = (around + convolved(inner, block.conv_2, 1) * scale).relu()
    assert torch.allclose(block(x), wanted)


@pytest.mark.parametrize("side", [1, 9, 96])
def test_pictures_of_any_size_with_the_same_parameters(side: int) -> None:
    torch.manual_seed(1)
    model = ResNet(3, 4).eval()
    x = torch.randn(2, 3, side, side)
    assert torch.allclose(model(x)[:1], model(x[:1]), atol=1e-5)
    # stem and norm, one block a stage, the output layer
    stages = [(16, 16), (16, 32), (32, 64), (64, 128)]
    blocks = sum(9 * a * b + 9 * b * b + 4 * b + (a != b) * (a * b + 2 * b) for a, b in stages)
    wanted = 27 * 16 + 32 + blocks + 128 * 4 + 4
    assert sum(weight.numel() for weight in model.parameters()) == wanted == 308_052
