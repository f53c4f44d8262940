"""Charts: the definition says what is drawn, and every kind of file is one."""

import json
import re
from typing import Any

import pytest

from workings import charts
from workings.charts.growth import _ticks

ROWS = [
    {"size": n, "seconds": seconds * n**2, "series": series}
    for series, seconds in (("measured", 1e-6), ("theory", 2e-6))
    for n in (8, 16, 32, 64, 128)
]


def chart(rows: list[dict[str, Any]] = ROWS, **options: Any) -> Any:
    names = ("size", "seconds", "series")
    return charts.growth(rows, *names, "a title", "n, tokens", "time of a pass", **options)


def definition(**options: Any) -> dict[str, Any]:
    return json.loads(charts.render(chart(**options), ".json"))


def test_both_axes_are_logarithmic_with_titles_and_units() -> None:
    encoding = definition(y_unit="s")["encoding"]
    for axis, title in (("x", "n, tokens"), ("y", "time of a pass")):
        assert encoding[axis]["scale"]["type"] == "log"
        assert encoding[axis]["title"] == title
    assert encoding["x"]["axis"]["values"] == [8, 16, 32, 64, 128]
    assert encoding["y"]["axis"]["labelExpr"].endswith("+ 's'")


def test_colours_are_told_apart_and_the_legend_is_one() -> None:
    encoding = definition(dashed=["theory"])["encoding"]
    domains = [encoding[name]["scale"]["domain"] for name in ("color", "shape", "strokeDash")]
    assert domains == [["measured", "theory"]] * 3
    assert encoding["color"]["scale"]["range"] == ["#0072B2", "#D55E00"]
    assert encoding["strokeDash"]["scale"]["range"] == [[1, 0], [5, 4]]
    assert len(set(charts.PALETTE)) == len(charts.PALETTE)


def test_every_row_is_a_point() -> None:
    found = definition()
    (values,) = found["datasets"].values() if "datasets" in found else (found["data"]["values"],)
    assert values == ROWS


def test_more_series_than_colours_are_refused() -> None:
    rows = [{"size": 1, "seconds": 1.0, "series": str(i)} for i in range(8)]
    with pytest.raises(ValueError, match=r"at most 7 series \(got 8\)"):
        chart(rows)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1e-4, 2.0, [1e-4, 1e-3, 1e-2, 1e-1, 1, 10]),
        (0.3, 4.0, [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]),
    ],
)
def test_ticks_are_whole_decades_or_finer(low: float, high: float, expected: list[float]) -> None:
    assert _ticks([low, high]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("suffix", "start"),
    [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF"), (".json", b"{")],
)
def test_kinds_of_files(suffix: str, start: bytes) -> None:
    content = charts.render(chart(), suffix)
    assert content.startswith(start)
    if suffix == ".svg":
        text = content.decode()
        assert "a title" in text
        assert "n, tokens" in text


def test_a_page_needs_no_network() -> None:
    page = charts.render(chart(), ".html").decode()
    assert "vegaEmbed" in page
    assert not re.search(r"<(script|link)[^>]+(src|href)=", page)


@pytest.mark.parametrize("suffix", [".jpg", "", ".SVG"])
def test_other_kinds_are_refused(suffix: str) -> None:
    with pytest.raises(ValueError, match=r"no chart can be written as .*there is: \.svg, \.png"):
        charts.render(chart(), suffix)


def test_a_line_of_very_many_points_keeps_its_peaks() -> None:
    rows = [
        {"epoch": n, "split": "valid", "loss": 9.0 if n == 50_001 else -9.0 if n == 77 else 1.0}
        for n in range(100_000)
    ]
    values = charts.curves(rows, "loss").to_dict()["data"]["values"]
    assert len(values) <= 2000
    assert [v["epoch"] for v in values] == sorted(v["epoch"] for v in values)
    assert {v["epoch"]: v["value"] for v in values if v["value"] != 1} == {77: -9, 50_001: 9}
