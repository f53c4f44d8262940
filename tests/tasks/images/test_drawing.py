"""Images as text."""

import torch

from workings.tasks.images.dataset import Images
from workings.tasks.images.drawing import WIDE, caption, drawn, side_by_side


def test_bright_is_full_and_dark_is_empty() -> None:
    pixels = torch.zeros(1, 4, 4, dtype=torch.uint8)
    pixels[:, :, 2:] = 255
    assert drawn(pixels) == ["  ██", "  ██"]


def test_a_large_image_is_drawn_small_with_its_proportions() -> None:
    lines = drawn(torch.zeros(3, 112, 224, dtype=torch.uint8))
    assert {len(line) for line in lines} == {WIDE}
    assert len(lines) == WIDE // 4


def test_a_mistake_is_said() -> None:
    p = torch.tensor([0.2, 0.8])
    assert caption(p, 1, ("cat", "dog")) == "dog 80%"
    assert caption(p, 0, ("cat", "dog")) == "dog 80%, is cat"


def test_side_by_side_with_captions_below() -> None:
    some = Images(torch.full((2, 1, 2, 2), 255, dtype=torch.uint8), torch.tensor([0, 1]))
    p = torch.tensor([[0.9, 0.1], [0.6, 0.4]])
    assert side_by_side(some, p, ("a", "b")).split("\n") == ["██      ██", "  a 90%   a 60%, is b"]
