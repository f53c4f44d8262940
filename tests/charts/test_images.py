"""Charts of an image classifier: what they hold, and that they can be drawn."""

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from workings.charts import render
from workings.charts.images import confusion, filters, mistakes, reliability


def values(chart: Any, layer: int = 0) -> list[dict[str, Any]]:
    found = chart.to_dict()
    return (found if "data" in found else found["layer"][layer])["data"]["values"]


def test_a_confusion_matrix_holds_counts_and_shares() -> None:
    chart = confusion(["cat", "dog"], [[3, 1], [0, 0]])
    rows = {(row["true"], row["predicted"]): row for row in values(chart)}
    assert rows["cat", "dog"]["images"] == 1
    assert rows["cat", "dog"]["share"] == 0.25
    assert rows["dog", "dog"]["share"] == 0  # of none
    assert rows["dog", "cat"]["label"] == ""


def example(pixels: np.ndarray, true: str = "cat") -> dict[str, Any]:
    return {"pixels": pixels, "true": true, "predicted": "dog", "confidence": 0.987}


@pytest.mark.parametrize("channels", [1, 3])
def test_mistakes_are_pictures_of_the_pixels(channels: int) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (channels, 28, 28)).astype(np.uint8)
    (row,) = values(mistakes([example(pixels)]))
    assert row["lines"] == ["is cat", "→ dog 99%"]
    shown = Image.open(io.BytesIO(base64.b64decode(row["url"].partition(",")[2])))
    times = shown.width // 28
    found = np.asarray(shown)[::times, ::times]
    assert np.array_equal(found if channels == 1 else found.transpose(2, 0, 1), pixels.squeeze())


def test_mistakes_stand_in_rows() -> None:
    pixels = np.zeros((1, 8, 8), np.uint8)
    rows = values(mistakes([example(pixels)] * 5, columns=2))
    assert len({row["x"] for row in rows}) == 2
    assert len({row["y"] for row in rows}) == 3
    assert len({(row["x"], row["y"]) for row in rows}) == 5


def test_filters_show_the_mean_of_their_channels_on_an_even_scale() -> None:
    weights = np.zeros((2, 3, 2, 2))
    weights[1, :, 0, 1] = [-1, -2, -3]
    chart = filters(weights).to_dict()
    by_place = {(r["filter"], r["row"], r["column"]): r["weight"] for r in chart["data"]["values"]}
    assert by_place[2, 0, 1] == -2
    assert by_place[1, 0, 1] == 0
    assert chart["spec"]["encoding"]["color"]["scale"]["domain"] == [-2, 2]


def test_reliability_has_a_point_a_bin() -> None:
    rows = [{"confidence": 0.9, "accuracy": 0.8, "examples": 5}]
    assert values(reliability(rows), 1) == rows


def test_all_can_be_drawn() -> None:
    pixels = np.zeros((1, 8, 8), np.uint8)
    for chart in (
        confusion(["cat", "dog"], [[3, 1], [0, 2]]),
        mistakes([example(pixels)] * 3),
        filters(np.ones((9, 1, 3, 3))),
        filters(np.zeros((1, 1, 3, 3))),
        reliability([{"confidence": 0.9, "accuracy": 0.8, "examples": 5}]),
    ):
        assert render(chart, ".svg").startswith(b"<svg")
        assert render(chart, ".png").startswith(b"\x89PNG")
