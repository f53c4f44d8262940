"""Max pooling from slices against PyTorch's."""

import pytest
import torch
from torch.nn import functional as F

from workings.nn.conv import maxpool
from workings.nn.conv.maxpool import max_pool


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maxpool, "SMALL", 0)


@pytest.mark.parametrize("size", [(4, 6), (5, 7), (2, 3), (3, 2)])
def test_values_and_gradients_are_those_of_torch(size: tuple[int, int]) -> None:
    x = torch.randn(2, 3, *size, dtype=torch.double, requires_grad=True)
    found, expected = max_pool(x), F.max_pool2d(x, 2)
    assert torch.equal(found, expected)
    assert torch.equal(max_pool(x.detach()), expected)
    g = torch.randn_like(found)
    (mine,), (other,) = (torch.autograd.grad(y, x, g) for y in (found, expected))
    assert torch.equal(mine, other)


def test_of_equal_entries_one_gets_the_whole_gradient() -> None:
    x = torch.zeros(1, 1, 4, 4, requires_grad=True)
    (g,) = torch.autograd.grad(max_pool(x).sum(), x)
    windows = g.view(2, 2, 2, 2).transpose(1, 2).reshape(4, 4)
    assert windows.sort(1).values.tolist() == [[0, 0, 0, 1]] * 4


def test_a_small_input_is_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(1, 1, 4, 4, requires_grad=True)
    assert "_MaxPool" in type(max_pool(x).grad_fn).__name__
    monkeypatch.setattr(maxpool, "SMALL", 17)
    assert "MaxPool2D" in type(max_pool(x).grad_fn).__name__


def test_nan_is_not_hidden() -> None:
    x = torch.zeros(1, 1, 2, 2)
    x[0, 0, 1, 0] = torch.nan
    assert torch.isnan(max_pool(x)).all()
