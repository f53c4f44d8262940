from workings.charts import looked_at, render


def test_every_weight_is_there() -> None:
    chart = looked_at(["get", "name"], ["def", "self", "name"], [[0.5, 0.25, 0.25], [0, 0.1, 0.9]])
    rows = chart.to_dict()["data"]["values"]
    assert [row["weight"] for row in rows] == [0.5, 0.25, 0.25, 0, 0.1, 0.9]
    assert [row["token"] for row in rows[:3]] == ["1 def", "2 self", "3 name"]
    assert "looks at" in render(chart, ".svg").decode()


def test_of_many_tokens_those_that_count_are_shown() -> None:
    weights = [0.0] * 500
    weights[317] = 1.0
    rows = looked_at(["a"], ["x"] * 500, [weights]).to_dict()["data"]["values"]
    assert len(rows) == 60
    assert [row["token"] for row in rows if row["weight"]] == ["318 x"]
