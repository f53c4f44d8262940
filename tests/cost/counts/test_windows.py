"""Pooling and interpolation read windows: each window written out, at many sizes."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from workings.cost.counts.tally import Example, tally
from workings.cost.quantities import QUANTITIES

B, c = 2, 3


def counts(module: nn.Module, *shape: int) -> dict[str, int]:
    """Totals by quantity."""
    result = tally(lambda _: Example(module, (torch.randn(shape),)), {})
    assert not result.uncounted
    values = result.counts.items()
    return {q: sum(value for (name, _), value in values if name == q) for q in QUANTITIES}


class Interpolate(nn.Module):
    def __init__(self, mode: str, scale: float) -> None:
        super().__init__()
        self.mode, self.scale = mode, scale

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(x, scale_factor=self.scale, mode=self.mode)


def read(length: int, windows: int) -> int:
    """Elements in all windows of one dimension, by looking where each changes the mean."""
    x = torch.zeros(length, length).fill_diagonal_(1.0)
    return int((F.adaptive_avg_pool1d(x[:, None], windows) != 0).sum())


@pytest.mark.parametrize("n", [*range(1, 13), 17, 25, 64])
def test_adaptive_means_read_their_windows(n: int) -> None:
    for k in (2, 5, 7):
        one = counts(nn.AdaptiveAvgPool1d(k), B, c, n)
        assert one["elementwise"] == one["elementwise_backward"] == B * c * read(n, k)
        assert one["moved"] == 0
        two = counts(nn.AdaptiveAvgPool2d((k, 3)), B, c, n, n + 1)
        assert two["elementwise"] == B * c * read(n, k) * read(n + 1, 3)
        assert two["elementwise_backward"] == two["elementwise"]
        assert two["moved"] == 0


def test_five_windows_of_a_line() -> None:
    """Of n = 5k elements each once; otherwise all four neighbours share one."""
    for n in (5, 20, 35):
        assert counts(nn.AdaptiveAvgPool1d(5), B, c, n)["elementwise"] == B * c * n
    for n in (6, 22, 38, 44):
        assert counts(nn.AdaptiveAvgPool1d(5), B, c, n)["elementwise"] == B * c * (n + 4)


@pytest.mark.parametrize("kind", [nn.AdaptiveMaxPool2d, nn.AdaptiveAvgPool2d])
def test_adaptive_maxima_read_as_many_as_means(kind: Callable[[int], nn.Module]) -> None:
    assert counts(kind(5), B, c, 12, 13)["elementwise"] == B * c * 16 * 17


def test_three_dimensions() -> None:
    expected = c * read(4, 3) * read(5, 3) * read(6, 3)
    assert counts(nn.AdaptiveAvgPool3d(3), 1, c, 4, 5, 6)["elementwise"] == expected
    assert counts(nn.AdaptiveMaxPool3d(3), 1, c, 4, 5, 6)["elementwise"] == expected


@pytest.mark.parametrize("n", [2, 5, 9])
@pytest.mark.parametrize("scale", [2, 3])
@pytest.mark.parametrize(
    ("mode", "dimensions", "reads"),
    [("linear", 1, 2), ("bilinear", 2, 4), ("trilinear", 3, 8), ("bicubic", 2, 16)],
)
def test_an_interpolated_element_is_a_sum_of_its_neighbours(
    mode: str, dimensions: int, reads: int, scale: int, n: int
) -> None:
    result = counts(Interpolate(mode, scale), 1, c, *[n] * dimensions)
    assert result["elementwise"] == reads * c * (scale * n) ** dimensions
    assert result["elementwise_backward"] == result["elementwise"]
    assert (result["moved"], result["forward"], result["memory"]) == (0, 0, 0)


def test_by_area_is_an_adaptive_mean() -> None:
    result = counts(Interpolate("area", 0.5), 1, c, 7, 9)
    assert result["elementwise"] == c * read(7, 3) * read(9, 4)
