"""Charts of a study: a row looks the same everywhere, scales fit the range, nothing is made up."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workings.charts import PALETTE, render
from workings.charts import study as charts

ROWS = ["rnn", "lstm", "gru"]


def points(rows: list[str], values: list[float], **more: Any) -> list[dict[str, Any]]:
    return [
        {"row": row, "x": x, "mean": value, "seeds": 1, **more}
        for row in rows
        for x, value in enumerate(values, start=1)
    ]


def definition(chart: Any) -> dict[str, Any]:
    return json.loads(render(chart, ".json"))


def layers(chart: Any, mark: str) -> list[dict[str, Any]]:
    return [one for one in definition(chart)["layer"] if one["mark"]["type"] == mark]


def line(chart: Any) -> dict[str, Any]:
    (found,) = layers(chart, "line")
    return found["encoding"]


def drawn(chart: Any) -> list[dict[str, Any]]:
    found = definition(chart)
    return (
        next(iter(found["datasets"].values())) if "datasets" in found else found["data"]["values"]
    )


def test_a_row_has_its_colour_also_where_others_have_nothing_to_show() -> None:
    all_ = line(charts.learning(points(ROWS, [3, 2]), ROWS, "epoch", "loss"))
    one = line(charts.learning(points(["gru"], [3, 2]), ROWS, "epoch", "loss"))
    cost = layers(charts.quality(points(["gru"], [3]), ROWS, "time (s)", "loss"), "point")[0]
    for encoding in (all_, one, cost["encoding"]):
        assert encoding["color"]["scale"]["domain"] == ROWS
        assert encoding["color"]["scale"]["range"] == PALETTE[:3]
    assert one["color"]["legend"]["values"] == ["gru"]


@pytest.mark.parametrize(("epochs", "cue"), [(5, "shape"), (100, "strokeDash")])
def test_many_rows_are_told_apart_by_a_second_cue(epochs: int, cue: str) -> None:
    rows = [f"row {n}" for n in range(35)]
    values = [float(n) for n in range(1, epochs + 1)]
    encoding = line(charts.learning(points(rows, values), rows, "epoch", "loss"))
    looks = zip(encoding["color"]["scale"]["range"], encoding[cue]["scale"]["range"], strict=True)
    assert len({str(look) for look in looks}) == len(rows)


def test_a_legend_is_left_out_where_it_could_not_be_read() -> None:
    rows = [f"row {n}" for n in range(charts.MOST_NAMES + 1)]
    for names, there in ((rows, False), (rows[1:], True), (rows[:1], False)):
        encoding = line(charts.learning(points(names, [2.0, 1.0]), names, "epoch", "loss"))
        assert bool(encoding["color"]["legend"]) is there


def test_a_band_is_there_only_where_several_seeds_were_run() -> None:
    alone = points(ROWS, [3, 2])
    assert not layers(charts.learning(alone, ROWS, "epoch", "loss"), "area")
    several = [point | {"low": point["mean"] - 1, "high": point["mean"] + 1} for point in alone]
    chart = charts.learning(several, ROWS, "epoch", "loss")
    (area,) = layers(chart, "area")
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")
    assert drawn(chart) == several


@given(st.lists(st.floats(1.1, 1e6), min_size=1, max_size=9), st.floats(1, 100))
def test_the_unit_does_not_decide_the_scale(values: list[float], unit: float) -> None:
    ratio = max(values) / min(values)
    if abs(ratio - 4) > 1e-6:
        assert charts.wide(values) is charts.wide([unit * value for value in values])
        assert charts.wide(values) is (ratio > 4)


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([], False),
        ([0], False),
        ([1, -100], False),
        ([0, 1, 100], False),
        ([0, 1e-30, 1], True),
        ([0.1, 0.95], False),
        ([1e-4, 1.0], True),
    ],
)
def test_zero_and_shares_take_more_for_a_logarithmic_scale(values: list[float], log: bool) -> None:
    assert charts.wide(values) is log


@pytest.mark.parametrize("epochs", [[1], [1, 2], [1, 2, 5, 300], range(1, 301)])
def test_an_axis_of_epochs_has_whole_numbers(epochs: Any) -> None:
    points = [{"row": "a", "x": x, "mean": 1.0, "seeds": 1} for x in epochs]
    axis = line(charts.learning(points, ["a"], "epoch", "loss"))["x"]["axis"]
    assert axis["format"] == "d"
    assert all(isinstance(tick, int) for tick in axis["values"])


@pytest.mark.parametrize(
    ("places", "kind"),
    [
        ([1, 2, 3], "linear"),
        (range(1, 61), "linear"),
        ([256, 512, 1024, 4096], "log"),
        ([5], "linear"),
    ],
)
def test_epochs_are_even_and_lengths_that_double_are_not(places: Any, kind: str) -> None:
    given_ = [{"row": "a", "x": x, "mean": 1.0, "seeds": 1} for x in places]
    x = line(charts.learning(given_, ["a"], "place", "loss"))["x"]
    assert x["scale"].get("type", "linear") == kind
    assert ("log scale" in x["title"]) is (kind == "log")
    if kind == "log":
        assert x["axis"]["values"] == list(places)


def test_against_shows_what_agrees() -> None:
    given_ = [
        {"row": "rnn", "mean": 99.0, "published": 100.0, "verdict": "agrees"},
        {"row": "lstm", "mean": 80.0, "low": 78.0, "high": 82.0},
    ]
    chart = charts.against(given_, ROWS, "perplexity", 0.02)
    found = drawn(chart)
    assert [(one["row"], one["kind"], one["value"]) for one in found] == [
        ("rnn", "measured", 99.0),
        ("lstm", "measured", 80.0),
        ("rnn", "published", 100.0),
    ]
    assert (found[2]["near"], found[2]["far"]) == (98.0, 102.0)
    ends = [one["encoding"]["x"]["field"] for one in layers(chart, "rule")]
    assert ends == ["near", "low"]
    assert layers(chart, "point")[0]["encoding"]["y"]["sort"] == ROWS


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_single_point_is_drawn(suffix: str) -> None:
    one = points(["<b>"], [2.0])
    made = [
        charts.learning(one, ["<b>"], "epoch", "loss (nats)"),
        charts.quality(one, ["<b>"], "parameters", "loss (nats)"),
        charts.against([one[0] | {"published": 2.0}], ["<b>"], "loss (nats)", 0.0),
    ]
    for chart, start in itertools.product(made, [{".svg": b"<svg", ".png": b"\x89PNG"}]):
        content = render(chart, suffix)
        assert content.startswith(start.get(suffix, b"%PDF"))
        if suffix == ".svg":
            assert b"loss (nats)" in content
            assert b"<b>" not in content


def test_epochs_have_whole_ticks_that_are_not_too_many() -> None:
    assert charts.whole_ticks([1, 2, 3]) == [1, 2, 3]
    assert charts.whole_ticks([1]) == [1]
    assert charts.whole_ticks([1, 40]) == [10, 20, 30, 40]
    assert charts.whole_ticks([17, 34, 60]) == [20, 30, 40, 50, 60]
    assert charts.whole_ticks([0, 4]) == [0, 1, 2, 3, 4]
    assert charts.whole_ticks([]) == []
    assert all(len(charts.whole_ticks([1, n])) <= 9 for n in range(1, 3000, 7))
