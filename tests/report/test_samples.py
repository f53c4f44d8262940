"""Samples: what a result's details and a trained model have to show; a broken run costs nothing."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.report.summaries import row, run, study
from workings.report import samples
from workings.report.write import of_runs
from workings.run import train
from workings.run.folder.run_folder import RunFolder
from workings.study.summary import RowSummary, RunSummary, StudySummary
from workings.tasks.language.task import LanguageTask


@pytest.fixture
def trained(book: Path, tmp_path: Path) -> StudySummary:
    """A run of one epoch."""
    values = {
        "task": "language",
        "data": {"train": [str(book)]},
        "model": {"kind": "rnn", "embed": 8, "hidden": 8},
        "train": {"epochs": 1, "batch": 4, "window": 5, "threads": 1},
    }
    return of_runs([train(values, str(tmp_path / "run")).folder])


def test_a_language_run_shows_its_texts(trained: StudySummary) -> None:
    (found,) = samples.samples(trained)
    assert (found.row, found.seed, found.error) == ("run", 1, "")
    assert 1 <= len(found.lines) <= 3
    assert all(set(line.split()) & {"the", ".", "fox", "hen", "cat"} for line in found.lines)


def test_threads_are_put_back(trained: StudySummary) -> None:
    torch.set_num_threads(2)
    try:
        samples.samples(trained)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_a_run_without_its_weights_says_so(trained: StudySummary) -> None:
    shutil.rmtree(trained.rows[0].runs[0].folder / "checkpoint")
    (found,) = samples.samples(trained)
    assert "has no evaluated weights" in found.error
    assert found.lines == []


def test_one_thing_that_cannot_be_shown_does_not_cost_the_others(
    trained: StudySummary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any, model: Any) -> Any:
        raise ValueError("no data\nhere")

    monkeypatch.setattr(LanguageTask, "charts", broken, raising=False)
    (found,) = samples.samples(trained)
    assert found.error == "ValueError: no data"
    assert found.lines


def test_the_best_row_comes_first_and_rows_without_a_finished_run_not_at_all() -> None:
    details = {"samples": [{"target": "a b", "said": "a c"}]}
    rows = [row(name, [test], details=details) for name, test in (("a", 9.0), ("b", 7.0))]
    rows.append(RowSummary("c", {}, {}, "", [run(1, None, [])]))
    assert [one.row for one in samples.samples(study(rows))] == ["b", "a"]


def test_only_some_rows_of_a_long_study() -> None:
    details = {"samples": [{"target": "a b", "said": "a c"}]}
    rows = [row(str(n), [9.0 - n], details=details) for n in range(7)]
    assert [one.row for one in samples.samples(study(rows))] == ["6", "0", "1", "2"]


def test_tables_of_the_details() -> None:
    rows = [{"target": "a b", "score": 0.123456}, {"target": "c", "other": 1234, "score": None}]
    tables, matrices = samples.from_details({"samples": rows, "calibration": {"rows": [{"n": 1}]}})
    assert matrices == {}
    assert tables["samples"].heads == ["target", "score", "other"]
    assert tables["samples"].rows == [["a b", "0.1235", ""], ["c", "", "1,234"]]
    assert tables["samples"].prose
    assert tables["calibration"].rows == [["1"]]
    assert not tables["calibration"].prose


def test_a_long_table_says_how_much_is_left_out() -> None:
    tables, _ = samples.from_details({"classes": [{"class": n} for n in range(30)]})
    assert len(tables["classes"].rows) + tables["classes"].more == 30
    assert tables["classes"].more == 30 - samples.MOST_LINES


def test_a_confusion_matrix_is_shaded_by_shares_of_its_rows() -> None:
    counts = [[6, 2], [0, 0]]
    _, matrices = samples.from_details({"confusion": {"names": ["a", 7], "counts": counts}})
    assert matrices["confusion"].names == ["a", "7"]
    assert matrices["confusion"].shares == [[0.75, 0.25], [0.0, 0.0]]


@pytest.mark.parametrize(
    "details",
    [
        None,
        [],
        "text",
        {"confusion": {"names": ["a"], "counts": [[1, 2]]}},
        {"confusion": {"names": ["a"], "counts": [["1"]]}},
        {"confusion": {"names": [], "counts": []}},
        {"confusion": {"names": 3, "counts": 3}},
        {"confusion": {"names": [str(n) for n in range(99)], "counts": [[0] * 99] * 99}},
        {"rows": [1, 2], "none": [], "mixed": [{"a": 1}, 2], "number": 3.0},
    ],
)
def test_what_is_no_table_is_left_out(details: Any) -> None:
    assert samples.from_details(details) == ({}, {})


def test_a_measurement_has_no_model_to_ask(tmp_path: Path) -> None:
    found = samples.of_run("a", RunSummary(tmp_path, 1, "finished", result={"details": {}}))
    assert found.empty


def test_a_folder_that_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    found = samples.of_run("a", RunSummary(RunFolder(tmp_path).path, 1, "finished", result={}))
    assert "config.toml: no such config file" in found.error
