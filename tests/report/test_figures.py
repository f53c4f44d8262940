"""What the charts of a study are made of: means over seeds, thinned lines, units."""

import json
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from tests.report.summaries import NOWHERE, data, row, run, study
from workings.report import figures
from workings.study.summary import RowSummary, RunSummary


def test_a_curve_is_the_mean_and_deviation_of_the_seeds() -> None:
    curves = [[9.0, 7.0, 5.0], [8.0, 7.5, 4.0], [10.0, 6.0, 6.5]]
    runs = [run(seed, 5.0, list(curve)) for seed, curve in enumerate(curves)]
    found = figures.curve(RowSummary("a", {}, {}, "", runs), "valid.perplexity", "epoch")
    mean, deviation = numpy.mean(curves, 0), numpy.std(curves, 0, ddof=1)
    assert [point["x"] for point in found] == [1, 2, 3]
    assert [point["mean"] for point in found] == pytest.approx(mean, rel=1e-5)
    assert [point["high"] for point in found] == pytest.approx(mean + deviation, rel=1e-5)
    assert {point["seeds"] for point in found} == {3}


def test_a_mean_ends_with_the_first_seed_and_leaves_out_what_is_no_number() -> None:
    runs = [run(1, 5.0, [9.0, None, 7.0, 6.0, 5.0]), run(2, 5.0, [9.0, 8.0, 7.0, 6.0])]
    runs.append(RunSummary(NOWHERE, 3, "waiting"))
    found = figures.curve(RowSummary("a", {}, {}, "", runs), "valid.perplexity", "epoch")
    assert [point["x"] for point in found] == [1, 3, 4]


def test_what_is_above_zero_has_no_band_below_the_least() -> None:
    runs = [run(seed, 5.0, [value]) for seed, value in enumerate([1e-9, 1e-3])]
    (point,) = figures.curve(RowSummary("a", {}, {}, "", runs), "valid.perplexity", "epoch")
    assert point["low"] == 1e-9


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    one = run(1, 5.0, [float(n) for n in range(5000, 0, -1)])
    found = figures.curve(RowSummary("a", {}, {}, "", [one]), "train.perplexity", "epoch")
    assert len(found) == figures.MOST_POINTS
    assert (found[0]["x"], found[-1]["x"]) == (1, 5000)
    assert all(2 * point["mean"] == 5001 - point["x"] for point in found)


def test_a_measurement_has_lines_without_a_split() -> None:
    points = [{"distance": d, "share": 0.5**d} for d in range(5)]
    one = RunSummary(NOWHERE, 1, "finished", result={}, lines=points)
    for metric in ("share", "test.share"):
        assert figures.points(one, metric, "distance") == {d: 0.5**d for d in range(5)}


def test_one_row_has_its_splits_in_one_chart() -> None:
    (figure,) = figures.learning(study([row("a", [5.0])]))
    assert figure.name == "perplexity-by-epoch"
    points = data(figure.chart.to_dict())
    assert [(p["row"], p["mean"]) for p in points] == [
        *[("valid", 15.0), ("valid", 10.0), ("valid", 5.0)],
        *[("train", 7.5), ("train", 5.0), ("train", 2.5)],
    ]


def test_one_epoch_is_drawn_by_step(tmp_path: Path) -> None:
    rows = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        points = [{"step": n, "epoch": 1, "split": "train", "loss": 5.0 / n} for n in (2, 4, 6)]
        (folder / "steps.jsonl").write_text("".join(json.dumps(p) + "\n" for p in points))
        rows.append(RowSummary(name, {}, {}, "", [replace(run(1, 5.0, [9.0]), folder=folder)]))
    for some in (rows, rows[:1]):
        (figure,) = figures.learning(study(some))  # an epoch's one dot is no curve
        assert figure.name == "train-loss-by-step"
        assert [p["x"] for p in data(figure.chart.to_dict()) if p["row"] == "a"] == [2, 4, 6]
    more = [replace(each, runs=[run(1, 5.0, [9.0] * 4)]) for each in rows]
    assert [each.name for each in figures.learning(study(more))] == [
        "valid-perplexity-by-epoch",
        "train-perplexity-by-epoch",
    ]


def test_cost_is_drawn_where_rows_differ_in_it() -> None:
    rows = [row("a", [5.0], seconds=30.0), row("b", [4.0], seconds=600.0)]
    (figure,) = figures.cost(study(rows))
    assert [point["x"] for point in data(figure.chart.to_dict())] == [0.5, 10.0]
    assert "(min)" in json.dumps(figure.chart.to_dict())
    assert figures.cost(study([rows[0]])) == []


def test_every_published_metric_has_a_chart() -> None:
    one = row("a", [5.0], published=5.0)
    one.published["valid.perplexity"] = 9.0
    found = figures.published(study([one, row("b", [4.0])]))
    assert [figure.name for figure in found] == [
        "test-perplexity-published",
        "valid-perplexity-published",
    ]
    verdicts = [data(figure.chart.to_dict())[0]["verdict"] for figure in found]
    assert verdicts == ["agrees", "better"]


def test_the_gap_is_train_less_valid_by_epoch() -> None:
    one = run(1, 8.0, [30.0, 20.0, 10.0])
    assert figures.points(one, "gap.perplexity", "epoch") == {1.0: -15.0, 2.0: -10.0, 3.0: -5.0}


def test_shifts_are_drawn_where_they_were_measured() -> None:
    def moved(seed: int, *accuracies: float) -> RunSummary:
        names = ["test.accuracy", "test.accuracy_shifted_1", "test.accuracy_shifted_2"]
        return run(seed, 8.0, [9.0], metrics=dict(zip(names, accuracies, strict=True)))

    pool = RowSummary("pool", {}, {}, "", [moved(1, 0.9, 0.8, 0.5), moved(2, 0.7, 0.6, 0.5)])
    (figure,) = figures.shifted(study([pool, row("plain", [3.0])]))
    by_shift = {point["x"]: point["mean"] for point in data(figure.chart.to_dict())}
    assert by_shift == pytest.approx({0: 0.8, 1: 0.7, 2: 0.5})
    assert figures.shifted(study([row("plain", [3.0])])) == []
