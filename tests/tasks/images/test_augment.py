"""Augmentation: each image is one of those it may become, and all of them are drawn."""

import math

import pytest
import torch
from torch import Tensor

from workings.tasks.images.augment import flip, four_ways, rotate, shift

BLACK = torch.tensor([-1.0])


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(1)


@pytest.fixture
def image() -> Tensor:
    return torch.arange(1.0, 31.0).view(1, 1, 5, 6)


def test_about_half_are_mirrored_and_the_others_left(image: Tensor) -> None:
    found = flip(image.expand(400, 1, 5, 6))
    mirrored = (found == image.flip(3)).flatten(1).all(1)
    same = (found == image).flatten(1).all(1)
    assert (mirrored ^ same).all()
    assert 150 < mirrored.sum() < 250


def shifted(image: Tensor, down: int, right: int) -> Tensor:
    """One image moved, pixel by pixel."""
    moved = torch.full_like(image, BLACK.item())
    _, _, H, W = image.shape
    for i in range(H):
        for j in range(W):
            if 0 <= i - down < H and 0 <= j - right < W:
                moved[0, 0, i, j] = image[0, 0, i - down, j - right]
    return moved


def test_every_shift_and_no_other_is_drawn(image: Tensor) -> None:
    found = shift(image.expand(600, 1, 5, 6), 2, BLACK)
    possible = {(i, j): shifted(image, i, j) for i in range(-2, 3) for j in range(-2, 3)}
    seen: dict[tuple[int, int], int] = dict.fromkeys(possible, 0)
    for one in found:
        (where,) = [at for at, moved in possible.items() if torch.equal(one, moved[0])]
        seen[where] += 1
    assert min(seen.values()) > 5  # 24 are expected


def test_channels_are_shifted_together_and_filled_each_with_its_own() -> None:
    x = torch.rand(50, 2, 4, 4)
    x[:, 1] = x[:, 0] + 5
    found = shift(x, 1, torch.tensor([0.0, 5.0]))
    torch.testing.assert_close(found[:, 1], found[:, 0] + 5)


def test_a_turn_by_nothing_is_nothing() -> None:
    x = torch.rand(3, 2, 6, 9)
    torch.testing.assert_close(rotate(x, 1e-6, torch.zeros(2)), x, atol=1e-5, rtol=0)


@pytest.mark.parametrize("size", [(33, 33), (25, 41)])
def test_a_point_is_turned_by_the_angle_in_pixels(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    H, W = size
    x = torch.zeros(1, 1, H, W)
    x[0, 0, H // 2, W // 2 + 8] = 1.0  # eight pixels right of the middle
    monkeypatch.setattr(torch, "rand", lambda n, device: torch.ones(n))  # the largest angle
    found = rotate(x, 90.0, torch.zeros(1))[0, 0]
    at = divmod(int(found.argmax()), W)
    assert sorted(abs(a - b) for a, b in zip(at, (H // 2, W // 2), strict=True)) == [0, 8]
    assert at[0] != H // 2


def test_angles_are_within_the_bound_and_vary() -> None:
    x = torch.zeros(200, 1, 41, 41)
    x[:, 0, 20, 36] = 1.0
    found = rotate(x, 30.0, torch.zeros(1))[:, 0]
    rows, columns = torch.meshgrid(torch.arange(41.0), torch.arange(41.0), indexing="ij")
    mass = found.sum((1, 2))
    angle = torch.atan2(
        (found * (rows - 20)).sum((1, 2)) / mass, (found * (columns - 20)).sum((1, 2)) / mass
    )
    degrees = angle * 180 / math.pi
    assert degrees.abs().max() < 31
    assert degrees.min() < -20
    assert degrees.max() > 20


def test_what_comes_in_at_the_corners_is_the_fill() -> None:
    x = torch.full((20, 1, 9, 9), 3.0)
    found = rotate(x, 180.0, torch.tensor([-2.0]))
    assert found.min() < -1
    assert (found >= -2 - 1e-5).all()
    assert (found <= 3 + 1e-5).all()


def test_the_global_generator_decides() -> None:
    x = torch.rand(8, 1, 6, 6)
    results = []
    for _ in range(2):
        torch.manual_seed(5)
        results.append(shift(rotate(flip(x), 20.0, BLACK), 2, BLACK))
    assert torch.equal(*results)
    assert not torch.equal(results[0], shift(rotate(flip(x), 20.0, BLACK), 2, BLACK))


@pytest.mark.parametrize("by", [1, 3])
def test_four_ways_are_the_image_moved_by_hand(image: Tensor, by: int) -> None:
    down, up, right, left = four_ways(image, by)
    expected = [shifted(image, *way) for way in ((by, 0), (-by, 0), (0, by), (0, -by))]
    for found, moved in zip((down, up, right, left), expected, strict=True):
        torch.testing.assert_close(found, moved.clamp_min(0))
