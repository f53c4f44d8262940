import pytest

from workings.charts import alignment, render, stacked


def test_every_weight_is_there() -> None:
    chart = alignment(["a", " ", "<end>"], [0.0, 0.02, 0.04], [[1, 0, 0], [0.2, 0.8, 0], [0, 0, 1]])
    rows = chart.to_dict()["data"]["values"]
    assert len(rows) == 9
    assert [row["weight"] for row in rows] == [1, 0, 0, 0.2, 0.8, 0, 0, 0, 1]
    assert [row["from"] for row in rows[:3]] == [0.0, 0.02, 0.04]
    assert {row["token"] for row in rows} == {"1 a", "2 ␣", "3 <end>"}


def test_many_moments_are_added_up() -> None:
    times = [number / 100 for number in range(1000)]
    chart = alignment(["a"], times, [[0.001] * 1000])
    rows = chart.to_dict()["data"]["values"]
    assert len(rows) <= 160
    assert sum(row["weight"] for row in rows) == pytest.approx(1, abs=0.01)


def test_drawn() -> None:
    one = alignment(["a", "b"], [0.0, 0.5], [[1, 0], [0, 1]])
    titles = []
    for chart in (stacked([one]), stacked([one, one])):
        drawn = render(chart, ".svg").decode()
        titles.append(drawn.count("What each token"))
        assert "time (s)" in drawn
        assert "1 a" in drawn
    assert titles[0] == titles[1]
