"""The best row is the one that validation chooses, among rows that can be ranked."""

import statistics
from pathlib import Path
from typing import Any

import pytest

from workings.report.answer import answer
from workings.study.choice import Ranking, rankings
from workings.study.file import StudyFile
from workings.study.summary import RowSummary, RunSummary, StudySummary


def row(name: str, **figures: list[float]) -> RowSummary:
    """A row with a run for each seed; `test` and `valid` are its accuracies."""
    seeds = range(max(map(len, figures.values()), default=0))
    results = [
        {"metrics": {f"{split}.accuracy": values[n] for split, values in figures.items()}}
        for n in seeds
    ]
    runs = [RunSummary(Path(name), n, "finished", result=r) for n, r in enumerate(results)]
    return RowSummary(name, {}, {}, "", runs)


def study(*rows: RowSummary, **changes: Any) -> StudySummary:
    values = {"title": "t", "base": "images", "metric": "test.accuracy", "row": [{}]} | changes
    return StudySummary("t", StudyFile.model_validate(values), list(rows), lower_is_better=False)


def only(summary: StudySummary) -> Ranking:
    (ranking,) = rankings(summary)
    return ranking


def names(rows: list[RowSummary]) -> list[str]:
    return [row.name for row in rows]


def test_validation_chooses_though_another_row_is_better_on_the_test_split() -> None:
    rows = row("a", test=[0.9, 0.9], valid=[0.7, 0.8]), row("b", test=[0.8, 0.8], valid=[0.8, 0.8])
    ranking = only(study(*rows))
    assert (names(ranking.chosen), ranking.metric) == (["b"], "valid.accuracy")
    assert names(ranking.best_on_test) == ["a"]
    assert [ranking.badges(row) for row in rows] == [["best on test"], ["best by validation"]]


def test_without_validation_figures_the_test_split_crowns_nobody() -> None:
    ranking = only(study(row("a", test=[0.9], valid=[0.9]), row("b", test=[0.8])))
    assert ranking.chosen == []


def test_one_measured_row_is_not_the_best_of_several() -> None:
    ranking = only(study(row("a", test=[0.9], valid=[0.9]), row("b")))
    assert (ranking.chosen, ranking.best_on_test) == ([], [])


def test_a_tie_is_seen_through_the_rounding_of_means() -> None:
    """Of 500 examples 8 and 10 are right with the one, 9 and 9 with the other."""
    apart, equal = [8 / 500, 10 / 500], [9 / 500, 9 / 500]
    assert statistics.fmean(apart) != statistics.fmean(equal)
    rows = row("a", test=apart, valid=apart), row("b", test=equal, valid=equal)
    assert names(only(study(*rows)).chosen) == ["a", "b"]


def test_a_tie_shares_the_badge() -> None:
    rows = row("a", test=[0.9], valid=[0.8]), row("b", test=[0.9], valid=[0.8])
    ranking = only(study(*rows, row("c", test=[0.7], valid=[0.7])))
    assert names(ranking.chosen) == names(ranking.best_on_test) == ["a", "b"]
    assert ranking.badges(rows[1]) == ["best by validation", "best on test"]


def test_a_measurement_is_chosen_by_its_own_figure() -> None:
    changes = {"base": "", "measure": "vanishing"}
    ranking = only(study(row("a", test=[0.9]), row("b", test=[0.8]), **changes))
    assert [ranking.badges(each) for each in ranking.rows] == [["best"], []]


@pytest.mark.parametrize("metric", ["valid.accuracy", "train.accuracy"])
def test_a_metric_that_is_not_of_the_test_split_chooses_itself(metric: str) -> None:
    rows = [
        row("a", valid=[0.7], train=[0.9]),
        row("b", valid=[0.8], train=[0.8]),
    ]
    ranking = only(study(*rows, metric=metric))
    assert names(ranking.chosen) == ["b" if metric == "valid.accuracy" else "a"]


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_a_row_is_not_better_for_the_seeds_that_it_lacks(state: str) -> None:
    lucky = row("lucky", test=[0.95], valid=[0.95])
    lucky.runs.append(RunSummary(Path("lucky"), 1, state))
    whole = [row(name, test=[acc] * 2, valid=[acc] * 2) for name, acc in (("a", 0.9), ("b", 0.8))]
    ranking = only(study(lucky, *whole))
    assert names(ranking.chosen) == names(ranking.best_on_test) == ["a"]
    assert names(ranking.rows) == ["lucky", "a", "b"]
    assert only(study(lucky, whole[0])).chosen == []
    said = "fewer than two have a valid accuracy of each of their seeds"
    assert said in answer(study(lucky, whole[0]))
