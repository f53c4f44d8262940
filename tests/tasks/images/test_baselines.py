"""The simple methods against plain computations of them."""

import numpy as np
import pytest
import torch

from tests.tasks.images.image_sets import drawn
from workings.tasks.images import baselines as b
from workings.tasks.images.dataset import Images


def some(n: int, seed: int) -> Images:
    pixels, labels = drawn(n, 3, seed=seed)
    noise = np.random.default_rng(seed + 9).integers(0, 120, pixels.shape)
    pixels = np.minimum(pixels.astype(int) // 2 + noise, 255).astype(np.uint8)
    labels = np.where(np.arange(n) < n // 3, 2, labels)  # class 2 is the most frequent
    return Images(torch.from_numpy(pixels[:, None]), torch.from_numpy(labels.astype(np.int64)))


@pytest.fixture
def splits() -> dict[str, Images]:
    return {"train": some(200, 1), "valid": some(40, 2), "test": some(50, 3)}


def flat(one: Images) -> tuple[np.ndarray, np.ndarray]:
    return one.pixels.flatten(1).numpy() / 255.0, one.labels.numpy()


def test_the_figures_are_those_of_plain_computations(splits: dict[str, Images]) -> None:
    found = b.baselines(splits, 3)
    (x, y), (test_x, test_y) = flat(splits["train"]), flat(splits["test"])
    assert found["most frequent class"]["test.accuracy"] == pytest.approx((test_y == 2).mean())
    means = np.stack([x[y == k].mean(0) for k in range(3)])
    nearest = ((test_x[:, None] - means) ** 2).sum(2).argmin(1)
    assert found["nearest class mean"]["test.accuracy"] == pytest.approx((nearest == test_y).mean())
    ones = np.column_stack([x, np.ones(len(x))])
    ridge = np.sqrt(len(x) / 1000) * np.eye(ones.shape[1])
    target = np.vstack([np.eye(3)[y], np.zeros((ones.shape[1], 3))])
    w = np.linalg.lstsq(np.vstack([ones, ridge]), target, rcond=None)[0]
    linear = (np.column_stack([test_x, np.ones(len(test_x))]) @ w).argmax(1)
    assert found["linear, least squares"]["test.accuracy"] == pytest.approx(
        (linear == test_y).mean()
    )


def test_chunks_change_nothing(splits: dict[str, Images], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = b.baselines(splits, 3)
    monkeypatch.setattr(b, "CHUNK", 7)
    assert b.baselines(splits, 3) == whole


def test_large_images_have_no_linear_classifier(
    splits: dict[str, Images], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(b, "MOST_PIXELS", 63)
    assert list(b.baselines(splits, 3)) == ["most frequent class", "nearest class mean"]
