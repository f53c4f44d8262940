"""Searching: trials asked of Optuna, pruned, failed, gone on with."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.study.tiny import Here, write_study
from workings.errors import WorkingsError
from workings.study.plan import Job
from workings.study.search import Trials, search, space
from workings.study.study import Conductor, Wanted

optuna = pytest.importorskip("optuna")
SPACE = {"train.lr": {"low": 1e-3, "high": 0.3, "log": True}, "model.hidden": [4, 6]}


def conductor(tmp_path: Path, book: Path, **changes: Any) -> Conductor:
    file = write_study(tmp_path, book, **({"row": None, "search": SPACE} | changes))
    return Conductor(file, Wanted(folder=tmp_path / "out", jobs=2))


def test_a_search_ends_with_the_best_first_and_can_be_enlarged(
    tmp_path: Path, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = search(conductor(tmp_path, book), 3)
    values = [row.values("valid.perplexity")[1] for row in done.summary.rows]
    assert len(values) == 3
    assert values == sorted(values)
    rows = {row.name: row.settings for row in done.summary.rows}
    assert all(1e-3 <= settings["train.lr"] <= 0.3 for settings in rows.values())
    assert "a search of 3 trials by valid.perplexity" in done.summary.narrowed[0]
    monkeypatch.setattr("workings.study.search.Local", Here)
    more = search(conductor(tmp_path, book), 4)
    assert len(more.summary.rows) == 4
    assert rows.keys() < {row.name for row in more.summary.rows}
    book.write_text(book.read_text().replace("e", "a"))
    with pytest.raises(WorkingsError, match="compared with new trials: its data has changed"):
        search(conductor(tmp_path, book), 5)


class Told:
    """A search without workers: the test plays their part."""

    def __init__(self, tmp_path: Path, book: Path, count: int) -> None:
        self.trials = Trials(conductor(tmp_path, book), count)

    def next(self) -> Job:
        job = self.trials.next()
        assert job
        return job


def test_trials_behind_the_median_are_pruned(tmp_path: Path, book: Path) -> None:
    told = Told(tmp_path, book, 6)
    for value in (10.0, 11.0, 12.0, 13.0):
        job = told.next()
        assert not any(told.trials.epoch(job, epoch, value) for epoch in (1, 2, 3))
        folder = told.trials.conductor.where(job)
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(f'{{"metrics": {{"valid.perplexity": {value}}}}}')
        told.trials.ended(job, "", stopped=False)
    job = told.next()
    assert not told.trials.epoch(job, 1, 50.0)  # warming up
    assert told.trials.epoch(job, 2, 50.0)
    told.trials.ended(job, "", stopped=True)
    assert not told.trials.epoch(told.next(), 2, 9.0)
    states = [trial.state.name for trial in told.trials.study.get_trials()]
    assert states == ["COMPLETE"] * 4 + ["PRUNED", "RUNNING"]
    summary = told.trials.conductor.folder.summary()
    pruned = next(row for row in summary.rows if row.name.startswith("trial 5"))
    assert pruned.runs[0].error.startswith("pruned")


def test_a_trial_under_way_when_it_was_stopped_goes_on_first(tmp_path: Path, book: Path) -> None:
    job = Told(tmp_path, book, 3).next()
    again = Told(tmp_path, book, 3)
    assert again.next().folder == job.folder
    assert again.next().folder != job.folder


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"train.lr": {"low": 1}}, "search: train.lr: expected a list of values, or low and high"),
        ({"train.lr": {"low": 2, "high": 1}}, "search: train.lr"),
        ({"train.lr": 3}, "search: train.lr"),
        ({"train.lr": []}, "search: train.lr"),
        ({"train.lrr": [1, 2]}, "train.lrr: unknown key"),
    ],
)
def test_a_bad_space(given: dict[str, Any], message: str, tmp_path: Path, book: Path) -> None:
    with pytest.raises(WorkingsError, match=message):
        Trials(conductor(tmp_path, book, search=given), 3)


def test_a_grid_is_a_space_and_rows_are_none(tmp_path: Path, book: Path) -> None:
    grid = conductor(tmp_path, book, search=None, grid={"model.hidden": [4, 6]})
    assert set(space(grid.file, optuna)["model.hidden"].choices) == {4, 6}
    rows = conductor(tmp_path, book, search=None, row=[{"name": "a"}])
    with pytest.raises(WorkingsError, match=r"no \[search\] and no \[grid\]"):
        Trials(rows, 3)


def test_importance_has_an_interval_or_is_not_given(tmp_path: Path, book: Path) -> None:
    """Six trials called a setting 100% important."""
    trials = Told(tmp_path, book, 3).trials
    draw = np.random.default_rng(1)

    def add(count: int) -> None:
        for lr in draw.uniform(1e-3, 0.3, count).tolist():
            params = {"train.lr": lr, "model.hidden": int(draw.choice([4, 6]))}
            value = 9 + 30 * lr**2
            trial = optuna.trial.create_trial(
                params=params, distributions=trials.space, value=value
            )
            trials.study.add_trial(trial)

    add(19)
    assert "is not given: 19 trials say too little" in trials.importance()
    add(21)
    told = re.findall(r"(\S+) (\d+)% \((\d+)% to (\d+)%\)", trials.importance())
    assert {key for key, *_ in told} == {"train.lr", "model.hidden"}
    assert all(int(low) < int(high) for _, _, low, high in told)
    assert {key: int(share) for key, share, *_ in told}["train.lr"] > 50
    assert trials.importance() == trials.importance()
